package processor

import (
	"math"
	"runtime"
	"testing"
)

// TestTimeGrows computes until the time has grown, which it does while a process computes.
func TestTimeGrows(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux is asked")
	}
	start, sum := Time(), 0.0
	for i := 0; Time() == start; i++ {
		if sum += math.Sqrt(float64(i)); i > 1e8 {
			t.Fatalf("the time is %v and does not grow", start)
		}
	}
}

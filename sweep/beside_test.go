package sweep

import (
	"runtime"
	"testing"

	"github.com/ditherml/dither/train"
)

// TestBeside holds how many runs go side by side: as many as there are processors of short steps, two of longer ones
// whose rows are small enough, and one of others.
func TestBeside(t *testing.T) {
	s, _ := toy(t, 1)
	most := runtime.GOMAXPROCS(0)
	for _, c := range []struct{ records, want int }{{1000, most}, {20e6, min(2, most)}, {100e6, 1}} {
		one := candidate(t, s, train.Request{Epsilon: 1})
		if got := one.beside(c.records); got != c.want {
			t.Errorf("%d records of %d features: %d runs side by side, want %d", c.records, one.Linear.Plan.Dim, got, c.want)
		}
	}
}

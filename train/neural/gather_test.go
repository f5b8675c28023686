package neural

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/ditherml/dither/mechanism"
)

// TestErrorOfChecksSaysNothingMore holds that the error of a failed check does not depend on how many goroutines found it.
func TestErrorOfChecksSaysNothingMore(t *testing.T) {
	const parts = 2
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(parts))
	r := testRun(t, networksUnderTest()["linear"], ClippingRequest{Norm: 1}, testRows(t, 20, 12, "linear"))
	for bad := 1; bad <= parts; bad++ {
		var begun sync.WaitGroup
		begun.Add(parts)
		err := r.share(parts, func(*worker) func(int) error {
			return func(part int) error {
				begun.Done()
				begun.Wait() // a part for each goroutine
				if part < bad {
					return mechanism.ErrComputation
				}
				return nil
			}
		}, func(*worker) error { return nil })
		if !errors.Is(err, mechanism.ErrComputation) || err.Error() != mechanism.ErrComputation.Error() {
			t.Errorf("%d of %d parts fail: got %q, want %q", bad, parts, err, mechanism.ErrComputation)
		}
	}
}

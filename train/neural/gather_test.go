package neural

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/ditherml/dither/internal/release"
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
					return release.ErrComputation
				}
				return nil
			}
		}, func(*worker) error { return nil })
		if !errors.Is(err, release.ErrComputation) || err.Error() != release.ErrComputation.Error() {
			t.Errorf("%d of %d parts fail: got %q, want %q", bad, parts, err, release.ErrComputation)
		}
	}
}

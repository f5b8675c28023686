package erm

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
)

// TestErrorOfChecksSaysNothingMore holds that the error of a failed check does not depend on how many goroutines found
// it, and that other errors stay.
func TestErrorOfChecksSaysNothingMore(t *testing.T) {
	const parts, each = 2, 2
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(parts))
	s, d := small(t, 2, parts*each)
	f := zerothExact(t, option.NoiseGaussian, s, d).fitting
	for bad := 1; bad <= parts; bad++ {
		err := eachRow(t.Context(), f, func() int { return 0 }, func(_, record int, _ []float64, _ float64) error {
			if record < bad*each {
				return fmt.Errorf("a block: %w", release.ErrComputation)
			}
			return nil
		}, func(int) error { return nil })
		if !errors.Is(err, release.ErrComputation) || err.Error() != release.ErrComputation.Error() {
			t.Errorf("%d of %d parts fail: got %q, want %q", bad, parts, err, release.ErrComputation)
		}
		failed := make([]error, parts)
		for k := range bad {
			failed[k] = errors.Join(errors.New("a file"), release.ErrComputation)
		}
		if err = joined(failed...); !errors.Is(err, release.ErrComputation) || err.Error() != release.ErrComputation.Error() {
			t.Errorf("%d of %d parts fail: got %q, want %q", bad, parts, err, release.ErrComputation)
		}
	}
	if err, other := joined(nil, nil), joined(nil, errOther, nil); err != nil || !errors.Is(other, errOther) {
		t.Errorf("joined errors are %v and %v, want none and %v", err, other, errOther)
	}
}

var errOther = errors.New("another error")

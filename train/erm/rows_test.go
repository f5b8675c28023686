package erm

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/ditherml/dither/mechanism"
)

// TestErrorOfChecksSaysNothingMore holds that the error of a failed check does not depend on how many goroutines found
// it, and that other errors stay.
func TestErrorOfChecksSaysNothingMore(t *testing.T) {
	const parts, each = 2, 2
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(parts))
	s, d := small(t, 2, parts*each)
	f := zerothExact(t, NoiseGaussian, s, d).fitting
	for bad := 1; bad <= parts; bad++ {
		err := eachRow(t.Context(), f, func() int { return 0 }, func(_, record int, _ []float64, _ float64) error {
			if record < bad*each {
				return fmt.Errorf("a block: %w", mechanism.ErrComputation)
			}
			return nil
		}, func(int) error { return nil })
		if !errors.Is(err, mechanism.ErrComputation) || err.Error() != mechanism.ErrComputation.Error() {
			t.Errorf("%d of %d parts fail: got %q, want %q", bad, parts, err, mechanism.ErrComputation)
		}
		failed := make([]error, parts)
		for k := range bad {
			failed[k] = errors.Join(errors.New("a file"), mechanism.ErrComputation)
		}
		if err = joined(failed...); !errors.Is(err, mechanism.ErrComputation) || err.Error() != mechanism.ErrComputation.Error() {
			t.Errorf("%d of %d parts fail: got %q, want %q", bad, parts, err, mechanism.ErrComputation)
		}
	}
	if err, other := joined(nil, nil), joined(nil, errOther, nil); err != nil || !errors.Is(other, errOther) {
		t.Errorf("joined errors are %v and %v, want none and %v", err, other, errOther)
	}
}

var errOther = errors.New("another error")

package release

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/mechanism"
)

// Bounded is a sealed sum: a vector of integers that one record can change by at most its bound. No
// code can read it except a paid release. Release returns an error for the zero value.
type Bounded struct{ state *bounded }

// bounded is what a Bounded hides.
type bounded struct {
	sample Sample
	grid   grid
	values []int64
	unit   float64      // what one of the values stands for
	adds   bool         // it is a sum over records, and not computed from one
	faulty bool         // the sum is not what was to be summed: it is never released
	once   *atomic.Bool // of sums whose projections are fresh for one release: whether it was made; or nil
}

// Noisy is the result of a paid release. It may be used freely, because everything computed from it
// is post-processing. The zero value contains no numbers.
type Noisy struct{ values []float64 }

// Values returns the released numbers, in the units of the summed contributions. The caller must
// not modify the slice.
func (n Noisy) Values() []float64 { return n.values }

// Release pays for the release of the sum b with the noise n, and returns the noisy sum. The paid
// event is n on the sample of b, for example poisson(q, n). The scale of the noise is n's
// multiplier times the bound on one record's contribution. A Bounded that was made for another
// noise is an error. If a sample does not contain all records, only one release from it is allowed.
// Several sums of such a sample are released as one event with Join.
//
// Gaussian noise is rounded to the integer grid. The sum is an integer, and round(f+Z) = f +
// round(Z) for an integer f and noise Z. So the result is a function of the output of the
// continuous Gaussian mechanism, up to the difference that slack.Of bounds (Balle & Wang,
// "Improving the Gaussian Mechanism for Differential Privacy", ICML 2018, theorem 8,
// https://arxiv.org/abs/1805.06530, gives its exact privacy profile).
func Release(p mechanism.Payer, n mechanism.Noise, b Bounded) (Noisy, error) {
	if b.state == nil || b.state.grid.noise != n {
		return Noisy{}, fmt.Errorf("release: the sum was not made for %v, want the noise that it was made for", n)
	}
	noisy, err := release(p, b.state)
	if err != nil {
		return Noisy{}, err
	}
	return noisy[0], nil
}

// release is the only way out for sums that are not of a series: it pays for all of them together,
// then draws.
func release(p mechanism.Payer, sums ...*bounded) ([]Noisy, error) {
	if p == nil {
		return nil, fmt.Errorf("release: the release has no payer, want a grant of a ledger")
	}
	drawn := sums[0].sample.drawn
	events := make([]mechanism.Event, len(sums))
	for i, s := range sums {
		if s.faulty {
			return nil, ErrComputation
		}
		if _, series := s.grid.noise.(seriesNoise); series {
			return nil, fmt.Errorf("release: the sum was made for a series, want it released by the series")
		}
		events[i] = s.grid.noise
		if s.once != nil && s.once.Swap(true) {
			return nil, fmt.Errorf("release: a sum with these projections was released before, want fresh ones for every release")
		}
	}
	pay := func(p mechanism.Payer) error { return drawn.pay(p, events) }
	if s, several := p.(sharer); several {
		return s.release(sums, pay)
	}
	if err := pay(p); err != nil {
		return nil, err
	}
	return drawAll(sums)
}

// sharer is the payer of sums that several processes add up.
type sharer interface {
	release(sums []*bounded, pay func(mechanism.Payer) error) ([]Noisy, error)
}

// drawAll adds noise to sums that are paid for.
func drawAll(sums []*bounded) ([]Noisy, error) {
	released := make([]Noisy, len(sums))
	for i, s := range sums {
		values, err := s.noisy()
		if err != nil {
			return nil, err
		}
		released[i] = Noisy{values}
	}
	return released, nil
}

// releasePiece is how many numbers get their noise together, where each has its own: few enough to
// stay near the processor, and many for each key.
const releasePiece = 1 << 12

// noisy adds fresh noise to the integers, in memory of its own. Where int64 ends the result stays
// at its end, which is a function of the exact sum. Noise of numbers that are independent is drawn
// in pieces, each under its own key, on all processors.
func (b *bounded) noisy() ([]float64, error) {
	values, piece := make([]float64, len(b.values)), max(1, len(b.values))
	switch b.grid.noise.(type) {
	case mechanism.Gaussian, mechanism.JLClipping, seriesNoise:
		piece = min(piece, releasePiece)
	}
	failed := make([]error, (len(values)+piece-1)/piece)
	parallel.Parts(len(failed), func(from, to int) {
		room := make([]int64, piece)
		for k := from; k < to; k++ {
			first, end := k*piece, min((k+1)*piece, len(values))
			failed[k] = b.addNoise(values[first:end], b.values[first:end], room[:end-first])
		}
	})
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	return values, nil
}

// addNoise writes the sums of integers and fresh noise, for which there is room, to dst.
func (b *bounded) addNoise(dst []float64, whole, noise []int64) error {
	if err := drawNoise(noise, b.grid); err != nil {
		return err
	}
	for j, v := range whole {
		dst[j] = float64(saturatingAdd(v, noise[j])) * b.unit
	}
	return nil
}

// saturatingAdd returns a+b, moved into the range of int64.
func saturatingAdd(a, b int64) int64 {
	sum := a + b
	if (a^sum)&(b^sum) < 0 { // both have the sign that the sum has not
		return math.MaxInt64 ^ a>>63
	}
	return sum
}

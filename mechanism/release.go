package mechanism

import (
	"fmt"

	"github.com/ditherml/dither/mechanism/internal/sample"
)

// Payer is asked for payment before noise is drawn; a ledger's grant is one. Pay
// returns an error, and nothing is released, when the event is not covered.
type Payer interface {
	Pay(Event) error
}

// Bounded is a sealed sum: integers that one record cannot move further than its
// bound. It cannot be looked into; only a paid release reads it. The zero value is
// refused.
type Bounded struct{ state *bounded }

type bounded struct {
	sample Sample
	grid   grid
	values []int64
	unit   float64
}

// Noisy is what a paid release let out. It may be used freely: everything computed
// from it is post-processing. The zero value holds nothing.
type Noisy struct{ values []float64 }

// Values returns the released numbers, in the units of the summed contributions. The
// caller must not modify them.
func (n Noisy) Values() []float64 { return n.values }

// Release pays for the event that the sample's sampling makes of g, then draws noise
// of standard deviation NoiseMultiplier times the bound for every number, and
// returns the noisy sum. It refuses a Bounded made for another noise multiplier.
//
// The noise is a Gaussian rounded to the integer grid (up to SlackOf). The sum is an
// integer, and round(f+Z) = f + round(Z) for integer f, so the result is a function
// of the continuous Gaussian mechanism's output (Balle & Wang, "Improving the
// Gaussian Mechanism for Differential Privacy", ICML 2018, theorem 8,
// https://arxiv.org/abs/1805.06530, gives its exact privacy profile).
func (g Gaussian) Release(p Payer, b Bounded) (Noisy, error) {
	if b.state == nil || b.state.grid.multiplier != g.NoiseMultiplier {
		return Noisy{}, fmt.Errorf("mechanism: the sum was not made for %v, want the noise that NewSum was given", g)
	}
	return release(p, g, b.state)
}

// Release pays for NonPrivate and returns the sum without noise.
func (n NonPrivate) Release(p Payer, b Bounded) (Noisy, error) {
	if b.state == nil || b.state.grid.multiplier != 0 {
		return Noisy{}, fmt.Errorf("mechanism: the sum was not made for %v, want the noise that NewSum was given", n)
	}
	return release(p, n, b.state)
}

// Release is n's own Release, for callers that hold either noise.
func Release(p Payer, n Noise, b Bounded) (Noisy, error) {
	switch n := n.(type) {
	case Gaussian:
		return n.Release(p, b)
	case NonPrivate:
		return n.Release(p, b)
	}
	return Noisy{}, fmt.Errorf("mechanism: noise is %v, want gaussian or non-private", n)
}

func release(p Payer, n Noise, b *bounded) (Noisy, error) {
	event, err := b.sample.drawn.sampling.Price(n)
	if err != nil {
		return Noisy{}, err
	}
	if p == nil {
		return Noisy{}, fmt.Errorf("mechanism: %v has no payer, want a grant of a ledger", event)
	}
	if err := p.Pay(event); err != nil {
		return Noisy{}, err
	}
	drawn := make([]int64, len(b.values))
	n.noise(drawn, b.grid)
	values := make([]float64, len(b.values))
	for j, v := range b.values {
		values[j] = float64(v+drawn[j]) * b.unit
	}
	return Noisy{values}, nil
}

// noise draws under a key of its own.
func (Gaussian) noise(dst []int64, g grid) { sample.NewStream().RoundedGaussian(dst, g.bits) }

func (NonPrivate) noise([]int64, grid) {}

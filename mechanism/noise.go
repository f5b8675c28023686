package mechanism

import (
	"fmt"
	"math"
)

// Noise is a way to release a sum: Gaussian, KNorm, DiscreteGaussian, DiscreteLaplace, JLClipping or
// NonPrivate. It is the event that the release costs, before sampling. The set is closed.
type Noise interface {
	Event
	// noise marks the events that noise is drawn for.
	noise()
}

func (Gaussian) noise()         {}
func (KNorm) noise()            {}
func (DiscreteGaussian) noise() {}
func (DiscreteLaplace) noise()  {}
func (JLClipping) noise()       {}
func (NonPrivate) noise()       {}

// scaleBits is the precision of discrete noise: scales are integer multiples of 2^-scaleBits.
const scaleBits = 16

// maxScale is the largest scale within the exact samplers' integers.
const maxScale = 1 << 20

// RoundScale returns the least scale or standard deviation, at least v, that the exact discrete
// samplers take. It is a multiple of 2^-16. A v that is not positive or is above 2^20 is an error.
func RoundScale(v float64) (float64, error) {
	rounded := math.Ldexp(math.Ceil(math.Ldexp(v, scaleBits)), -scaleBits)
	if !(v > 0) || rounded > maxScale {
		return 0, fmt.Errorf("mechanism: scale is %v, want more than 0 and at most %d", v, maxScale)
	}
	return rounded, nil
}

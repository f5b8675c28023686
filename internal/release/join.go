package release

import (
	"fmt"

	"github.com/ditherml/dither/mechanism"
)

// JointSum is several sealed sums of one sample, each with its own bound and noise. They are
// released together. Examples are the layers of a network, several models, and a gradient with the
// count that adapts its clipping. Release returns an error for the zero value.
type JointSum struct{ sums []*bounded }

// Join returns the joint sum of sealed sums of the same sample. They are released and paid for as
// one event. If the sample was drawn, the event is poisson(q, sequence(…)). Charging each sum as a
// sample of its own would be wrong, because a record is in all of the sums or in none. It is an
// error if a sum is not sealed, or if the sums belong to different draws.
func Join(sums ...Bounded) (JointSum, error) {
	joined := JointSum{}
	for _, b := range sums {
		if b.state == nil || b.state.sample != sums[0].state.sample {
			return JointSum{}, fmt.Errorf("release: the sums are of different samples, want sealed sums of one draw")
		}
		joined.sums = append(joined.sums, b.state)
	}
	if len(joined.sums) == 0 {
		return JointSum{}, fmt.Errorf("release: there is nothing to join, want at least one sealed sum")
	}
	return joined, nil
}

// Release pays for all sums together. It then releases each sum with its own noise, in order.
func (j JointSum) Release(p mechanism.Payer) ([]Noisy, error) {
	if len(j.sums) == 0 {
		return nil, fmt.Errorf("release: there is nothing to release, want sums put together by Join")
	}
	return release(p, j.sums...)
}

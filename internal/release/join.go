package release

import (
	"fmt"

	"github.com/ditherml/dither/mechanism"
)

// JointSum is several sealed sums of one sample, each with its own bound and noise: the layers of a
// network, a gradient and the count that steers its clipping, several models. The zero value is
// refused.
type JointSum struct{ sums []*bounded }

// Join puts sums of the same sample together, so that they are released, and paid for, as one
// event: poisson(q, sequence(…)) where the sample was drawn. Charging each of them as a sample of
// its own would be wrong, because the record is in all of them or in none. It errs unless all
// were sealed and are of the same draw.
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

// Release pays for all sums together, then releases each with its own noise, in order.
func (j JointSum) Release(p mechanism.Payer) ([]Noisy, error) {
	if len(j.sums) == 0 {
		return nil, fmt.Errorf("release: there is nothing to release, want sums put together by Join")
	}
	return release(p, j.sums...)
}

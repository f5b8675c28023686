package certificate

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/slack"
	"github.com/ditherml/dither/privacy"
)

// price is the cost of a claim, in nats; +Inf means no guarantee.
type price struct {
	// Epsilon is for one row, and GroupEpsilon for all rows of one person (0 when their number is
	// not declared).
	Epsilon, GroupEpsilon float64
	// charge is the price of one row before the slack is added.
	charge float64
}

// priceOf returns the cost of a claim, rounded up, with the slack of its noise draws. At delta 0 it
// is the cost of pure differential privacy. It is +Inf for a claim without pure differential
// privacy, such as one with rounded Gaussian noise.
func priceOf(d Claim) (price, error) {
	epsilon, charge, err := priceRows(d, 1)
	if err != nil || d.Unit.RowsPerPerson < 1 {
		return price{Epsilon: epsilon, charge: charge}, err
	}
	group, _, err := priceRows(d, d.Unit.RowsPerPerson)
	return price{epsilon, group, charge}, err
}

// priceRows returns two costs for this many rows. cost is the epsilon of the accounted distribution
// at a delta that leaves room for the slack, widened by the slack. charge is the epsilon of that
// distribution at the whole of delta.
func priceRows(d Claim, rows int) (cost, charge float64, err error) {
	a, distance := d.accountant(), slack.Of(d.NoiseDraws)
	rough, err := account.EpsilonGroup(a, d.Event, d.Delta, d.Neighboring, rows)
	if err != nil || math.IsInf(rough, 1) || distance == (slack.Distance{}) {
		return rough, rough, err
	}
	_, delta := distance.Narrow(rough+1, d.Delta)
	if !(delta > 0) {
		return math.Inf(1), rough, nil
	}
	epsilon, err := account.EpsilonGroup(a, d.Event, delta, d.Neighboring, rows)
	if err != nil || !(epsilon <= rough+1) {
		return math.Inf(1), rough, err
	}
	widened, _ := distance.Widen(epsilon, delta)
	return widened, rough, nil
}

// accountant returns the accountant that prices the claim.
func (d Claim) accountant() account.Accountant { return account.ForDelta(d.Event, d.Delta) }

// slackShare is the largest part of delta that the slack of the noise may take.
const slackShare = 0.01

// Aim returns a guarantee that is slightly stricter than the target. Noise calibrated to the
// returned guarantee meets the target when it is executed. The two guarantees differ because the
// executed noise is rounded. The difference in epsilon and delta grows with draws, the number of
// random numbers in the noise. It is an error if the difference exceeds 1 % of delta, or the whole
// epsilon.
func Aim(target privacy.Guarantee, draws int) (privacy.Guarantee, error) {
	epsilon, delta := slack.Of(draws).Narrow(target.Epsilon()+1, target.Delta())
	if !(delta >= (1-slackShare)*target.Delta()) {
		return privacy.Guarantee{}, fmt.Errorf("certificate: the slack of %d draws of noise takes more than 1 %% of delta %v, want a larger delta, a smaller epsilon or fewer steps", draws, target.Delta())
	}
	epsilon = (epsilon - 1) * (1 - 1e-12)
	if !(epsilon > 0) {
		return privacy.Guarantee{}, fmt.Errorf("certificate: epsilon is %v, want more than what rounding takes, such as 1e-6", target.Epsilon())
	}
	return privacy.NewGuarantee(epsilon, delta, target.Neighboring(), target.Unit())
}

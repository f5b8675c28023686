package account

import (
	"math"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// faintest is the size below which float64 loses digits. Upper bounds below it are raised by two
// units.
const faintest = 1e-300

// upward returns an upper bound of a δ that was computed to a relative 1e-12, even where float64
// holds few of its digits or none. It is positive for every delta of 0 or more.
func upward(delta float64) float64 {
	if delta < faintest {
		return delta + 2*math.SmallestNonzeroFloat64
	}
	return delta
}

// positive raises an upper bound of 0 on δ(ε) to the least positive number where the loss may
// exceed epsilon: the true δ is then positive, and only too small for float64.
func positive(v Interval, all []term, epsilon float64, n privacy.Neighboring) Interval {
	if v.Upper == 0 && !math.IsInf(epsilon, 1) && composedLoss(all, n) > epsilon {
		v.Upper = math.SmallestNonzeroFloat64
	}
	return v
}

// composedLoss returns an upper bound on the privacy loss of a composition. It is +Inf where some
// release is not known to have a bounded loss.
func composedLoss(all []term, n privacy.Neighboring) float64 {
	sum := 0.0
	for _, t := range all {
		e := t.event
		if s, sampled := e.(mechanism.PoissonSampled); sampled {
			e = s.Event // a sample discloses no more than the event on all records
		}
		epsilon, pure := pureEpsilon(e, n)
		if !pure {
			return math.Inf(1)
		}
		sum += t.count * epsilon
	}
	return sum
}

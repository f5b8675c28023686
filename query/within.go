package query

import (
	"errors"
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// mostAttempts is the largest number of times that the noise is raised because sums were rounded
// up.
const mostAttempts = 4

// Within returns a copy of the question with the least noise at which the cost meets the target.
// The cost is the larger of the epsilon in the certificate and the epsilon that a ledger charges.
// If no amount of noise meets the target, the error wraps account.ErrUnreachable.
//
// The executed noise is rounded, and the cost includes the difference that this makes. The
// difference alone can exceed a very small target. Then the returned question costs more than the
// target, and a ledger with the target as its limit refuses it.
func (q *Question) Within(target privacy.Guarantee) (*Question, error) {
	multiplier, err := leastNoise(q.plan, target)
	if err != nil {
		return nil, err
	}
	for range mostAttempts { // sums are rounded up: the price may pass the target by the last digits
		if q, err = q.WithNoise(multiplier); err != nil {
			return nil, err
		}
		c, failed := q.plan.Certificate()
		if price := max(float64(c.Epsilon), c.Charge()); failed != nil || price <= target.Epsilon() {
			return q, failed
		} else if !math.IsInf(price, 1) {
			multiplier = upward(multiplier * price / target.Epsilon())
		}
	}
	return q, nil
}

// unreachable is account.ErrUnreachable with its own text.
type unreachable struct{ text string }

// Error returns the text.
func (u unreachable) Error() string { return u.text }

// Unwrap returns account.ErrUnreachable.
func (u unreachable) Unwrap() error { return account.ErrUnreachable }

// upward returns a number rounded up to nine digits.
func upward(v float64) float64 {
	scale := math.Pow(10, 9-math.Ceil(math.Log10(v)))
	return (math.Floor(v*scale) + 1) / scale
}

// leastNoise returns a noise multiplier at which the plan meets the target. A purely private plan
// meets it at delta 0.
func leastNoise(p Plan, target privacy.Guarantee) (float64, error) {
	p.NoiseMultiplier = 1
	if pure := p.pureEpsilon(); !math.IsInf(pure, 1) {
		return pure / target.Epsilon(), nil
	}
	target, err := certificate.Aim(target, p.noiseDraws())
	if err != nil {
		return 0, err
	}
	plan := func(multiplier float64) mechanism.Event {
		p := p
		p.NoiseMultiplier = multiplier
		return p.Event()
	}
	multiplier, err := account.Calibrate(account.For(p.Event()), target, plan)
	if errors.Is(err, account.ErrUnreachable) {
		err = unreachable{fmt.Sprintf("query: no noise that the samplers have meets epsilon %v at delta %v, want a larger epsilon or delta", target.Epsilon(), target.Delta())}
	}
	return multiplier, err
}

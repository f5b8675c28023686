package account

import (
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Basic is the accountant of basic composition. It describes release i by one pair (ε_i, δ_i) and
// adds the ε_i. For a release that is differentially private at δ = 0, δ_i is 0. For a release that
// is assumed (ε, δ)-private, δ_i is the assumed δ. All other releases get equal shares of the
// remaining δ, so that 1 - Π(1-δ_i) = δ. If k releases get shares, each share is at least the
// remaining δ divided by k. The theorem also covers releases that are chosen after earlier outputs.
//
// Dwork & Roth, "The Algorithmic Foundations of Differential Privacy", 2014, theorem 3.16 and
// appendix B. They bound δ by the sum of the δ_i. The bound 1 - Π(1-δ_i) is proven as follows.
// Release i is post-processing of a mechanism that discloses everything with probability δ_i.
// Otherwise the mechanism has a privacy loss of at most ε_i (Kairouz, Oh & Viswanath, "The
// Composition Theorem for Differential Privacy", ICML 2015, theorem 3.1,
// https://arxiv.org/abs/1311.0776).
var Basic basicComposition

// basicComposition is the type of Basic.
type basicComposition struct{}

var _ Accountant = basicComposition{}

// Name returns "basic".
func (basicComposition) Name() string { return "basic" }

// Epsilon returns the sum of the ε_i of the event's releases as an upper bound. Lower is 0, because
// the accountant proves upper bounds only.
func (b basicComposition) Epsilon(e mechanism.Event, delta float64, n privacy.Neighboring) (Interval, error) {
	if v, several, err := severalWays(e, func(w mechanism.Event) (Interval, error) { return b.Epsilon(w, delta, n) }); several {
		return v, err
	}
	r, err := releasesOf(e, n)
	if err != nil {
		return Interval{}, err
	}
	if err = checkDelta(delta); err != nil {
		return Interval{}, err
	}
	epsilon := r.basic(delta)
	return Interval{0, epsilon, epsilon}, nil
}

// Delta returns the smallest delta for which the sum of the ε_i of the event's releases is at most
// epsilon. The relative error of this delta is at most 1e-9. Lower is 0.
func (b basicComposition) Delta(e mechanism.Event, epsilon float64, n privacy.Neighboring) (Interval, error) {
	if v, several, err := severalWays(e, func(w mechanism.Event) (Interval, error) { return b.Delta(w, epsilon, n) }); several {
		return v, err
	}
	return leastDeltaOf(e, epsilon, n, b.Name(), releases.basic)
}

// leastDeltaOf returns the smallest delta at which a bound on epsilon by the named accountant is at
// most epsilon.
func leastDeltaOf(e mechanism.Event, epsilon float64, n privacy.Neighboring, accountant string, bound func(r releases, delta float64) float64) (Interval, error) {
	epsilon = within(epsilon)
	r, err := releasesOf(e, n)
	if err != nil {
		return Interval{}, err
	}
	if err = checkEpsilon(epsilon); err != nil {
		return Interval{}, err
	}
	if err = r.few(accountant); err != nil {
		return Interval{}, err
	}
	all, err := terms(e, n)
	delta := leastDelta(func(delta float64) float64 { return bound(r, delta) }, r.least(), epsilon)
	return positive(Interval{0, delta, delta}, all, epsilon, n), err
}

// release is one simple event with the numbers that composition theorems use.
type release struct {
	count float64
	// fixed is the δ below which there is no ε: the δ of a statement on trust, 0 for other events.
	fixed float64
	// pure reports that ε is finite at δ = fixed, so that the release needs no share of δ.
	pure bool
	// epsilon returns an upper bound on ε of one release at a δ.
	epsilon func(delta float64) float64
}

type releases []release

// releasesOf returns the releases of an event.
func releasesOf(e mechanism.Event, n privacy.Neighboring) (releases, error) {
	all, err := terms(e, n)
	if err != nil {
		return nil, err
	}
	list := make(releases, len(all))
	for i, t := range all {
		at, failed := singleEpsilon(t.event, n)
		if failed != nil {
			return nil, failed
		}
		r := release{count: t.count, epsilon: at}
		if d, ok := t.event.(mechanism.AssumedDP); ok {
			r.fixed = d.Delta
		}
		r.pure = !math.IsInf(at(r.fixed), 1)
		list[i] = r
	}
	return list, nil
}

// disclosed returns 1 - Π(1-δ_i) over the fixed δ_i, rounded up, and the number of releases that
// share the rest of δ.
func (r releases) disclosed() (fixed, sharing float64) {
	var d pair.Disclosure
	for _, v := range r {
		d.Add(v.fixed, v.count)
		if !v.pure {
			sharing += v.count
		}
	}
	_, fixed = d.Bounds()
	return fixed, sharing
}

// least returns the smallest δ that has an ε.
func (r releases) least() float64 {
	fixed, _ := r.disclosed()
	return fixed
}

// basic returns Σ ε_i at a total δ, +Inf where δ is too small. The sum is rounded once, to nearest.
// Rounding it up would make 10 releases at ε = 0.1 cost more than 1, and cost more than any δ at ε
// = 1.
func (r releases) basic(delta float64) float64 {
	fixed, sharing := r.disclosed()
	if fixed > delta {
		return math.Inf(1)
	}
	part := shareOf((delta-fixed)/(1-fixed), sharing)
	var sum total
	for _, v := range r {
		at := v.fixed
		if !v.pure {
			at = part
		}
		sum.add(v.epsilon(at), v.count)
	}
	return sum.value()
}

// total is a sum of products of 0 or more, compensated for rounding (Neumaier, 1974).
type total struct{ sum, lost float64 }

func (t *total) add(x, count float64) {
	product := count * x
	next := t.sum + product
	t.lost += math.FMA(count, x, -product)
	if t.sum > product {
		t.lost += t.sum - next + product
	} else {
		t.lost += product - next + t.sum
	}
	t.sum = next
}

// value returns the sum, rounded once.
func (t total) value() float64 {
	if math.IsInf(t.sum, 1) {
		return t.sum
	}
	return t.sum + t.lost
}

// shareOf returns the δ of each of several releases that have δ together: 1 - (1-δ)^(1/count),
// rounded down. With u = 2^-53 its three functions err by 5u of the value, and δ may have been
// rounded by 4u of itself. The margin is 18u.
func shareOf(delta, count float64) float64 {
	if delta <= 0 || count == 0 {
		return 0
	}
	return -math.Expm1(math.Log1p(-delta)/count) * (1 - 2e-15)
}

// leastDelta returns the smallest δ, at least least, at which at(δ) is at most epsilon, or 1 where
// no such δ exists. at must fall in δ. The result errs upward, by a relative error of at most 1e-9.
func leastDelta(at func(delta float64) float64, least, epsilon float64) float64 {
	const smallest, largest = 1e-300, 1 - 1e-12
	switch {
	case least >= 1:
		return 1
	case at(least) <= epsilon:
		return least
	case !(at(largest) <= epsilon):
		return 1
	}
	// Search in the distance from least, so that a small distance is found too.
	away := crossing(math.Log(smallest), math.Log(largest-least), 1e-12, func(x float64) float64 {
		return at(min(largest, least+math.Exp(x))) - epsilon
	})
	return min(largest, least+math.Exp(away))
}

// crossing returns a point in (low, high] where f is 0 or less. f falls from above 0 at low to 0 or
// less at high. The point is beyond the first zero by at most tolerance times its size. The search
// takes two secants, each moved a little so that both ends close in, and then a bisection.
func crossing(low, high, tolerance float64, f func(float64) float64) float64 {
	below, above := f(high), f(low)
	for i := range 400 {
		near := tolerance * max(math.Abs(low), math.Abs(high))
		if high-low <= near {
			break
		}
		x := low + (high-low)/2
		if i%3 != 2 && !math.IsInf(above, 0) && !math.IsInf(below, 0) {
			x = high - below*(high-low)/(below-above)
			x += 0.4 * near * float64(1-2*(i%3))
			x = max(low+near/4, min(high-near/4, x))
		}
		if !(x > low && x < high) {
			break
		}
		if v := f(x); v <= 0 {
			high, below = x, v
		} else {
			low, above = x, v
		}
	}
	return high
}

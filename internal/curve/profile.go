package curve

import (
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// profileWidth is the relative width of the bounds that make a trade-off curve.
const profileWidth = 1e-2

// The points of a trade-off curve. Where delta is large, they are delta at these shares of the
// epsilon of the first delta below. Further on they are epsilon at these shares of the delta at
// epsilon 0. Where epsilon is small, delta is quicker to bound.
var (
	epsilonShares = []float64{0.2, 0.4, 0.6, 0.8}
	deltaShares   = []float64{0.3, 0.2, 0.13, 0.085, 0.055, 0.035, 0.022, 0.013, 6e-3, 2e-3, 3e-4, 1e-5}
)

// profile is an upper bound on the smallest delta of an event as a function of epsilon, known
// at some epsilon, growing from 0.
type profile struct{ epsilons, deltas []float64 }

// at returns an upper bound on delta at an epsilon of 0 or more. The smallest delta is the largest
// P(S) - e^epsilon·Q(S) over all sets S of outcomes. So it is convex in e^epsilon, lies below its
// chords, and does not grow.
func (p profile) at(epsilon float64) float64 {
	last := len(p.epsilons) - 1
	if epsilon >= p.epsilons[last] {
		return p.deltas[last]
	}
	i := 1
	for p.epsilons[i] <= epsilon {
		i++
	}
	a, b := p.epsilons[i-1], p.epsilons[i]
	part := math.Expm1(epsilon-a) / math.Expm1(b-a)
	return min(1, (p.deltas[i-1]*(1-part)+p.deltas[i]*part)*(1+1e-12))
}

// newProfile asks an accountant for its points, in parallel. It returns false where nothing below a
// delta of 1 is proven.
func newProfile(a account.Accountant, e mechanism.Event, n privacy.Neighboring) (profile, bool) {
	start, err := a.Delta(e, 0, n)
	if err != nil || !(start.Upper < 1) {
		return profile{}, false
	}
	p := profile{[]float64{0}, []float64{start.Upper}}
	middle, err := a.Epsilon(e, start.Upper*deltaShares[0], n)
	if err != nil {
		middle.Upper = math.Inf(1)
	}
	few := len(epsilonShares)
	epsilons, deltas := make([]float64, few+len(deltaShares)), make([]float64, few+len(deltaShares))
	parallel.Items(len(epsilons), func(i int) {
		switch {
		case math.IsInf(middle.Upper, 1):
			epsilons[i], deltas[i] = middle.Upper, 1
		case i < few:
			epsilons[i] = middle.Upper * epsilonShares[i]
			deltas[i] = upperOr(1)(a.Delta(e, epsilons[i], n))
		case i == few:
			epsilons[i], deltas[i] = middle.Upper, start.Upper*deltaShares[0]
		default:
			deltas[i] = start.Upper * deltaShares[i-few]
			epsilons[i] = upperOr(math.Inf(1))(a.Epsilon(e, deltas[i], n))
		}
	})
	for i, epsilon := range epsilons {
		p.add(epsilon, deltas[i])
	}
	return p, true
}

// upperOr is an upper bound, or what stands for none.
func upperOr(none float64) func(v account.Interval, err error) float64 {
	return func(v account.Interval, err error) float64 {
		if err != nil {
			return none
		}
		return v.Upper
	}
}

// add takes over a point unless an earlier one says as much.
func (p *profile) add(epsilon, delta float64) {
	last := len(p.epsilons) - 1
	switch {
	case math.IsInf(epsilon, 1) || delta >= p.deltas[last]:
	case epsilon > p.epsilons[last]:
		p.epsilons, p.deltas = append(p.epsilons, epsilon), append(p.deltas, delta)
	default:
		p.deltas[last] = delta
	}
}

// TradeOff returns the proven bounds on every attacker: by the whole profile where there is one,
// and otherwise by the claimed epsilon and delta.
func (p Prices) TradeOff(epsilon, delta float64) (account.TradeOff, error) {
	trade, _, err := p.Statements(epsilon, delta)
	return trade, err
}

// Statement is one statement of (ε, δ)-differential privacy.
type Statement struct{ Epsilon, Delta float64 }

// Statements returns TradeOff, and the statements of differential privacy that make it up.
func (p Prices) Statements(epsilon, delta float64) (account.TradeOff, []Statement, error) {
	points, ok := newProfile(p.tightest(profileWidth), p.Event, p.Neighboring)
	switch {
	case ok:
	case delta >= 1 || math.IsInf(epsilon, 1):
		return account.TradeOff{}, nil, nil // proves nothing
	case epsilon == 0:
		points = profile{[]float64{0}, []float64{delta}}
	default:
		points = profile{[]float64{0, epsilon}, []float64{1, delta}}
	}
	var all []Statement
	trade, err := account.NewTradeOff(func(epsilon float64) (float64, error) {
		s := Statement{epsilon, points.at(epsilon)}
		all = append(all, s)
		return s.Delta, nil
	})
	return trade, all, err
}

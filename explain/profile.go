package explain

import (
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/parallel"
)

// profileWidth is the relative width of the bounds behind a trade-off curve.
const profileWidth = 1e-2

// The points of a trade-off curve: where delta is large, delta at these shares of the epsilon
// of the first delta below; from there on, epsilon at these shares of the delta at epsilon 0.
// Where epsilon is small, delta is the quicker one to bound.
var (
	epsilonShares = []float64{0.2, 0.4, 0.6, 0.8}
	deltaShares   = []float64{0.3, 0.2, 0.13, 0.085, 0.055, 0.035, 0.022, 0.013, 6e-3, 2e-3, 3e-4, 1e-5}
)

// profile is an upper bound on the smallest delta of an event as a function of epsilon, known
// at some epsilon, growing from 0.
type profile struct{ epsilons, deltas []float64 }

// at returns an upper bound on delta at an epsilon of 0 or more. The smallest delta is the
// largest of P(S) - e^epsilon·Q(S) over all sets S of outcomes, so it is convex in e^epsilon and
// lies below its chords; and it does not grow.
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

// newProfile asks an accountant for its points, as many at the same time as there are
// processors. It is false where nothing below a delta of 1 is proven.
func (q Question) newProfile(a account.Accountant) (profile, bool) {
	start, err := a.Delta(q.Event, 0, q.Neighboring)
	if err != nil || !(start.Upper < 1) {
		return profile{}, false
	}
	p := profile{[]float64{0}, []float64{start.Upper}}
	middle, err := a.Epsilon(q.Event, start.Upper*deltaShares[0], q.Neighboring)
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
			deltas[i] = upperOr(1)(a.Delta(q.Event, epsilons[i], q.Neighboring))
		case i == few:
			epsilons[i], deltas[i] = middle.Upper, start.Upper*deltaShares[0]
		default:
			deltas[i] = start.Upper * deltaShares[i-few]
			epsilons[i] = upperOr(math.Inf(1))(a.Epsilon(q.Event, deltas[i], q.Neighboring))
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

// tightest is the first accountant whose bound is next to the least, with this width of its
// intervals where it has one.
func (q Question) tightest(prices []Price, width float64) account.Accountant {
	least := math.Inf(1)
	for _, p := range prices {
		if p.Refused == "" {
			least = min(least, float64(*p.Upper))
		}
	}
	for i, p := range prices {
		if p.Refused != "" || float64(*p.Upper) > 1.01*least {
			continue
		}
		if _, wide := q.Accountants[i].(account.PLD); wide {
			return account.PLD{Width: width}
		}
		return q.Accountants[i]
	}
	return q.Accountants[len(prices)-1]
}

// tradeOff is what is proven about every attacker: by the whole profile where there is one,
// and else by the claim alone.
func (q Question) tradeOff(prices []Price, c Claim) (account.TradeOff, error) {
	p, ok := q.newProfile(q.tightest(prices, profileWidth))
	switch {
	case ok:
	case c.Delta >= 1 || math.IsInf(float64(c.Epsilon), 1):
		return account.TradeOff{}, nil // proves nothing
	case c.Epsilon == 0:
		p = profile{[]float64{0}, []float64{c.Delta}}
	default:
		p = profile{[]float64{0, float64(c.Epsilon)}, []float64{1, c.Delta}}
	}
	t, err := account.NewTradeOff(func(epsilon float64) (float64, error) { return p.at(epsilon), nil })
	if err != nil {
		return t, err
	}
	return t, nil
}

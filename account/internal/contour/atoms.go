package contour

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
)

// atoms is a pair on finitely many outcomes.
type atoms struct {
	finite         rule
	infinP, infinQ float64
}

func newAtoms(a pair.Atoms) (atoms, error) {
	var r atoms
	var sumP, sumQ special.Total
	for i, v := range a {
		if !(v.P >= 0 && v.Q >= 0) {
			return atoms{}, fmt.Errorf("contour: atom %d has the probabilities %v and %v, want at least 0", i, v.P, v.Q)
		}
		sumP.Add(v.P)
		sumQ.Add(v.Q)
		switch {
		case v.P == 0:
			r.infinQ += v.Q
		case v.Q == 0:
			r.infinP += v.P
		default:
			r.finite.add(logRatio(v.P, v.Q), special.Log(v.P), true)
		}
	}
	if math.Abs(sumP.Value()-1) > 1e-9 || math.Abs(sumQ.Value()-1) > 1e-9 {
		return atoms{}, fmt.Errorf("contour: atoms sum to %v and %v, want 1", sumP.Value(), sumQ.Value())
	}
	return r, nil
}

// logRatio returns log(p/q), to full relative accuracy also where p is near q.
func logRatio(p, q float64) float64 {
	if d := p - q; math.Abs(d) < q/2 {
		return math.Log1p(d / q)
	}
	return special.Log(p) - special.Log(q)
}

func (a atoms) infinite() (p, q float64) { return a.infinP, a.infinQ }

func (a atoms) top() float64 {
	top := math.Inf(-1)
	for _, loss := range a.finite.loss {
		top = math.Max(top, loss)
	}
	return top
}

func (a atoms) rules(_ int, _, _ float64, s side) (first, second *rule, err error) {
	first = new(rule)
	for j, loss := range a.finite.loss {
		if s.holds(loss) {
			first.add(loss, a.finite.logMass[j], true)
		}
	}
	return first, nil, nil
}

// glued is the losses above 0 of one pair, the losses below 0 of another, and the remaining
// probability at 0.
type glued struct{ above, below source }

func (g glued) infinite() (p, q float64) {
	p, _ = g.above.infinite()
	_, q = g.below.infinite()
	return p, q
}

func (g glued) top() float64 { return math.Max(0, g.above.top()) }

func (g glued) rules(level int, low, high float64, s side) (first, second *rule, err error) {
	if s != whole {
		return nil, nil, fmt.Errorf("%w: a glued pair inside a glued pair", ErrUnsuited)
	}
	aboveFirst, aboveSecond, err := g.above.rules(level, low, high, positive)
	if err != nil {
		return nil, nil, err
	}
	belowFirst, belowSecond, err := g.below.rules(level, low, high, negative)
	if err != nil {
		return nil, nil, err
	}
	if first, err = g.join(aboveFirst, belowFirst); err != nil {
		return nil, nil, err
	}
	if aboveSecond == nil && belowSecond == nil {
		return first, nil, nil
	}
	if aboveSecond == nil {
		aboveSecond = aboveFirst
	}
	if belowSecond == nil {
		belowSecond = belowFirst
	}
	second, err = g.join(aboveSecond, belowSecond)
	return first, second, err
}

// join returns both halves and the atom at 0. The remaining probability must be the same under P
// and under Q, or the loss of the rest would not be 0.
func (g glued) join(above, below *rule) (*rule, error) {
	joined := new(rule)
	joined.append(*above)
	joined.append(*below)
	infinP, infinQ := g.infinite()
	var p, q special.Total
	for j, loss := range joined.loss {
		p.Add(math.Exp(joined.logMass[j]))
		q.Add(math.Exp(joined.logMass[j] - loss))
	}
	restP, restQ := 1-infinP-p.Value(), 1-infinQ-q.Value()
	if math.Abs(restP-restQ) > 1e-9 || restP < -1e-9 {
		return nil, fmt.Errorf("contour: glued pair leaves the probabilities %v and %v at loss 0, want one probability", restP, restQ)
	}
	if restP > 0 {
		joined.add(0, math.Log(restP), true)
	}
	return joined, nil
}

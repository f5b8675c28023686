package contour

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
)

// nearOne is the largest |log M| at which M - 1 is summed rather than M.
const nearOne = 0.7

// finest is the highest level of refinement.
const finest = 14

// term is one pair, the number of its releases, and the quadrature rule made last.
type term struct {
	source         source
	count          float64
	infinP, infinQ float64

	level         int
	low, high     float64 // the tilts that the rules serve
	first, second *rule
	weight        []float64 // the terms that sumPlain sums
}

// newTerm returns one term, checked and translated.
func newTerm(t Term) (*term, error) {
	if !(t.Count >= 0) || t.Count != math.Trunc(t.Count) || math.IsInf(t.Count, 0) {
		return nil, fmt.Errorf("contour: count is %v, want an integer", t.Count)
	}
	s, err := newSource(t.Pair)
	if err != nil {
		return nil, err
	}
	r := &term{source: s, count: t.Count}
	r.infinP, r.infinQ = s.infinite()
	if _, ok := s.(glued); ok {
		if _, _, err = r.rules(0); err != nil { // halves that do not fit
			return nil, err
		}
	}
	return r, nil
}

// newSource returns the source of a pair.
func newSource(p pair.Pair) (source, error) {
	switch v := p.(type) {
	case pair.Mixture:
		if err := checkMixture(v); err != nil {
			return nil, err
		}
		if v.Law == pair.Normal {
			return newNormal(v), nil
		}
		return newLaplace(v), nil
	case pair.Atoms:
		return newAtoms(v)
	case pair.Glued:
		above, err := newSource(v.Above)
		if err != nil {
			return nil, err
		}
		below, err := newSource(v.Below)
		if err != nil {
			return nil, err
		}
		return glued{above, below}, nil
	case pair.Choice:
		return newChoice(v)
	case pair.BoundedRange:
		if !(v.Epsilon > 0) || math.IsInf(v.Epsilon, 1) {
			return nil, fmt.Errorf("contour: bounded range is %v, want a positive finite number", v.Epsilon)
		}
		return bounded{v.Epsilon}, nil
	}
	return nil, fmt.Errorf("%w: pair of type %T", ErrUnsuited, p)
}

// checkMixture returns an error unless the distribution is known, the scale positive and each side
// a probability distribution.
func checkMixture(m pair.Mixture) error {
	if m.Law != pair.Normal && m.Law != pair.Laplace {
		return fmt.Errorf("%w: law %d", ErrUnsuited, m.Law)
	}
	if !(m.Scale > 0) || math.IsInf(m.Scale, 0) {
		return fmt.Errorf("contour: scale is %v, want a positive number", m.Scale)
	}
	for _, components := range [2][]pair.Component{m.P, m.Q} {
		sum := 0.0
		for _, c := range components {
			if !(c.Weight >= 0) || math.IsNaN(c.Mean) || math.IsInf(c.Mean, 0) {
				return fmt.Errorf("contour: component is %+v, want a weight of at least 0 and a finite mean", c)
			}
			sum += c.Weight
		}
		if math.Abs(sum-1) > 1e-9 {
			return fmt.Errorf("contour: weights sum to %v, want 1", sum)
		}
	}
	return nil
}

// rules returns rules that serve the tilt t. New ones are made only when the last do not serve it.
func (r *term) rules(t float64) (first, second *rule, err error) {
	if t >= r.low && t <= r.high && r.first != nil {
		return r.first, r.second, nil
	}
	low, high := min(-1, t), max(0, t)
	if t > 0 {
		high *= 1.5 // a search for the saddle point asks for more
	}
	if r.first != nil {
		low, high = min(low, r.low), max(high, r.high)
	}
	first, second, err = r.source.rules(r.level, low, high, whole)
	if err != nil {
		return nil, nil, err
	}
	r.low, r.high, r.first, r.second = low, high, first, second
	return first, second, nil
}

// refine halves the spacing of the rules.
func (r *term) refine() error {
	if r.level++; r.level > finest {
		return fmt.Errorf("%w: the quadrature of one pair does not settle", ErrUnsuited)
	}
	r.first, r.second = nil, nil
	return nil
}

// cumulants are log E e^{tL} and its first two derivatives in t: the mean and the variance of the
// loss under the distribution tilted by e^{tL}.
type cumulants struct{ value, mean, variance float64 }

func (c *cumulants) add(count float64, o cumulants) {
	c.value += count * o.value
	c.mean += count * o.mean
	c.variance += count * o.variance
}

// cumulants returns the cumulants of one release at t. They are +Inf where M is out of reach of the
// rules, so that a search for the saddle point turns back there.
func (r *term) cumulants(t float64) cumulants {
	first, _, err := r.rules(t)
	if err != nil {
		return cumulants{math.Inf(1), math.Inf(1), math.Inf(1)}
	}
	return r.expect(first, t)
}

// expect returns the cumulants at t by one rule.
//
// The expectation of e^{-L} under P is 1, less the probability that Q alone has. So M(t) - 1 is the
// sum of w·(e^{tL} - 1 - t·(1 - e^{-L})). In it the first powers of L cancel in each summand,
// before the sum. For t > 0 or t < -1 no summand is negative. Every digit is kept when M is within
// 1e-12 of 1.
func (r *term) expect(q *rule, t float64) cumulants {
	if c := r.sumPlain(q, t); !(math.Abs(c.value) < nearOne) {
		return c
	}
	return r.sumNear(q, t)
}

// sumPlain returns the cumulants by summing M itself, scaled by its largest summand. Losses are
// measured from their mean, which the sum itself gives.
func (r *term) sumPlain(q *rule, t float64) cumulants {
	top := math.Inf(-1)
	for j, loss := range q.loss {
		top = max(top, q.logMass[j]+t*loss)
	}
	if cap(r.weight) < len(q.loss) {
		r.weight = make([]float64, len(q.loss))
	}
	weight := r.weight[:len(q.loss)]
	sum, first := 0.0, 0.0
	for j, loss := range q.loss {
		e := q.logMass[j] + t*loss - top
		if weight[j] = 0; e < -reach {
			continue
		}
		w := math.Exp(e)
		weight[j] = w
		sum += w
		first += w * loss
	}
	if math.Abs(top+math.Log(sum)) < nearOne {
		return cumulants{} // sumNear is more accurate
	}
	center := first / sum
	first, second := 0.0, 0.0
	for j, loss := range q.loss {
		if w := weight[j]; w != 0 {
			d := loss - center
			first += w * d
			second += w * d * d
		}
	}
	rest := first / sum
	return cumulants{top + math.Log(sum), center + rest, second/sum - rest*rest}
}

// sumNear returns the cumulants by summing M - 1.
func (r *term) sumNear(q *rule, t float64) cumulants {
	var value, first, second special.Total
	value.Add(-r.infinP - t*(r.infinP-r.infinQ))
	first.Add(-(r.infinP - r.infinQ))
	for j, loss := range q.loss {
		log := q.logMass[j]
		if loss == 0 || log+max(0, t*loss, -loss) < -2*reach {
			continue
		}
		w := math.Exp(log)
		rise, back := scaledExcess(log, w, t*loss), scaledExcess(log, w, -loss)
		grown := math.Exp(log + t*loss)
		value.Add(rise + t*back)
		first.Add(loss*(rise+w*t*loss) + back)
		second.Add(grown * loss * loss)
	}
	moment := 1 + value.Value()
	mean := first.Value() / moment
	return cumulants{math.Log1p(value.Value()), mean, second.Value()/moment - mean*mean}
}

// scaledExcess returns w·(e^y - 1 - y) for w = e^log, even where w underflows or e^y overflows.
func scaledExcess(log, w, y float64) float64 {
	if y > 1 {
		return math.Exp(log+y) - w*(1+y)
	}
	return w * excess(y)
}

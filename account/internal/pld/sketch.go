package pld

import (
	"cmp"
	"math"
	"slices"

	"github.com/ditherml/dither/account/internal/pair"
)

// sketch is a rough picture of a composition that tilt, lattice and windows are planned from. No
// proof depends on it.
type sketch struct {
	terms []roughTerm
	steps float64 // releases in all
}

// roughTerm is one term as a handful of losses with masses under P.
type roughTerm struct {
	loss, mass []float64
	count      float64
	fineness   float64 // cells for a standard deviation
	total      float64 // of mass
	parts      float64 // mixtures that are cut into cells
}

// cumulant holds the logarithm of E e^{tL} and its first two derivatives in t.
type cumulant struct{ value, mean, variance float64 }

// at returns the cumulants of the composition.
func (s *sketch) at(t float64) cumulant {
	var c cumulant
	for i := range s.terms {
		v := s.terms[i].at(t)
		n := s.terms[i].count
		c.value += n * v.value
		c.mean += n * v.mean
		c.variance += n * v.variance
	}
	return c
}

// at returns the cumulants of one release.
func (r *roughTerm) at(t float64) cumulant {
	top := math.Inf(-1)
	for _, l := range r.loss {
		top = math.Max(top, t*l)
	}
	var total, first, second float64
	for i, l := range r.loss {
		w := r.mass[i] * math.Exp(t*l-top)
		total += w
		first += w * l
		second += w * l * l
	}
	if total == 0 {
		return cumulant{}
	}
	mean := first / total
	return cumulant{top + math.Log(total), mean, math.Max(second/total-mean*mean, 0)}
}

// newSketch returns the sketch of the terms without tails that have less than omit under P each.
func newSketch(terms []Term, omit float64) (*sketch, error) {
	s := &sketch{}
	for _, v := range terms {
		r := roughTerm{count: float64(v.Count), fineness: math.Min(math.Max(1000/float64(len(terms)), 4), 10)}
		if err := r.picture(v.Pair, 1, omit, everywhere); err != nil {
			return nil, err
		}
		if r.parts > manyParts {
			r.thin()
		}
		s.terms = append(s.terms, r)
		s.steps += float64(v.Count)
	}
	return s, nil
}

// manyParts is the largest number of mixtures of a sketch that keeps all its losses. likeness is
// the largest difference of losses that are thinned to one, as a share of the smaller.
const manyParts, likeness = 16, 0.02

// thin joins similar losses. A group has the mass of its losses under P and, by its own loss, their
// mass under Q. So moments of many releases are right. A sketch is read hundreds of times.
func (r *roughTerm) thin() {
	order := make([]int, len(r.loss))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(r.loss[a], r.loss[b]) })
	var loss, mass []float64
	for at := 0; at < len(order); {
		first, end := r.loss[order[at]], at
		var p, excess float64 // excess is Q less P
		for ; end < len(order); end++ {
			l, m := r.loss[order[end]], r.mass[order[end]]
			if l-first > likeness*math.Min(math.Abs(first), math.Abs(l)) && end > at {
				break
			}
			p += m
			excess += m * math.Expm1(-l)
		}
		group := -math.Log1p(excess / p)
		loss, mass = append(loss, math.Min(math.Max(group, first), r.loss[order[end-1]])), append(mass, p)
		at = end
	}
	r.loss, r.mass = loss, mass
}

// add records one loss.
func (r *roughTerm) add(loss, mass float64, s side) {
	if mass > 0 && s.has(loss) && !math.IsInf(loss, 0) {
		r.loss = append(r.loss, loss)
		r.mass = append(r.mass, mass)
		r.total += mass
	}
}

// picture records the losses of p on one side, with masses times a weight.
func (r *roughTerm) picture(p pair.Pair, weight, omit float64, s side) error {
	switch p := p.(type) {
	case pair.Mixture:
		c, err := pair.NewCurve(p)
		if err != nil {
			return err
		}
		r.mixture(c, weight, omit, s)
	case pair.Atoms:
		if err := checkAtoms(p); err != nil {
			return err
		}
		for _, a := range p {
			r.add(a.Loss(), weight*a.P, s)
		}
	case pair.BoundedRange:
		if err := checkRange(p); err != nil {
			return err
		}
		r.bounded(p, weight, s)
	case pair.Choice:
		if err := checkChoice(p); err != nil {
			return err
		}
		for _, v := range p {
			if err := r.picture(v.Pair, weight*v.Weight, allowed(omit, v.Weight, len(p)-1), s); err != nil {
				return err
			}
		}
	case pair.Glued:
		before := r.total
		if err := r.picture(p.Above, weight, omit, above); err != nil {
			return err
		}
		if err := r.picture(p.Below, weight, omit, below); err != nil {
			return err
		}
		r.add(0, weight-(r.total-before), s)
	default:
		return errPair
	}
	return nil
}

// bounded cuts the losses of a bounded range into cells.
func (r *roughTerm) bounded(p pair.BoundedRange, weight float64, s side) {
	const cells = 40
	for i := range cells {
		a := p.Epsilon * (2*float64(i)/cells - 1)
		mass, odds := rangeMasses(p.Epsilon, a, a+2*p.Epsilon/cells)
		r.add(math.Log(mass/odds), weight*mass, s)
	}
}

// mixture cuts the outputs into cells on which the loss hardly changes. Each cell has the loss that
// follows from its masses under P and Q, so that moments of many releases are right.
func (r *roughTerm) mixture(c *pair.Curve, weight, omit float64, s side) {
	r.parts++
	from, to := c.First, c.Last
	if c.Law == pair.Normal {
		from, to = quantile(c, omit, true), quantile(c, omit, false)
	} else {
		for _, x := range []float64{c.First - c.Scale, c.Last + c.Scale} {
			logP, _ := c.LogTails(math.Min(math.Max(x, c.First), c.Last), x < c.First)
			r.add(c.Loss(x), weight*math.Exp(logP), s)
		}
	}
	cells := math.Ceil((to - from) / c.Scale * r.fineness * math.Max(1, (c.Last-c.First)/c.Scale))
	n := int(math.Min(math.Max(cells, 40), 400))
	width := (to - from) / float64(n)
	for i := range n {
		a := from + width*float64(i)
		p, q := c.Masses(a, a+width)
		r.add(math.Log(p/q), weight*p, s)
	}
}

// quantile returns an x beyond which P has at most the given mass, and not much less. left says on
// which side. Bisection is in the logarithm of the tail.
func quantile(c *pair.Curve, mass float64, left bool) float64 {
	goal, sign := math.Log(mass), 1.0
	inner := (c.First + c.Last) / 2
	if left {
		sign = -1
	}
	reach := c.Scale
	tail := func(d float64) float64 {
		logP, _ := c.LogTails(inner+sign*d, left)
		return logP
	}
	for reach += c.Last - c.First; tail(reach) > goal; {
		reach *= 2
	}
	near, far := 0.0, reach
	for range 30 {
		if mid := (near + far) / 2; tail(mid) > goal {
			near = mid
		} else {
			far = mid
		}
	}
	return inner + sign*far
}

// saddle is the point that determines δ at one ε: the tilt t and the values at t. There δ is
// roughly e^{Λ(t)-tε}/(t(t+1)√(2πV)) (Daniels, "Saddlepoint Approximations in Statistics", 1954,
// with the factor of the hockey stick in the exponent).
type saddle struct {
	tilt, epsilon, logDelta float64
	cumulant
}

// saddleAt returns the saddle whose tilt is t.
func (s *sketch) saddleAt(t float64) saddle {
	c := s.at(t)
	epsilon := c.mean - 1/t - 1/(t+1)
	v := c.variance + 1/(t*t) + 1/((t+1)*(t+1))
	logDelta := c.value - t*epsilon - math.Log(t) - math.Log1p(t) - math.Log(2*math.Pi*v)/2
	return saddle{t, epsilon, logDelta, c}
}

// tiltFor returns the smallest tilt for which e^{Λ(t)-tε} is at most upTo times δ, or nearly as
// small as it gets. That ratio says how much errors of the tilted masses count in δ. A small tilt
// keeps rare large losses rare, and windows narrow.
func (s *sketch) tiltFor(epsilon, logDelta, upTo float64) float64 {
	const times, factor, tries = 1e3, 0.85, 40
	var excess [tries]float64
	least, t := math.Inf(1), upTo
	for i := range excess {
		excess[i] = s.at(t).value - t*epsilon - logDelta
		least = math.Min(least, excess[i])
		t *= factor
	}
	goal := math.Max(math.Log(times), least+1.5)
	for i := tries - 1; i > 0; i-- {
		t /= factor
		if excess[i] <= goal {
			return t
		}
	}
	return upTo
}

// quietest returns the tilt, up to a limit, at which errors of the tilted masses count least in δ.
func (s *sketch) quietest(epsilon, upTo float64) float64 {
	least, at := math.Inf(1), upTo
	for t := upTo; t > upTo/8; t *= 0.93 {
		if v := s.at(t).value - t*epsilon - math.Log(t) - math.Log1p(t); v < least {
			least, at = v, t
		}
	}
	return at
}

// floor returns a loss below which there is hardly any mass at a tilt, -Inf if there is none. It
// also returns the least loss above it.
func (r *roughTerm) floor(tilt, steps float64) (floor, least float64) {
	value := r.at(tilt).value
	faint := math.Log(1e-14 / steps / float64(len(r.loss)+1))
	least = math.Inf(1)
	for i, l := range r.loss {
		if math.Log(r.mass[i])+tilt*l-value > faint {
			least = math.Min(least, l)
		}
	}
	floor = math.Inf(-1)
	for _, l := range r.loss {
		if l < least {
			floor = math.Max(floor, l)
		}
	}
	return floor, least
}

// find returns the saddle where ok turns from false to true as the tilt grows.
func (s *sketch) find(ok func(saddle) bool) saddle {
	low, high := math.Log(1e-3), math.Log(1e12)
	for range 34 {
		mid := (low + high) / 2
		if ok(s.saddleAt(math.Exp(mid))) {
			high = mid
		} else {
			low = mid
		}
	}
	return s.saddleAt(math.Exp(high))
}

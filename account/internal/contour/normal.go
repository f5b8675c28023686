package contour

import (
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
)

// shifted is one side of a mixture in standard units: component i has its mean at shift[i] and the
// weight e^logWeight[i].
type shifted struct{ shift, weight, logWeight []float64 }

// standardize returns the components with means in units of scale from origin, without weights of
// 0.
func standardize(components []pair.Component, origin, scale float64) shifted {
	var s shifted
	for _, c := range components {
		if c.Weight > 0 {
			s.shift = append(s.shift, (c.Mean-origin)/scale)
			s.weight = append(s.weight, c.Weight)
			s.logWeight = append(s.logWeight, special.Log(c.Weight))
		}
	}
	return s
}

// logMixture returns log Σ w·e^a over the components with exponents a(shift). It takes Σ w to be 1.
// Near 1 it is log1p of Σ w·expm1(a), which keeps the digits of a small logarithm.
func (s shifted) logMixture(exponent func(shift float64) float64) float64 {
	if len(s.shift) == 1 {
		return exponent(s.shift[0])
	}
	sum, large := 0.0, false
	for i, d := range s.shift {
		a := exponent(d)
		if a > 30 {
			large = true
			break
		}
		sum += s.weight[i] * math.Expm1(a)
	}
	if !large && sum > -0.5 {
		return math.Log1p(sum)
	}
	top, rest := math.Inf(-1), 0.0
	for i, d := range s.shift {
		top = math.Max(top, exponent(d)+s.logWeight[i])
	}
	for i, d := range s.shift {
		rest += math.Exp(exponent(d) + s.logWeight[i] - top)
	}
	return top + math.Log(rest)
}

// posterior returns the mean shift of the component that produced y under normal noise. It
// rises in y.
func (s shifted) posterior(y float64) float64 {
	top := math.Inf(-1)
	for i, d := range s.shift {
		top = math.Max(top, s.logWeight[i]+d*(y-d/2))
	}
	sum, mean := 0.0, 0.0
	for i, d := range s.shift {
		w := math.Exp(s.logWeight[i] + d*(y-d/2) - top)
		sum += w
		mean += w * d
	}
	return mean / sum
}

// extremes returns the smallest and the largest shift and their log weights.
func (s shifted) extremes() (low, high, logLow, logHigh float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, d := range s.shift {
		low, high = math.Min(low, d), math.Max(high, d)
	}
	sumLow, sumHigh := 0.0, 0.0
	for i, d := range s.shift {
		if d == low {
			sumLow += s.weight[i]
		}
		if d == high {
			sumHigh += s.weight[i]
		}
	}
	return low, high, special.Log(sumLow), special.Log(sumHigh)
}

// normal is a pair of mixtures of normal distributions in standard units.
type normal struct{ p, q shifted }

func newNormal(m pair.Mixture) normal {
	origin := m.Q[0].Mean
	return normal{standardize(m.P, origin, m.Scale), standardize(m.Q, origin, m.Scale)}
}

// tilt returns log p(y)/φ(y), where φ is the standard normal density, and the loss.
func (n normal) tilt(y float64) (logP, loss float64) {
	exponent := func(d float64) float64 { return d * (y - d/2) }
	logP = n.p.logMixture(exponent)
	return logP, logP - n.q.logMixture(exponent)
}

func (normal) infinite() (p, q float64) { return 0, 0 }

// top returns the loss in the limit of y to -Inf or +Inf, whichever is larger.
func (n normal) top() float64 {
	pLow, pHigh, pLogLow, pLogHigh := n.p.extremes()
	qLow, qHigh, qLogLow, qLogHigh := n.q.extremes()
	if pHigh > qHigh || pLow < qLow {
		return math.Inf(1)
	}
	top := math.Inf(-1)
	if pHigh == qHigh {
		top = pLogHigh - qLogHigh
	}
	if pLow == qLow {
		top = math.Max(top, pLogLow-qLogLow)
	}
	return top
}

// window returns an interval outside which p·e^{tL} only falls and is below e^-62 of its values
// inside.
//
// The derivative of log p + tL is c(y) - y, where c = (1+t)·a - t·b. The posterior means a and b
// under P and Q rise in y. Where y exceeds the largest value that c takes on the interval so far,
// the function falls. So its last hump lies before that y. The same step is repeated with the new
// end.
func (n normal) window(t float64) (low, high float64) {
	pLow, pHigh, _, _ := n.p.extremes()
	qLow, qHigh, _, _ := n.q.extremes()
	aLow, aHigh, bLow, bHigh := pLow, pHigh, qLow, qHigh
	low, high = math.Inf(-1), math.Inf(1)
	for range 200 {
		from := math.Min((1+t)*aLow, (1+t)*aHigh) - math.Max(t*bLow, t*bHigh)
		to := math.Max((1+t)*aLow, (1+t)*aHigh) - math.Min(t*bLow, t*bHigh)
		if from < low+0.25 && to > high-0.25 {
			break
		}
		low, high = math.Max(from, low), math.Min(to, high)
		aLow, aHigh = n.p.posterior(low), n.p.posterior(high)
		bLow, bHigh = n.q.posterior(low), n.q.posterior(high)
	}
	return n.fallen(t, low, -1), n.fallen(t, high, 1)
}

// fallen returns a point on the given side of from, past which p·e^{tL} only falls. There the
// function has fallen by the reach.
func (n normal) fallen(t, from, direction float64) float64 {
	exponent := func(distance float64) float64 {
		y := from + direction*distance
		logP, loss := n.tilt(y)
		return logP + t*loss - y*y/2
	}
	start, distance := exponent(0), 4.0
	for exponent(distance) > start-reach {
		distance *= 1.5
	}
	return from + direction*distance
}

// hull returns the interval that serves the tilts low, -1, 0 and high, and so all between.
func (n normal) hull(low, high float64) (from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	for _, t := range [4]float64{low, -1, 0, high} {
		a, b := n.window(t)
		from, to = math.Min(from, a), math.Max(to, b)
	}
	return from, to
}

// spacing returns the step of the trapezoid rule at a level. The loss has its nearest singularities
// where two components cancel. Their height is π over the distance of the components' means. A rule
// of step h errs by about e^{-2π·height/h}, and on the normal density itself by e^{-2π²/h²}
// (Trefethen & Weideman, "The Exponentially Convergent Trapezoidal Rule", SIAM Review 2014, theorem
// 5.1, https://doi.org/10.1137/130932132).
func (n normal) spacing(level int) float64 {
	pLow, pHigh, _, _ := n.p.extremes()
	qLow, qHigh, _, _ := n.q.extremes()
	span := math.Max(pHigh, qHigh) - math.Min(pLow, qLow)
	h := math.Min(0.5, 0.55/span)
	return math.Ldexp(h, -level)
}

// rules returns the trapezoid rule and the same rule moved by half a step. For one side of the
// losses, where the integrand ends at a border, it returns Gauss-Legendre panels.
func (n normal) rules(level int, low, high float64, s side) (first, second *rule, err error) {
	from, to := n.hull(low, high)
	h := n.spacing(level)
	if count := (to - from) / h; !(count < maxRule) {
		return nil, nil, tooFine(count)
	}
	if s != whole {
		return n.half(from, to, 6*h, s)
	}
	// The normal density has the spectrum of a normal distribution: at 8.5 of its standard
	// deviations it is below 1e-15.
	turn := 2*math.Pi - 8.5*h
	first, second = &rule{turn: turn}, &rule{turn: turn}
	logStep := math.Log(h) - 0.5*math.Log(2*math.Pi)
	for y := from; y <= to; y += h {
		n.place(first, y, logStep)
		n.place(second, y+h/2, logStep)
	}
	return first, second, nil
}

// place adds the node at y, whose logarithm of step over √(2π) is logStep.
func (n normal) place(r *rule, y, logStep float64) {
	logP, loss := n.tilt(y)
	r.add(loss, logStep-y*y/2+logP, false)
}

// half returns two panel rules, of different width, for the losses of one sign.
func (n normal) half(from, to, width float64, s side) (first, second *rule, err error) {
	_, atFrom := n.tilt(from)
	_, atTo := n.tilt(to)
	first, second = &rule{turn: panelTurn}, &rule{turn: panelTurn}
	if atFrom == 0 && atTo == 0 {
		return first, second, nil
	}
	border := bisect(from, to, func(y float64) bool {
		_, loss := n.tilt(y)
		return (loss > 0) == (atTo > 0)
	})
	if (atTo > 0) == (s == positive) {
		from = border
	} else {
		to = border
	}
	count := 1 + int((to-from)/width)
	logStep := -0.5 * math.Log(2*math.Pi)
	for k, r := range [2]*rule{first, second} {
		panels(from, to, count+k, func(y, logWeight float64) { n.place(r, y, logWeight+logStep) })
	}
	return first, second, nil
}

// bisect returns the first point of [low, high] from which ok holds, exact to the last place. ok
// must hold at high.
func bisect(low, high float64, ok func(float64) bool) float64 {
	for range 200 {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			break
		}
		if ok(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

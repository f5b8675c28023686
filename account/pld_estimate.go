package account

import (
	"math"

	"github.com/ditherml/dither/account/internal/contour"
	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/account/internal/pld"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// wideOptions ask for bounds that are narrow enough for an estimate.
var wideOptions = pld.Options{Relative: 1e-3, Absolute: 1e-9, MaxNodes: coarseNodes}

// estimateEpsilon returns the estimate alone. For few releases the bounds are quicker, and narrow.
func (a lossDistributions) estimateEpsilon(e mechanism.Event, delta float64, n privacy.Neighboring) (float64, error) {
	c, err := compose(e, n)
	if err != nil {
		return 0, err
	}
	if err = checkDelta(delta); err != nil {
		return 0, err
	}
	switch {
	case c.open || c.beyond:
		return math.Inf(1), nil
	case c.gaussian:
		return gaussianEpsilon(c.mu, delta).Upper, nil
	case c.steps() <= fewReleases || c.bracketed:
		bounds, failed := c.bounds(pld.AtDelta(delta), a.options(c), func(v *pld.Composed) pld.Bounds { return v.Epsilon(delta) })
		return c.lesser(e, delta, n, middle(bounds), failed)
	}
	worst := 0.0
	for i := range c.directions {
		v, failed := c.contour(i, func(k *contour.Integral) (float64, error) { return k.Epsilon(delta) })
		if failed != nil { // the middle of wide bounds, which are quickly composed
			var b pld.Bounds
			b, err = c.bounds(pld.AtDelta(delta), wideOptions, func(v *pld.Composed) pld.Bounds { return v.Epsilon(delta) })
			worst = middle(b)
			break
		}
		worst = max(worst, v)
	}
	return c.lesser(e, delta, n, worst, err)
}

// lesser returns an estimate. Where pairs are not attained, it returns the smaller of the estimate
// and of the bound by rdp.
func (c composition) lesser(e mechanism.Event, delta float64, n privacy.Neighboring, worst float64, err error) (float64, error) {
	if !c.loose {
		return worst, err
	}
	v, failed := RDP{}.Epsilon(e, delta, n)
	if err != nil || failed == nil && v.Upper < worst {
		return v.Upper, failed
	}
	return worst, nil
}

// fewReleases is the number of releases that a calibration prices by bounds. For few releases
// bounds are quicker than the contour integral, whose integrand falls slowly with few factors.
const fewReleases = 3

// fewTerms is the number of different releases, and fewSteps the number in all, that are composed
// again for an estimate.
const fewTerms, fewSteps = 20, 1000

// costly reports whether a pair is a choice of many pairs, whose integral is slow: bounds are
// quicker.
func (c composition) costly() bool {
	for _, t := range c.directions[0] {
		p := t.Pair
		if glued, ok := p.(pair.Glued); ok {
			p = glued.Above
		}
		if choice, ok := p.(pair.Choice); ok && len(choice) > 2 {
			return true
		}
	}
	return false
}

// soonComposed reports whether narrow bounds take little time: few releases, none of them a choice
// of many pairs.
func (c composition) soonComposed() bool {
	return !c.costly() && len(c.directions[0]) <= fewTerms && c.steps() <= fewSteps
}

// narrow is the relative width of bounds whose middle is as good as an estimate.
const narrow = 1e-6

// rough is the width from which no contour integral is computed: it would take longer than the
// bounds.
const rough = 1e-2

// closer returns the options of the narrow bounds whose middle is the estimate. If a width is
// given, the estimate is the middle of bounds of that width.
func (a lossDistributions) closer() pld.Options {
	if a.width > 0 {
		return pld.Options{}
	}
	return pld.Options{Relative: 5e-6, Absolute: 1e-9}
}

// middle returns a guess of the truth: upper bounds are about five times closer to it than lower
// ones.
func middle(b pld.Bounds) float64 {
	if math.IsInf(b.Upper, 1) {
		return b.Upper
	}
	return b.Upper - (b.Upper-b.Lower)/6
}

// estimate returns the larger of the contour integrals of both directions. Where they do not
// converge, as with few releases, or where the bounds are narrow, it returns the middle of narrow
// bounds. In four cases the integrals take longer than the bounds, and it returns the middle of the
// bounds:
//
//   - one release, whose bounds are exact up to rounding
//   - many releases
//   - choices of many pairs
//   - rough bounds
func (a lossDistributions) estimate(c composition, b pld.Bounds, aim pld.Aim, integral func(*contour.Integral) (float64, error), read func(*pld.Composed) pld.Bounds) (float64, error) {
	if c.bracketed && b.Upper-b.Lower > wideShare*b.Upper { // one of the bounds says little
		return b.Upper, nil
	}
	if a.width >= rough || c.steps() == 1 || b.Upper-b.Lower <= narrow*b.Upper || len(c.directions[0]) > manyTerms || c.many || c.costly() || c.bracketed {
		return middle(b), nil
	}
	values, errs := make([]float64, len(c.directions)), make([]error, len(c.directions))
	parallel.Each(len(c.directions), func(i int) { values[i], errs[i] = c.contour(i, integral) })
	worst, again := 0.0, a.closer()
	for i, err := range errs {
		if err != nil {
			if again.Relative == 0 || !c.soonComposed() || b.Upper-b.Lower > 2e-4*b.Upper+1e-5 {
				return middle(b), nil
			}
			closer, failed := c.bounds(aim, again, read)
			return middle(closer), failed
		}
		worst = max(worst, values[i])
	}
	return worst, nil
}

func (c composition) contour(direction int, integral func(*contour.Integral) (float64, error)) (float64, error) {
	list := make([]contour.Term, len(c.directions[direction]))
	for i, t := range c.directions[direction] {
		list[i] = contour.Term{Pair: t.Pair, Count: float64(t.Count)}
	}
	v, err := contour.New(list)
	if err != nil {
		return 0, err
	}
	return integral(v)
}

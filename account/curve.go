package account

import (
	"math"

	"github.com/ditherml/dither/account/internal/pld"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// composedCurve is the whole privacy profile of an event, composed once. It gives δ for every ε and
// ε for every δ, from above. It is safe for concurrent use.
type composedCurve struct {
	composition composition
	composed    [][]*pld.Composed // for each aim, the directions
	ways        []composedCurve   // of an event with parts in parallel; the largest counts
}

// curveDeltas are the δ at which a curve is tight, in addition to δ(0).
var curveDeltas = []float64{1e-2, 1e-4, 1e-7, 1e-11}

// Curve returns the privacy profile of an event, composed once for many evaluations. Its upper
// bounds are valid at every ε and δ. For δ from 1e-12 to the δ at ε = 0, they are within about a
// percent of the upper bounds of Epsilon and Delta. An event that Epsilon refuses is an error.
func (a lossDistributions) Curve(e mechanism.Event, n privacy.Neighboring) (composedCurve, error) {
	if isParallel(e) && mechanism.CheckEvent(e) == nil {
		return a.curveOfWays(e, n)
	}
	c, err := compose(e, n)
	if err != nil || c.open || c.beyond || c.gaussian {
		return composedCurve{composition: c}, err
	}
	options := pld.Options{Relative: 1e-3, Absolute: 1e-5}
	if a.width > 0 {
		options = a.options(c)
	}
	aims := []pld.Aim{pld.AtEpsilon(0)}
	for _, delta := range curveDeltas {
		aims = append(aims, pld.AtDelta(delta))
	}
	v := composedCurve{composition: c}
	for _, aim := range aims {
		composed, failed := c.composed(aim, options)
		if failed != nil {
			return composedCurve{}, failed
		}
		v.composed = append(v.composed, composed)
	}
	return v, nil
}

// curveOfWays is the curve of an event with parts in parallel.
func (a lossDistributions) curveOfWays(e mechanism.Event, n privacy.Neighboring) (composedCurve, error) {
	all, err := ways(e)
	if err != nil {
		return composedCurve{}, err
	}
	var v composedCurve
	for _, w := range all {
		one, failed := a.Curve(w, n)
		if failed != nil {
			return composedCurve{}, failed
		}
		v.ways = append(v.ways, one)
	}
	return v, nil
}

// worst returns the largest number that ask returns for the ways.
func (v composedCurve) worst(ask func(composedCurve) (float64, error)) (float64, error) {
	worst := 0.0
	for _, w := range v.ways {
		one, err := ask(w)
		if err != nil {
			return 0, err
		}
		worst = max(worst, one)
	}
	return worst, nil
}

// Delta returns an upper bound on δ(ε). ε must be at least 0.
func (v composedCurve) Delta(epsilon float64) (float64, error) {
	if err := checkEpsilon(epsilon); err != nil {
		return 0, err
	}
	switch {
	case v.ways != nil:
		return v.worst(func(w composedCurve) (float64, error) { return w.Delta(epsilon) })
	case math.IsInf(epsilon, 1):
		return 0, nil
	case v.composition.open || v.composition.beyond:
		return 1, nil
	case v.composition.gaussian:
		return gaussianDeltas(v.composition.mu, epsilon).Upper, nil
	}
	return v.least(func(c *pld.Composed) float64 { return c.Delta(min(epsilon, maxEpsilon)).Upper }), nil
}

// Epsilon returns an upper bound on ε(δ), in nats. δ must be at least 0 and less than 1.
func (v composedCurve) Epsilon(delta float64) (float64, error) {
	if err := checkDelta(delta); err != nil {
		return 0, err
	}
	switch {
	case v.ways != nil:
		return v.worst(func(w composedCurve) (float64, error) { return w.Epsilon(delta) })
	case v.composition.open || v.composition.beyond:
		return math.Inf(1), nil
	case v.composition.gaussian:
		return gaussianEpsilon(v.composition.mu, delta).Upper, nil
	}
	return v.least(func(c *pld.Composed) float64 { return c.Epsilon(delta).Upper }), nil
}

// least returns the least over aims of the larger direction.
func (v composedCurve) least(read func(*pld.Composed) float64) float64 {
	least := math.Inf(1)
	for _, directions := range v.composed {
		worst := 0.0
		for _, c := range directions {
			worst = max(worst, read(c))
		}
		least = min(least, worst)
	}
	return least
}

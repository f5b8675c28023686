package account

import (
	"math"

	"github.com/ditherml/dither/account/internal/contour"
	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// divergences returns the Rényi divergences of one simple event at each order: the larger direction.
func divergences(e mechanism.Event, orders []float64, n privacy.Neighboring) ([]float64, error) {
	if r, tuned := e.(mechanism.RepeatAndSelect); tuned {
		return repeatAndSelect(r, orders, n)
	}
	if at, known := closedDivergence(e, n); known {
		values := make([]float64, len(orders))
		for i, order := range orders {
			values[i] = at(order)
		}
		return values, nil
	}
	pairs, err := pairsOf(e, n)
	if err != nil {
		return nil, unsupported("rdp", e)
	}
	values, err := momentDivergences(pairs.remove, orders)
	if err != nil || pairs.symmetric {
		return values, err
	}
	other, err := momentDivergences(pairs.add, orders)
	if err != nil {
		return nil, err
	}
	for i, v := range other {
		values[i] = max(values[i], v)
	}
	return values, nil
}

// closedDivergence returns the divergence of events that have a formula.
func closedDivergence(e mechanism.Event, n privacy.Neighboring) (at func(order float64) float64, known bool) {
	move := n.Movement()
	switch e := e.(type) {
	case mechanism.NonPrivate:
		return func(float64) float64 { return math.Inf(1) }, true
	case mechanism.Gaussian:
		mu := move / e.NoiseMultiplier
		return func(order float64) float64 { return order * mu * mu / 2 }, true
	case mechanism.DiscreteGaussian:
		// Canonne, Kamath & Steinke 2020, theorem 4: not more than the continuous one's.
		mu := move * float64(e.Sensitivity) / e.StandardDeviation
		return func(order float64) float64 { return order * mu * mu / 2 }, true
	case mechanism.AssumedZCDP:
		return func(order float64) float64 { return order * e.Rho }, true
	case mechanism.ObjectivePerturbation:
		return func(order float64) float64 { return objectiveDivergence(e, order) }, true
	case mechanism.PoissonSampled:
		return poissonDivergence(e, n)
	}
	return nil, false
}

func poissonDivergence(e mechanism.PoissonSampled, n privacy.Neighboring) (at func(order float64) float64, known bool) {
	switch inner := e.Event.(type) {
	case mechanism.NonPrivate:
		return func(float64) float64 { return math.Inf(1) }, true
	case mechanism.Gaussian:
		if n == privacy.ReplaceOne {
			return nil, false
		}
		return func(order float64) float64 {
			if order == math.Floor(order) {
				return sampledInteger(e.Probability, inner.NoiseMultiplier, int(order))
			}
			return sampledFractional(e.Probability, inner.NoiseMultiplier, order)
		}, true
	}
	return nil, false
}

// objectiveDivergence is -log(1-β/Λ) + μ²/2 + log(E e^((α-1)|X|))/(α-1) for X normal of standard deviation
// μ = 1/NoiseMultiplier, E e^(a|X|) = 2·e^(a²μ²/2)·Φ(aμ) (Redberg, Koskela & Wang 2023, theorem 3.2).
func objectiveDivergence(e mechanism.ObjectivePerturbation, order float64) float64 {
	mu, a := 1/e.NoiseMultiplier, order-1
	return -math.Log1p(-e.Smoothness) + mu*mu/2 + a*mu*mu/2 + math.Log1p(math.Erf(a*mu/math.Sqrt2))/a
}

// momentDivergences returns log(E_P[e^((α-1)·L)])/(α-1) for a pair, +Inf where P has outcomes that Q
// has not.
func momentDivergences(p pair.Pair, orders []float64) ([]float64, error) {
	integral, err := contour.New([]contour.Term{{Pair: p, Count: 1}})
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(orders))
	for i, order := range orders {
		if values[i] = max(0, integral.LogMoment(order-1)/(order-1)); disclosing(p) || values[i] != values[i] {
			values[i] = math.Inf(1)
		}
	}
	return values, nil
}

// disclosing reports whether P has outcomes that Q has not.
func disclosing(p pair.Pair) bool {
	switch p := p.(type) {
	case pair.Atoms:
		for _, a := range p {
			if a.P > 0 && a.Q == 0 {
				return true
			}
		}
	case pair.Glued:
		return disclosing(p.Above)
	case pair.Choice:
		for _, w := range p {
			if w.Weight > 0 && disclosing(w.Pair) {
				return true
			}
		}
	}
	return false
}

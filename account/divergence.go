package account

import (
	"errors"
	"fmt"
	"math"

	"github.com/ditherml/dither/account/internal/contour"
	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// divergences returns the Rényi divergences of one simple event, in the larger direction, at orders
// that rise. Where a value takes long, only every stride-th one is computed, and the others are
// bounded from these.
func (m moments) divergences(e mechanism.Event, orders []float64, n privacy.Neighboring, stride int) ([]float64, error) {
	if r, tuned := e.(mechanism.RepeatAndSelect); tuned {
		return m.repeatAndSelect(r, orders, n)
	}
	if r, allocation := e.(mechanism.RandomAllocation); allocation {
		return m.allocation(r, orders, n)
	}
	if at, known := closedDivergence(e, n); known {
		if _, sampled := e.(mechanism.PoissonSampled); sampled && stride > 1 {
			return momentDivergences(func(t float64) float64 { return t * at(1+t) }, orders, stride), nil
		}
		values := make([]float64, len(orders))
		for i, order := range orders {
			values[i] = at(order)
		}
		return values, nil
	}
	integrals, err := m.of(e, n)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(orders))
	for _, integral := range integrals {
		moment := func(float64) float64 { return math.Inf(1) }
		if integral != nil {
			moment = integral.LogMoment
		}
		for i, v := range momentDivergences(moment, orders, stride) {
			values[i] = max(values[i], v)
		}
	}
	return values, nil
}

// moments holds, while orders are tried, the values that do not depend on the order. They are
// bounds of tuning and the integrals of simple events, one for each direction. An integral is nil
// where something is disclosed in its direction.
type moments struct {
	integrals   map[string][]*contour.Integral
	tuning      map[string][]float64
	allocations map[string]*allocationMoments
}

func newMoments() moments {
	return moments{map[string][]*contour.Integral{}, map[string][]float64{}, map[string]*allocationMoments{}}
}

func (m moments) of(e mechanism.Event, n privacy.Neighboring) ([]*contour.Integral, error) {
	if known, ok := m.integrals[e.String()]; ok {
		return known, nil
	}
	pairs, err := pairsOf(e, n)
	if err != nil {
		return nil, unsupported("rdp", e)
	}
	list := []pair.Pair{pairs.remove, pairs.add}
	if pairs.symmetric {
		list = list[:1]
	}
	var integrals []*contour.Integral
	for _, p := range list {
		integral, failed := contour.New([]contour.Term{{Pair: p, Count: 1}})
		if errors.Is(failed, contour.ErrUnsuited) || disclosing(p) {
			integral, failed = nil, nil // out of reach counts as infinite
		}
		if failed != nil {
			return nil, fmt.Errorf("account: accountant rdp cannot price %v: %w", e, failed)
		}
		integrals = append(integrals, integral)
	}
	m.integrals[e.String()] = integrals
	return integrals, nil
}

// closedDivergence returns the divergence of an event that has a formula, and false for other
// events.
func closedDivergence(e mechanism.Event, n privacy.Neighboring) (at func(order float64) float64, known bool) {
	move := n.Movement()
	switch e := e.(type) {
	case mechanism.NonPrivate:
		return func(float64) float64 { return math.Inf(1) }, true
	case mechanism.Gaussian:
		mu := move / e.NoiseMultiplier
		return func(order float64) float64 { return order * mu * mu / 2 }, true
	case mechanism.DiscreteGaussian:
		// Canonne, Kamath & Steinke 2020, theorem 4: at most the divergence of the continuous
		// Gaussian.
		mu := move * float64(e.Sensitivity) / e.StandardDeviation
		return func(order float64) float64 { return order * mu * mu / 2 }, true
	case mechanism.AssumedZCDP:
		return func(order float64) float64 { return order * e.Rho }, true
	case mechanism.AssumedXiZCDP:
		return func(order float64) float64 { return e.Xi + order*e.Rho }, true
	case mechanism.Exponential:
		// Cesar & Rogers, "Bounding, Concentrating, and Truncating", ALT 2021, lemma 3.2,
		// https://arxiv.org/abs/2004.07223: bounded range ε is ε²/8-zCDP.
		epsilon := e.Epsilon * move
		return func(order float64) float64 { return min(epsilon, order*epsilon*epsilon/8) }, true
	case mechanism.ObjectivePerturbation:
		return func(order float64) float64 { return objectiveDivergence(e, order) }, true
	case mechanism.PoissonSampled:
		return poissonDivergence(e, n)
	}
	return nil, false
}

func poissonDivergence(e mechanism.PoissonSampled, n privacy.Neighboring) (at func(order float64) float64, known bool) {
	switch inner := e.Event.(type) {
	case mechanism.DiscreteGaussian:
		return sampledDiscreteGaussian(e.Probability, inner, n), true
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

// objectiveDivergence returns -log(1-β/Λ) + μ²/2 + log(E e^((α-1)|X|))/(α-1). X is normal of
// standard deviation μ = 1/NoiseMultiplier, so E e^(a|X|) = 2·e^(a²μ²/2)·Φ(aμ) (Redberg, Koskela &
// Wang 2023, theorem 3.2).
func objectiveDivergence(e mechanism.ObjectivePerturbation, order float64) float64 {
	mu, a := 1/e.NoiseMultiplier, order-1
	return -math.Log1p(-e.Smoothness) + mu*mu/2 + a*mu*mu/2 + math.Log1p(math.Erf(a*mu/math.Sqrt2))/a
}

// momentStride is the stride of the curves in which the best order is searched, before it is
// refined.
const momentStride = 4

// momentDivergences returns log(E_P[e^((α-1)·L)])/(α-1) for a loss L at each order. logMoment
// returns the logarithm of the moment at α-1; it is convex in α. So with a stride above 1 the
// values between two computed ones are taken from their chord, which lies above. Orders must rise
// then.
func momentDivergences(logMoment func(t float64) float64, orders []float64, stride int) []float64 {
	values := make([]float64, len(orders))
	last, lastMoment := 0, 0.0
	for i := 0; i < len(orders); i = next(i, stride, len(orders)) {
		moment := logMoment(orders[i] - 1)
		if moment != moment {
			moment = math.Inf(1)
		}
		values[i] = max(0, moment/(orders[i]-1))
		for k := last + 1; k < i; k++ {
			values[k] = math.Inf(1)
			if moment < math.Inf(1) {
				share := (orders[k] - orders[last]) / (orders[i] - orders[last])
				values[k] = max(0, (lastMoment+share*(moment-lastMoment))/(orders[k]-1))
			}
		}
		last, lastMoment = i, moment
	}
	return values
}

// next returns the next index to compute. The last index is always computed.
func next(i, stride, n int) int {
	if i < n-1 && i+stride > n-1 {
		return n - 1
	}
	return i + stride
}

// disclosing reports whether P has outcomes that Q lacks.
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

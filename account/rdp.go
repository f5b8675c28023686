package account

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// RDP is the accountant of Rényi differential privacy, at the orders of Orders or, if that is
// nil, at DefaultOrders. It prices Gaussian releases and Poisson-sampled ones; under ReplaceOne
// it refuses sampled events, for which it has no proof.
//
// Mironov, "Rényi Differential Privacy", CSF 2017, https://arxiv.org/abs/1702.07476 (Gaussian,
// composition); Mironov, Talwar & Zhang, "Rényi Differential Privacy of the Sampled Gaussian
// Mechanism", 2019, https://arxiv.org/abs/1908.10530 (theorem 4: the divergence of the mixture
// from the normal law is the larger direction; section 3.3: integer orders); conversion:
// Canonne, Kamath & Steinke, "The Discrete Gaussian for Differential Privacy", NeurIPS 2020,
// proposition 12, https://arxiv.org/abs/2004.00010. An RDP bound at one order fixed in advance
// adds up over adaptively chosen events (Feldman & Zrnic, "Individual Privacy Accounting via a
// Rényi Filter", NeurIPS 2021, https://arxiv.org/abs/2008.11193), so RDP{Orders: {α}} is a
// valid filter.
type RDP struct{ Orders []float64 }

var _ Accountant = RDP{}

// rdpError bounds the relative error of a computed divergence.
const rdpError = 1e-9

// defaultOrders are fractional where ε is large and grow geometrically.
var defaultOrders = func() []float64 {
	orders := []float64{1.05, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9}
	for order := 2.0; order < 12; order += 0.25 {
		orders = append(orders, order)
	}
	for order := 12.0; order <= 2048; order = math.Ceil(order * 1.06) {
		orders = append(orders, order)
	}
	return orders
}()

// DefaultOrders returns the orders that RDP uses when none are named.
func DefaultOrders() []float64 { return append([]float64(nil), defaultOrders...) }

// Name returns "rdp".
func (RDP) Name() string { return "rdp" }

func (a RDP) orders() []float64 {
	if a.Orders == nil {
		return defaultOrders
	}
	return a.Orders
}

// Curve returns upper bounds on the Rényi divergence of the event at each order, in nats.
func (a RDP) Curve(e mechanism.Event, n privacy.Neighboring) ([]float64, error) {
	if err := check(e, n); err != nil {
		return nil, err
	}
	curve := make([]float64, len(a.orders()))
	for i, order := range a.orders() {
		if !(order > 1) || math.IsInf(order, 1) {
			return nil, fmt.Errorf("account: Rényi order is %v, want more than 1 and finite", order)
		}
		v, err := divergence(e, order, n)
		if err != nil {
			return nil, err
		}
		curve[i] = v * (1 + rdpError)
	}
	return curve, nil
}

// divergence adds up over the event. It is the one place where counts are applied.
func divergence(e mechanism.Event, order float64, n privacy.Neighboring) (float64, error) {
	switch e := e.(type) {
	case mechanism.Gaussian:
		mu := n.Movement() / e.NoiseMultiplier
		return order * mu * mu / 2, nil
	case mechanism.NonPrivate:
		return math.Inf(1), nil
	case mechanism.PoissonSampled:
		return sampledDivergence(e, order, n)
	case mechanism.Repeat:
		if e.Count == 0 {
			return 0, nil
		}
		v, err := divergence(e.Event, order, n)
		return float64(e.Count) * v, err
	case mechanism.Sequence:
		sum := 0.0
		for _, part := range e {
			v, err := divergence(part, order, n)
			if err != nil {
				return 0, err
			}
			sum += v
		}
		return sum, nil
	}
	return 0, fmt.Errorf("account: accountant rdp has no proof for %v", e)
}

func sampledDivergence(e mechanism.PoissonSampled, order float64, n privacy.Neighboring) (float64, error) {
	gaussian, private := e.Event.(mechanism.Gaussian)
	switch {
	case !private:
		return math.Inf(1), nil
	case n == privacy.ReplaceOne:
		return 0, fmt.Errorf("account: accountant rdp has no proof for %v under %v; use add-or-remove-one", e, n)
	case order == math.Floor(order):
		return sampledInteger(e.Probability, gaussian.NoiseMultiplier, int(order)), nil
	}
	return sampledFractional(e.Probability, gaussian.NoiseMultiplier, order), nil
}

// Epsilon returns the least bound over the orders. The lower bound of the interval is 0: this
// accountant proves upper bounds only.
func (a RDP) Epsilon(e mechanism.Event, delta float64, n privacy.Neighboring) (Interval, error) {
	epsilon, _, err := a.Best(e, delta, n)
	return Interval{0, epsilon, epsilon}, err
}

// Best returns the least epsilon and the order that gives it.
func (a RDP) Best(e mechanism.Event, delta float64, n privacy.Neighboring) (epsilon, order float64, err error) {
	curve, err := a.Curve(e, n)
	if err != nil {
		return 0, 0, err
	}
	if !(delta >= 0 && delta < 1) {
		return 0, 0, fmt.Errorf("account: delta is %v, want at least 0 and less than 1", delta)
	}
	epsilon, order = math.Inf(1), a.orders()[0]
	for i, alpha := range a.orders() {
		v := 0.0
		if curve[i] > 0 {
			v = curve[i] + math.Log1p(-1/alpha) - (math.Log(delta)+math.Log(alpha))/(alpha-1)
			v = max(0, v) * (1 + 1e-12)
		}
		if v < epsilon {
			epsilon, order = v, alpha
		}
	}
	return epsilon, order, nil
}

// Delta returns the least bound over the orders: exp((α-1)(R-ε))·(1-1/α)^α/(α-1).
func (a RDP) Delta(e mechanism.Event, epsilon float64, n privacy.Neighboring) (Interval, error) {
	curve, err := a.Curve(e, n)
	if err != nil {
		return Interval{}, err
	}
	if !(epsilon >= 0) {
		return Interval{}, fmt.Errorf("account: epsilon is %v, want at least 0", epsilon)
	}
	best := 1.0
	for i, alpha := range a.orders() {
		if curve[i] == 0 || math.IsInf(epsilon, 1) {
			return Interval{}, nil
		}
		logDelta := (alpha-1)*(curve[i]-epsilon) + alpha*math.Log1p(-1/alpha) - math.Log(alpha-1)
		best = min(best, math.Exp(logDelta)*(1+1e-9))
	}
	return Interval{0, best, best}, nil
}

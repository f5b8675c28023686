package account

import (
	"math"

	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// ZCDP is the accountant of zero-concentrated differential privacy. An event is ρ-zCDP if its Rényi
// divergence of every order α > 1 is at most ρ·α. The ρ of several releases add up, even if a
// release is chosen after earlier outputs. So a limit on the sum of all ρ is a valid filter.
//
// Bun & Steinke, "Concentrated Differential Privacy: Simplifications, Extensions, and Lower
// Bounds", TCC 2016, https://arxiv.org/abs/1605.02065: proposition 1.6 (a normal release),
// proposition 3.3 (pure ε costs ε²/2), lemma 2.3 (composition). Canonne, Kamath & Steinke, "The
// Discrete Gaussian for Differential Privacy", NeurIPS 2020, https://arxiv.org/abs/2004.00010:
// theorem 4 (the discrete Gaussian), proposition 12 (conversion). Cesar & Rogers, "Bounding,
// Concentrating, and Truncating", ALT 2021, https://arxiv.org/abs/2004.07223 (bounded range ε costs
// ε²/8).
//
// A sampled event costs as much as the same event on all records: ZCDP has no amplification. This
// is proven as follows. The function x^α·y^(1-α) is convex in (x, y), because it is the perspective
// of x^α. For two distributions p and q with divergence D, e^((α-1)D) is ∫ p^α·q^(1-α). Let p and q
// be mixtures with equal weights. Then this integral is at most its mean over the parts of the
// mixtures, so at most its largest value. Each possible sample is one part. Given the sample, the
// divergence between neighbors is at most the divergence without sampling. (See also van Erven &
// Harremoës, "Rényi Divergence and Kullback-Leibler Divergence", 2014,
// https://arxiv.org/abs/1206.2459.)
var ZCDP concentratedDP

// concentratedDP is the type of ZCDP.
type concentratedDP struct{}

var _ Accountant = concentratedDP{}

// rhoError bounds the relative error of a computed ρ.
const rhoError = 1e-11

// Name returns "zcdp".
func (concentratedDP) Name() string { return "zcdp" }

// Rho returns an upper bound on the least ρ for which the event is ρ-zCDP under the relation. For
// events without sampling its relative error is at most 1e-11. It is +Inf if something is released
// without protection.
func (a concentratedDP) Rho(e mechanism.Event, n privacy.Neighboring) (float64, error) {
	if v, several, err := severalWays(e, func(w mechanism.Event) (Interval, error) { return alone(a.Rho(w, n)) }); several {
		return v.Upper, err
	}
	all, err := terms(e, n)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, t := range all {
		rho, failed := rhoOf(t.event, n)
		if failed != nil {
			return 0, failed
		}
		sum += t.count * rho
	}
	return sum * (1 + rhoError), nil
}

// rhoOf returns ρ of a simple event.
func rhoOf(e mechanism.Event, n privacy.Neighboring) (float64, error) {
	move := n.Movement()
	switch e := e.(type) {
	case mechanism.NonPrivate:
		return math.Inf(1), nil
	case mechanism.Gaussian:
		return halfSquare(move / e.NoiseMultiplier), nil
	case mechanism.DiscreteGaussian:
		return halfSquare(move * float64(e.Sensitivity) / e.StandardDeviation), nil
	case mechanism.AssumedZCDP:
		return e.Rho, nil
	case mechanism.AssumedXiZCDP: // ξ + ρα ≤ (ξ+ρ)·α, since α > 1
		return e.Xi + e.Rho, nil
	case mechanism.Exponential:
		return halfSquare(e.Epsilon*move) / 4, nil
	case mechanism.PoissonSampled:
		return rhoOf(e.Event, n)
	case mechanism.WithoutReplacement:
		return rhoOf(e.Event, n)
	case mechanism.RandomAllocation:
		return rhoOf(e.Event, n)
	}
	epsilon, pure := pureEpsilon(e, n)
	if !pure {
		return 0, unsupported("zcdp", e)
	}
	return halfSquare(epsilon), nil
}

// halfSquare returns x²/2 for x of 0 or more, rounded up where float64 cannot hold it.
func halfSquare(x float64) float64 {
	if x == 0 {
		return 0
	}
	return notFaint(x * x / 2)
}

// pureEpsilon returns the ε of a simple event that is ε-differentially private and not sampled. It
// is +Inf where the answer is given unchanged. For all other events it returns false.
func pureEpsilon(e mechanism.Event, n privacy.Neighboring) (epsilon float64, pure bool) {
	move := n.Movement()
	switch e := e.(type) {
	case mechanism.Laplace:
		return move / e.NoiseMultiplier, true
	case mechanism.DiscreteLaplace:
		return move * float64(e.Sensitivity) / e.Scale, true
	case mechanism.Exponential:
		return e.Epsilon * move, true
	case mechanism.AssumedDP:
		return e.Epsilon, e.Delta == 0
	case mechanism.RandomizedResponse:
		return responseEpsilon(e, n), true
	}
	return 0, false
}

// responseEpsilon returns the largest log ratio of two answers' probabilities. Under replace-one
// they are 1-p+p/k and p/k. Under zero-out both are compared to 1/k.
func responseEpsilon(e mechanism.RandomizedResponse, n privacy.Neighboring) float64 {
	p, k := e.Probability, float64(e.Outcomes)
	up := math.Log1p((k - 1) * (1 - p)) // (1-p+p/k) : 1/k
	down := -math.Log(p)                // 1/k : p/k
	if n == privacy.ReplaceOne {
		return up + down
	}
	return max(up, down)
}

// Epsilon returns an upper bound, the least over all orders. Lower is 0, because the accountant
// proves upper bounds only.
func (a concentratedDP) Epsilon(e mechanism.Event, delta float64, n privacy.Neighboring) (Interval, error) {
	if v, several, err := severalWays(e, func(w mechanism.Event) (Interval, error) { return a.Epsilon(w, delta, n) }); several {
		return v, err
	}
	rho, err := a.Rho(e, n)
	if err != nil {
		return Interval{}, err
	}
	if err = checkDelta(delta); err != nil {
		return Interval{}, err
	}
	epsilon := rhoEpsilon(rho, delta)
	return Interval{0, epsilon, epsilon}, nil
}

// Delta returns an upper bound, the least over all orders. Lower is 0, because the accountant
// proves upper bounds only.
func (a concentratedDP) Delta(e mechanism.Event, epsilon float64, n privacy.Neighboring) (Interval, error) {
	if v, several, err := severalWays(e, func(w mechanism.Event) (Interval, error) { return a.Delta(w, epsilon, n) }); several {
		return v, err
	}
	epsilon = within(epsilon)
	rho, err := a.Rho(e, n)
	if err != nil {
		return Interval{}, err
	}
	if err = checkEpsilon(epsilon); err != nil {
		return Interval{}, err
	}
	all, err := terms(e, n)
	delta := rhoDelta(rho, epsilon)
	return positive(Interval{0, delta, delta}, all, epsilon, n), err
}

// rhoEpsilon returns the least over α of ρα + log(1-1/α) - (log δ + log α)/(α-1).
func rhoEpsilon(rho, delta float64) float64 {
	switch {
	case rho == 0:
		return 0
	case delta == 0 || math.IsInf(rho, 1):
		return math.Inf(1)
	}
	logDelta := special.Log(delta)
	return max(0, leastOverOrders(func(u float64) float64 {
		beta, logAlpha := math.Exp(u), math.Log1p(math.Exp(u))
		linear, shrink, paid := rho+rho*beta, -math.Log1p(math.Exp(-u)), (logDelta+logAlpha)/beta
		slack := math.Abs(linear) + math.Abs(shrink) + (math.Abs(logDelta)+logAlpha)/beta
		return linear + shrink - paid + 1e-15*slack
	}))
}

// rhoDelta returns the least over α of exp((α-1)(ρα-ε))·(1-1/α)^α/(α-1), and 1.
func rhoDelta(rho, epsilon float64) float64 {
	switch {
	case rho == 0 || math.IsInf(epsilon, 1):
		return 0
	case math.IsInf(rho, 1):
		return 1
	}
	least := leastOverOrders(func(u float64) float64 {
		beta := math.Exp(u)
		power, shrink := beta*(rho+rho*beta-epsilon), -(1+beta)*math.Log1p(math.Exp(-u))
		slack := beta*(rho+rho*beta+epsilon) + math.Abs(shrink) + math.Abs(u)
		return power + shrink - u + 1e-15*slack
	})
	return min(1, upward(math.Exp(least)*(1+1e-14)))
}

// leastOverOrders returns a small value of f(log(α-1)) over the orders α: the least on a grid,
// improved by golden section next to it. Every order gives a valid bound, so a search that misses
// the minimum errs upward.
func leastOverOrders(f func(u float64) float64) float64 {
	const low, high, step = -60.0, 60.0, 0.25
	best, at := math.Inf(1), low
	for u := low; u <= high; u += step {
		if v := f(u); v < best {
			best, at = v, u
		}
	}
	return min(best, special.GoldenSection(at-step, at+step, 40, f))
}

package account

import (
	"math"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// repeatAndSelect returns the Rényi divergences of the best of a random number K of runs, where r
// is the divergence of one run (Papernot & Steinke, "Hyperparameter Tuning with Renyi Differential
// Privacy", ICLR 2022, https://arxiv.org/abs/2110.03620). A divergence does not fall with the
// order, so a bound at a higher order is a bound at a lower one.
//
//   - Theorem 2, truncated negative binomial of shape η: r(α) + (1+η)·min over orders β of
//     [(1-1/β)·r(β) + log(1/γ)/β] + log(E K)/(α-1).
//   - Theorem 6, Poisson with mean m: r(α) + m·δ + log(m)/(α-1), if one run is
//     (log(1+1/(α-1)), δ)-differentially private. Any proven δ serves.
func (m moments) repeatAndSelect(e mechanism.RepeatAndSelect, orders []float64, n privacy.Neighboring) ([]float64, error) {
	bounds, known := m.tuning[e.String()]
	if !known {
		var err error
		if bounds, err = tuningBounds(e, n); err != nil {
			return nil, err
		}
		m.tuning[e.String()] = bounds
	}
	return atOrAbove(tuningOrders, bounds, orders), nil
}

// tuningBounds returns the bounds at the orders of tuningOrders.
func tuningBounds(e mechanism.RepeatAndSelect, n privacy.Neighboring) ([]float64, error) {
	all, err := terms(e.Event, n)
	if err != nil {
		return nil, err
	}
	grid := tuningOrders
	r, disclosed, err := RDP{Orders: grid}.curve(all, n, 1, newMoments())
	if err != nil {
		return nil, err
	}
	if disclosed > 0 {
		return nil, unsupported("rdp", e)
	}
	bounds := make([]float64, len(grid))
	extra := 0.0
	if !math.IsInf(e.Shape, 1) {
		extra = leastExtra(e, grid, r)
	}
	deltaOf := deltasOfRun(e, grid, r, n)
	for i, order := range grid {
		bounds[i] = r[i] + extra + math.Log(e.Mean)/(order-1)
		if math.IsInf(e.Shape, 1) {
			bounds[i] += e.Mean * deltaOf(math.Log1p(1/(order-1))*(1-1e-12)) // the theorem wants no more
		}
	}
	return bounds, nil
}

// deltasOfRun returns a bound on the δ of one run at an epsilon. It comes from the whole profile of
// a run with dominating pairs, and otherwise from the run's divergences. At the small epsilons of
// theorem 6 the first is much less. Only the Poisson distribution needs it.
func deltasOfRun(e mechanism.RepeatAndSelect, grid, r []float64, n privacy.Neighboring) func(epsilon float64) float64 {
	byDivergence := func(epsilon float64) float64 {
		delta, _ := RDP{Orders: grid}.delta(r, epsilon)
		return delta
	}
	if !math.IsInf(e.Shape, 1) {
		return byDivergence
	}
	profile, err := lossDistributions{}.Curve(e.Event, n)
	if err != nil {
		return byDivergence
	}
	return func(epsilon float64) float64 {
		delta, failed := profile.Delta(epsilon)
		if failed != nil {
			return byDivergence(epsilon)
		}
		return delta
	}
}

// tuningOrders are the orders of one run and of the best of many. They are a fine grid, since both
// are minimized over.
var tuningOrders = func() []float64 {
	orders := []float64{}
	for x := math.Log(0.02); x < math.Log(4096); x += 0.02 {
		orders = append(orders, 1+math.Exp(x))
	}
	return orders
}()

// leastExtra returns (1+η)·min over β of [(1-1/β)·r(β) + log(1/γ)/β].
func leastExtra(e mechanism.RepeatAndSelect, grid, r []float64) float64 {
	toughness, least := -math.Log(successOf(e.Shape, e.Mean)), math.Inf(1)
	for i, beta := range grid {
		least = min(least, (1-1/beta)*r[i]+toughness/beta)
	}
	return (1 + e.Shape) * least
}

// successOf returns, rounded down, the parameter γ at which the truncated negative binomial
// distribution of this shape has this mean: η(1-γ)/(γ(1-γ^η)), and (1/γ-1)/log(1/γ) for shape 0.
func successOf(shape, mean float64) float64 {
	if mean == 1 {
		return 1
	}
	low, high := -750.0, 0.0 // log γ; the mean falls in γ
	for range 200 {
		x := (low + high) / 2
		got := math.Expm1(-x) / -x
		if shape != 0 {
			got = shape * math.Expm1(-x) / -math.Expm1(shape*x)
		}
		if got >= mean {
			low = x
		} else {
			high = x
		}
	}
	return math.Exp(low)
}

// atOrAbove returns, at each order, the least bound of the grid at that order or a higher one.
func atOrAbove(grid, bounds, orders []float64) []float64 {
	values := make([]float64, len(orders))
	for i, order := range orders {
		values[i] = math.Inf(1)
		for k, g := range grid {
			if g >= order {
				values[i] = min(values[i], bounds[k])
			}
		}
	}
	return values
}

package account

import (
	"math"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

func rho(t *testing.T, e mechanism.Event, n privacy.Neighboring) float64 {
	t.Helper()
	v, err := concentratedDP{}.Rho(e, n)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestRhoOfEvents compares with the formulas of the sources named in ZCDP.
func TestRhoOfEvents(t *testing.T) {
	add, replace, zero := privacy.AddOrRemoveOne, privacy.ReplaceOne, privacy.ZeroOut
	yes, uniform := 0.55, 0.45 // an answer out of 2 with probability 0.9 of a uniform one
	for _, c := range []struct {
		event mechanism.Event
		n     privacy.Neighboring
		want  float64
	}{
		{gaussian(2), add, 0.125},
		{gaussian(2), replace, 0.5},
		{mechanism.DiscreteGaussian{StandardDeviation: 3, Sensitivity: 2}, add, 4.0 / 18},
		{mechanism.DiscreteGaussian{StandardDeviation: 3, Sensitivity: 2}, replace, 16.0 / 18},
		{mechanism.AssumedZCDP{Rho: 0.3, Neighboring: zero}, zero, 0.3},
		{mechanism.Laplace{NoiseMultiplier: 4}, add, 1.0 / 32},
		{mechanism.Laplace{NoiseMultiplier: 4}, replace, 4.0 / 32},
		{mechanism.DiscreteLaplace{Scale: 4, Sensitivity: 3}, add, 9.0 / 32},
		{mechanism.KNorm{NoiseMultiplier: 4}, replace, 4.0 / 32},
		{mechanism.PermuteAndFlip{Epsilon: 0.5}, zero, 0.125},
		{mechanism.Exponential{Epsilon: 0.5}, zero, 0.25 / 8},
		{mechanism.Exponential{Epsilon: 0.5}, replace, 1.0 / 8},
		{mechanism.AssumedDP{Epsilon: 0.2, Neighboring: add}, add, 0.02},
		{mechanism.RandomizedResponse{Probability: 0.9, Outcomes: 2}, replace, math.Pow(math.Log(yes/uniform), 2) / 2},
		{mechanism.RandomizedResponse{Probability: 0.9, Outcomes: 2}, zero, math.Pow(math.Log(0.5/uniform), 2) / 2},
		{mechanism.RandomizedResponse{Probability: 0.5, Outcomes: 8}, zero, math.Pow(math.Log(8*0.5625), 2) / 2},
		{mechanism.RandomizedResponse{Probability: 0, Outcomes: 8}, zero, math.Inf(1)},
		{sampled(0.1, 2), add, 0.125},
		{sampled(0.1, 2), replace, 0.5},
		{mechanism.PoissonSampled{Probability: 0.1, Event: mechanism.Laplace{NoiseMultiplier: 4}}, add, 1.0 / 32},
		{mechanism.WithoutReplacement{Records: 100, Batch: 10, Event: gaussian(2)}, replace, 0.5},
		{mechanism.PoissonSampled{Probability: 0.1, Event: mechanism.NonPrivate{}}, add, math.Inf(1)},
		{mechanism.Sequence{}, add, 0},
		{mechanism.Repeat{Event: gaussian(2)}, add, 0},
	} {
		got := rho(t, c.event, c.n)
		if !(got == c.want || got >= c.want && got <= c.want*(1+2e-11)) {
			t.Errorf("%v under %v: got %v, want %v", c.event, c.n, got, c.want)
		}
	}
}

// TestZCDPCoversDivergences holds ρα above the Rényi divergences that RDP computes.
func TestZCDPCoversDivergences(t *testing.T) {
	for _, e := range []mechanism.Event{
		mechanism.Laplace{NoiseMultiplier: 0.7}, mechanism.DiscreteLaplace{Scale: 1.5, Sensitivity: 2},
		mechanism.RandomizedResponse{Probability: 0.3, Outcomes: 5}, sampled(0.9, 1), mechanism.WithoutReplacement{Records: 10, Batch: 9, Event: gaussian(1)},
		mechanism.PoissonSampled{Probability: 0.9, Event: mechanism.Laplace{NoiseMultiplier: 0.7}},
	} {
		for n := privacy.AddOrRemoveOne; n <= privacy.ZeroOut; n++ {
			if mechanism.CheckNeighboring(e, n) != nil {
				continue
			}
			curve, err := RDP{}.Curve(e, n)
			if err != nil {
				t.Fatal(err)
			}
			at := rho(t, e, n)
			for i, order := range defaultOrders {
				if curve[i] > at*order*(1+1e-8) {
					t.Errorf("%v under %v: order %v has divergence %v, more than ρα = %v", e, n, order, curve[i], at*order)
				}
			}
		}
	}
}

// TestZCDPConversion compares with a fine scan of the orders, with ρ + 2√(ρ·log(1/δ)) of Bun &
// Steinke 2016, proposition 1.3, from above, and with the exact cost of a normal release from below.
func TestZCDPConversion(t *testing.T) {
	for _, rho := range []float64{1e-12, 1e-6, 1e-3, 0.1, 0.5, 3, 50, 1e5, 1e12} {
		for _, delta := range []float64{1e-300, 1e-12, 1e-6, 0.01, 0.4} {
			got := rhoEpsilon(rho, delta)
			scan := math.Inf(1)
			for beta := 1e-9; beta < 1e16; beta *= 1.01 {
				alpha := 1 + beta
				scan = min(scan, rho*alpha+math.Log(beta/alpha)-(math.Log(delta)+math.Log(alpha))/beta)
			}
			if scan = max(0, scan); got > scan*(1+1e-9)+1e-12 || got < scan*(1-1e-3)-1e-7 {
				t.Errorf("rho %v delta %v: got %v, scan %v", rho, delta, got, scan)
			}
			if simple := rho + 2*math.Sqrt(rho*-math.Log(delta)); got > simple {
				t.Errorf("rho %v delta %v: got %v, more than %v", rho, delta, got, simple)
			}
			if exact := epsilonOf(math.Sqrt(2*rho), delta); rho < 1e4 && got < exact*(1-1e-9) {
				t.Errorf("rho %v delta %v: got %v, less than the exact %v", rho, delta, got, exact)
			}
			if back := rhoDelta(rho, got); got > 1e-6 && math.Abs(math.Log(back/delta)) > 1e-6*(1+rho) {
				t.Errorf("rho %v: delta of the epsilon of %v is %v", rho, delta, back)
			}
		}
	}
}

// TestBoundedRangeDivergences holds ε²/8·α above the divergences of all two-outcome mechanisms of
// bounded range ε, whose losses are t and t-ε.
func TestBoundedRangeDivergences(t *testing.T) {
	for _, epsilon := range []float64{0.1, 1, 3} {
		at := rho(t, mechanism.Exponential{Epsilon: epsilon}, privacy.ZeroOut)
		highest := 0.0
		for shift := epsilon / 50; shift < epsilon; shift += epsilon / 50 {
			p := math.Expm1(epsilon-shift) / (math.Exp(epsilon-shift) - math.Exp(-shift))
			for _, alpha := range []float64{1.001, 1.5, 2, 4, 20} {
				sum := p*math.Exp((alpha-1)*shift) + (1-p)*math.Exp((alpha-1)*(shift-epsilon))
				highest = max(highest, math.Log(sum)/(alpha-1)/alpha)
			}
		}
		if highest > at || highest < at*0.8 {
			t.Errorf("epsilon %v: the largest divergence over its order is %v, rho %v", epsilon, highest, at)
		}
	}
}

func TestZCDPExtremes(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ got, want float64 }{
		{rhoEpsilon(0, 0), 0}, {rhoEpsilon(0.1, 0), inf}, {rhoEpsilon(inf, 0.5), inf},
		{rhoDelta(0, 0), 0}, {rhoDelta(inf, 5), 1}, {rhoDelta(0.1, inf), 0}, {rhoDelta(1e300, 0), 1},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
	for _, rho := range []float64{1e-300, 1e-9, 1, 1e9, 1e300} {
		for _, v := range []float64{5e-324, 1e-9, 0.5, 1 - 1e-16} {
			if e, d := rhoEpsilon(rho, v), rhoDelta(rho, v); !(e >= 0) || !(d >= 0 && d <= 1) {
				t.Errorf("rho %v at %v: epsilon %v, delta %v", rho, v, e, d)
			}
		}
	}
}

func TestZCDPRefusals(t *testing.T) {
	add := privacy.AddOrRemoveOne
	for _, e := range []mechanism.Event{
		mechanism.AssumedDP{Epsilon: 1, Delta: 1e-6, Neighboring: add},
		mechanism.ObjectivePerturbation{NoiseMultiplier: 5, Smoothness: 0.1},
		mechanism.RepeatAndSelect{Shape: 1, Mean: 3, Event: gaussian(1)},
		mechanism.TruncatedPoisson{Probability: 0.1, Records: 100, MaxBatch: 20, Event: gaussian(1)},
		gaussian(0),
	} {
		if v, err := (concentratedDP{}).Epsilon(e, 1e-6, add); err == nil {
			t.Errorf("%v: priced at %v", e, v)
		}
	}
	if _, err := (concentratedDP{}).Epsilon(gaussian(1), 1, add); err == nil {
		t.Error("delta 1 was taken")
	}
	if _, err := (concentratedDP{}).Delta(gaussian(1), -1, add); err == nil {
		t.Error("epsilon -1 was taken")
	}
}

// TestZCDPReference compares with another program's values at its own list of orders, which this
// one's continuous minimum must not exceed, and with the interval's shape.
func TestZCDPReference(t *testing.T) {
	for _, c := range []struct {
		rho, delta, other float64
		count             int
	}{
		// dp_accounting 0.6.0, RdpAccountant with its default orders.
		{0.5, 1e-6, 5.2215396311544175, 1}, {0.001, 1e-6, 2.1430435237536676, 100},
	} {
		e := mechanism.Repeat{Event: mechanism.AssumedZCDP{Rho: c.rho, Neighboring: privacy.AddOrRemoveOne}, Count: c.count}
		v, err := concentratedDP{}.Epsilon(e, c.delta, privacy.AddOrRemoveOne)
		if err != nil || v.Upper > c.other || v.Upper < c.other*0.999 || v.Lower != 0 || v.Estimate != v.Upper {
			t.Errorf("rho %v: got %v (%v), want just below %v", c.rho, v, err, c.other)
		}
	}
}

package sweep

import (
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// chance is the probability of k runs, written out from the definitions: of the negative binomial law by γ as it is
// drawn with.
func (l RunCountDistribution) chance(k int) float64 {
	if l.Name == lawPoisson {
		log, _ := math.Lgamma(float64(k + 1))
		return math.Exp(float64(k)*math.Log(float64(l.Mean)) - float64(l.Mean) - log)
	}
	gamma, eta := float64(l.success())*0x1p-40, l.shape()
	if l.Name == lawGeometric {
		gamma = 1 / float64(l.Mean)
	}
	switch {
	case k == 0:
		return 0
	case eta == 0:
		return math.Pow(1-gamma, float64(k)) / float64(k) / math.Log(1/gamma)
	}
	p := math.Pow(1-gamma, float64(k)) / (math.Pow(gamma, -eta) - 1)
	for l := range k {
		p *= (float64(l) + eta) / float64(l+1)
	}
	return p
}

// laws are one of each kind, shapes below, between and above integers among them.
var laws = []string{"geometric:5", "poisson:3", "logarithmic:4", "negative-binomial:-0.5:3", "negative-binomial:0.5:6", "negative-binomial:1:4", "negative-binomial:2.25:8"}

// TestLaws compares 10000 numbers of runs under each law with its probabilities. A count of expectation np is off by more than L/3 +
// √(L²/9 + 2·L·np(1-p)) with probability below 2·e^-L (Bernstein's inequality); with L = 21.4 and 70 counts a false alarm
// has probability below 7.2e-8.
func TestLaws(t *testing.T) {
	const draws, most, tail = 10_000, 8, 21.4
	for _, text := range laws {
		l, err := ParseLaw(text)
		if err != nil || l.String() != text {
			t.Fatalf("%s: got %v, %v", text, l, err)
		}
		counts, c := make([]float64, most+2), newCoin()
		for range draws {
			k, failed := l.draw(c)
			if failed != nil || k < 0 {
				t.Fatalf("%s: got %d, %v", text, k, failed)
			}
			counts[min(k, most+1)]++
		}
		beyond := 1.0
		for k := range most + 2 {
			p := l.chance(k)
			if k > most {
				p = beyond
			}
			beyond -= p
			if off, reach := math.Abs(counts[k]-draws*p), tail/3+math.Sqrt(tail*tail/9+2*tail*draws*p*(1-p)); off > reach {
				t.Errorf("%s: %d runs came up %v times, want about %.1f", text, k, counts[k], draws*p)
			}
		}
	}
	if k, err := (RunCountDistribution{Name: lawGeometric, Mean: 1}).draw(newCoin()); k != 1 || err != nil {
		t.Errorf("of mean 1 got %d runs, %v, want 1", k, err)
	}
}

// TestLawMeans sums the probabilities: the mean is at most the stated one and close to it, and beyond the bound on the number of runs lies
// less than 2^-180.
func TestLawMeans(t *testing.T) {
	for _, text := range append(laws, "negative-binomial:16:2", "negative-binomial:-0.5:200", "logarithmic:1000", "negative-binomial:0.0625:20") {
		l, err := ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		gamma := float64(l.success()) * 0x1p-40
		mean, total, last := 0.0, 0.0, 0.0
		p := l.chance(1)
		for k := 1; k < 40_000_000 && (p > 1e-18 || k < 4*l.Mean); k++ {
			mean, total, last = mean+float64(k)*p, total+p, float64(k)
			p *= l.ratio(gamma, float64(k))
		}
		if total += l.chance(0); math.Abs(total-1) > 1e-6 || mean > float64(l.Mean)*(1+1e-7) || mean < float64(l.Mean)*(1-1e-3) {
			t.Errorf("%s: probabilities up to %v add up to %v with mean %v, want 1 and %d, or a little less", text, last, total, mean, l.Mean)
		}
		if l.Name == lawBinomial && l.Shape > 1 && gamma > 15.0/16 {
			t.Errorf("%s: γ is %v, for which the bound on the tail is not proven", text, gamma)
		}
		if l.tailRuns() > 50_000 {
			continue
		}
		log, k := math.Log2(l.chance(1)), 1.0
		for ; k <= float64(l.tailRuns()); k++ {
			log += math.Log2(l.ratio(gamma, k))
		}
		if log -= math.Log2(1 - l.ratio(gamma, k)); log > -180 { // what is beyond is at most a geometric series
			t.Errorf("%s: more than %v runs come up with probability 2^%v, want less than 2^-180", text, k-1, log)
		}
	}
}

// ratio is the probability of k+1 runs over that of k.
func (l RunCountDistribution) ratio(gamma, k float64) float64 {
	switch l.Name {
	case lawPoisson:
		return float64(l.Mean) / (k + 1)
	case lawGeometric:
		return 1 - 1/float64(l.Mean)
	}
	return (1 - gamma) * (k + l.Shape) / (k + 1)
}

func TestParseLawRefusals(t *testing.T) {
	for _, text := range []string{"", "geometric", "geometric:0", "geometric:1.5", "geometric:-1", "geometric:20000", "geometric:2:3", "uniform:4", "poisson:", "poisson:0", "poisson:0.5", "poisson:1:2", "negative-binomial:4",
		"negative-binomial:-1:4", "negative-binomial:17:4", "negative-binomial:0.3:4", "negative-binomial:NaN:4", "negative-binomial:+Inf:4", "negative-binomial:0.5:1", "logarithmic:1", "negative-binomial:-0.9375:100", "negative-binomial:x:4"} {
		if l, err := ParseLaw(text); err == nil {
			t.Errorf("%q was read as %v, want a refusal", text, l)
		}
	}
}

// independent evaluates theorems 2 and 6 of the publication for a Gaussian release of this μ, with divergences α·μ²/2, over grids of its own,
// with δ of Balle & Wang, "Improving the Gaussian Mechanism for Differential Privacy", ICML 2018, theorem 8, and converts to epsilon at delta (Canonne, Kamath & Steinke, "The Discrete Gaussian for Differential Privacy", NeurIPS 2020, proposition 12,
// https://arxiv.org/abs/2004.00010).
func independent(l RunCountDistribution, mu, delta float64) float64 {
	r := func(alpha float64) float64 { return alpha * mu * mu / 2 }
	epsilon := func(divergence, alpha float64) float64 {
		return divergence + math.Log1p(-1/alpha) - math.Log(delta*alpha)/(alpha-1)
	}
	mean, best, extra := float64(l.Mean), math.Inf(1), math.Inf(1)
	for beta := 1.0; beta < 3000; beta *= 1.001 {
		gamma := float64(l.success()) * 0x1p-40
		extra = min(extra, (1+l.shape())*((1-1/beta)*r(beta)+math.Log(1/gamma)/beta))
	}
	for alpha := 1.01; alpha < 3000; alpha *= 1.004 {
		bound := r(alpha) + math.Log(mean)/(alpha-1)
		if l.Name == lawPoisson {
			e := math.Log1p(1 / (alpha - 1))
			below := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
			bound += mean * (below(mu/2-e/mu) - math.Exp(e)*below(-mu/2-e/mu)) // exactly δ at e
		} else {
			bound += extra
		}
		best = min(best, epsilon(bound, alpha))
	}
	return best
}

// TestLawPrices compares what a choice costs with the theorems, evaluated here.
func TestLawPrices(t *testing.T) {
	for _, text := range laws {
		l, err := ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, z := range []float64{5} {
			e := l.event(mechanism.Gaussian{NoiseMultiplier: z})
			got, failed := account.RDP{}.Epsilon(e, 1e-6, privacy.AddOrRemoveOne)
			if want := independent(l, 1/z, 1e-6); failed != nil || got.Upper < want*(1-1e-4) || got.Upper > want*1.01 {
				t.Errorf("%v costs %v (%v), the theorem gives %v, or a little more on a coarser grid of orders", e, got.Upper, failed, want)
			}
			again, failed := mechanism.ParseEvent(e.String())
			if failed != nil || again.String() != e.String() {
				t.Errorf("%v is read as %v, %v", e, again, failed)
			}
		}
	}
}

// TestSelectionLaws certifies a choice under each law, and refuses its plan with another law.
func TestSelectionLaws(t *testing.T) {
	candidates := rates(t, 1, "1")
	methods := SelectionMethods(train.Methods())
	for _, text := range laws {
		l, err := ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := NewSelection(candidates, l)
		if err != nil {
			t.Fatal(err)
		}
		c, err := plan.Certificate(&candidates[0])
		if err != nil {
			t.Fatal(err)
		}
		if err = c.VerifyPlan(methods); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if c.NoiseDraws != l.tailRuns()*candidates[0].Certificate.NoiseDraws+1 || !(float64(c.Epsilon) > 1) {
			t.Errorf("%s: epsilon %v with %d draws, want more than that of a run", text, c.Epsilon, c.NoiseDraws)
		}
		for from, to := range map[string]string{`"law":"` + l.Name: `"law":"` + map[bool]string{true: lawGeometric, false: lawPoisson}[l.Name == lawPoisson], `"shape":`: `"shape":1`, `"mean":`: `"mean":1`} {
			changed := c
			changed.Plan = []byte(strings.Replace(string(c.Plan), from, to, 1))
			if string(changed.Plan) != string(c.Plan) && changed.VerifyPlan(methods) == nil {
				t.Errorf("%s: with %s for %s the certificate is verified, want a disagreement", text, to, from)
			}
		}
	}
}

// TestNoRuns makes choices of mean 1 under the Poisson law until the number of runs is 0, which it is with probability 1/e: not in
// 40 choices with probability below 1.1e-8. Each is paid for.
func TestNoRuns(t *testing.T) {
	_, d := toy(t, 300)
	e, err := NewEvaluator(d)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := NewSelection(rates(t, 1, "1"), RunCountDistribution{Name: lawPoisson, Mean: 1})
	if err != nil {
		t.Fatal(err)
	}
	sweep := Sweep{Candidates: rates(t, 1, "1"), Training: d, Examiner: e}
	draft, err := plan.Certificate(&sweep.Candidates[0])
	if err != nil {
		t.Fatal(err)
	}
	for range 40 {
		l, failed := draft.Ledger()
		if failed != nil {
			t.Fatal(failed)
		}
		_, failed = sweep.Select(t.Context(), l, plan, option.MetricAccuracy, false)
		if len(l.Event()) != 1 {
			t.Fatalf("the ledger holds %v, want one choice", l.Event())
		}
		if failed == ErrNoRuns {
			return
		}
		if failed != nil {
			t.Fatal(failed)
		}
	}
	t.Error("every choice had a run, want one without")
}

// TestCoinIsFair holds the ends of a draw and the words of a source that ends.
func TestCoinIsFair(t *testing.T) {
	c := coin{random: strings.NewReader("")}
	if c.comes(1, 2) || c.err == nil || c.poisson() != 0 || c.truncated(1<<30, 8) != 0 || c.truncated(1<<30, -8) != 0 {
		t.Error("an empty source gave a number, want an error and zeros")
	}
}

package release

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// noted is a payer that remembers what it was asked for.
type noted struct{ events []string }

func (n *noted) Pay(e mechanism.Event) error {
	n.events = append(n.events, e.String())
	return nil
}

// TestObjectiveFollowsItsLaw compares released minimizers in one dimension with the exact law: b determines
// w*, so that P(w* ≤ t) = Φ((L'(t) + Λt)/σ), L' the sum of the losses' derivatives. By the inequality of
// Dvoretzky, Kiefer, Wolfowitz and Massart the largest gap of n = 3000 draws passes √(ln(2/α)/2n) = 0.0492
// with a probability of at most α = 1e-6; the noise on the result is far below that.
func TestObjectiveFollowsItsLaw(t *testing.T) {
	records := []toyRecord{{[]float64{1}, 1}, {[]float64{0.5}, 0}, {[]float64{-0.75}, 1}, {[]float64{1}, 1}, {[]float64{0.25}, 0}}
	rows := toyRows(t, 1, records)
	p := Problem{Loss: LogisticLoss(), Columns: 1, Radius: 1, Ridge: 0.5, MaxRecords: 10}
	e := mechanism.ObjectivePerturbation{NoiseMultiplier: 0.7, Smoothness: 0.51}
	const draws = 3000
	got := make([]float64, draws)
	for i := range got {
		v, err := SolveObjective(context.Background(), &noted{}, e, p, rows, mechanism.Gaussian{NoiseMultiplier: 100})
		if err != nil {
			t.Fatal(err)
		}
		got[i] = v.Values()[0]
	}
	slices.Sort(got)
	gap := 0.0
	for i, w := range got {
		law := math.Erfc(-slowGradient(p, 1, records, []float64{w})[0]/0.7/math.Sqrt2) / 2
		gap = max(gap, math.Abs(law-float64(i)/draws), math.Abs(law-float64(i+1)/draws))
	}
	if limit := math.Sqrt(math.Log(2/1e-6) / (2 * draws)); gap > limit {
		t.Errorf("the law of the released minimizer is off by %v, want at most %v", gap, limit)
	}
}

// TestNeighborsMoveTheObjectiveByAtMostItsBound solves perturbed objectives of random neighbors with one linear
// term. The minimizers are apart by at most one record's gradient over the ridge, and the two tolerances. The linear
// term of the one minimizer on the other's records is apart by at most one record's gradient, which is what the event
// charges: b = -∇J(w) is the term that makes w the minimizer.
func TestNeighborsMoveTheObjectiveByAtMostItsBound(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 7))
	farthest, reached := 0.0, 0.0
	for range trials(60, 300) {
		dim := 1 + r.IntN(3)
		p := Problem{Loss: LogisticLoss(), Columns: 1, Radius: 1, Ridge: math.Exp(2*r.Float64() - 1), MaxRecords: 100}
		var records []toyRecord
		for range 1 + r.IntN(5) {
			records = append(records, randomRecord(r, dim, p.Loss, 1))
		}
		b := make([]float64, dim)
		for j := range b {
			b[j] = 3 * r.NormFloat64()
		}
		solve := func(records []toyRecord) []float64 {
			m := newMinimization(p, toyRows(t, dim, records), slices.Clone(b), p.Tolerance(dim, kernel.Norm(b)))
			w, err := m.holds(m.search(t.Context()))
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		with, without := solve(records), solve(records[1:])
		gradient := slowGradient(p, dim, records[1:], with)
		moved, other := make([]float64, dim), make([]float64, dim)
		for j := range moved {
			moved[j] = with[j] - without[j]
			other[j] = -gradient[j] - b[j]
		}
		bound := p.GradientBound()/p.Ridge + 2*p.Tolerance(dim, kernel.Norm(b))/p.Ridge
		farthest = max(farthest, kernel.Norm(moved)/bound)
		reached = max(reached, kernel.Norm(other)/p.GradientBound())
	}
	if !(farthest <= 1) || !(reached <= 1+1e-6) || farthest < 0.2 || reached < 0.8 {
		t.Errorf("neighbors move the minimizer by %v of its bound and the linear term by %v, want at most 1 and a test that sees movement", farthest, reached)
	}
}

// TestObjectivePaysForEveryHeadBeforeItDraws wants one event a head and one for the result, in order.
func TestObjectivePaysForEveryHeadBeforeItDraws(t *testing.T) {
	rows := toyRows(t, 1, []toyRecord{{[]float64{1}, 1}})
	p := Problem{Loss: OneVsRestLoss(), Columns: 3, Radius: 1, Ridge: 1, MaxRecords: 10}
	payer := &noted{}
	v, err := SolveObjective(context.Background(), payer, mechanism.ObjectivePerturbation{NoiseMultiplier: 5, Smoothness: 0.26}, p, rows, mechanism.Gaussian{NoiseMultiplier: 100})
	if err != nil || len(v.Values()) != 3 {
		t.Fatalf("got %v, %v", v.Values(), err)
	}
	if got, want := strings.Join(payer.events, " "), strings.Repeat("objective-perturbation(5, 0.26) ", 3)+"gaussian(100)"; got != want {
		t.Errorf("paid %s, want %s", got, want)
	}
}

func TestObjectiveRefusals(t *testing.T) {
	good := Problem{Loss: LogisticLoss(), Columns: 1, Radius: 1, Ridge: 1, MaxRecords: 10}
	for name, c := range map[string]struct {
		event  mechanism.ObjectivePerturbation
		change func(*Problem)
	}{
		"smaller smoothness than the rows'": {mechanism.ObjectivePerturbation{NoiseMultiplier: 5, Smoothness: 0.2499}, func(*Problem) {}},
		"longer rows":                       {mechanism.ObjectivePerturbation{NoiseMultiplier: 5, Smoothness: 0.26}, func(p *Problem) { p.Radius = 1.1 }},
		"ridge below the curvature":         {mechanism.ObjectivePerturbation{NoiseMultiplier: 5, Smoothness: 0.99}, func(p *Problem) { p.Ridge = 0.25 }},
		"softmax":                           {mechanism.ObjectivePerturbation{NoiseMultiplier: 5, Smoothness: 0.6}, func(p *Problem) { p.Loss, p.Columns = SoftmaxLoss(), 2 }},
		"huber":                             {mechanism.ObjectivePerturbation{NoiseMultiplier: 5, Smoothness: 0.6}, func(p *Problem) { p.Loss, p.Ridge = HuberLoss(1), 10 }},
		"no noise":                          {mechanism.ObjectivePerturbation{NoiseMultiplier: 0, Smoothness: 0.6}, func(*Problem) {}},
	} {
		p := good
		c.change(&p)
		if err := CheckObjective(c.event, p); err == nil {
			t.Errorf("%s: %v was taken for %+v", name, c.event, p)
		}
		if err := CheckObjective(mechanism.ObjectivePerturbation{NoiseMultiplier: 5, Smoothness: 0.26}, good); err != nil {
			t.Error(err)
		}
	}
	rows := toyRows(t, 1, []toyRecord{{[]float64{1}, 1}})
	if _, err := SolveObjective(context.Background(), nil, mechanism.ObjectivePerturbation{NoiseMultiplier: 5, Smoothness: 0.26}, good, rows, mechanism.Gaussian{NoiseMultiplier: 100}); err == nil {
		t.Error("a release without a payer was made")
	}
}

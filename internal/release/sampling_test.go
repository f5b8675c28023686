package release

import (
	"math"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

func TestPoissonRefusals(t *testing.T) {
	for _, q := range []float64{0, 1, -0.1, 1.5, math.NaN(), math.Inf(1), 1e-30} {
		if s, err := Poisson(q); err == nil {
			t.Errorf("probability %v: got %v, want an error", q, s)
		}
	}
	if _, err := Draw(Sampling{}, 3); err == nil {
		t.Error("the zero sampling was drawn from")
	}
	if _, err := (Sampling{}).Price(mechanism.Gaussian{NoiseMultiplier: 1}); err == nil {
		t.Error("the zero sampling priced an event")
	}
	s, err := Poisson(0.5)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Draw(s, -1); err == nil {
		t.Error("a negative number of records was sampled")
	}
	if _, err := s.Price(mechanism.Sequence{mechanism.Laplace{NoiseMultiplier: 1}}); err == nil {
		t.Error("a sampled sequence of laplace releases was priced")
	}
}

func TestPoissonExecutesAtMostWhatItCharges(t *testing.T) {
	for _, q := range []float64{0.01, 1.0 / 3, 0.7, 1e-9, 1 - 1e-16, math.Nextafter(1, 0), 3e-19} {
		s, err := Poisson(q)
		if err != nil {
			t.Fatal(err)
		}
		word := threshold(q)
		if executed := math.Ldexp(float64(word), -64); word == 0 || executed > q || word > 1<<53 && executed < q*(1-1e-15) {
			t.Errorf("probability %v: executed %v", q, executed)
		}
		priced, err := s.Price(mechanism.Gaussian{NoiseMultiplier: 2})
		if err != nil || priced != mechanism.Event(mechanism.PoissonSampled{Probability: q, Event: mechanism.Gaussian{NoiseMultiplier: 2}}) {
			t.Errorf("price: got %v, %v", priced, err)
		}
	}
}

// TestSampleIsObeyed holds that a sum takes the records of its sample and no other, and that
// its release is priced as sampled.
func TestSampleIsObeyed(t *testing.T) {
	const n = 200
	x := make([][]float64, n)
	for i := range x {
		x[i] = []float64{1}
	}
	rows, _ := made(t, x, 1.0/(1<<14))
	sampling, err := Poisson(0.3)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := Draw(sampling, n)
	if err != nil {
		t.Fatal(err)
	}
	taken := sample.Indices()
	if len(taken) == 0 || len(taken) == n { // probability below 1e-30
		t.Fatalf("%d of %d records were taken", len(taken), n)
	}
	s := newTestSum(t, rows, sample, 1, 1, n)
	inside := map[int]bool{}
	for _, i := range taken {
		inside[i] = true
	}
	one := kernel.Contributions{Columns: 1, Coefficients: []float64{0.5}}
	for i := range n {
		if err := s.Add(i, one); (err == nil) != inside[i] {
			t.Fatalf("record %d, in the sample %v: got %v", i, inside[i], err)
		}
	}
	if err := s.AddAt(taken[:1], one); err == nil {
		t.Error("a record was added twice")
	}
	single := newTestSum(t, rows, sample, 1, 1, n)
	if err := single.Add(taken[0], one); err != nil {
		t.Fatal(err)
	}
	if want := int64(len(taken)) * single.sums()[0]; s.sums()[0] != want || want == 0 {
		t.Errorf("sum: got %d, want %d", s.sums()[0], want)
	}
	p := &purse{left: 1}
	if _, err := Release(p, mechanism.Gaussian{NoiseMultiplier: 7.3}, s.Seal()); err != nil || p.paid[0] != "poisson(0.3, gaussian(7.3))" {
		t.Errorf("paid %v, %v", p.paid, err)
	}
}

func TestAddAtIsAddInAnyOrder(t *testing.T) {
	x := [][]float64{{1, 2}, {3, -1}, {0.5, 0.5}, {-1, 1}, {2, 2}, {1, 0}}
	p := []float64{0.1, -0.2, 0.3, 0.4, -0.5, 0.6}
	rows, sample := made(t, x, 1.0/(1<<12))
	one, two := newTestSum(t, rows, sample, 1, 1, 6), newTestSum(t, rows, sample, 1, 1, 6)
	if err := one.Add(0, kernel.Contributions{Columns: 1, Coefficients: p}); err != nil {
		t.Fatal(err)
	}
	order := []int{5, 0, 3, 1, 4, 2}
	mixed := make([]float64, 6)
	for k, i := range order {
		mixed[k] = p[i]
	}
	if err := two.AddAt(order, kernel.Contributions{Columns: 1, Coefficients: mixed}); err != nil {
		t.Fatal(err)
	}
	if one.sums()[0] != two.sums()[0] || one.sums()[1] != two.sums()[1] || one.sums()[0] == 0 {
		t.Errorf("got %v and %v", one.sums(), two.sums())
	}
	if two.AddAt([]int{1}, kernel.Contributions{Columns: 1}) == nil {
		t.Error("more records than contributions were taken")
	}
	// A refused call leaves no marks behind.
	three := newTestSum(t, rows, sample, 1, 1, 6)
	if three.AddAt([]int{2, 2}, kernel.Contributions{Columns: 1, Coefficients: p[:2]}) == nil {
		t.Error("one record twice in a call was taken")
	}
	if err := three.AddAt([]int{2}, kernel.Contributions{Columns: 1, Coefficients: p[:1]}); err != nil {
		t.Errorf("after a refusal: %v", err)
	}
}

func TestSecondMomentWantsAFullSample(t *testing.T) {
	o, err := MomentRows(mechanism.Gaussian{NoiseMultiplier: 20}, 10, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := NewRows(1, o, func(dst []float64, _, _ int) { dst[0] = 1 })
	if err != nil {
		t.Fatal(err)
	}
	sampling, _ := Poisson(0.5)
	sample, _ := Draw(sampling, 1)
	if _, err := SecondMoment(sample, rows, mechanism.Gaussian{NoiseMultiplier: 20}, 10); err == nil {
		t.Error("a Poisson sample was taken")
	}
}

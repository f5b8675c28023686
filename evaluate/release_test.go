package evaluate

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// purse pays for everything and remembers what.
type purse struct{ paid []string }

func (p *purse) Pay(e mechanism.Event) error {
	p.paid = append(p.paid, e.String())
	return nil
}

// testPlans are plans of each kind, by name.
func testPlans() map[string]Plan {
	base := Plan{Subject: certificate.Subject{Neighboring: privacy.AddOrRemoveOne, Unit: "one row", Delta: 1e-6, MaxRecords: 5000}, Noise: noiseLaplace, NoiseMultiplier: 2}
	two, three, number := base, base, base
	two.Levels, two.Edges, two.Threshold = []string{"no", "yes"}, []float64{0, .2, .4, .5, .7, 1}, .5
	three.Levels, three.Edges = []string{"a", "b", "c"}, []float64{0, .5, 1}
	three.Noise = noiseGaussian
	number.Lower, number.Upper, number.ResidualBound = -10, 30, 8
	grouped, gaussian := two, number
	grouped.GroupColumn, grouped.Groups = "sex", []string{"f", "m"}
	gaussian.Noise = noiseGaussian
	out := map[string]Plan{"two levels": two, "three levels": three, "number": number, "number, gaussian": gaussian, "groups": grouped}
	for _, name := range []string{"two levels", "three levels", "number", "number, gaussian", "groups"} {
		p := out[name]
		p.Form = p.form()
		out[name] = p
		p.Person = &query.Person{Column: "id", MaxRows: 3}
		p.Form = p.form()
		out[name+", persons"] = p
	}
	return out
}

// randomRecords are random rows, many of them at the ends of their ranges, some undefined.
func randomRecords(r *rand.Rand, p Plan, n int) Records {
	outputs := max(1, len(p.Levels))
	if outputs == 2 {
		outputs = 1
	}
	out := Records{}
	if p.Person != nil {
		out.Persons = [][]int{}
	}
	for i := 0; i < n; i++ {
		out.addRandom(r, p, outputs)
		if p.Person == nil {
			continue
		}
		if k := len(out.Persons); k > 0 && r.IntN(2) == 0 {
			out.Persons[k-1] = append(out.Persons[k-1], i)
		} else {
			out.Persons = append(out.Persons, []int{i})
		}
	}
	return out
}

func (out *Records) addRandom(r *rand.Rand, p Plan, outputs int) {
	target := float64(r.IntN(max(1, len(p.Levels))))
	predictions := make([]float64, outputs)
	sum := 0.0
	for k := range predictions {
		predictions[k] = []float64{0, r.Float64(), .5, 1}[r.IntN(4)]
		sum += predictions[k]
	}
	if outputs > 1 && sum > 0 {
		for k := range predictions {
			predictions[k] /= sum
		}
	}
	if p.regression() {
		target = []float64{p.Lower, p.Upper, p.Lower + (p.Upper-p.Lower)*r.Float64(), 1e9}[r.IntN(4)]
		predictions[0] = p.Lower + (p.Upper-p.Lower)*predictions[0]
	}
	if r.IntN(10) == 0 {
		predictions[0] = math.NaN()
	}
	out.Targets, out.Predictions, out.Groups = append(out.Targets, target), append(out.Predictions, predictions...), append(out.Groups, int32(r.IntN(5)-1))
}

// exactSum is what is released, before noise, by the definition of Plan.
func exactSum(p Plan, r Records) []float64 {
	out := make([]float64, p.Numbers())
	n := len(r.Targets)
	if p.Person != nil {
		n = len(r.Persons)
	}
	for i := range n {
		one := make([]float64, p.Numbers())
		p.add(one, r, i)
		for j, v := range one {
			out[j] += v
		}
	}
	return out
}

// without returns the records without one of them, its rows left in place for others' indices.
func (r Records) without(p Plan, record int) Records {
	if p.Person != nil {
		r.Persons = slices.Delete(slices.Clone(r.Persons), record, record+1)
		return r
	}
	outputs := len(r.Predictions) / len(r.Targets)
	r.Targets = slices.Delete(slices.Clone(r.Targets), record, record+1)
	r.Predictions = slices.Delete(slices.Clone(r.Predictions), record*outputs, (record+1)*outputs)
	r.Groups = slices.Delete(slices.Clone(r.Groups), record, record+1)
	return r
}

func distance(p Plan, a, b []float64) float64 {
	sum := 0.0
	for j := range a {
		d := math.Abs(a[j] - b[j])
		if p.Noise == noiseLaplace {
			sum += d
		} else {
			sum = math.Hypot(sum, d)
		}
	}
	return sum
}

// TestNeighborsMoveByAtMostTheBound takes every kind of release, those of testPlans: histograms of two levels with bins
// of scores, of three levels with the predicted one, both with groups or without, and the moments of residuals and
// targets, in the norm of either noise, where a record is a row and where it is a person with up to 3 rows that
// are used. Of a thousand random neighbors each, none differ by more than the bound, and some by 0.95 of it. All
// metrics follow from these numbers.
func TestNeighborsMoveByAtMostTheBound(t *testing.T) {
	for name, p := range testPlans() {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(7, 11))
			most := 0.0
			for range 1000 {
				d := randomRecords(random, p, 1+random.IntN(12))
				records := len(d.Targets)
				if p.Person != nil {
					records = len(d.Persons)
				}
				moved := distance(p, exactSum(p, d), exactSum(p, d.without(p, random.IntN(records))))
				if moved > p.bound()*(1+1e-12) {
					t.Fatalf("a record moves the numbers by %v, want at most %v", moved, p.bound())
				}
				most = max(most, moved)
			}
			if most < 0.95*p.bound() {
				t.Errorf("the largest move is %v, want at least 0.95 of %v", most, p.bound())
			}
		})
	}
}

// TestReleaseIsTheSumAndNoise releases 60 times and compares the errors with their variance: each mean and
// variance within 6 standard errors (Laplace noise has kurtosis 6: the variance of a square is 5·v²), a
// false alarm below 1e-6 over all.
func TestReleaseIsTheSumAndNoise(t *testing.T) {
	for name, p := range testPlans() {
		t.Run(name, func(t *testing.T) {
			d := randomRecords(rand.New(rand.NewPCG(1, 2)), p, 300)
			want, sum, square, n := exactSum(p, d), 0.0, 0.0, 0.0
			for range 60 {
				payer := &purse{}
				got, err := Release(payer, p, d)
				if err != nil {
					t.Fatal(err)
				}
				if len(payer.paid) != 1 || payer.paid[0] != p.Event().String() {
					t.Fatalf("paid %v, want %v once", payer.paid, p.Event())
				}
				for j := range got {
					e := (got[j] - want[j]) / math.Sqrt(p.variance())
					sum, square, n = sum+e, square+e*e, n+1
				}
			}
			if z := sum / math.Sqrt(n); math.Abs(z) > 6 {
				t.Errorf("mean error has z-score %v", z)
			}
			if z := (square/n - 1) * math.Sqrt(n/5); math.Abs(z) > 6 {
				t.Errorf("variance of the error has z-score %v", z)
			}
		})
	}
}

func TestReleaseIsRefused(t *testing.T) {
	two := testPlans()["two levels"]
	persons := testPlans()["two levels, persons"]
	good := Records{Targets: []float64{0, 1}, Predictions: []float64{.1, .9}}
	many := Records{Targets: make([]float64, 5001), Predictions: make([]float64, 5001)}
	bad := two
	bad.NoiseMultiplier = 0
	tests := map[string]struct {
		plan    Plan
		records Records
	}{
		"no noise":                  {bad, good},
		"too few predictions":       {two, Records{Targets: []float64{0, 1}, Predictions: []float64{.1}}},
		"persons without a list":    {persons, good},
		"a list without persons":    {two, Records{Targets: good.Targets, Predictions: good.Predictions, Persons: [][]int{{0}}}},
		"groups are missing":        {testPlans()["groups"], good},
		"more records than allowed": {two, many},
	}
	for name, test := range tests {
		payer := &purse{}
		if got, err := Release(payer, test.plan, test.records); err == nil || got != nil || len(payer.paid) > 0 {
			t.Errorf("%s: got %v, error %v, paid %v; want an error and nothing paid", name, got, err, payer.paid)
		}
	}
	if got, err := Release(refuses{}, two, good); err == nil || got != nil {
		t.Errorf("unpaid: got %v, error %v", got, err)
	}
}

type refuses struct{}

func (refuses) Pay(mechanism.Event) error { return errors.New("refused") }

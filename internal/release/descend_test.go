package release

import (
	"context"
	"github.com/ditherml/dither/mechanism"
	"math"
	"math/rand/v2"
	"testing"
)

// runGD returns the sealed last iterate.
func runGD(t testing.TB, d GradientDescent, rows *Rows) *bounded {
	t.Helper()
	b, err := d.Run(context.Background(), rows, mechanism.Gaussian{NoiseMultiplier: 5}, L2())
	if err != nil {
		t.Fatal(err)
	}
	return b.state
}

// TestGradientDescentSensitivity holds random neighbors to the bound, with and without a ridge, and wants
// linear losses to reach it.
func TestGradientDescentSensitivity(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range toyLosses {
		for range trials(30, 80) {
			p := Problem{Loss: c.loss, Columns: c.columns, Radius: 1, Ridge: float64(r.IntN(2)) * r.Float64(), MaxRecords: 20}
			d := GradientDescent{p, 0, 1 + r.IntN(60)}
			d.Rate = d.LargestRate() * (0.1 + 0.9*r.Float64())
			var records []toyRecord
			for range 1 + r.IntN(8) {
				records = append(records, randomRecord(r, 2, c.loss, c.columns))
			}
			checkDistance(t, c.loss, runGD(t, d, toyRows(t, 2, records)), runGD(t, d, toyRows(t, 2, records[1:])))
		}
	}
	for _, ridge := range []float64{0, 0.02} {
		d := GradientDescent{Problem{Loss: HuberLoss(0.01), Columns: 1, Radius: 1, Ridge: ridge, MaxRecords: 10}, 0.1, 30}
		records := []toyRecord{{[]float64{1}, 1}}
		if moved := checkDistance(t, d.Problem.Loss, runGD(t, d, toyRows(t, 1, records)), runGD(t, d, toyRows(t, 1, nil))); moved < 0.95 {
			t.Errorf("ridge %v: the worst neighbors move by %v bounds, want 0.95 or more", ridge, moved)
		}
	}
}

// TestGradientDescentIsTheRecursion compares with the recursion from the definition of the losses.
func TestGradientDescentIsTheRecursion(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range toyLosses {
		d := GradientDescent{Problem{Loss: c.loss, Columns: c.columns, Radius: 1.001, Ridge: 0.1, MaxRecords: 40}, 0, 25}
		d.Rate = d.LargestRate()
		var records []toyRecord
		for range 30 {
			records = append(records, randomRecord(r, 2, c.loss, c.columns))
		}
		w := make([]float64, 2*c.columns)
		for range d.Steps {
			w = added(w, slowGradient(d.Problem, 2, records, w), -d.Rate)
		}
		got := runGD(t, d, toyRows(t, 2, records))
		for j, v := range got.values {
			if math.Abs(float64(v)*got.unit-w[j]) > 1e-9 {
				t.Errorf("%v: weight %d is %v, want %v", c.loss, j, float64(v)*got.unit, w[j])
			}
		}
	}
}

// iterate runs the recursion of PermutedDescent in a given order, in plain float64.
func iterate(d PermutedDescent, dim int, records []toyRecord, order []int) []float64 {
	w, plain := make([]float64, dim*d.Problem.Columns), d.Problem
	plain.Ridge = 0
	for t := range d.Passes * d.batches() {
		from := t % d.batches() * d.Batch
		var batch []toyRecord
		for _, i := range order[from:min(from+d.Batch, len(order))] {
			batch = append(batch, records[i])
		}
		rate, ridge := d.rate(t)
		g := slowGradient(plain, dim, batch, w)
		for j := range w {
			w[j] -= rate * (g[j]/float64(d.Batch) + ridge*w[j])
		}
	}
	return w
}

// apartBy is the L2 distance of two vectors.
func apartBy(a, b []float64) float64 {
	sum := 0.0
	for j := range a {
		sum = math.Hypot(sum, a[j]-b[j])
	}
	return sum
}

// TestPermutedDescentSensitivity replaces one record among random ones in the same order: the last iterates
// are at most two bounds apart; and where losses are linear they are.
func TestPermutedDescentSensitivity(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, c := range toyLosses {
		for range 250 {
			n := 1 + r.IntN(12)
			d := PermutedDescent{Problem{Loss: c.loss, Columns: c.columns, Radius: 1.001, Ridge: float64(r.IntN(2)) * 3 * r.Float64(), MaxRecords: 20}, n, 1 + r.IntN(4), 1 + r.IntN(4), 0}
			if d.Problem.Ridge == 0 {
				d.Rate = 1.99 / d.Problem.Curvature() * r.Float64()
			}
			bound, err := d.Sensitivity(2)
			if err != nil {
				t.Fatal(err)
			}
			var records []toyRecord
			for range n {
				records = append(records, randomRecord(r, 2, c.loss, c.columns))
			}
			order, place := r.Perm(n), r.IntN(n)
			other := append([]toyRecord(nil), records...)
			other[place] = randomRecord(r, 2, c.loss, c.columns)
			if moved := apartBy(iterate(d, 2, records, order), iterate(d, 2, other, order)); !(moved <= 2*bound) {
				t.Errorf("%v, %+v: replacing a record moves the last iterate by %v, want at most %v", c.loss, d, moved, 2*bound)
			}
		}
	}
	for _, ridge := range []float64{0, 0.5} {
		d := PermutedDescent{Problem{Loss: HuberLoss(0.001), Columns: 1, Radius: 1, Ridge: ridge, MaxRecords: 20}, 9, 2, 3, 0}
		if ridge == 0 {
			d.Rate = 0.1
		}
		records, reached := make([]toyRecord, 9), 0.0
		bound, err := d.Sensitivity(1)
		if err != nil {
			t.Fatal(err)
		}
		for place := range records {
			for i := range records {
				records[i] = toyRecord{[]float64{0}, 0}
			}
			one, other := append([]toyRecord(nil), records...), append([]toyRecord(nil), records...)
			one[place], other[place] = toyRecord{[]float64{1}, 1}, toyRecord{[]float64{1}, -1}
			order := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
			reached = max(reached, apartBy(iterate(d, 1, one, order), iterate(d, 1, other, order))/(2*bound))
		}
		if reached < 0.95 || reached > 1 {
			t.Errorf("ridge %v: the worst neighbors are %v bounds apart, want 0.95 to 1", ridge, reached)
		}
	}
}

// TestPermutedDescentSensitivityInClosedForm compares with the theorems of Wu and others: 2·k·η·G/b for
// convex losses (their lemma 4), and for strongly convex ones 2·G/(λ·n) (lemma 8), which batches leave as it
// is, b·⌈n/b⌉ standing for n; half of it is what is stated.
func TestPermutedDescentSensitivityInClosedForm(t *testing.T) {
	p := Problem{Loss: LogisticLoss(), Columns: 1, Radius: 1, MaxRecords: 1000}
	convex := PermutedDescent{p, 1000, 10, 7, 0.3}
	if got, err := convex.Sensitivity(5); err != nil || math.Abs(got/(7*0.3/10)-1) > 1e-6 {
		t.Errorf("convex: got %v (%v), want %v", got, err, 7*0.3/10)
	}
	p.Ridge = 2
	strong := PermutedDescent{p, 1000, 10, 7, 0}
	if got, err := strong.Sensitivity(5); err != nil || !(got <= 1.0/2*(1+1e-6)) || got < 0.9/2 {
		t.Errorf("strongly convex: got %v (%v), want just below %v", got, err, 1.0/2)
	}
}

// TestPermutedDescentRuns compares the released integers with the recursion where the order does not matter:
// one batch of all records.
func TestPermutedDescentRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var records []toyRecord
	for range 40 {
		records = append(records, randomRecord(r, 2, LogisticLoss(), 1))
	}
	d := PermutedDescent{Problem{Loss: LogisticLoss(), Columns: 1, Radius: 1.001, Ridge: 2, MaxRecords: 50}, 40, 40, 5, 0}
	b, err := d.Run(context.Background(), toyRows(t, 2, records), mechanism.Gaussian{NoiseMultiplier: 5}, L2())
	if err != nil {
		t.Fatal(err)
	}
	want := iterate(d, 2, records, r.Perm(40))
	for j, v := range b.state.values {
		if math.Abs(float64(v)*b.state.unit-want[j]) > 1e-9 {
			t.Errorf("weight %d is %v, want %v", j, float64(v)*b.state.unit, want[j])
		}
	}
	if _, err = d.Run(context.Background(), toyRows(t, 2, records[1:]), mechanism.Gaussian{NoiseMultiplier: 5}, L2()); err == nil {
		t.Error("other than the declared number of records was taken")
	}
}

func TestDescentRefusals(t *testing.T) {
	p := Problem{Loss: LogisticLoss(), Columns: 1, Radius: 1, MaxRecords: 100}
	for name, d := range map[string]interface{ Validate() error }{
		"rate beyond the curvature of max records": GradientDescent{p, 0.081, 5},
		"no steps":              GradientDescent{p, 0.01, 0},
		"rate NaN":              GradientDescent{p, math.NaN(), 5},
		"permuted rate":         PermutedDescent{p, 100, 10, 1, 8.1},
		"permuted without rate": PermutedDescent{p, 100, 10, 1, 0},
		"large batch":           PermutedDescent{p, 100, 257, 1, 1},
		"more than max records": PermutedDescent{p, 101, 10, 1, 1},
	} {
		if d.Validate() == nil {
			t.Errorf("%s: %+v was taken", name, d)
		}
	}
	if d := (GradientDescent{p, 0.079, 5}); d.Validate() != nil {
		t.Error(d.Validate())
	}
	p.MaxRecords = 1 << 40
	d := GradientDescent{p, 0, 1 << 20}
	d.Rate = d.LargestRate()
	if _, err := d.Sensitivity(100); err == nil {
		t.Error("a descent whose rounding is beyond a record's movement was taken")
	}
}

// TestPermutationsAreUniform counts the 24 orders of four numbers in 24000 draws: chi-square with 23 degrees of freedom
// exceeds 85 with probability below 1e-8.
func TestPermutationsAreUniform(t *testing.T) {
	const draws, orders = 24000, 24
	count := map[[4]int]float64{}
	for range draws {
		count[[4]int(permutation(4))]++
	}
	chi := 0.0
	for _, c := range count {
		chi += (c - draws/orders) * (c - draws/orders) / (draws / orders)
	}
	if len(count) != orders || chi > 85 {
		t.Errorf("%d orders came up with a chi-square of %.1f, want %d with less than 85", len(count), chi, orders)
	}
}

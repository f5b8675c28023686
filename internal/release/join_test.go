package release

import (
	"math"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// jointSums returns a gradient sum and a count over one Poisson sample.
func jointSums(t *testing.T, sampling Sampling, records int) (Sample, Bounded, Bounded) {
	t.Helper()
	x := make([][]float64, records)
	for i := range x {
		x[i] = []float64{1, 1}
	}
	rows, _ := made(t, x, 1.0/(1<<14))
	sample, err := Draw(sampling, records)
	if err != nil {
		t.Fatal(err)
	}
	gradient, err := NewSum(sample, rows, SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 1e-3}, Columns: 1, Bound: 2, MaxRecords: records})
	if err != nil {
		t.Fatal(err)
	}
	count, err := NewVectorSum(sample, VectorOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 1e-4}, Norm: L2(), Dim: 1, Bound: 0.5, MaxRecords: records})
	if err != nil {
		t.Fatal(err)
	}
	indices := sample.Indices()
	ones, halves := make([]float64, len(indices)), make([]float64, len(indices))
	for i := range indices {
		ones[i], halves[i] = 1, 0.5
	}
	if err = gradient.AddAt(indices, kernel.Contributions{Columns: 1, Coefficients: ones}); err != nil {
		t.Fatal(err)
	}
	if err = count.AddAt(indices, halves); err != nil {
		t.Fatal(err)
	}
	return sample, gradient.Seal(), count.Seal()
}

// TestJoinIsOneEvent holds that sums of one Poisson sample are paid for as one sampled sequence, and
// that each has its own noise.
func TestJoinIsOneEvent(t *testing.T) {
	sampling, err := Poisson(0.25)
	if err != nil {
		t.Fatal(err)
	}
	sample, gradient, count := jointSums(t, sampling, 400)
	joined, err := Join(gradient, count)
	if err != nil {
		t.Fatal(err)
	}
	p := &purse{left: 2}
	noisy, err := joined.Release(p)
	if err != nil || len(noisy) != 2 {
		t.Fatal(noisy, err)
	}
	if len(p.paid) != 1 || p.paid[0] != "poisson(0.25, sequence(gaussian(0.001), gaussian(0.0001)))" {
		t.Errorf("paid %v", p.paid)
	}
	n := float64(len(sample.Indices()))
	if got := noisy[0].Values(); math.Abs(got[0]-n) > 0.1 || math.Abs(got[1]-n) > 0.1 {
		t.Errorf("gradient: got %v, want %v twice", got, n)
	}
	if got := noisy[1].Values()[0]; math.Abs(got-n/2) > 0.01 {
		t.Errorf("count: got %v, want %v", got, n/2)
	}
}

// TestASampleIsReleasedOnce holds that two releases from one drawn sample cannot be charged as two
// samples: the second is refused, whichever sum it is of.
func TestASampleIsReleasedOnce(t *testing.T) {
	poisson, err := Poisson(0.5)
	if err != nil {
		t.Fatal(err)
	}
	fixed, err := FixedSize(40, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, sampling := range []Sampling{poisson, fixed} {
		_, gradient, count := jointSums(t, sampling, 40)
		p := &purse{left: 5}
		if _, err = Release(p, mechanism.Gaussian{NoiseMultiplier: 1e-3}, gradient); err != nil {
			t.Fatal(err)
		}
		if _, err = Release(p, mechanism.Gaussian{NoiseMultiplier: 1e-4}, count); err == nil {
			t.Errorf("%v: a second sum of the sample was released on its own", sampling)
		}
		if _, err = Release(p, mechanism.Gaussian{NoiseMultiplier: 1e-3}, gradient); err == nil {
			t.Errorf("%v: the sum was released twice", sampling)
		}
		if len(p.paid) != 1 {
			t.Errorf("%v: paid %v", sampling, p.paid)
		}
	}
	_, gradient, count := jointSums(t, Full(), 40)
	joined, err := Join(gradient, count)
	if err != nil {
		t.Fatal(err)
	}
	p := &purse{left: 5}
	for range 2 {
		if _, err = joined.Release(p); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.paid) != 4 || p.paid[1] != "gaussian(0.0001)" {
		t.Errorf("full sample: paid %v", p.paid)
	}
	if _, err = joined.Release(&purse{left: 1}); err == nil {
		t.Error("the join was released on payment of one half")
	}
}

func TestJoinRefusals(t *testing.T) {
	_, a, _ := jointSums(t, Full(), 4)
	_, b, _ := jointSums(t, Full(), 4)
	for name, sums := range map[string][]Bounded{
		"nothing": nil, "hand-made": {{}}, "hand-made second": {a, {}}, "another draw": {a, b},
	} {
		if _, err := Join(sums...); err == nil {
			t.Errorf("%s: joined", name)
		}
	}
	if _, err := (JointSum{}).Release(free{}); err == nil {
		t.Error("nothing was released")
	}
}

// TestNoisesAreIndependent correlates the noise of two joined sums, of two releases one after the
// other, and of neighboring numbers of one: z-scores below 6.5 (false alarms below 1e-9 in all).
func TestNoisesAreIndependent(t *testing.T) {
	const d = 200000
	sample, _ := Draw(Full(), 1)
	sum := func() Bounded {
		s, err := NewVectorSum(sample, VectorOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 2}, Norm: L2(), Dim: d, Bound: 1, MaxRecords: 1})
		if err != nil {
			t.Fatal(err)
		}
		return s.Seal()
	}
	joined, err := Join(sum(), sum())
	if err != nil {
		t.Fatal(err)
	}
	one, err := joined.Release(free{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := joined.Release(free{})
	if err != nil {
		t.Fatal(err)
	}
	a := one[0].Values()
	for name, b := range map[string][]float64{"the sums of one join": one[1].Values(), "two releases": two[0].Values(), "neighbors": append(append([]float64(nil), a[1:]...), 0)} {
		product := 0.0
		for j := range a {
			product += a[j] * b[j] / 4
		}
		if z := product / math.Sqrt(d); math.Abs(z) > 6.5 {
			t.Errorf("%s: correlation has z-score %.1f", name, z)
		}
	}
}

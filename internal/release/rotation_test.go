package release

import (
	"github.com/ditherml/dither/mechanism"
	"math"
	"testing"
)

func TestCyclicPricesAndRefuses(t *testing.T) {
	for _, c := range []struct {
		q    float64
		want mechanism.Event
	}{{1, mechanism.Partition{Parts: 3, Event: mechanism.Gaussian{NoiseMultiplier: 2}}}, {0.25, mechanism.Partition{Parts: 3, Event: mechanism.PoissonSampled{Probability: 0.25, Event: mechanism.Gaussian{NoiseMultiplier: 2}}}}} {
		s, err := Cyclic(3, c.q)
		if err != nil {
			t.Fatal(err)
		}
		if e, failed := s.Price(mechanism.Gaussian{NoiseMultiplier: 2}); failed != nil || e != c.want {
			t.Errorf("probability %v: price %v, %v, want %v", c.q, e, failed, c.want)
		}
		if _, err = Draw(s, 5); err == nil {
			t.Error("one sample of a cyclic sampling was drawn")
		}
		if _, err = DrawParts(s, 5); err == nil {
			t.Error("all parts of a cyclic sampling were drawn")
		}
		if _, err = Rotate(s, -1); err == nil {
			t.Error("a negative number of records was divided")
		}
	}
	for _, c := range []struct {
		parts int
		q     float64
	}{{0, 1}, {-1, 0.5}, {2, 0}, {2, 1.1}, {2, -0.5}, {2, math.NaN()}, {2, 1e-30}} {
		if s, err := Cyclic(c.parts, c.q); err == nil {
			t.Errorf("%v: got %v, want an error", c, s)
		}
	}
	if _, err := Rotate(Full(), 5); err == nil {
		t.Error("a full sampling was rotated")
	}
}

// TestRotationPaysOnceARound holds that samples are of the part whose turn it is, that a round is paid for once,
// that no sample is released twice, and that the next is not drawn before.
func TestRotationPaysOnceARound(t *testing.T) {
	const records, rounds = 3000, 4
	sampling, err := Cyclic(2, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Rotate(sampling, records)
	if err != nil {
		t.Fatal(err)
	}
	o := VectorOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 1e-4}, Norm: L2(), Dim: 1, Bound: 1, MaxRecords: records}
	p, part, total := &purse{left: rounds}, map[int]int{}, 0
	for step := range 2 * rounds {
		sample, failed := r.Draw()
		if failed != nil {
			t.Fatal(failed)
		}
		if _, failed = r.Draw(); failed == nil {
			t.Fatal("the next sample was drawn before this one was released")
		}
		for _, i := range sample.Indices() {
			if at, seen := part[i]; seen && at != step%2 {
				t.Fatalf("record %d is in both parts", i)
			}
			part[i] = step % 2
		}
		total += len(sample.Indices())
		b := sumOf(t, sample, o, func(int) []float64 { return []float64{1} })
		noisy, failed := Release(p, mechanism.Gaussian{NoiseMultiplier: 1e-4}, b)
		if failed != nil || math.Abs(noisy.Values()[0]-float64(len(sample.Indices()))) > 0.1 {
			t.Fatalf("step %d: %v, %v", step, noisy, failed)
		}
		if _, failed = Release(p, mechanism.Gaussian{NoiseMultiplier: 1e-4}, b); failed == nil {
			t.Fatal("a sample was released twice")
		}
	}
	if len(p.paid) != rounds || p.paid[0] != "partition(2, poisson(0.3, gaussian(0.0001)))" {
		t.Errorf("paid %v", p.paid)
	}
	// 8 samples, each record in 4 of them with probability 0.3: mean 3600, sd 50; 8 of them have a
	// probability below 1e-14.
	if math.Abs(float64(total)-3600) > 400 {
		t.Errorf("%d records were taken, want about 3600", total)
	}
	sample, err := r.Draw()
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Release(p, mechanism.Gaussian{NoiseMultiplier: 1e-4}, sumOf(t, sample, o, func(int) []float64 { return []float64{1} })); err == nil {
		t.Error("a fifth round was released on four payments")
	}
}

// TestPoissonUpToKeepsARandomSubset compares 40000 samples of at most 2 of 4 records, each taken with
// probability 1/2 before, with the law by its definition: a set of k ≤ 2 records has probability 1/16, plus, for
// k = 2, its share of the 5 larger sets. Of 11 sets, chi-square of 10 degrees is below 65 (false alarms below
// 1e-9).
func TestPoissonUpToKeepsARandomSubset(t *testing.T) {
	s, err := PoissonUpTo(0.5, 2, 4)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 40000
	counts := map[[2]int]float64{}
	for range draws {
		sample, failed := Draw(s, 4)
		if failed != nil {
			t.Fatal(failed)
		}
		set := [2]int{-1, -1}
		if indices := sample.Indices(); len(indices) > 2 || copy(set[:], indices) == 2 && set[0] >= set[1] {
			t.Fatalf("drew %v, want at most 2 ascending", indices)
		}
		counts[set]++
	}
	chi := 0.0
	for set, count := range counts {
		want := draws / 16.0
		if set[1] >= 0 {
			want += draws / 16.0 * 5 / 6
		}
		chi += (count - want) * (count - want) / want
	}
	if len(counts) != 11 || chi > 65 {
		t.Errorf("%d sets, chi-square %.1f: %v", len(counts), chi, counts)
	}
}

func TestPoissonUpToPricesAndRefuses(t *testing.T) {
	s, err := PoissonUpTo(0.25, 20, 60)
	if err != nil {
		t.Fatal(err)
	}
	if e, failed := s.Price(mechanism.Gaussian{NoiseMultiplier: 2}); failed != nil || e != mechanism.Event(mechanism.TruncatedPoisson{Probability: 0.25, Records: 60, MaxBatch: 20, Event: mechanism.Gaussian{NoiseMultiplier: 2}}) {
		t.Errorf("price: %v, %v", e, failed)
	}
	if _, err = Draw(s, 61); err == nil {
		t.Error("more records than declared were sampled")
	}
	sample, err := Draw(s, 59)
	if err != nil {
		t.Fatalf("fewer records than declared: %v", err)
	}
	o := VectorOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 2}, Norm: L2(), Dim: 1, Bound: 1, MaxRecords: 60}
	p := &purse{left: 2}
	b := sumOf(t, sample, o, func(int) []float64 { return []float64{1} })
	if _, err = Release(p, mechanism.Gaussian{NoiseMultiplier: 2}, b); err != nil || p.paid[0] != "truncated-poisson(0.25, 60, 20, gaussian(2))" {
		t.Errorf("paid %v, %v", p.paid, err)
	}
	if _, err = Release(p, mechanism.Gaussian{NoiseMultiplier: 2}, b); err == nil {
		t.Error("a sample was released twice")
	}
	for _, c := range []struct {
		q                 float64
		maxBatch, records int
	}{{0, 2, 4}, {1, 2, 4}, {0.5, 0, 4}, {0.5, 2, 0}, {0.5, -1, 4}} {
		if _, err = PoissonUpTo(c.q, c.maxBatch, c.records); err == nil {
			t.Errorf("%v: taken", c)
		}
	}
}

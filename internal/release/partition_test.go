package release

import (
	"math"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// TestFixedSizeTakesEverySubsetAlike counts the 10 subsets of 2 of 5 in 20000 draws: chi-square of 9
// degrees below 60 (false alarms below 1e-8).
func TestFixedSizeTakesEverySubsetAlike(t *testing.T) {
	s, err := FixedSize(5, 2)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 20000
	counts := map[[2]int]int{}
	for range draws {
		drawn, failed := Draw(s, 5)
		if failed != nil {
			t.Fatal(failed)
		}
		i := drawn.Indices()
		if len(i) != 2 || i[0] >= i[1] {
			t.Fatalf("drew %v, want 2 different ascending", i)
		}
		counts[[2]int{i[0], i[1]}]++
	}
	chi := 0.0
	for _, c := range counts {
		chi += (float64(c) - draws/10) * (float64(c) - draws/10) / (draws / 10)
	}
	if len(counts) != 10 || chi > 60 {
		t.Errorf("%d subsets, chi-square %.1f: %v", len(counts), chi, counts)
	}
}

func TestFixedSizePricesAndRefuses(t *testing.T) {
	s, err := FixedSize(60, 6)
	if err != nil {
		t.Fatal(err)
	}
	if e, failed := s.Price(mechanism.Gaussian{NoiseMultiplier: 2}); failed != nil || e != mechanism.Event(mechanism.WithoutReplacement{Records: 60, Batch: 6, Event: mechanism.Gaussian{NoiseMultiplier: 2}}) {
		t.Errorf("price: %v, %v", e, failed)
	}
	if _, err = Draw(s, 61); err == nil {
		t.Error("another number of records was sampled")
	}
	for _, c := range [][2]int{{0, 0}, {5, 6}, {5, 0}, {-1, 1}} {
		if _, err = FixedSize(c[0], c[1]); err == nil {
			t.Errorf("%v: taken", c)
		}
	}
	if _, err = Partitioned(0); err == nil {
		t.Error("a partition of no parts was taken")
	}
	parts, err := Partitioned(3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Draw(parts, 5); err == nil {
		t.Error("one sample of a partition was drawn")
	}
	if _, err = DrawParts(s, 5); err == nil {
		t.Error("parts of a fixed-size sampling were drawn")
	}
}

// partSum is the count of the records of a part.
func partSum(t *testing.T, s Sample, rows *Rows) Bounded {
	t.Helper()
	sum, err := NewSum(s, rows, SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 1e-4}, Columns: 1, Bound: 1, MaxRecords: 1000})
	if err != nil {
		t.Fatal(err)
	}
	indices := s.Indices()
	ones := make([]float64, len(indices))
	for i := range ones {
		ones[i] = 1
	}
	if err = sum.AddAt(indices, kernel.Contributions{Columns: 1, Coefficients: ones}); err != nil {
		t.Fatal(err)
	}
	return sum.Seal()
}

// TestPartitionPaysOnceARound holds that the parts are disjoint and whole, that a round of releases
// is paid for once, in turn, and that no part can be released twice on one payment.
func TestPartitionPaysOnceARound(t *testing.T) {
	x := make([][]float64, 300)
	for i := range x {
		x[i] = []float64{1}
	}
	rows, _ := made(t, x, 1.0/(1<<14))
	sampling, err := Partitioned(3)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := DrawParts(sampling, 300)
	if err != nil {
		t.Fatal(err)
	}
	p, total := &purse{left: 2}, 0.0
	for round := range 2 {
		for k, s := range parts {
			if _, err = Release(p, mechanism.Gaussian{NoiseMultiplier: 1e-4}, partSum(t, parts[(k+1)%3], rows)); err == nil {
				t.Fatal("a part was released out of turn")
			}
			noisy, failed := Release(p, mechanism.Gaussian{NoiseMultiplier: 1e-4}, partSum(t, s, rows))
			if failed != nil {
				t.Fatal(failed)
			}
			total += noisy.Values()[0]
		}
		if len(p.paid) != round+1 {
			t.Fatalf("after round %d: paid %v", round, p.paid)
		}
	}
	if p.paid[0] != "partition(3, gaussian(0.0001))" || math.Abs(total-600) > 0.1 {
		t.Errorf("paid %v, counted %v, want 600", p.paid, total)
	}
	if _, err = Release(p, mechanism.Gaussian{NoiseMultiplier: 1e-4}, partSum(t, parts[0], rows)); err == nil {
		t.Error("a third round was released on two payments")
	}
}

// TestPartsAreUniform counts members of 40 parts of 40000 records: chi-square of 39 degrees below 120
// (false alarms below 1e-9).
func TestPartsAreUniform(t *testing.T) {
	sampling, err := Partitioned(40)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := DrawParts(sampling, 40000)
	if err != nil {
		t.Fatal(err)
	}
	chi, seen := 0.0, make([]int, 40000)
	for _, s := range parts {
		for _, i := range s.Indices() {
			seen[i]++
		}
		n := float64(len(s.Indices()))
		chi += (n - 1000) * (n - 1000) / 1000
	}
	if chi > 120 || chi < 5 {
		t.Errorf("chi-square %.1f", chi)
	}
	for i, n := range seen {
		if n != 1 {
			t.Fatalf("record %d is in %d parts", i, n)
		}
	}
}

package sample

import (
	"math"
	"testing"
)

// TestPoissonCounts compares the number of records taken with its binomial law, for
// probabilities that 16 bits decide, that only ties decide, and the extremes.
func TestPoissonCounts(t *testing.T) {
	const n = 1 << 22
	for name, threshold := range map[string]uint64{
		"one in a hundred": 184467440737095516, "a half": 1 << 63, "nearly all": math.MaxUint64,
		"2^-17, below the first 16 bits": 1 << 47, "just above 2^-16": 1<<48 + 1<<47, "2^-64": 1,
	} {
		got := fixed(11).Poisson(nil, n, threshold)
		p := math.Ldexp(float64(threshold), -64)
		mean, sd := n*p, math.Sqrt(n*p*(1-p))+1e-9
		if z := (float64(len(got)) - mean) / math.Max(sd, 1); math.Abs(z) > 6 {
			t.Errorf("%s: %d of %d taken, z is %.2f, want within 6", name, len(got), n, z)
		}
		for k := 1; k < len(got); k++ {
			if got[k] <= got[k-1] {
				t.Fatalf("%s: indices %d, %d are not ascending", name, got[k-1], got[k])
			}
		}
	}
}

// TestPoissonTakesEachRecordAlike counts how often each of 103 records is taken in 40000 draws,
// and pairs of neighbors: chi-square with 103 degrees of freedom exceeds 210 with probability
// 4e-9, and the pair count is within 6 standard errors.
func TestPoissonTakesEachRecordAlike(t *testing.T) {
	const records, draws, q = 103, 40000, 0.25
	s := fixed(12)
	var count [records]float64
	pairs := 0.0
	for range draws {
		last := -2
		for _, i := range s.Poisson(nil, records, 1<<62) {
			count[i]++
			if i == last+1 {
				pairs++
			}
			last = i
		}
	}
	chi := 0.0
	for _, c := range count {
		d := c - draws*q
		chi += d * d / (draws * q * (1 - q))
	}
	if chi > 210 {
		t.Errorf("chi-square is %.1f, want below 210", chi)
	}
	mean := float64(draws*(records-1)) * q * q
	if z := (pairs - mean) / math.Sqrt(mean); math.Abs(z) > 6 {
		t.Errorf("neighbors taken together: z is %.2f, want within 6", z)
	}
}

func BenchmarkPoisson(b *testing.B) {
	const records = 60000
	s := NewStream()
	var dst []int
	for b.Loop() {
		dst = s.Poisson(dst[:0], records, 1<<57)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
}

// TestPoissonSizesVary compares the variance of the number taken with the binomial one, which a
// sampler of fixed size would not have: 4000 draws, within 6 standard errors.
func TestPoissonSizesVary(t *testing.T) {
	const records, draws, q = 2000, 4000, 0.125
	s := fixed(13)
	square := 0.0
	for range draws {
		d := float64(len(s.Poisson(nil, records, 1<<61))) - records*q
		square += d * d / (records * q * (1 - q))
	}
	if z := (square/draws - 1) * math.Sqrt(draws/2.0); math.Abs(z) > 6 {
		t.Errorf("variance of the sizes: z is %.2f, want within 6", z)
	}
}

package sample

import (
	"math"
	"slices"
	"testing"
)

// TestPoissonCounts compares the number of records taken with its binomial law, for
// probabilities that 8 bits decide, that only ties decide, and the extremes.
func TestPoissonCounts(t *testing.T) {
	const n = 1 << 22
	for name, threshold := range map[string]uint64{
		"one in a hundred": 184467440737095516, "a half": 1 << 63, "nearly all": math.MaxUint64,
		"2^-9, below the first 8 bits": 1 << 55, "just above 2^-8": 1<<56 + 1<<55, "2^-17": 1 << 47, "2^-64": 1,
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

// TestPoissonIsItsDefinition compares it with one record at a time, under the same key: for records that fill no
// last word, beginnings anywhere in what is drawn at a time, and probabilities that pass over much, little and nothing.
func TestPoissonIsItsDefinition(t *testing.T) {
	for _, threshold := range []uint64{1, 1 << 47, 1<<56 + 1<<55, 184467440737095516, 1 << 61, 1<<63 - 1, 1 << 63, math.MaxUint64} {
		for _, records := range []int{0, 1, 7, 8, 9, 2048, 5003, 60000} {
			fast, plain := fixed(15), fixed(15)
			for range records % 5 {
				fast.Word()
				plain.Word()
			}
			got, want := fast.Poisson(nil, records, threshold), poissonOneByOne(plain, records, threshold)
			if !slices.Equal(got, want) {
				t.Fatalf("threshold %x, %d records: got %d of them, want %d, and the same", threshold, records, len(got), len(want))
			}
			if fast.next != plain.next {
				t.Errorf("threshold %x, %d records: stands at byte %d of the stream, want %d", threshold, records, fast.next, plain.next)
			}
		}
	}
}

func poissonOneByOne(s *Stream, records int, threshold uint64) (taken []int) {
	word := uint64(0)
	for i := range records {
		if i%8 == 0 {
			word = s.Word()
		}
		first := word >> (8 * (i % 8)) & 255
		if first < threshold>>56 || first == threshold>>56 && s.Word()>>8 < threshold&(1<<56-1) {
			taken = append(taken, i)
		}
	}
	return taken
}

// TestAllAbove compares it with one byte at a time, for every head and bytes beside it and at both ends.
func TestAllAbove(t *testing.T) {
	s := fixed(14)
	for head := range uint64(256) {
		ends := []uint64{0, head - 1, head, head + 1, 127, 128, 255}
		for range 2000 {
			word, above := uint64(0), true
			for i := range 8 {
				b := ends[s.Below(uint64(len(ends)))] & 255
				if s.Below(4) == 0 {
					b = 255 - s.Below(3) // else hardly ever all are above
				}
				word |= b << (8 * i)
				above = above && b > head
			}
			if got := allAbove(word, head); got != (above && head < 128) {
				t.Fatalf("bytes of %016x above %d: got %v, want %v", word, head, got, above)
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

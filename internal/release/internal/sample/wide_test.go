package sample

import (
	"math"
	"math/big"
	"testing"
)

// scaled returns ⌊x·2^bits⌋ of an x in units of 2^-fractionBits.
func scaled(x *big.Int, bits uint) int64 {
	return new(big.Int).Rsh(x, fractionBits-bits).Int64()
}

// TestExponentialLaw holds ⌊16·E⌋, which is geometric of ratio exp(-1/16), to its law. A
// fraction that is kept with the wrong probability must be convicted.
func TestExponentialLaw(t *testing.T) {
	law := func(x int64) float64 {
		if x < 0 {
			return 0
		}
		return -math.Expm1(-float64(x+1) / 16)
	}
	const n = 50000
	var x big.Int
	draws, s := make([]int64, n), fixed(100)
	for i := range draws {
		s.exponential(&x)
		draws[i] = scaled(&x, 4)
	}
	if m := misfit(draws, law, 200, 1); !(m < 1) {
		t.Errorf("chi-square over its limit is %.2f, want below 1", m)
	}
	for i := range draws {
		f := s.fraction()
		for !s.fractionCoin(&f) {
			f = s.fraction()
		}
		f.put(&x, s.wholes())
		draws[i] = scaled(&x, 4)
	}
	if m := misfit(draws, law, 200, 1); !(m > 1) {
		t.Errorf("fractions kept with probability f pass: chi-square over its limit is %.2f", m)
	}
}

// TestEveryBitIsDrawn counts the ones at each place beyond the first 20 of an exponential number
// and of a coordinate, where they are fair to within 2^-20: each count is within 7 standard
// errors, which fresh keys would miss for some of the 984 places with probability 3e-9.
func TestEveryBitIsDrawn(t *testing.T) {
	const n = 4000
	var x big.Int
	var p diskPoint
	var ones, diskOnes [fractionBits - 20]float64
	s := fixed(101)
	for range n {
		s.exponential(&x)
		s.disk(&p)
		for i := range ones {
			ones[i] += float64(x.Bit(i))
			diskOnes[i] += float64(p.y.Bit(i))
		}
	}
	for i := range ones {
		if z := (2*ones[i] - n) / math.Sqrt(n); math.Abs(z) > 7 {
			t.Errorf("bit %d of exponential numbers is 1 in %v of %d, z is %.1f", i, ones[i], n, z)
		}
		z := (2*diskOnes[i] - n) / math.Sqrt(n)
		if i == 0 && diskOnes[i] != n {
			t.Errorf("%v of %d coordinates are odd, want all", diskOnes[i], n)
		} else if i > 0 && math.Abs(z) > 7 {
			t.Errorf("bit %d of coordinates is 1 in %v of %d, z is %.1f", i, diskOnes[i], n, z)
		}
	}
}

// TestFractionCoinComparesAllWords scripts a tie in all words but the last: a fraction against
// itself is not below, and one unit more is.
func TestFractionCoinComparesAllWords(t *testing.T) {
	s := fixed(102)
	f := s.fraction()
	f[fractionWords-1] = 5
	for _, c := range []struct {
		last uint64
		want bool
	}{{4, true}, {5, false}, {6, false}} {
		for i, word := range f {
			setWord(s, i, word)
		}
		setWord(s, fractionWords-1, c.last)
		s.next = 0
		if got := s.fractionCoin(&f); got != c.want {
			t.Errorf("last word %d against 5: got %v, want %v", c.last, got, c.want)
		}
		if s.next != 8*fractionWords {
			t.Errorf("last word %d: %d bytes were read, want all words", c.last, s.next)
		}
	}
}

// TestDiskPoints checks that points lie in the disk with S as stated, and that S is uniform, as
// it is in a disk: chi-square over 32 cells.
func TestDiskPoints(t *testing.T) {
	var p diskPoint
	draws, s := make([]int64, 20000), fixed(103)
	for i := range draws {
		s.disk(&p)
		square := new(big.Int).Mul(&p.x, &p.x)
		square.Add(square, new(big.Int).Mul(&p.y, &p.y))
		if square.Cmp(&p.square) != 0 || square.BitLen() > 2*fractionBits {
			t.Fatalf("point %v, %v has square %v", &p.x, &p.y, &p.square)
		}
		draws[i] = square.Rsh(square, 2*fractionBits-5).Int64()
	}
	uniform := func(x int64) float64 { return math.Min(1, math.Max(0, float64(x+1)/32)) }
	if m := misfit(draws, uniform, 32, 1); !(m < 1) {
		t.Errorf("chi-square of S over its limit is %.2f, want below 1", m)
	}
}

package sample

import (
	"math"
	"math/big"
	"testing"
)

// slowL2 draws from a source, a stream or its plain form, what RoundedL2 draws and computes the vector by the formula, in
// floating point of 3000 bits: round(t·√W·√(2E)·x/√(x²+y²)).
func slowL2(s interface {
	exponential(x *big.Int)
	disk(p *diskPoint)
}, dimension int, numerator, denominator uint64) []int64 {
	float := func() *big.Float { return new(big.Float).SetPrec(3000) }
	unit := func(x *big.Int) *big.Float {
		f := float().SetInt(x)
		return f.SetMantExp(f, -fractionBits)
	}
	var e big.Int
	var p diskPoint
	normal := func() (x, y *big.Float) { // a pair of normal numbers
		s.exponential(&e)
		s.disk(&p)
		x, y = unit(&p.x), unit(&p.y)
		f := float().Add(float().Mul(x, x), float().Mul(y, y))
		f.Sqrt(f.Quo(float().Mul(float().SetInt64(2), unit(&e)), f))
		return x.Mul(x, f), y.Mul(y, f)
	}
	w := float()
	for range (dimension + 1) / 2 {
		s.exponential(&e)
		w.Add(w, unit(&e))
	}
	w.Mul(w, float().SetInt64(2))
	if dimension%2 == 0 {
		x, _ := normal()
		w.Add(w, x.Mul(x, x))
	}
	scale := float().Sqrt(w)
	scale.Mul(scale, float().Quo(float().SetUint64(numerator), float().SetUint64(denominator)))
	out := make([]int64, dimension)
	var x, y *big.Float
	for i := range out {
		if i%2 == 0 {
			x, y = normal()
		} else {
			x = y
		}
		z := float().Mul(x, scale)
		half := big.NewFloat(math.Copysign(0.5, float64(z.Sign())))
		out[i], _ = z.Add(z, half).Int64() // toward zero
	}
	return out
}

// TestRoundedL2IsItsFormula holds the integer computation to the formula, with equality, for
// coarse and fine scales, in dimensions of both parities.
func TestRoundedL2IsItsFormula(t *testing.T) {
	slow, fast := fixed(160), fixed(160)
	for _, c := range [][2]uint64{{1, 7}, {3, 2}, {1 << 40, 3}, {MaxScaleNumerator, math.MaxUint64 >> 8}} {
		for d := 1; d <= 5; d++ {
			for range 20 {
				want := slowL2(slow, d, c[0], c[1])
				got := make([]int64, d)
				fast.RoundedL2(got, c[0], c[1])
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("scale %d/%d, coordinate %d: got %d, want %d", c[0], c[1], i, got[i], want[i])
					}
				}
			}
		}
	}
	if slow.Word() != fast.Word() {
		t.Error("the two computations read different numbers of words")
	}
}

// TestRoot compares with the definition r² ≤ n < (r+1)² around squares and at the ends.
func TestRoot(t *testing.T) {
	one, s := big.NewInt(1), fixed(162)
	check := func(n *big.Int) {
		t.Helper()
		r := new(big.Int).SetUint64(root(n))
		next := new(big.Int).Add(r, one)
		if r.Mul(r, r).Cmp(n) > 0 || next.Mul(next, next).Cmp(n) <= 0 {
			t.Errorf("root of %v is %d", n, root(n))
		}
	}
	for bits := uint(0); bits < 63; bits++ {
		for range 10 {
			x := new(big.Int).SetUint64(s.Word()>>(63-bits) | 1)
			if x.BitLen() > 63 {
				x.Rsh(x, 1)
			}
			n := new(big.Int).Mul(x, x)
			check(n)
			check(new(big.Int).Sub(n, one))
			if n.Add(n, one).BitLen() <= 126 {
				check(n)
			}
		}
	}
	check(new(big.Int))
	check(new(big.Int).Sub(new(big.Int).Lsh(one, 126), one))
}

// TestL2SlackAddsUp does the sums in the proof of L2SlackBits with the constants as they are, in
// base-2 logarithms, for the smallest and the largest dimension.
func TestL2SlackAddsUp(t *testing.T) {
	sum := func(logs ...float64) float64 {
		total := 0.0
		for _, l := range logs {
			total += math.Exp2(l - logs[0])
		}
		return logs[0] + math.Log2(total)
	}
	const f, low, high = fractionBits, -228, 8.0
	for _, d := range []float64{1, 2, MaxL2Dimension} {
		leftOut := sum(math.Log2(d+1)+low, math.Log2(d+1)-256*math.Log2E, math.Log2(d/2+1)+low, math.Log2(d/2+1)+5-f, math.Log2(d+1)-1024*math.Log2E)
		relative := -f - float64(low)
		angle := 1.5 - f - low/2.0
		w, wLow := math.Log2(d+2)+high, 1.0+low
		rootW := sum(relative+w/2, 1+high+1+angle-wLow/2)
		rootE := relative + (1+high)/2
		eta := sum((1+high)/2+rootW, w/2+rootE, (w+1+high)/2+angle)
		rounding := 1 + eta + sum(0, MaxL2ScaleBits) + math.Log2(d)
		chernoff := d - (1<<(62-MaxL2ScaleBits))/2*math.Log2E
		if got := sum(rounding, leftOut, chernoff); got > math.Log2(d)-L2SlackBits {
			t.Errorf("d = %v: the slack is 2^%.1f, want at most 2^%.1f", d, got, math.Log2(d)-L2SlackBits)
		}
	}
}

func TestRoundedL2Limits(t *testing.T) {
	s, x := fixed(161), make([]int64, 2)
	for name, draw := range map[string]func(){
		"too many dimensions":       func() { s.RoundedL2(make([]int64, MaxL2Dimension+1), 1, 1) },
		"a scale past the limit":    func() { s.RoundedL2(x, 1<<MaxL2ScaleBits+1, 1) },
		"a fraction past the limit": func() { s.RoundedL2(x, 3<<MaxL2ScaleBits+1, 3) },
		"a coordinate of 2^62":      func() { roundRoot(new(big.Int).Lsh(big.NewInt(1), 126)) },
		"a coordinate of 2^200":     func() { roundRoot(new(big.Int).Lsh(big.NewInt(1), 402)) },
	} {
		if !panics(draw) {
			t.Errorf("%s: no panic", name)
		}
	}
	s.RoundedL2(nil, 1, 1)
	s.RoundedL2(x, 1<<MaxL2ScaleBits, 1)
	s.RoundedL2(x, 3<<MaxL2ScaleBits, 3)
	s.RoundedL2(x, MaxScaleNumerator, math.MaxUint64) // whose limit is past 64 bits
	below := new(big.Int).Lsh(big.NewInt(1), 126)
	if got := roundRoot(below.Sub(below, big.NewInt(1))); got != 1<<62 {
		t.Errorf("a coordinate just below 2^62 rounds to %d, want 2^62", got)
	}
}

// roundRoot rounds √square/2, for which it hands round the draws that make 4z² = square.
func roundRoot(square *big.Int) int64 {
	var v radial
	v.pairUp.Lsh(square, 2*fractionBits-4)
	v.pairDown.SetUint64(1)
	return v.round(big.NewInt(1))
}

// TestRoundedL2AllocatesByDimension: a vector takes some allocations for its integers and about
// one for each coordinate, and no more after many vectors than before.
func TestRoundedL2AllocatesByDimension(t *testing.T) {
	s, x := NewStream(), make([]int64, 64)
	draw := func() { s.RoundedL2(x, fine, 3) }
	before := testing.AllocsPerRun(10, draw)
	for range 300 {
		draw()
	}
	if after := testing.AllocsPerRun(10, draw); before > 128+50 || after > 128+50 {
		t.Errorf("64 coordinates take %v allocations at first and %v later, want at most 178", before, after)
	}
}

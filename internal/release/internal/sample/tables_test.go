package sample

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const oraclePrecision = 512

func oracle() *big.Float { return new(big.Float).SetPrec(oraclePrecision) }

// join is a fixed-point number below 1 from its words, highest first.
func join(words ...uint64) *big.Float {
	n := new(big.Int)
	for _, w := range words {
		n.Add(n.Lsh(n, 64), new(big.Int).SetUint64(w))
	}
	return oracle().SetMantExp(oracle().SetInt(n), -64*len(words))
}

// oracleExp is exp(-t) by a product: exp(-1) from its series Σ (-1)^k/k!, raised to the
// integer part, and the plain Taylor series of the rest. It shares no step with bigExp or
// the table's program.
func oracleExp(t *big.Float) *big.Float {
	whole, _ := t.Int64()
	rest := oracle().Sub(t, oracle().SetInt64(whole))
	series := func(x *big.Float) *big.Float {
		sum, term := oracle().SetInt64(1), oracle().SetInt64(1)
		for k := int64(1); k < 120; k++ {
			term.Mul(term, x)
			term.Quo(term, oracle().SetInt64(-k))
			sum.Add(sum, term)
		}
		return sum
	}
	out, e := series(rest), series(oracle().SetInt64(1))
	for range whole {
		out.Mul(out, e)
	}
	return out
}

// oracleCurve is exp(-x²/2) at a point of the lattice.
func oracleCurve(point uint64) *big.Float {
	x := oracle().SetMantExp(oracle().SetUint64(2*point+1), -(fineBits + 1))
	return oracleExp(x.Quo(x.Mul(x, x), oracle().SetInt64(2)))
}

// TestLayersCoverTheCurve recomputes in 512 bits what exactness rests on: the areas are one
// number, no point under the curve lies outside its layer, and the points counted as inside
// lie under the curve at the layer's upper edge.
func TestLayersCoverTheCurve(t *testing.T) {
	area := oracle()
	for l, box := range layers {
		low, span := join(heights[l][0], heights[l][1]), join(spans[l][0], spans[l][1])
		high := oracle().Add(low, span)
		if l+1 < layerCount && high.Cmp(join(heights[l+1][0], heights[l+1][1])) != 0 || l+1 == layerCount && high.Cmp(oracle().SetInt64(1)) < 0 {
			t.Errorf("layer %d does not end where the next begins, or at 1", l)
		}
		if got := -box.width % box.width; got != box.remainder {
			t.Errorf("layer %d: remainder is %d, want %d", l, box.remainder, got)
		}
		width := oracle().SetUint64(box.width)
		a := width.Mul(width, span)
		if l == 0 {
			area.Set(a)
		}
		if ratio, _ := oracle().Quo(a, area).Float64(); math.Abs(ratio-1) > 1e-15 {
			t.Errorf("layer %d: area is %v of the first", l, ratio)
		}
		if d := oracle().Quo(oracle().Sub(a, area), area); d.Sign() != 0 && d.MantExp(nil) > -112 {
			t.Errorf("layer %d: area differs from the first by 2^%d, want at most 2^-112", l, d.MantExp(nil))
		}
		if box.width < tailUnits<<fineBits && oracleCurve(box.width).Cmp(low) >= 0 {
			t.Errorf("layer %d: a point under the curve lies outside", l)
		}
		if box.inside > 0 && oracleCurve(box.inside-1).Cmp(high) < 0 {
			t.Errorf("layer %d: a point counted as inside is above the curve", l)
		}
		if box.inside >= box.width {
			t.Errorf("layer %d: %d points inside of %d", l, box.inside, box.width)
		}
	}
	if heights[0] != [2]uint64{} {
		t.Errorf("heights begin at %x, want 0", heights[0])
	}
	if layers[0].width != tailUnits<<fineBits {
		t.Errorf("the lowest layer has %d points, want the whole range", layers[0].width)
	}
}

func TestDensityTable(t *testing.T) {
	for j, got := range density {
		x := oracle().Quo(oracle().SetInt64(int64(j)), oracle().SetInt64(64))
		want := oracleExp(x.Quo(x.Mul(x, x), oracle().SetInt64(2)))
		below, above := join(got), oracle().Add(join(got), oracle().SetMantExp(oracle().SetInt64(1), -64))
		if j > 0 && (want.Cmp(below) < 0 || want.Cmp(above) >= 0) || j == 0 && got != math.MaxUint64 {
			t.Errorf("density %d: %#x is not exp(-x²/2) rounded down", j, got)
		}
	}
}

// TestCurveAgainstBigFloats holds the stated error of 16 units of 2^-64, and the 320-bit
// exponential's, against the oracle. Both are exact functions, so no chance is involved.
func TestCurveAgainstBigFloats(t *testing.T) {
	checkCurve(t, 1000)
}

// checkCurve looks at so many points, the ends among them.
func checkCurve(t *testing.T, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for i := range n {
		point := r.Uint64N(tailUnits << fineBits)
		if i%2 == 0 {
			point = r.Uint64N(5 << fineBits)
		}
		if i < 4 {
			point = []uint64{0, 1, tailUnits<<fineBits - 1, 1<<fineBits - 1}[i]
		}
		want := oracleCurve(point)
		diff, _ := oracle().SetMantExp(oracle().Sub(want, join(curve(point))), 64).Float64()
		if worst = max(worst, math.Abs(diff)); math.Abs(diff) > 16 {
			t.Fatalf("point %d: the curve errs by %v units", point, diff)
		}
		x := new(big.Float).SetPrec(320).SetMantExp(new(big.Float).SetPrec(320).SetUint64(2*point+1), -(fineBits + 1))
		exact := bigExp(x.Quo(x.Mul(x, x), new(big.Float).SetInt64(-2)))
		if d := oracle().Sub(exact, want); d.Sign() != 0 && d.MantExp(nil)-want.MantExp(nil) > -300 {
			t.Fatalf("point %d: the 320-bit exponential errs by 2^%d", point, d.MantExp(nil))
		}
	}
	if worst == 0 {
		t.Error("the curve was never compared")
	}
}

// TestUnderAgreesWithTheExactComparison forces both ways to decide on the same heights.
func TestUnderAgreesWithTheExactComparison(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	decided := map[bool]int{}
	for range 3000 {
		l := r.Uint64N(layerCount)
		box := layers[l]
		point := box.inside + r.Uint64N(box.width-box.inside)
		s := NewStream()
		s.Word()
		at := s.next
		got := s.under(l, point)
		s.next = at
		u := s.Word()
		want := exactUnder(l, point, u, 0, 0)
		if got != want {
			t.Fatalf("layer %d point %d: 64-bit arithmetic says %v, 320-bit %v", l, point, got, want)
		}
		decided[got]++
	}
	if decided[true] < 100 || decided[false] < 100 {
		t.Errorf("decisions were %v, want both often", decided)
	}
	if !exactUnder(100, layers[100].inside-1, math.MaxUint64, math.MaxUint64, 0) || exactUnder(0, tailUnits<<fineBits-1, 1<<63, 0, 0) {
		t.Error("the exact comparison is wrong at an inside point or at the far end")
	}
}

package linalg

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// recordLengths are short ones, and some beside those that kernels take.
var recordLengths = []int{0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 47, 64, 160, 163}

// TestRoundWithin compares with rounding to even by the standard library, up to the bounds that are stated, with what
// lies at limits and beside them, NaN, infinities and zeros of either sign.
func TestRoundWithin(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 1))
	passed, failed := 0, 0
	for round := range 40 {
		for _, n := range recordLengths {
			v, scale, most := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range v {
				v[i], scale[i], most[i] = r.NormFloat64(), float64(r.IntN(1<<20)), math.Inf(1)
				if r.IntN(3) == 0 {
					v[i], scale[i] = float64(r.IntN(9)-4)/2, 1 // ties
				}
			}
			bad := n > 0 && r.IntN(2) == 0
			if bad {
				i := r.IntN(n)
				v[i], scale[i] = []float64{math.NaN(), 3.5, -3.6, 1e300}[r.IntN(4)], 1
				most[i] = 3
			} else if n > 0 {
				v[n-1], scale[n-1], most[n-1] = []float64{3, -3.5, math.Copysign(0, -1), -0.2}[round%4], 1, 4
			}
			got := make([]float64, n)
			within, alone := RoundWithin(got, v, scale, most), make([]float64, n)
			if twin := roundWithinPortable(alone, v, scale, most); within == bad || twin == bad {
				t.Fatalf("%d records: within %v and portable %v, want %v", n, within, twin, !bad)
			}
			expectWholes(t, got, alone, v, scale)
			if within {
				passed++
			} else {
				failed++
			}
		}
	}
	if passed < 100 || failed < 100 {
		t.Errorf("%d calls are within and %d are not: the test does not see both", passed, failed)
	}
}

// expectWholes compares what two ways round.
func expectWholes(t *testing.T, got, twin, v, scale []float64) {
	t.Helper()
	for i, f := range got {
		if math.Float64bits(f) != math.Float64bits(twin[i]) && (f == f || twin[i] == twin[i]) {
			t.Fatalf("record %d: %v, portable code %v", i, f, twin[i])
		}
		product := v[i] * scale[i]
		want := math.RoundToEven(product) + 0
		if math.Abs(product) <= 1<<51 && (f != want || math.Signbit(f) != (want < 0)) {
			t.Fatalf("%v times %v is %v, want %v", v[i], scale[i], f, want)
		}
	}
}

// TestDivideByRoots holds quotients to (m+1)²·n2 > bound² ≥ m²·n2 in whole numbers of any size, where the left side may miss
// by a part in 2^49, over all sizes of bounds and rows, and to those of portable code.
func TestDivideByRoots(t *testing.T) {
	r := rand.New(rand.NewPCG(74, 1))
	square := func(v float64) *big.Int {
		whole, _ := big.NewFloat(v).Int(nil)
		return whole.Mul(whole, whole)
	}
	largest := 0
	for range 60 {
		for _, n := range recordLengths {
			bound, n2 := float64(r.Int64N(1<<51)>>r.IntN(51)), make([]int64, n)
			for i := range n2 {
				n2[i] = max(1, r.Int64()>>r.IntN(63))
				if m := r.Int64N(1<<20) + 1; r.IntN(3) == 0 { // the root is whole, and often the quotient
					n2[i], bound = m*m, float64(m*(1+r.Int64N(1<<20)))
				}
			}
			got, twin := make([]float64, n), make([]float64, n)
			DivideByRoots(got, n2, bound)
			divideByRootsPortable(twin, n2, bound)
			expectWhole(t, fmt.Sprintf("%d records", n), got, twin)
			for i, m := range got {
				limit, own := square(bound), big.NewInt(n2[i])
				if own.Mul(own, square(m)); m < 0 || own.Cmp(limit) > 0 {
					t.Fatalf("bound %v and n2 %d: %v is beyond the quotient", bound, n2[i], m)
				}
				if math.Trunc(bound/math.Sqrt(float64(n2[i]))) == m {
					largest++
				}
				if m+1 < bound/math.Sqrt(float64(n2[i]))*(1-0x1p-49) {
					t.Fatalf("bound %v and n2 %d: %v is far below the quotient", bound, n2[i], m)
				}
			}
		}
	}
	if largest < 10000 {
		t.Errorf("only %d quotients are the largest: the test does not see them", largest)
	}
}

// TestLessLabels compares with its definition, with scores and labels that are NaN.
func TestLessLabels(t *testing.T) {
	r := rand.New(rand.NewPCG(72, 1))
	nan := float32(math.NaN())
	for _, n := range recordLengths {
		p, labels := anySingles(r, n), anySingles(r, n)
		if n > 0 {
			labels[r.IntN(n)], p[r.IntN(n)] = nan, nan
		}
		got := make([]float64, n)
		LessLabels(got, p, labels)
		for i, v := range got {
			want := float64(p[i]) - float64(labels[i])
			if labels[i] != labels[i] {
				want = 0
			}
			if math.Float64bits(v) != math.Float64bits(want) && (v == v || want == want) {
				t.Fatalf("%d records, %d: %v less %v is %v, want %v", n, i, p[i], labels[i], v, want)
			}
		}
	}
}

func TestMultiply(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 1))
	for _, n := range recordLengths {
		a, b := anySingles(r, n), anySingles(r, n)
		want := make([]float32, n)
		for i := range want {
			want[i] = a[i] * b[i]
		}
		Multiply(a, a, b)
		expectSame(t, fmt.Sprintf("%d records", n), a, want)
	}
}

func TestTranspose(t *testing.T) {
	dst := make([]int, 6)
	Transpose(dst, []int{1, 2, 3, 4, 5, 6}, 2, 3)
	if want := []int{1, 4, 2, 5, 3, 6}; !slices.Equal(dst, want) {
		t.Errorf("got %v, want %v", dst, want)
	}
}

func TestRecordFunctionsRefuseWrongLengths(t *testing.T) {
	long, short, singles := make([]float64, 20), make([]float64, 19), make([]float32, 20)
	for name, call := range map[string]func(){
		"RoundWithin, dst":           func() { RoundWithin(short, long, long, long) },
		"RoundWithin, v":             func() { RoundWithin(long, short, long, long) },
		"RoundWithin, scale":         func() { RoundWithin(long, long, short, long) },
		"RoundWithin, most":          func() { RoundWithin(long, long, long, short) },
		"DivideByRoots":              func() { DivideByRoots(long, make([]int64, 19), 1) },
		"LessLabels, p":              func() { LessLabels(long, singles[:19], singles) },
		"LessLabels, labels":         func() { LessLabels(long, singles, singles[:19]) },
		"Multiply":                   func() { Multiply(singles, singles, singles[:19]) },
		"Transpose, src":             func() { Transpose(long, short, 5, 4) },
		"Transpose, dst":             func() { Transpose(short, long, 5, 4) },
		"AddWholeColumns, x short":   func() { AddWholeColumns(long[:6], make([]uint8, 29), 3, long, 2) },
		"AddWholeColumns, dst short": func() { AddWholeColumns(long[:5], make([]uint8, 30), 3, long, 2) },
		"ProductsByColumn, x short": func() {
			RoundColumns[uint8](make([]float32, 6), 3, 2).ProductsByColumn(singles, make([]uint8, 29))
		},
	} {
		panicked := func() (panicked bool) {
			defer func() { panicked = recover() != nil }()
			call()
			return
		}()
		if !panicked {
			t.Errorf("%s: no panic", name)
		}
	}
}

// TestProductsByColumn compares with Products, every set.
func TestProductsByColumn(t *testing.T) {
	eachProductSet(t, func(t *testing.T, set instructions) {
		t.Run("int16", func(t *testing.T) { productsByColumn[int16](t, set) })
		t.Run("uint8", func(t *testing.T) { productsByColumn[uint8](t, set) })
	})
}

func productsByColumn[T WholeEntry](t *testing.T, set instructions) {
	r := rand.New(rand.NewPCG(74, 1))
	for _, s := range append(productShapes[T](r), rowShape{400, 784, 33}, rowShape{165, 784, 32}) {
		x := anyEntries[T](r, s.rows*s.dim)
		c := RoundColumns[T](anySingles(r, s.columns*s.dim), s.dim, s.columns)
		byRow, got, want := make([]float32, s.rows*s.columns), make([]float32, s.rows*s.columns+3), make([]float32, s.rows*s.columns+3)
		c.Products(byRow, x)
		Transpose(want[:len(byRow)], byRow, s.rows, s.columns)
		c.productsByColumn(set, got[:len(byRow)], x)
		expectSame(t, fmt.Sprintf("%+v", s), got, want)
	}
}

// TestAddWholeColumns compares with AddWhole by portable code, with factors of few and many bits, beside every number of
// rows and columns that kernels take together.
func TestAddWholeColumns(t *testing.T) {
	t.Run("int16", addWholeColumns[int16])
	t.Run("uint8", addWholeColumns[uint8])
}

func addWholeColumns[T WholeEntry](t *testing.T) {
	r := rand.New(rand.NewPCG(75, 1))
	shapes := append(rowShapes(r), rowShape{165, 784, 32}, rowShape{400, 100, 40}, rowShape{13, 64, 5}, rowShape{50, 33, 2})
	for _, s := range shapes {
		for _, bits := range []int{3, 9, 14, 19, 30, 32, 36} {
			if math.Ldexp(float64(s.rows), bits+8*strideOf[T](1)) >= 1<<53 {
				continue // float64 does not hold the sum
			}
			x, q := anyEntries[T](r, s.rows*s.dim), make([]float64, s.rows*s.columns)
			for j := range q {
				if q[j] = float64(r.Int64N(2<<bits) - 1<<bits); r.IntN(4) == 0 {
					q[j] = math.Copysign(float64(int64(1)<<bits), q[j])
				}
			}
			got, want := make([]float64, s.columns*s.dim), make([]float64, s.columns*s.dim)
			for j := range got {
				got[j] = float64(j)
			}
			copy(want, got)
			byColumn := make([]float64, len(q))
			Transpose(byColumn, q, s.rows, s.columns)
			AddWholeColumns(got, x, s.dim, byColumn, s.columns)
			addWholePortable(want, x, s.dim, q, s.columns)
			if !slices.Equal(got, want) {
				t.Fatalf("%+v, %d bits: sums differ", s, bits)
			}
		}
	}
}

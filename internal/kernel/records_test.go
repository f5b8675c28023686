package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// recordLengths are short ones, and some beside those that kernels take.
var recordLengths = []int{0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 47, 64, 160, 163}

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
	whole, tails := make([]int64, 20), make([]int32, 20)
	for name, call := range map[string]func(){
		"RoundBounded, dst":          func() { RoundBounded(short, long, long, whole, 1) },
		"RoundBounded, v":            func() { RoundBounded(long, short, long, whole, 1) },
		"RoundBounded, scales":       func() { RoundBounded(long, long, short, whole, 1) },
		"RoundBounded, n2":           func() { RoundBounded(long, long, long, whole[:19], 1) },
		"Shorten":                    func() { ClipRows(long, short, 1) },
		"MeasureUnits, multipliers":  func() { MeasureUnits(whole, singles[:19], tails, UnitRows{}) },
		"MeasureUnits, tails":        func() { MeasureUnits(whole, singles, tails[:19], UnitRows{}) },
		"RootsTimes, n2":             func() { ScaledNorms(long, whole[:19], singles) },
		"RootsTimes, units":          func() { ScaledNorms(long, whole, singles[:19]) },
		"Widen":                      func() { ToFloat64(long, singles[:19], 1) },
		"InterceptScores, src":       func() { InterceptScores(singles, singles[:19], singles, 1, AffineTerms{Tails: tails}) },
		"InterceptScores, units":     func() { InterceptScores(singles, singles, singles[:19], 1, AffineTerms{Tails: tails}) },
		"InterceptScores, tails":     func() { InterceptScores(singles, singles, singles, 1, AffineTerms{Tails: tails[:19]}) },
		"InterceptScores, betas":     func() { InterceptScores(singles, singles, singles, 1, AffineTerms{Tails: tails, Betas: tails[:19]}) },
		"DotRounded":                 func() { DotRounded(long, tails[:19]) },
		"LessLabels, p":              func() { LessLabels(long, singles[:19], singles) },
		"LessLabels, labels":         func() { LessLabels(long, singles, singles[:19]) },
		"Multiply":                   func() { Multiply(singles, singles, singles[:19]) },
		"Transpose, src":             func() { Transpose(long, short, 5, 4) },
		"Transpose, dst":             func() { Transpose(short, long, 5, 4) },
		"AddWholeColumns, x short":   func() { AddIntColumns(long[:6], make([]uint8, 29), 3, long, 2) },
		"AddWholeColumns, dst short": func() { AddIntColumns(long[:5], make([]uint8, 30), 3, long, 2) },
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
	eachSet(t, func(t *testing.T, set instructions) {
		t.Run("int16", func(t *testing.T) { productsByColumn[int16](t, set) })
		t.Run("uint8", func(t *testing.T) { productsByColumn[uint8](t, set) })
	})
}

func productsByColumn[T IntEntry](t *testing.T, set instructions) {
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

// TestAddIntColumnsAtTheirLargest takes the largest entries with factors, all the same, at which sums of limbs are
// largest: those with the largest lower limb of 8, 9 and 10 bits, with the largest upper one, and what next needs another.
func TestAddIntColumnsAtTheirLargest(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		t.Run("int16", func(t *testing.T) { addColumnsAtTheirLargest(t, set, int16(math.MinInt16)) })
		t.Run("uint8", func(t *testing.T) { addColumnsAtTheirLargest(t, set, uint8(math.MaxUint8)) })
	})
}

func addColumnsAtTheirLargest[T IntEntry](t *testing.T, set instructions, largest T) {
	const rows, dim, columns = 320, 300, 9
	x, q, got := make([]T, rows*dim), make([]float64, rows*columns), make([]float64, columns*dim)
	for j := range x {
		x[j] = largest
	}
	for _, factor := range []float64{127, -128, 255, -256, 511, -512, -256 - 254*512, 127 * 257, 127*257 + 1, 255 * 513, -255 * 513, 255*513 + 1, 511 * 1025, -511 * 1025} {
		for j := range q {
			q[j] = factor
		}
		clear(got)
		addColumns(set, got, x, dim, q, columns)
		want := rows * factor * float64(largest)
		if at := slices.IndexFunc(got, func(v float64) bool { return v != want }); at >= 0 {
			t.Errorf("%d rows of %d times %v: got %v at %d, want %v", rows, largest, factor, got[at], at, want)
		}
	}
}

// TestAddIntColumns compares with AddInt by portable code, with factors of few and many bits, beside every number of
// rows and columns that kernels take together.
func TestAddIntColumns(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		t.Run("int16", func(t *testing.T) { addWholeColumns[int16](t, set) })
		t.Run("uint8", func(t *testing.T) { addWholeColumns[uint8](t, set) })
	})
}

func addWholeColumns[T IntEntry](t *testing.T, set instructions) {
	r := rand.New(rand.NewPCG(75, 1))
	shapes := append(rowShapes(r), rowShape{165, 784, 32}, rowShape{400, 100, 40}, rowShape{13, 64, 5}, rowShape{50, 33, 2}, rowShape{320, 300, 9})
	for _, s := range shapes {
		x := anyEntries[T](r, s.rows*s.dim)
		for _, bits := range []int{3, 9, 14, 19, 30, 32, 36} {
			if math.Ldexp(float64(s.rows), bits+8*strideOf[T](1)) >= 1<<53 {
				continue // float64 does not hold the sum
			}
			q := make([]float64, s.rows*s.columns)
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
			if s.rows > 0 && s.dim > 0 {
				addColumns(set, got, x, s.dim, byColumn, s.columns)
			}
			addWholePortable(want, x, s.dim, q, s.columns)
			if !slices.Equal(got, want) {
				t.Fatalf("%+v, %d bits: sums differ", s, bits)
			}
		}
	}
}

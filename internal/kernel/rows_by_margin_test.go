package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// passShapes returns every length of rows to 200 and some longer ones, with any number of
// rows, so that there are parts of every size and rows behind them.
func passShapes(r *rand.Rand) []rowShape {
	shapes := []rowShape{{1, 784, 1}, {31, 784, 1}, {3, 785, 1}, {40, 1000, 1}, {9, 4097, 1}, {300, 17, 1}, {200, 5, 1}}
	for dim := range 201 {
		shapes = append(shapes, rowShape{r.IntN(71), dim, 1}, rowShape{r.IntN(12), dim, 1})
	}
	return shapes
}

// eachPass runs a test with each way to go through the rows: what a set chooses, two
// passes, and for sets with kernels one pass by parts of a few rows.
func eachPass(t *testing.T, test func(t *testing.T, pass passes)) {
	eachSet(t, func(t *testing.T, set instructions) {
		t.Run("chosen", func(t *testing.T) { test(t, chosenPass(set)) })
		t.Run("twice", func(t *testing.T) {
			test(t, func(dst, x []float32, dim int, w, margins []float32, factors func(part []float32, first int)) {
				addRowsTwice(set, dst, x, dim, w, margins, factors, 0)
			})
		})
		for _, rows := range []int{2, 4, 10} {
			if set != portable {
				t.Run(fmt.Sprint("rows=", rows), func(t *testing.T) { test(t, passOnce(set, rows)) })
			}
		}
	})
}

// passes is AddRowsByMargin, one way or another.
type passes func(dst, x []float32, dim int, w, margins []float32, factors func(part []float32, first int))

func chosenPass(set instructions) passes {
	return func(dst, x []float32, dim int, w, margins []float32, factors func(part []float32, first int)) {
		addRowsByMargin(set, dst, x, dim, w, margins, factors)
	}
}

// TestAddRowsByMarginMeasures holds that the margins have the bits of the definition, that
// each is offered once and in order, and that what factors leaves is kept.
func TestAddRowsByMarginMeasures(t *testing.T) {
	eachPass(t, func(t *testing.T, pass passes) {
		r := rand.New(rand.NewPCG(51, 1))
		for _, s := range passShapes(r) {
			x, w, dst := anyEntries[float32](r, s.rows*s.dim), anySingles(r, s.dim), guarded(s.dim)
			disturb(r, w)
			got, seen, want := guarded(s.rows), guarded(s.rows), guarded(s.rows)
			if s.rows > 0 {
				marginsPortable(want[:s.rows], x, s.dim, w, 1)
			}
			at := 0
			pass(dst[:s.dim], x, s.dim, w, got[:s.rows], func(part []float32, first int) {
				if first != at || len(part) == 0 {
					t.Fatalf("%+v: a part of %d rows begins at row %d, want some rows from row %d on", s, len(part), first, at)
				}
				at += copy(seen[first:], part)
				for k := range part {
					part[k] = float32(first + k)
				}
			})
			if at != s.rows {
				t.Fatalf("%+v: the parts have %d rows", s, at)
			}
			expectSame(t, fmt.Sprintf("%+v", s), seen, want)
			for k := range want[:s.rows] {
				want[k] = float32(k)
			}
			expectSame(t, fmt.Sprintf("%+v, what is left", s), got, want)
			expectSame(t, fmt.Sprintf("%+v, what is behind", s), dst[s.dim:], guarded(0))
		}
	})
}

// TestAddRowsByMarginIsWithinTheBound compares with sums in float64. The factors do not
// depend on the margins, so that no error of a margin counts.
func TestAddRowsByMarginIsWithinTheBound(t *testing.T) {
	eachPass(t, func(t *testing.T, pass passes) {
		r := rand.New(rand.NewPCG(52, 1))
		for _, s := range passShapes(r) {
			x, w, dst := anyEntries[float32](r, s.rows*s.dim), anySingles(r, s.dim), anySingles(r, s.dim)
			factors, before := anySingles(r, s.rows), slices.Clone(dst)
			pass(dst, x, s.dim, w, make([]float32, s.rows), func(part []float32, first int) { copy(part, factors[first:]) })
			for j, got := range dst {
				want, size := float64(before[j]), math.Abs(float64(before[j]))
				for i, f := range factors {
					product := float64(f) * float64(x[i*s.dim+j])
					want += product
					size += math.Abs(product)
				}
				n := float64(s.rows+1) * 0x1p-24
				bound := n/(1-n)*size + float64(s.rows)*(0x1p-149+0x1p-53*size)
				if off := math.Abs(float64(got) - want); !(off <= bound) {
					t.Fatalf("%+v, entry %d: got %v, want %v within %v", s, j, got, want, bound)
				}
			}
		}
	})
}

// TestAddRowsByMarginScalesByTheMargins holds that the factors that count are those made of
// the margins: the sum is the one that Margins and AddScaledRows give, but for rounding.
func TestAddRowsByMarginScalesByTheMargins(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 1))
	const rows, dim = 503, 75
	x, w := make([]float32, rows*dim), make([]float32, dim)
	for j := range x {
		x[j] = float32(r.IntN(5) - 2)
	}
	for j := range w {
		w[j] = float32(r.IntN(5) - 2)
	}
	half := func(part []float32, first int) {
		for k := range part {
			part[k] = part[k]/2 + float32(first+k)
		}
	}
	got, want, margins := make([]float32, dim), make([]float32, dim), make([]float32, rows)
	AddRowsByMargin(got, x, dim, w, margins, half)
	for i := range rows {
		m := 0
		for j := range dim {
			m += int(x[i*dim+j]) * int(w[j])
		}
		for j := range dim {
			want[j] += (float32(m)/2 + float32(i)) * x[i*dim+j]
		}
	}
	// A factor is at most 300/2 + 502, and every product and sum is a multiple of ½ below
	// 2^23, thus exact in float32.
	expectSame(t, "sums of halves", got, want)
}

// TestAddRowsByMarginDoesNotAllocate holds that a step makes no garbage.
func TestAddRowsByMarginDoesNotAllocate(t *testing.T) {
	const rows, dim = 70, 100
	x, w, dst, m := make([]float32, rows*dim), make([]float32, dim), make([]float32, dim), make([]float32, rows)
	if n := testing.AllocsPerRun(10, func() {
		AddRowsByMargin(dst, x, dim, w, m, func(part []float32, _ int) { Sigmoid(part, part) })
	}); n != 0 {
		t.Errorf("a step allocated %v times, want 0", n)
	}
}

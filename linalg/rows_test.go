package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// eachRowSet runs a test with every set of instructions that kernels of rows are written
// for, and skips those that the processor or the build lacks.
func eachRowSet(t *testing.T, test func(t *testing.T, set instructions)) {
	for set := portable; set <= avx512; set++ {
		t.Run(set.String(), func(t *testing.T) {
			if set > rowsAvailable {
				t.Skipf("NOT RUN: the best set here is %v", rowsAvailable)
			}
			test(t, set)
		})
	}
}

// rowShape is the shape of a block of rows and of what it is multiplied with.
type rowShape struct{ rows, dim, columns int }

// rowShapes returns every length of rows to 200, with any number of rows and columns, and
// some longer ones.
func rowShapes(r *rand.Rand) []rowShape {
	shapes := []rowShape{{1, 784, 1}, {7, 784, 10}, {5, 785, 3}, {3, 1000, 40}, {2, 4097, 2}, {300, 17, 5}, {1100, 130, 1}}
	for dim := range 201 {
		shapes = append(shapes, rowShape{r.IntN(71), dim, 1 + r.IntN(4)}, rowShape{r.IntN(12), dim, 1 + r.IntN(40)})
	}
	return shapes
}

// anyEntries returns entries of every size that begin at an arbitrary place of a longer
// slice.
func anyEntries[T Entry](r *rand.Rand, n int) []T {
	offset := r.IntN(33)
	x := make([]T, offset+n)[offset:]
	for j := range x {
		switch p := any(&x[j]).(type) {
		case *float32:
			*p = anySingle(r)
		case *int16:
			if *p = int16(r.Uint32()); r.IntN(4) == 0 {
				*p = extremeEntries[r.IntN(len(extremeEntries))]
			}
		case *uint8:
			if *p = uint8(r.Uint32()); r.IntN(4) == 0 {
				*p = uint8(r.IntN(2) * 255)
			}
		}
	}
	return x
}

// anySingle returns a normal number, now and then a zero of either sign, one that is tiny
// or one that is large.
func anySingle(r *rand.Rand) float32 {
	v := float32(r.NormFloat64())
	switch r.IntN(16) {
	case 0:
		return 0
	case 1:
		return float32(math.Copysign(0, -1))
	case 2:
		return v * 0x1p-100
	case 3:
		return v * 0x1p30
	}
	return v
}

func anySingles(r *rand.Rand, n int) []float32 {
	x := make([]float32, n+3)[3:]
	for j := range x {
		x[j] = anySingle(r)
	}
	return x
}

// anyBits returns rows of packed bits, with arbitrary bits beyond dim too.
func anyBits(r *rand.Rand, rows, dim int) []uint64 {
	x := make([]uint64, rows*BitWords(dim))
	for j := range x {
		x[j] = r.Uint64() & r.Uint64()
		if r.IntN(8) == 0 {
			x[j] = -uint64(r.IntN(2))
		}
	}
	return x
}

// sameBits reports whether two numbers have the same bits, or both are NaN.
func sameBits(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// expectSame fails unless two slices hold the same bits, the NaNs aside.
func expectSame(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for j := range want {
		if !sameBits(got[j], want[j]) {
			t.Fatalf("%s: number %d is %v (%#x), want %v (%#x)", what, j, got[j], math.Float32bits(got[j]), want[j], math.Float32bits(want[j]))
		}
	}
}

// expectWhole fails unless two slices hold the same bits.
func expectWhole(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for j := range want {
		if math.Float64bits(got[j]) != math.Float64bits(want[j]) {
			t.Fatalf("%s: number %d is %v, want %v", what, j, got[j], want[j])
		}
	}
}

// forEntries runs a test for each type of entries.
func forEntries(t *testing.T, single, short, byte func(t *testing.T)) {
	t.Run("float32", single)
	t.Run("int16", short)
	t.Run("uint8", byte)
}

// TestMarginsKernelsAreTheSame compares every kernel with the portable definition.
func TestMarginsKernelsAreTheSame(t *testing.T) {
	eachRowSet(t, func(t *testing.T, set instructions) {
		forEntries(t,
			func(t *testing.T) { marginsAreTheSame[float32](t, set) },
			func(t *testing.T) { marginsAreTheSame[int16](t, set) },
			func(t *testing.T) { marginsAreTheSame[uint8](t, set) })
		t.Run("bits", func(t *testing.T) {
			r := rand.New(rand.NewPCG(21, 1))
			for _, s := range rowShapes(r) {
				x, w := anyBits(r, s.rows, s.dim), anySingles(r, s.columns*s.dim)
				got, want := guarded(s.rows*s.columns), guarded(s.rows*s.columns)
				if s.rows > 0 {
					marginsBits(set, got[:s.rows*s.columns], x, s.dim, w, s.columns)
					marginsBitsPortable(want[:s.rows*s.columns], x, s.dim, w, s.columns)
				}
				expectSame(t, fmt.Sprintf("%+v", s), got, want)
			}
		})
	})
}

// guarded returns n numbers and some behind them that must stay as they are.
func guarded(n int) []float32 { return slices.Repeat([]float32{-7.25}, n+9) }

func marginsAreTheSame[T Entry](t *testing.T, set instructions) {
	r := rand.New(rand.NewPCG(20, 1))
	for _, s := range rowShapes(r) {
		x, w := anyEntries[T](r, s.rows*s.dim), anySingles(r, s.columns*s.dim)
		got, want := guarded(s.rows*s.columns), guarded(s.rows*s.columns)
		if s.rows > 0 {
			margins(set, got[:s.rows*s.columns], x, s.dim, w, s.columns)
			marginsPortable(want[:s.rows*s.columns], x, s.dim, w, s.columns)
		}
		expectSame(t, fmt.Sprintf("%+v", s), got, want)
	}
}

// anyWhole returns whole numbers such that sums of rows products with entries to most
// stay below 2^53.
func anyWhole(r *rand.Rand, n, rows int, most float64) []float64 {
	limit := math.Floor(math.Min(0x1p52/(float64(max(rows, 1))*most), 0x1p40))
	q := make([]float64, n)
	for j := range q {
		q[j] = math.Floor(limit * (2*r.Float64() - 1))
		switch r.IntN(6) {
		case 0:
			q[j] = limit
		case 1:
			q[j] = -limit
		case 2:
			q[j] = 0
		}
	}
	return q
}

// anySums returns whole numbers to begin sums with, and some behind them that must stay.
func anySums(r *rand.Rand, n int) []float64 {
	dst := make([]float64, n+9)
	for j := range dst {
		dst[j] = float64(r.Int64N(1<<51) - 1<<50)
	}
	return dst
}

// TestAddWholeKernelsAreTheSame compares every kernel with the portable definition.
func TestAddWholeKernelsAreTheSame(t *testing.T) {
	eachRowSet(t, func(t *testing.T, set instructions) {
		t.Run("int16", func(t *testing.T) { addWholeIsTheSame[int16](t, set, 0x1p15) })
		t.Run("uint8", func(t *testing.T) { addWholeIsTheSame[uint8](t, set, 255) })
		t.Run("bits", func(t *testing.T) {
			r := rand.New(rand.NewPCG(23, 1))
			for _, s := range rowShapes(r) {
				x, q, got := anyBits(r, s.rows, s.dim), anyWhole(r, s.rows*s.columns, s.rows, 1), anySums(r, s.columns*s.dim)
				want := slices.Clone(got)
				if s.rows > 0 && s.dim > 0 {
					addWholeBits(set, got[:s.columns*s.dim], x, s.dim, q, s.columns)
					addWholeBitsPortable(want[:s.columns*s.dim], x, s.dim, q, s.columns)
				}
				expectWhole(t, fmt.Sprintf("%+v", s), got, want)
			}
		})
	})
}

func addWholeIsTheSame[T WholeEntry](t *testing.T, set instructions, most float64) {
	r := rand.New(rand.NewPCG(22, 1))
	for _, s := range rowShapes(r) {
		x, q, got := anyEntries[T](r, s.rows*s.dim), anyWhole(r, s.rows*s.columns, s.rows, most), anySums(r, s.columns*s.dim)
		want := slices.Clone(got)
		if s.rows > 0 && s.dim > 0 {
			addWhole(set, got[:s.columns*s.dim], x, s.dim, q, s.columns)
			addWholePortable(want[:s.columns*s.dim], x, s.dim, q, s.columns)
		}
		expectWhole(t, fmt.Sprintf("%+v", s), got, want)
	}
}

package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// rowShape is the shape of a block of rows and of what it is multiplied with.
type rowShape struct{ rows, dim, columns int }

// rowShapes returns every length of rows to 200, with any number of rows and columns, and
// some longer ones.
func rowShapes(r *rand.Rand) []rowShape {
	shapes := []rowShape{{1, 784, 1}, {7, 784, 10}, {5, 785, 3}, {3, 1000, 40}, {2, 4097, 2}, {300, 17, 5}, {1100, 130, 1}, {450, 67, 38}, {250, 260, 40}}
	for dim := range shapeDims {
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

// TestRowInputsVary holds that the entries of the tests are of many kinds.
func TestRowInputsVary(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 1))
	distinct := map[float32]bool{}
	for _, v := range anySingles(r, 1000) {
		distinct[v] = true
	}
	if shorts := slices.Compact(slices.Sorted(slices.Values(anyEntries[int16](r, 1000)))); len(distinct) < 500 || len(shorts) < 500 {
		t.Errorf("1000 numbers have %d distinct values and 1000 integers %d, want most of them", len(distinct), len(shorts))
	}
}

// forEntries runs a test for each type of entries.
func forEntries(t *testing.T, single, short, byte func(t *testing.T)) {
	t.Run("float32", single)
	t.Run("int16", short)
	t.Run("uint8", byte)
}

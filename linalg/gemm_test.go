package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// gemmCase is a product and what it must give.
type gemmCase[T Float] struct {
	c, a, b     Matrix[T]
	alpha, beta T
}

func (p gemmCase[T]) String() string {
	return fmt.Sprintf("%d × %d × %d, strides c %d,%d a %d,%d b %d,%d, alpha %v, beta %v", p.c.Rows, p.a.Columns, p.c.Columns,
		p.c.RowStride, p.c.ColumnStride, p.a.RowStride, p.a.ColumnStride, p.b.RowStride, p.b.ColumnStride, p.alpha, p.beta)
}

const guard = 12345 // what stands where no entry is

// anyMatrix returns a matrix of random entries, row-wise or column-wise, in a longer slice
// with guards between and behind the rows.
func anyMatrix[T Float](r *rand.Rand, rows, columns int) Matrix[T] {
	if r.IntN(2) == 0 {
		return anyMatrixByRows[T](r, columns, rows).Transposed()
	}
	return anyMatrixByRows[T](r, rows, columns)
}

func anyMatrixByRows[T Float](r *rand.Rand, rows, columns int) Matrix[T] {
	stride := columns + r.IntN(3)*r.IntN(20)
	offset := r.IntN(20)
	m := NewMatrix(make([]T, offset+rows*stride+20)[offset:], rows, columns)
	m.RowStride = stride
	for i := range m.Data {
		m.Data[i] = guard
	}
	for i := range rows {
		for j := range columns {
			m.Data[i*stride+j] = T(r.NormFloat64())
		}
	}
	return m
}

func anyCase[T Float](r *rand.Rand, m, k, n int) gemmCase[T] {
	factors := []T{0, 1, -0.75, 2}
	return gemmCase[T]{
		c: anyMatrix[T](r, m, n), a: anyMatrix[T](r, m, k), b: anyMatrix[T](r, k, n),
		alpha: factors[(1+r.IntN(9))%4], beta: factors[r.IntN(4)],
	}
}

func (m Matrix[T]) at(i, j int) *T { return &m.Data[i*m.RowStride+j*m.ColumnStride] }

func (m Matrix[T]) clone() Matrix[T] {
	m.Data = append([]T(nil), m.Data...)
	return m
}

// exactProduct returns the entry in float64 and the bound of Gemm for it. For float64 the
// reference is off by as much as the bound, which is thus doubled.
func (p gemmCase[T]) exactProduct(before Matrix[T], i, j int) (want, bound float64) {
	size := 0.0
	for k := range p.a.Columns {
		term := float64(*p.a.at(i, k)) * float64(*p.b.at(k, j))
		want += term
		size += math.Abs(term)
	}
	want, size = want*float64(p.alpha), size*math.Abs(float64(p.alpha))
	if p.beta != 0 {
		want += float64(p.beta) * float64(*before.at(i, j))
		size += math.Abs(float64(p.beta) * float64(*before.at(i, j)))
	}
	k := float64(p.a.Columns)
	t := min(k, gemmDepth) + math.Ceil(k/gemmDepth) + 3
	u := 0x1p-24
	if unsafe.Sizeof(p.alpha) == 8 {
		u = 0x1p-53
		t += k + 3
	}
	return want, t * u / (1 - t*u) * size
}

// check runs a product and compares every entry with float64; nothing else may change.
func (p gemmCase[T]) check(t *testing.T, set instructions, workers int) {
	t.Helper()
	got := p.c.clone()
	gemmChecked(set, workers, got, p.alpha, p.a, p.b, p.beta)
	want := p.c.clone()
	for i := range want.Rows {
		for j := range want.Columns {
			exact, bound := p.exactProduct(p.c, i, j)
			if v := float64(*got.at(i, j)); !(math.Abs(v-exact) <= bound) {
				t.Fatalf("%v, %v: entry (%d, %d): got %v, want %v within %v", p, set, i, j, v, exact, bound)
			}
			*want.at(i, j) = *got.at(i, j)
		}
	}
	for i := range want.Data {
		if want.Data[i] != got.Data[i] {
			t.Fatalf("%v, %v: wrote %v beside the entries", p, set, got.Data[i])
		}
	}
}

func TestGemmKeepsItsBound(t *testing.T) {
	t.Run("float32", testGemmKeepsItsBound[float32])
	t.Run("float64", testGemmKeepsItsBound[float64])
}

func testGemmKeepsItsBound[T Float](t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(41, 41))
		for range 1500 {
			anyCase[T](r, 1+r.IntN(40), 1+r.IntN(40), 1+r.IntN(70)).check(t, set, 1)
		}
		for _, s := range [][3]int{{150, 330, 40}, {3, 700, 100}, {400, 17, 3}, {10, 650, 300}, {300, 321, 10}} {
			anyCase[T](r, s[0], s[1], s[2]).check(t, set, 1)
		}
	})
}

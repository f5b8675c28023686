package kernel

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

// gemmSizes are shapes m, k, n that take every path: one row or column, more than a block of
// k, narrow products with a transpose, whole groups of rows and panels and what is left.
var gemmSizes = [][3]int{
	{1, 1, 1}, {1, 700, 1}, {700, 1, 3}, {1, 40, 90}, {90, 40, 1}, {150, 330, 40}, {3, 700, 100}, {400, 17, 3},
	{10, 650, 75}, {11, 330, 33}, {23, 321, 90}, {300, 321, 10}, {130, 400, 23}, {24, 64, 32}, {25, 20, 33}, {49, 641, 17},
}

// rounds is how often a test repeats: once in six under -short.
func rounds(n int) int {
	if testing.Short() {
		return (n + 5) / 6
	}
	return n
}

func TestGemmKeepsItsBound(t *testing.T) {
	t.Run("float32", testGemmKeepsItsBound[float32])
	t.Run("float64", testGemmKeepsItsBound[float64])
}

func testGemmKeepsItsBound[T Float](t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(41, 41))
		for range rounds(gemmCases) {
			anyCase[T](r, 1+r.IntN(40), 1+r.IntN(40), 1+r.IntN(70)).check(t, set, 1+r.IntN(3))
		}
		for _, s := range gemmSizes {
			anyCase[T](r, s[0], s[1], s[2]).check(t, set, 1+r.IntN(3))
		}
	})
}

// TestGemmForgetsWhatBetaZeroMeets holds that NaN in c vanishes with beta = 0, and NaN in a and b
// with alpha = 0 or k = 0.
func TestGemmForgetsWhatBetaZeroMeets(t *testing.T) {
	nan := math.NaN()
	eachSet(t, func(t *testing.T, set instructions) {
		for _, s := range gemmSizes {
			a, b, c := make([]float64, s[0]*s[1]), make([]float64, s[1]*s[2]), make([]float64, s[0]*s[2])
			run := func(k int, alpha, beta, want float64) {
				gemmChecked(set, 1, NewMatrix(c, s[0], s[2]), alpha, NewMatrix(a[:s[0]*k], s[0], k), NewMatrix(b[:k*s[2]], k, s[2]), beta)
				for i, v := range c {
					if v != want {
						t.Fatalf("%v, alpha %v, beta %v, k %d: entry %d: got %v, want %v", s, alpha, beta, k, i, v, want)
					}
				}
			}
			fill(c, nan)
			fill(a, 1)
			fill(b, 1)
			run(s[1], 1, 0, float64(s[1]))
			fill(a, nan)
			run(s[1], 0, 1, float64(s[1]))
			fill(c, 3)
			run(s[1], 0, 2, 6)
			run(0, 1, 0.5, 3)
			fill(c, nan)
			run(0, 1, 0, 0)
		}
	})
}

func fill(x []float64, v float64) {
	for i := range x {
		x[i] = v
	}
}

func TestGemmRefusesWrongShapes(t *testing.T) {
	m := func(rows, columns int) Matrix[float32] {
		return NewMatrix(make([]float32, rows*columns), rows, columns)
	}
	short := m(3, 4)
	short.Data = short.Data[:11]
	loose := m(3, 4)
	loose.RowStride = 3
	apart := m(3, 4)
	apart.ColumnStride = 2
	negative := m(3, 4)
	negative.RowStride = -4
	dst := m(2, 4)
	for name, call := range map[string]func(){
		"rows":            func() { Gemm(dst, 1, m(3, 3), m(3, 4), 0) },
		"columns":         func() { Gemm(dst, 1, m(2, 3), m(3, 5), 0) },
		"depth":           func() { Gemm(dst, 1, m(2, 4), m(3, 4), 0) },
		"short data":      func() { Gemm(dst, 1, m(2, 3), short, 0) },
		"short stride":    func() { Gemm(dst, 1, m(2, 3), loose, 0) },
		"two strides":     func() { Gemm(dst, 1, m(2, 3), apart, 0) },
		"negative stride": func() { Gemm(dst, 1, m(2, 3), negative, 0) },
		"negative rows":   func() { Gemm(Matrix[float32]{Rows: -1}, 1, Matrix[float32]{Rows: -1}, m(0, 0), 0) },
		"rows of a view":  func() { dst.Slice(1, 3) },
	} {
		for i := range dst.Data {
			dst.Data[i] = 7
		}
		func() {
			defer func() {
				if recover() == nil || dst.Data[0] != 7 {
					t.Errorf("%s: want a panic and nothing written", name)
				}
			}()
			call()
		}()
	}
}

func TestGemmOfNothing(t *testing.T) {
	empty := NewMatrix([]float32(nil), 0, 5)
	Gemm(empty, 1, NewMatrix([]float32(nil), 0, 3), NewMatrix(make([]float32, 15), 3, 5), 0)
	Gemm(empty.Transposed(), 1, NewMatrix(make([]float32, 15), 5, 3), NewMatrix([]float32(nil), 3, 0), 0)
	if view := NewMatrix([]float32{1, 2, 3, 4, 5, 6}, 3, 2).Slice(1, 3); *view.at(1, 0) != 5 || view.Rows != 2 {
		t.Errorf("rows 1 to 3: got %v", view)
	} else if none := view.Slice(2, 2); none.Rows != 0 || none.Columns != 2 {
		t.Errorf("no rows: got %v", none)
	}
}

// TestGemmKeepsItsMemory holds that calls reuse what earlier ones packed into. A collection
// in between may take it away, hence the average.
func TestGemmKeepsItsMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("NOT RUN: the race detector drops what is kept at random")
	}
	r := rand.New(rand.NewPCG(43, 43))
	for _, s := range gemmSizes {
		p := anyCase[float32](r, s[0], s[1], s[2])
		for _, workers := range []int{1, 2} {
			if n := testing.AllocsPerRun(50, func() { gemmChecked(available, workers, p.c, p.alpha, p.a, p.b, p.beta) }); n > 0 {
				t.Errorf("%v, %d workers: %v allocations a call, want 0", p, workers, n)
			}
		}
	}
}

// TestShapesFollowVectors wants tiles of vectors as wide as those of the level's kernels.
func TestShapesFollowVectors(t *testing.T) {
	for set, want := range map[instructions]int{portable: 2, avx2: 8, avx512: 16, avx512VNNI: 16} {
		if got := shapeOf[float32](set).lanes; got != want {
			t.Errorf("%v: %d lanes, want %d", set, got, want)
		}
	}
}

// TestGemmGivesEveryWorkerAPart holds that large products have a part for each worker, small
// ones for no more than is worth it, and that the parts cover c once.
func TestGemmGivesEveryWorkerAPart(t *testing.T) {
	for _, s := range []struct{ rows, columns, workers, want int }{
		{1000, 200, 8, 8}, {200, 1000, 8, 8}, {10, 784, 4, 4}, {60000, 10, 2, 2}, {5, 5, 4, 1}, {100, 100, 0, 1},
	} {
		c := NewMatrix(make([]float32, s.rows*s.columns), s.rows, s.columns)
		g := gemmProduct[float32]{shape: shapeOf[float32](avx512), c: c}
		rows, columns := g.split(s.workers)
		if rows*columns != s.want {
			t.Errorf("%d × %d by %d workers: %d × %d parts, want %d", s.rows, s.columns, s.workers, rows, columns, s.want)
		}
		for _, side := range [][2]int{{s.rows, rows}, {s.columns, columns}} {
			end := 0
			for i := range side[1] {
				part := cut(side[0], side[1], i, 12)
				if part[0] != end || part[1] < part[0] {
					t.Errorf("part %d of %d of %d: %v, want one from %d on", i, side[1], side[0], part, end)
				}
				end = part[1]
			}
			if end != side[0] {
				t.Errorf("%d parts of %d end at %d", side[1], side[0], end)
			}
		}
	}
}

// FuzzGemm compares products of any shape and strides with the definition.
func FuzzGemm(f *testing.F) {
	f.Add(uint64(1), uint16(3), uint16(400), uint16(20), uint8(2))
	f.Add(uint64(2), uint16(60), uint16(10), uint16(33), uint8(1))
	f.Fuzz(func(t *testing.T, seed uint64, m, k, n uint16, workers uint8) {
		r := rand.New(rand.NewPCG(seed, 44))
		for set := portable; set <= available; set++ {
			anyCase[float32](r, 1+int(m%100), 1+int(k%700), 1+int(n%100)).check(t, set, 1+int(workers%4))
			anyCase[float64](r, 1+int(m%100), 1+int(k%700), 1+int(n%100)).check(t, set, 1+int(workers%4))
		}
	})
}

package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// wholeCase is a product whose groups fit 32 bits, and what dst is before and after.
type wholeCase struct {
	s            IntShape
	a, b         []int16
	before, want []int64
}

// anyWholeCase returns a case with entries as large as the group allows, often all at the end of their range and
// of one sign, so that a sum of one row more than the group passes 32 bits.
func anyWholeCase(r *rand.Rand, s IntShape) wholeCase {
	const most = 1<<31 - 1
	left := []int{1, 255, 32767, 32768}[r.IntN(4)]
	right := min(most/(s.Group*left), 32768)
	if r.IntN(2) == 0 {
		left, right = right, left
	}
	if left*right*s.Group > most {
		left, right = min(left, 1), min(right, most/s.Group)
	}
	c := wholeCase{s: s, a: make([]int16, s.Rows*s.Left), b: make([]int16, s.Rows*s.Right), before: make([]int64, s.Right*s.Left)}
	kind := r.IntN(3)
	fillWhole(r, c.a, left, kind)
	fillWhole(r, c.b, right, kind)
	for j := range c.before {
		c.before[j] = int64(r.Uint64())
	}
	c.want = slices.Clone(c.before)
	for i := range s.Rows {
		for j := range s.Right {
			for k := range s.Left {
				c.want[j*s.Left+k] += int64(c.b[i*s.Right+j]) * int64(c.a[i*s.Left+k])
			}
		}
	}
	return c
}

// fillWhole writes numbers of magnitude at most limit: any, or those at the ends, or the lower end only.
func fillWhole(r *rand.Rand, x []int16, limit, kind int) {
	high := min(limit, 32767)
	for j := range x {
		switch {
		case kind == 2:
			x[j] = int16(-limit)
		case kind == 1:
			x[j] = []int16{int16(high), int16(-limit), 0}[r.IntN(3)]
		default:
			x[j] = int16(r.IntN(limit+high+1) - limit)
		}
	}
}

func (c wholeCase) check(t *testing.T, set instructions, workers int) {
	t.Helper()
	got := slices.Clone(c.before)
	addProductWhole(set, workers, got, c.a, c.b, c.s)
	for j := range got {
		if got[j] != c.want[j] {
			t.Fatalf("%v, %v, %d workers: entry (%d, %d) is %d, want %d", c.s, set, workers, j/c.s.Left, j%c.s.Left, got[j], c.want[j])
		}
	}
}

// wholeGroups are groups of rows: odd, even, single and longer than what is done at once.
var wholeGroups = []int{1, 2, 3, 7, 16, 254, 255, 256, 1000, 1 << 20}

// TestAddProductInt compares products of many shapes with plain loops in 64 bits: every tail of a tile, every
// group, rows that are no multiple of a group, parts for several workers.
func TestAddProductInt(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	var shapes []IntShape
	for n := 1; n <= 40; n++ {
		shapes = append(shapes, IntShape{Rows: 1 + r.IntN(20), Left: n, Right: 1 + r.IntN(30)},
			IntShape{Rows: 1 + r.IntN(20), Left: 1 + r.IntN(80), Right: n}, IntShape{Rows: n, Left: 1 + r.IntN(40), Right: 1 + r.IntN(20)})
	}
	shapes = append(shapes, IntShape{Rows: 25, Left: 256, Right: 32}, IntShape{Rows: 169, Left: 65, Right: 16},
		IntShape{Rows: 600, Left: 100, Right: 10}, IntShape{Rows: 258, Left: 65, Right: 200}, IntShape{Rows: 2100, Left: 33, Right: 13})
	for i := range shapes {
		shapes[i].Group = wholeGroups[i%len(wholeGroups)]
	}
	shapes = append(shapes, IntShape{2100, 40, 100, 255}, IntShape{2100, 3, 2, 1}, IntShape{3, 1100, 5, 2}, IntShape{3, 1100, 100, 1})
	for _, s := range shapes {
		c := anyWholeCase(r, s)
		eachSet(t, func(t *testing.T, set instructions) {
			c.check(t, set, 1)
			c.check(t, set, 3)
		})
	}
}

// TestAddProductIntOfNothing holds that empty shapes leave dst.
func TestAddProductIntOfNothing(t *testing.T) {
	dst := []int64{1, 2, 3}
	AddProductInt(dst, nil, nil, IntShape{Left: 3, Right: 1, Group: 1})
	AddProductInt(nil, make([]int16, 6), nil, IntShape{Rows: 2, Left: 3, Group: 1})
	AddProductIntParallel(nil, nil, make([]int16, 6), IntShape{Rows: 2, Right: 3, Group: 1})
	if !slices.Equal(dst, []int64{1, 2, 3}) {
		t.Errorf("no rows: dst is %v", dst)
	}
}

// TestAddProductIntRefusesOtherLengths holds that shapes that do not fit panic and write nothing.
func TestAddProductIntRefusesOtherLengths(t *testing.T) {
	for _, c := range []struct {
		dst, a, b int
		s         IntShape
	}{
		{5, 6, 4, IntShape{Rows: 2, Left: 3, Right: 2, Group: 1}},
		{7, 6, 4, IntShape{Rows: 2, Left: 3, Right: 2, Group: 1}},
		{6, 5, 4, IntShape{Rows: 2, Left: 3, Right: 2, Group: 1}},
		{6, 6, 3, IntShape{Rows: 2, Left: 3, Right: 2, Group: 1}},
		{6, 6, 4, IntShape{Rows: 2, Left: 3, Right: 2}},
		{6, 6, 4, IntShape{Rows: -2, Left: -3, Right: -2, Group: 1}},
		{0, 0, 0, IntShape{Rows: 1 << 32, Left: 1 << 32, Right: 1 << 32, Group: 1}},
		{0, 6, 4, IntShape{Rows: 2, Left: 3, Right: 2, Group: 1}},
		{4, 0, 4, IntShape{Rows: 2, Left: 0, Right: 2, Group: 1}},
	} {
		for set := portable; set <= available; set++ {
			dst := make([]int64, c.dst)
			a, b := slices.Repeat([]int16{1}, c.a), slices.Repeat([]int16{1}, c.b)
			func() {
				defer func() {
					if recover() == nil || slices.Max(append(dst, 0)) != 0 {
						t.Errorf("%+v: want a panic and nothing written", c)
					}
				}()
				addProductWhole(set, 1, dst, a, b, c.s)
			}()
		}
	}
}

// FuzzAddProductInt compares products of any shape and group with the definition.
func FuzzAddProductInt(f *testing.F) {
	f.Add(uint64(1), uint16(300), uint16(40), uint16(20), uint16(255))
	f.Add(uint64(2), uint16(25), uint16(256), uint16(32), uint16(1))
	f.Fuzz(func(t *testing.T, seed uint64, rows, left, right, group uint16) {
		r := rand.New(rand.NewPCG(seed, 32))
		c := anyWholeCase(r, IntShape{Rows: 1 + int(rows%600), Left: 1 + int(left%150), Right: 1 + int(right%150), Group: 1 + int(group)})
		for set := portable; set <= available; set++ {
			c.check(t, set, 1+r.IntN(4))
		}
	})
}

// BenchmarkAddProductInt measures the product beside those of float32 and float64 of the same shape.
func BenchmarkAddProductInt(b *testing.B) {
	for _, s := range []IntShape{
		{2048, 785, 1000, 255}, {256, 785, 1000, 255}, {2048, 1001, 10, 255}, {25, 256, 32, 255}, {169, 65, 16, 255},
	} {
		name := fmt.Sprintf("%dx%dx%d", s.Rows, s.Left, s.Right)
		r := rand.New(rand.NewPCG(33, 33))
		dst, x, y := make([]int64, s.Left*s.Right), make([]int16, s.Rows*s.Left), make([]int16, s.Rows*s.Right)
		fillWhole(r, x, 255, 0)
		fillWhole(r, y, 32767, 0)
		for set := portable; set <= available; set++ {
			for workers := 1; workers <= 2; workers++ {
				b.Run(fmt.Sprintf("%s/whole/%v/%d", name, set, workers), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						addProductWhole(set, workers, dst, x, y, s)
					}
					reportProducts(b, s)
				})
			}
		}
		benchmarkBesideWhole[float32](b, name+"/float32", s)
		benchmarkBesideWhole[float64](b, name+"/float64", s)
	}
}

func reportProducts(b *testing.B, s IntShape) {
	b.ReportMetric(float64(s.Rows)*float64(s.Left)*float64(s.Right)/float64(b.Elapsed().Nanoseconds())*float64(b.N), "products/ns")
}

func benchmarkBesideWhole[T Float](b *testing.B, name string, s IntShape) {
	r := rand.New(rand.NewPCG(34, 34))
	x, y, dst := make([]T, s.Rows*s.Left), make([]T, s.Rows*s.Right), NewMatrix(make([]T, s.Left*s.Right), s.Right, s.Left)
	for i := range x {
		x[i] = T(r.IntN(511) - 255)
	}
	for i := range y {
		y[i] = T(r.IntN(511) - 255)
	}
	for workers := 1; workers <= 2; workers++ {
		b.Run(fmt.Sprintf("%s/%v/%d", name, available, workers), func(b *testing.B) {
			for b.Loop() {
				gemmChecked(available, workers, dst, 1, NewMatrix(y, s.Rows, s.Right).Transposed(), NewMatrix(x, s.Rows, s.Left), 1)
			}
			reportProducts(b, s)
		})
	}
}

// TestAddProductIntKeepsItsMemory holds that calls reuse what earlier ones packed into. A collection in
// between may take it away, hence the average.
func TestAddProductIntKeepsItsMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("NOT RUN: the race detector drops what is kept at random")
	}
	c := anyWholeCase(rand.New(rand.NewPCG(31, 2)), IntShape{Rows: 64, Left: 100, Right: 100, Group: 255})
	if n := testing.AllocsPerRun(50, func() { AddProductInt(c.before, c.a, c.b, c.s) }); n > 0 {
		t.Errorf("%v allocations a call, want 0", n)
	}
}

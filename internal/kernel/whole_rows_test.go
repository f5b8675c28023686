package kernel

import (
	"math/rand/v2"
	"testing"
)

// TestRowsOfWhole compares sums of products and of squares of many rows with plain loops: at every length to
// 100 and longer ones, where the callers turn to other kernels too, with entries at the ends of their range,
// -32768 among those of rows.
func TestRowsOfWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 2))
	lengths := []int{127, 128, 784, 4095, 4096, 4097, 4160}
	for dim := range 101 {
		lengths = append(lengths, dim)
	}
	for _, dim := range append(lengths, 1<<16-2, 1<<16, 1<<16+2, 1<<17-2, 1<<17, 1<<17+2) {
		rows, offset := 1+r.IntN(9), r.IntN(17)
		if dim > 1<<15 {
			rows = 5
		}
		short, bytes, m := make([]int16, offset+rows*dim)[offset:], make([]uint8, offset+rows*dim)[offset:], make([]int16, dim+3)
		for j := range short {
			short[j], bytes[j] = anyEntry16(r), uint8(r.Uint32())
			if r.IntN(3) == 0 {
				short[j], bytes[j] = -32768, 255
			}
		}
		for j := range m {
			if m[j] = anyEntry16(r); r.IntN(2) == 0 {
				m[j] = 32767
			}
		}
		if dim%2 == 0 { // as large as sums can be
			for j := range short {
				short[j], bytes[j] = -32768, 255
			}
			for j := range m {
				m[j] = 32767
			}
		}
		checkRowsOfWhole(t, short, dim, rows, m)
		checkRowsOfWhole(t, bytes, dim, rows, m)
	}
	DotRows([]int64{}, []int16{}, 5, make([]int16, 5))
	SquareRows([]int64{}, []uint8{}, 5)
}

func checkRowsOfWhole[T IntEntry](t *testing.T, x []T, dim, rows int, m []int16) {
	t.Helper()
	eachSet(t, func(t *testing.T, set instructions) {
		dots, squares := make([]int64, rows), make([]int64, rows)
		for i := range dots {
			dots[i], squares[i] = -1, -1
		}
		dotRows(set, dots, x, dim, m)
		squareRows(set, squares, x, dim)
		for i := range rows {
			var dot, square int64
			for j, v := range x[i*dim : (i+1)*dim] {
				dot += int64(v) * int64(m[j])
				square += int64(v) * int64(v)
			}
			if dots[i] != dot || squares[i] != square {
				t.Fatalf("row %d of %d of %d entries: product %d and squares %d, want %d and %d", i, rows, dim, dots[i], squares[i], dot, square)
			}
		}
	})
}

// TestRowsOfWholeRefuseOtherLengths holds that shapes that do not fit panic.
func TestRowsOfWholeRefuseOtherLengths(t *testing.T) {
	for name, call := range map[string]func(){
		"rows":         func() { DotRows(make([]int64, 2), make([]int16, 7), 3, make([]int16, 3)) },
		"m":            func() { DotRows(make([]int64, 2), make([]int16, 6), 3, make([]int16, 2)) },
		"squares":      func() { SquareRows(make([]int64, 2), make([]uint8, 7), 3) },
		"squares, dim": func() { SquareRows(make([]int64, 2), make([]uint8, 7), -3) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

func BenchmarkRowsOfWhole(b *testing.B) {
	const bytes = 1 << 17
	for _, dim := range []int{100, 784} {
		x, y, m := make([]int16, bytes/2/dim*dim), make([]uint8, bytes/dim*dim), make([]int16, dim)
		short, long := make([]int64, len(x)/dim), make([]int64, len(y)/dim)
		for name, run := range map[string]func(){
			"dot/int16": func() { DotRows(short, x, dim, m) }, "dot/uint8": func() { DotRows(long, y, dim, m) },
			"square/int16": func() { SquareRows(short, x, dim) }, "square/uint8": func() { SquareRows(long, y, dim) },
		} {
			b.Run(name+"/"+map[int]string{100: "100", 784: "784"}[dim], func(b *testing.B) {
				b.SetBytes(bytes)
				for b.Loop() {
					run()
				}
			})
		}
	}
}

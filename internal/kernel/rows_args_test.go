package kernel

import (
	"slices"
	"testing"
)

// TestRowFunctionsRefuseWrongLengths holds that a call with lengths that do not agree
// panics before it writes anything.
func TestRowFunctionsRefuseWrongLengths(t *testing.T) {
	const rows, dim, columns = 9, 70, 3
	x, bytes, bits := slices.Repeat([]float32{1}, rows*dim), slices.Repeat([]uint8{1}, rows*dim), slices.Repeat([]uint64{3}, rows*2)
	w, q := slices.Repeat([]float32{1}, columns*dim), slices.Repeat([]float64{1}, rows*columns)
	dst, sum := make([]float32, columns*dim), make([]float64, columns*dim)
	integers := make([]int64, columns*dim)
	const products = rows * columns
	sums, nothing := dst[products:products+dim], func([]float32, int) {}
	calls := map[string]func(){
		"Margins, x short":              func() { Margins(dst[:products], x[1:], dim, w, columns) },
		"Margins, x long":               func() { Margins(dst[:products-columns], x, dim, w, columns) },
		"Margins, w short":              func() { Margins(dst[:products], x, dim, w[1:], columns) },
		"Margins, dst not whole":        func() { Margins(dst[:products-1], x, dim, w, columns) },
		"Margins, dst one too long":     func() { Margins(dst[:products+1], x, dim, w, columns) },
		"Margins, no columns":           func() { Margins(dst[:products], x, dim, nil, 0) },
		"Margins, negative dim":         func() { Margins(dst[:products], []uint8(nil), -1, nil, columns) },
		"MarginsBits, x short":          func() { MarginsBits(dst[:products], bits[1:], dim, w, columns) },
		"MarginsBits, w short":          func() { MarginsBits(dst[:products], bits, dim, w[1:], columns) },
		"AddWhole, x short":             func() { AddInt(sum, bytes[1:], dim, q, columns) },
		"AddWhole, dst short":           func() { AddInt(sum[1:], bytes, dim, q, columns) },
		"AddWhole, q not whole":         func() { AddInt(sum, bytes, dim, q[1:], columns) },
		"AddWholeBits, x short":         func() { AddIntBits(sum, bits[1:], dim, q, columns) },
		"AddWholeBits, dst short":       func() { AddIntBits(sum[1:], bits, dim, q, columns) },
		"AddScaledRows, x short":        func() { AddScaledRows(dst, x[1:], dim, w[:products], columns) },
		"AddScaledRows, dst short":      func() { AddScaledRows(dst[1:], x, dim, w[:products], columns) },
		"AddRowsByMargin, x short":      func() { AddRowsByMargin(sums, x[1:], dim, w[:dim], dst[:rows], nothing) },
		"AddRowsByMargin, w long":       func() { AddRowsByMargin(sums, x, dim, w, dst[:rows], nothing) },
		"AddRowsByMargin, dst short":    func() { AddRowsByMargin(sums[1:], x, dim, w[:dim], dst[:rows], nothing) },
		"AddRowsByMargin, negative dim": func() { AddRowsByMargin(sums, nil, -1, w[:dim], nil, nothing) },
		"FlushWhole, dst short":         func() { FlushInt(integers[:products-1:products-1], q) },
		"MarginsSparse, start short":    func() { MarginsSparse(dst[:4], SparseRows{Start: []int{0, 1}, Index: []uint32{1}}, w, 2) },
		"MarginsSparse, index beyond":   func() { MarginsSparse(dst[:2], SparseRows{Start: []int{0, 1, 2}, Index: []uint32{1, 210}}, w, 1) },
		"MarginsSparse, no such entry":  func() { MarginsSparse(dst[:2], SparseRows{Start: []int{0, 1, 2}, Index: []uint32{1}}, w, 1) },
		"MarginsSparse, start descends": func() { MarginsSparse(dst[:2], SparseRows{Start: []int{0, 1, 0}, Index: []uint32{1}}, w, 1) },
		"MarginsSparse, start negative": func() { MarginsSparse(dst[:2], SparseRows{Start: []int{-1, 1, 1}, Index: []uint32{1}}, w, 1) },
		"MarginsSparse, value short": func() {
			MarginsSparse(dst[:1], SparseRows{Start: []int{0, 2}, Index: []uint32{1, 2}, Value: []int16{1}}, w, 1)
		},
		"AddWholeSparse, index beyond": func() { AddIntSparse(sum, SparseRows{Start: []int{0, 1, 2}, Index: []uint32{1, 70}}, q[:6], 3) },
	}
	for name, call := range calls {
		panicked := func() (panicked bool) {
			defer func() { panicked = recover() != nil }()
			call()
			return
		}()
		written := slices.ContainsFunc(dst, func(v float32) bool { return v != 0 }) ||
			slices.ContainsFunc(sum, func(v float64) bool { return v != 0 }) ||
			slices.ContainsFunc(integers, func(v int64) bool { return v != 0 })
		if !panicked || written {
			t.Fatalf("%s: panicked %v, written %v, want a panic before anything is written", name, panicked, written)
		}
	}
}

// TestRowFunctionsTakeNothing holds that no rows and rows without entries are in order.
func TestRowFunctionsTakeNothing(t *testing.T) {
	Margins(nil, []int16{}, 5, make([]float32, 10), 2)
	AddInt(make([]float64, 10), []uint8{}, 5, nil, 2)
	AddInt(nil, []uint8{}, 0, make([]float64, 4), 2)
	AddIntBits(nil, nil, 0, make([]float64, 4), 2)
	AddScaledRows(nil, []float32{}, 0, make([]float32, 4), 2)
	MarginsSparse(nil, SparseRows{}, nil, 1)
	FlushInt(nil, nil)
	AddRowsByMargin(make([]float32, 5), nil, 5, make([]float32, 5), nil, nil)
	dst := []float32{1, 2}
	Margins(dst, []float32{}, 0, nil, 1)
	MarginsBits(dst[1:], nil, 0, nil, 1)
	if dst[0] != 0 || dst[1] != 0 {
		t.Errorf("products of rows without entries: got %v, want zeros", dst)
	}
}

// TestRowFunctionsDoNotAllocate holds that a step makes no garbage.
func TestRowFunctionsDoNotAllocate(t *testing.T) {
	const rows, dim, columns = 9, 75, 3
	x, bits := make([]uint8, rows*dim), make([]uint64, rows*2)
	w, q := make([]float32, columns*dim), make([]float64, rows*columns)
	dst, sum := make([]float32, rows*columns), make([]float64, columns*dim)
	if n := testing.AllocsPerRun(10, func() {
		Margins(dst, x, dim, w, columns)
		MarginsBits(dst, bits, dim, w, columns)
		AddInt(sum, x, dim, q, columns)
		AddIntBits(sum, bits, dim, q, columns)
		AddScaledRows(w, x, dim, dst, columns)
	}); n != 0 {
		t.Errorf("a step allocated %v times, want 0", n)
	}
}

// TestHugePagesChangesNothing holds that the advice leaves long and short slices as they
// are.
func TestHugePagesChangesNothing(t *testing.T) {
	for _, n := range []int{0, 1, 1 << 19, 3<<19 + 5, 1 << 21} {
		s := make([]float32, n)
		for j := 0; j < n; j += 1000 {
			s[j] = float32(j)
		}
		HugePages(s)
		for j, v := range s {
			if want := float32(j) * float32(min(1, 1-min(1, j%1000))); v != want {
				t.Fatalf("%d numbers: number %d is %v, want %v", n, j, v, want)
			}
		}
	}
}

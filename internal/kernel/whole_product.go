package kernel

import (
	"fmt"
	"runtime"

	"github.com/ditherml/dither/internal/parallel"
)

// IntShape is the shape of a sum of outer products of rows of integers.
type IntShape struct {
	// Rows is the number of rows of a and b.
	Rows int
	// Left is the length of a row of a, and Right the length of a row of b.
	Left, Right int
	// Group is a number of rows, at least 1, whose sums fit in 32 bits. Take any entry of the
	// result and at most Group consecutive rows: the sum of their products is at least -2^31 and
	// less than 2^31. The caller ensures this. It holds if every product has a magnitude of at most
	// (2^31-1)/Group. A larger Group is faster, up to 256.
	Group int
}

// AddProductInt adds the sum of outer products of rows of b and of a to dst, exactly: dst[j·Left+k]
// += Σ_i b[i·Right+j]·a[i·Left+k]. a has shape Rows × Left, b has shape Rows × Right, and dst has
// shape Right × Left, all of them row after row. Every entry may have any value.
//
// Sums of a few rows are taken modulo 2^32, then added to dst modulo 2^64. This is exact if Group
// meets the condition in its comment and no entry of dst exceeds 64 bits. With another Group the
// error of an entry is 0 or a multiple of 2^32, depending on the processor; nothing else happens.
// An exact result has the same bits everywhere.
//
// The call panics, and writes nothing, if a length does not match the shape or a number of the
// shape is negative. The same holds if Group is below 1. The result must not overlap a or b; a and
// b may be the same.
//
// It runs on the caller's processor only.
func AddProductInt(dst []int64, a, b []int16, s IntShape) {
	addProductWhole(available, 1, dst, a, b, s)
}

// AddProductIntParallel is AddProductInt on several processors, if the product is large enough for
// that to pay off. The result is the same.
func AddProductIntParallel(dst []int64, a, b []int16, s IntShape) {
	addProductWhole(available, 0, dst, a, b, s)
}

// addProductWhole is AddProductInt with a set of instructions that the processor has, by the given
// number of workers. 0 workers means the number that pays off.
func addProductWhole(set instructions, workers int, dst []int64, a, b []int16, s IntShape) {
	s.check(len(dst), len(a), len(b))
	if s.Rows == 0 || s.Left == 0 || s.Right == 0 {
		return
	}
	if workers == 0 {
		products := float64(s.Rows) * float64(s.Left) * float64(s.Right)
		workers = int(min(products/wholeShare, float64(runtime.GOMAXPROCS(0))))
	}
	const unit = 32 // columns of a tile
	if parts := min(workers, s.Left/unit); parts > 1 {
		addProductParts(set, parts, unit, dst, a, b, s)
		return
	}
	addProductPart(set, dst, a, b, s, [2]int{0, s.Left})
}

// addProductParts computes parts of the columns of a, each on a processor of its own. Their lengths
// are multiples of unit, except the last.
func addProductParts(set instructions, parts, unit int, dst []int64, a, b []int16, s IntShape) {
	parallel.Each(parts, func(p int) { addProductPart(set, dst, a, b, s, cut(s.Left, parts, p, unit)) })
}

// wholeShare is the number of products of two numbers that are worth a worker of their own.
const wholeShare = 1 << 23

// addProductPart computes the columns of a from ≤ k < to.
func addProductPart(set instructions, dst []int64, a, b []int16, s IntShape, columns [2]int) {
	if columns[0] < columns[1] && !addProductVector(set, dst, a, b, s, columns) {
		addProductPortable(dst, a, b, s, columns)
	}
}

// check panics unless the lengths match the shape.
func (s IntShape) check(dst, a, b int) {
	if s.Rows < 0 || s.Left < 0 || s.Right < 0 || s.Group < 1 {
		panic(fmt.Sprintf("kernel: AddProductInt: %d rows of %d and of %d in groups of %d, want none negative and a group of at least 1", s.Rows, s.Left, s.Right, s.Group))
	}
	for _, m := range []struct {
		name                  string
		length, rows, columns int
	}{{"dst", dst, s.Right, s.Left}, {"a", a, s.Rows, s.Left}, {"b", b, s.Rows, s.Right}} {
		// The product of rows and columns may overflow an int, the quotient cannot.
		if m.columns == 0 && m.length != 0 || m.columns > 0 && (m.length/m.columns != m.rows || m.length%m.columns != 0) {
			panic(fmt.Sprintf("kernel: AddProductInt: %s has %d entries, want %d × %d", m.name, m.length, m.rows, m.columns))
		}
	}
}

// addProductPortable adds the products of four rows at a time, in 64 bits, so that groups have no
// effect.
func addProductPortable(dst []int64, a, b []int16, s IntShape, columns [2]int) {
	var zeros []int16
	if s.Rows%4 != 0 {
		zeros = make([]int16, max(s.Left, s.Right))
	}
	row := func(x []int16, i, length int) []int16 {
		if i < s.Rows {
			return x[i*length : (i+1)*length]
		}
		return zeros[:length]
	}
	left := func(i int) []int16 { return row(a, i, s.Left)[columns[0]:columns[1]] }
	for i := 0; i < s.Rows; i += 4 {
		a0, a1, a2, a3 := left(i), left(i+1), left(i+2), left(i+3)
		b0, b1, b2, b3 := row(b, i, s.Right), row(b, i+1, s.Right), row(b, i+2, s.Right), row(b, i+3, s.Right)
		for j := range b0 {
			c0, c1, c2, c3 := int64(b0[j]), int64(b1[j]), int64(b2[j]), int64(b3[j])
			if c0|c1|c2|c3 == 0 {
				continue
			}
			sums := dst[j*s.Left+columns[0] : j*s.Left+columns[1]]
			for k := range sums {
				sums[k] += c0*int64(a0[k]) + c1*int64(a1[k]) + c2*int64(a2[k]) + c3*int64(a3[k])
			}
		}
	}
}

package kernel

import "math"

// Entry is the type of an entry of a dense row.
type Entry interface {
	float32 | int16 | uint8
}

// IntEntry is the type of an entry of a dense row of integers.
type IntEntry interface {
	int16 | uint8
}

// lanes is how many partial sums a margin has. It is part of the definition of Margins,
// whatever the width of the registers.
const lanes = 16

// BitWords returns how many words a row of dim packed bits takes: bit j%64 of word j/64
// of the row is entry j.
func BitWords(dim int) int { return (dim + 63) / 64 }

// Margins writes the products of rows and columns to dst: dst[i*columns+k] is
// Σ_j x[i*dim+j]·w[k*dim+j]. The rows of x stand one after another, each dim long; so do
// the columns of w; dst has shape [rows, columns], row-major.
//
// A product has the same bits whatever rows and columns stand next to it, wherever its row stands,
// and on every processor and in every build. It is defined so: partial sum l of 16 starts at +0 and
// adds the products of the entries j ≡ l modulo 16 in ascending j. Every product is rounded to
// float32, and so is every sum; no product is fused with a sum. Then partial sum l adds partial sum
// l+8 for each l below 8, then l+4 for each l below 4, then l+2 for l below 2. The result is
// partial sum 0 plus partial sum 1. Entries that are integers are converted first, which is exact.
//
// The result differs from the exact sum by at most n·u/(1-n·u)·Σ_j |x[j]·w[j]| + dim·2^-149 with
// n = ⌈dim/16⌉+4 and u = 2^-24, when nothing overflows: a product is rounded once, a partial sum
// ⌈dim/16⌉-1 times besides its first and exact addition to zero, and the tree four times. The last
// term is for products below the normal numbers (Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd edition 2002, lemma 3.1). Infinite and NaN entries or weights give what IEEE 754
// says of these operations; which NaN it is may differ.
//
// The lengths decide how many rows there are: the call panics, and writes nothing, unless
// len(dst) is rows·columns, len(x) is rows·dim and len(w) is columns·dim for one number of
// rows. dst must not overlap x or w. With dim = 0 every product is +0.
//
// Whoever goes through a long matrix calls Margins and then AddInt or AddScaledRows for one block
// of consecutive rows after another: blocks of 32 to 128 rows are fastest. Both calls ask for the
// memory after their block while they work. AddRowsByMargin does both in one pass for float32 rows
// and one column.
func Margins[T Entry](dst []float32, x []T, dim int, w []float32, columns int) {
	rows := rowsOf(len(dst), columns)
	wantLength("x", len(x), rows, dim)
	wantLength("w", len(w), columns, dim)
	if rows > 0 {
		margins(available, dst, x, dim, w, columns)
	}
}

// MarginsAlone is Margins for one row, in portable code. It has the same bits.
func MarginsAlone[T Entry](dst []float32, x []T, dim int, w []float32, columns int) {
	wantLength("dst", len(dst), 1, columns)
	wantLength("x", len(x), 1, dim)
	wantLength("w", len(w), columns, dim)
	marginsPortable(dst, x, dim, w, columns)
}

// MarginsBits is Margins for rows of bits, zero or one: each row takes BitWords(dim)
// words of x, and bits beyond dim are ignored. Where a bit is set its weight is added to
// the partial sum; where it is not, nothing is. For finite weights these are the bits
// that Margins gives; an infinite or NaN weight counts only for rows whose bit is set. The
// bound on the error is that of Margins, without the last term and with n less by one.
func MarginsBits(dst []float32, x []uint64, dim int, w []float32, columns int) {
	rows := rowsOf(len(dst), columns)
	wantLength("x", len(x), rows, BitWords(dim))
	wantLength("w", len(w), columns, dim)
	if rows > 0 {
		marginsBits(available, dst, x, dim, w, columns)
	}
}

// MarginsBitsAlone is MarginsBits for one row, in portable code. It has the same bits.
func MarginsBitsAlone(dst []float32, x []uint64, dim int, w []float32, columns int) {
	wantLength("dst", len(dst), 1, columns)
	wantLength("x", len(x), 1, BitWords(dim))
	wantLength("w", len(w), columns, dim)
	marginsBitsPortable(dst, x, dim, w, columns)
}

// AddInt adds sums of rows, weighted by integers, to dst, exactly:
// dst[k*dim+j] += Σ_i q[i*columns+k]·x[i*dim+j]. x has shape [rows, dim] and q has shape
// [rows, columns], both row-major; dst has shape [columns, dim].
//
// dst and q must hold integers, dst no negative zero, and for each entry of dst |dst[k*dim+j]| +
// Σ_i |q[i*columns+k]·x[i*dim+j]| must be at most 2^53. Then every sum on the way is whole and a
// float64, so that the order of the additions is irrelevant: the result is exact, has no negative
// zero, and has the same bits on every processor and in every build. Otherwise the result is not
// specified.
//
// The call panics, and writes nothing, unless len(q) is rows·columns, len(x) is rows·dim
// and len(dst) is columns·dim for one number of rows. dst must not overlap q.
func AddInt[T IntEntry](dst []float64, x []T, dim int, q []float64, columns int) {
	rows := rowsOf(len(q), columns)
	wantLength("x", len(x), rows, dim)
	wantLength("dst", len(dst), columns, dim)
	if rows > 0 && dim > 0 {
		addWhole(available, dst, x, dim, q, columns)
	}
}

// AddIntColumns is AddInt with the integers of each column together: q has shape [columns, rows].
func AddIntColumns[T IntEntry](dst []float64, x []T, dim int, q []float64, columns int) {
	rows := rowsOf(len(q), columns)
	wantLength("x", len(x), rows, dim)
	wantLength("dst", len(dst), columns, dim)
	if rows > 0 && dim > 0 {
		addColumns(available, dst, x, dim, q, columns)
	}
}

// addColumns is AddIntColumns at a level that the processor has; there is at least one row and one entry.
func addColumns[T IntEntry](set instructions, dst []float64, x []T, dim int, q []float64, columns int) {
	rows := len(q) / columns
	done := addColumnLimbs(set, dst, x, dim, q, columns)
	if done == rows {
		return
	}
	left := make([]float64, 0, (rows-done)*columns)
	for i := done; i < rows; i++ {
		for k := range columns {
			left = append(left, q[k*rows+i])
		}
	}
	addWhole(set, dst, x[done*dim:], dim, left, columns)
}

// AddIntBits is AddInt for rows of bits, as MarginsBits has them. Bits beyond dim are
// ignored.
func AddIntBits(dst []float64, x []uint64, dim int, q []float64, columns int) {
	rows := rowsOf(len(q), columns)
	wantLength("x", len(x), rows, BitWords(dim))
	wantLength("dst", len(dst), columns, dim)
	if rows > 0 && dim > 0 {
		addWholeBits(available, dst, x, dim, q, columns)
	}
}

// FlushInt adds src to dst and sets src to zero: dst[j] += int64(src[j]) modulo 2^64. src must hold
// integers of magnitude at most 2^53, dst be at least as long as src. The call panics, and writes
// nothing, when it is shorter.
func FlushInt(dst []int64, src []float64) {
	dst = dst[:len(src)]
	done := flushWhole(available, dst, src)
	flushWholePortable(dst[done:], src[done:])
}

// MaxAbs returns the largest magnitude of float64 numbers, 0 of none; where one is NaN it is one too.
func MaxAbs(q []float64) float64 {
	most, done := largestWhole(available, q)
	for _, v := range q[done:] {
		most = max(most, math.Float64bits(v)&^(1<<63)) // of floats of one sign the bits are in order
	}
	return math.Float64frombits(most)
}

// AddScaledRows adds sums of scaled rows to dst: dst[k*dim+j] += Σ_i
// r[i*columns+k]·x[i*dim+j] in float32, with the shapes and panics of AddInt. The order
// of the additions and whether they are fused with the products depend on the processor,
// so the bits do too: it is for what needs no guarantee. The result differs from the exact
// sum by at most n·u/(1-n·u)·(|dst| + Σ_i |r·x|) with n = rows+1 and u = 2^-24, when
// nothing overflows or falls below the normal numbers.
func AddScaledRows[T Entry](dst []float32, x []T, dim int, r []float32, columns int) {
	rows := rowsOf(len(r), columns)
	wantLength("x", len(x), rows, dim)
	wantLength("dst", len(dst), columns, dim)
	if rows > 0 && dim > 0 {
		addScaledRows(available, dst, x, dim, r, columns)
	}
}

// rowsOf returns how many rows of this many columns a length holds.
func rowsOf(length, columns int) int {
	if columns < 1 || length%columns != 0 {
		panic("kernel: the length is not rows × columns")
	}
	return length / columns
}

// wantLength panics unless a slice holds this many rows of an inner length.
func wantLength(name string, length, rows, inner int) {
	if inner < 0 || length != rows*inner {
		panic("kernel: " + name + " has not the length that the other arguments ask for")
	}
}

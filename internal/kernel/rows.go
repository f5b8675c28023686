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

// lanes is the number of partial sums of a margin. It is part of the definition of Margins,
// whatever the width of the registers.
const lanes = 16

// BitWords returns the number of words of a row of dim packed bits. Bit j%64 of word j/64 of the
// row is entry j.
func BitWords(dim int) int { return (dim + 63) / 64 }

// Margins writes the products of rows and columns to dst: dst[i*columns+k] is Σ_j
// x[i*dim+j]·w[k*dim+j]. The rows of x are stored one after another, each dim long; so are the
// columns of w. dst has shape [rows, columns], row-major.
//
// A product has the same bits whatever other rows and columns there are, wherever its row is, on
// every processor and in every build. Its definition is:
//
//   - Partial sum l of 16 starts at +0 and adds the products of the entries j ≡ l modulo 16 in
//     ascending j.
//   - Every product and every sum is rounded to float32. No product is fused with a sum.
//   - Partial sum l then adds partial sum l+8 for l below 8, l+4 for l below 4, and l+2 for l
//     below 2.
//   - The result is partial sum 0 plus partial sum 1.
//
// Integer entries are converted first, which is exact.
//
// If nothing overflows, the error is at most n·u/(1-n·u)·Σ_j |x[j]·w[j]| + dim·2^-149 with n =
// ⌈dim/16⌉+4 and u = 2^-24. A product is rounded once. A partial sum is rounded ⌈dim/16⌉-1 times
// after its first, exact addition to zero. The final tree rounds four times. The last term is for
// products below the normal numbers (Higham, Accuracy and Stability of Numerical Algorithms, 2nd
// edition 2002, lemma 3.1). Infinite and NaN entries or weights follow IEEE 754; the bits of a NaN
// may differ.
//
// The lengths decide the number of rows. The call panics, and writes nothing, unless len(dst) is
// rows·columns, len(x) is rows·dim and len(w) is columns·dim for one number of rows. dst must not
// overlap x or w. With dim = 0 every product is +0.
//
// A pass through a long matrix calls Margins and then AddInt or AddScaledRows for one block of
// consecutive rows after another. Blocks of 32 to 128 rows are fastest. Both calls prefetch the
// memory after their block. AddRowsByMargin does both in one pass for float32 rows and one column.
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

// MarginsBits is Margins for rows of bits, zero or one. Each row takes BitWords(dim) words of x,
// and bits beyond dim are ignored. A set bit adds its weight to the partial sum; another bit adds
// nothing. For finite weights the result has the bits that Margins gives. An infinite or NaN weight
// counts only for rows whose bit is set. The bound on the error is that of Margins, without the
// last term and with n less by one.
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

// AddInt adds sums of rows, weighted by integers, to dst, exactly: dst[k*dim+j] += Σ_i
// q[i*columns+k]·x[i*dim+j]. x has shape [rows, dim] and q has shape [rows, columns], both
// row-major; dst has shape [columns, dim].
//
// dst and q must hold integers, and dst no negative zero. For each entry of dst, |dst[k*dim+j]| +
// Σ_i |q[i*columns+k]·x[i*dim+j]| must be at most 2^53. Then every intermediate sum is an integer
// in float64, so that the order of the additions is irrelevant. The result is exact, has no
// negative zero, and has the same bits on every processor and in every build. Otherwise the result
// is unspecified.
//
// The call panics, and writes nothing, unless len(q) is rows·columns, len(x) is rows·dim and
// len(dst) is columns·dim for one number of rows. dst must not overlap q.
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

// addColumns is AddIntColumns at a level that the processor has; there is at least one row and one
// entry.
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

// AddIntBits is AddInt for rows of bits in the form of MarginsBits. Bits beyond dim are ignored.
func AddIntBits(dst []float64, x []uint64, dim int, q []float64, columns int) {
	rows := rowsOf(len(q), columns)
	wantLength("x", len(x), rows, BitWords(dim))
	wantLength("dst", len(dst), columns, dim)
	if rows > 0 && dim > 0 {
		addWholeBits(available, dst, x, dim, q, columns)
	}
}

// FlushInt adds src to dst and sets src to zero: dst[j] += int64(src[j]) modulo 2^64. src must hold
// integers of magnitude at most 2^53. dst must be at least as long as src; otherwise the call
// panics and writes nothing.
func FlushInt(dst []int64, src []float64) {
	dst = dst[:len(src)]
	done := flushWhole(available, dst, src)
	flushWholePortable(dst[done:], src[done:])
}

// MaxAbs returns the largest magnitude of float64 numbers, or 0 for none. It returns NaN if a
// number is NaN.
func MaxAbs(q []float64) float64 {
	most, done := largestWhole(available, q)
	for _, v := range q[done:] {
		most = max(most, math.Float64bits(v)&^(1<<63)) // the bits of floats of one sign are ordered
	}
	return math.Float64frombits(most)
}

// AddScaledRows adds sums of scaled rows to dst: dst[k*dim+j] += Σ_i r[i*columns+k]·x[i*dim+j] in
// float32. Shapes and panics are as for AddInt. The order of the additions, and whether they are
// fused with the products, depend on the processor. So do the bits: use it only for results without
// a guarantee. If nothing overflows or falls below the normal numbers, the error is at most
// n·u/(1-n·u)·(|dst| + Σ_i |r·x|) with n = rows+1 and u = 2^-24.
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

//go:build amd64 && !noasm

package linalg

import (
	"math"

	"golang.org/x/sys/cpu"
)

// bytesInLimbs says whether the processor multiplies bytes of four rows at once and adds
// the products up in 32 bits (AVX-512 VNNI). Where it does, AddWhole splits the factors of
// bytes into three or four limbs of 8 bits with sign. A sum of limbs times bytes over few
// enough rows is exact in 32 bits.
var bytesInLimbs = rowsAvailable == avx512 && cpu.X86.HasAVX512VNNI

const (
	// threeLimbs and fourLimbs are the greatest magnitudes of factors in so many limbs, of which
	// the largest is 127.
	threeLimbs = 127 * (1 + 1<<8 + 1<<16)
	fourLimbs  = 127 * (1 + 1<<8 + 1<<16 + 1<<24)

	// limbDim is the shortest row that is worth the effort.
	limbDim = 32

	// limbRows is how many rows the kernels take at most. A limb adds at most 128·255 a row to 32
	// bits, and 2^31 holds far more than that of 128.
	limbRows = 128

	// limbColumns is how many columns are packed at a time.
	limbColumns = 16
)

// limbWords is the room for packed factors: four words for each column of a group of four rows.
type limbWords [limbRows * limbColumns]uint32

// largestWhole returns the largest magnitude of whole numbers; where one is NaN it is one too.
func largestWhole(q []float64) float64 {
	most := uint64(0)
	for _, v := range q {
		most = max(most, math.Float64bits(v)&^(1<<63)) // of floats of one sign the bits are in order
	}
	return math.Float64frombits(most)
}

// limbsOf returns how many limbs factors of rows of a type are split into; 0: they are not.
func limbsOf[T WholeEntry](q []float64, dim int) int {
	if strideOf[T](1) != 1 || !bytesInLimbs || dim < limbDim {
		return 0
	}
	switch largest := largestWhole(q); {
	case largest <= threeLimbs:
		return 3
	case largest <= fourLimbs:
		return 4
	}
	return 0
}

// addLimbs adds as many of the rows, at most limbRows, as make whole groups of four, and returns how many
// they are.
func addLimbs[T WholeEntry](limbs int, dst []float64, entries []T, q []float64, rows, dim, columns, ahead int) (done int) {
	x, bytes := any(entries).([]uint8)
	groups := rows / 4
	if limbs == 0 || !bytes || groups == 0 {
		return 0
	}
	var words limbWords
	for k := 0; k < columns; k += limbColumns {
		count, part := min(limbColumns, columns-k), dst[k*dim:]
		packLimbs(&words, q[k:], groups, columns, count)
		if limbs == 3 {
			addThreeLimbsByteVNNI(&part[0], &x[0], &words[0], groups, dim, count, dim, ahead, lowMask(dim, 64))
		} else {
			addFourLimbsByteVNNI(&part[0], &x[0], &words[0], groups, dim, count, dim, ahead, lowMask(dim, 64))
		}
		ahead = 0
	}
	return 4 * groups
}

// packLimbs splits the factors of groups of four rows: for each group, each of count
// columns and each limb from the lowest it writes one word with the limb of each row.
// Adding 128 in every place makes the limbs digits without sign.
func packLimbs(words *limbWords, q []float64, groups, columns, count int) {
	const bias, even = 0x80808080, 0x00ff00ff
	at := 0
	for g := range groups {
		first := q[4*g*columns:]
		for k := range count {
			a, b := uint32(int64(first[k])+bias)^bias, uint32(int64(first[columns+k])+bias)^bias
			c, d := uint32(int64(first[2*columns+k])+bias)^bias, uint32(int64(first[3*columns+k])+bias)^bias
			even0, even1 := a&even|b&even<<8, c&even|d&even<<8
			odd0, odd1 := a>>8&even|b&^even, c>>8&even|d&^even
			out := words[at : at+4 : at+4]
			out[0], out[1] = even0&0xffff|even1<<16, odd0&0xffff|odd1<<16
			out[2], out[3] = even0>>16|even1&^0xffff, odd0>>16|odd1&^0xffff
			at += 4
		}
	}
}

// What follows adds groups of four rows that are stride bytes apart, at least one group, column and entry,
// whose factors are packed. Bit j of mask is set for each entry j of the last dim%64. While a row is added
// what is ahead of it by so many bytes is fetched.

//go:noescape
func addThreeLimbsByteVNNI(dst *float64, x *uint8, factors *uint32, groups, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func addFourLimbsByteVNNI(dst *float64, x *uint8, factors *uint32, groups, dim, columns, stride, ahead int, mask uint64)

//go:build amd64 && !noasm

package linalg

import (
	"math"

	"golang.org/x/sys/cpu"
)

// bytesInLimbs says whether the processor multiplies bytes of four rows at once and adds
// the products up in 32 bits (AVX-512 VNNI). Where it does, AddWhole splits the factors of
// bytes into four limbs of 8 bits with sign. A sum of limbs times bytes over few enough
// rows is exact in 32 bits.
var bytesInLimbs = rowsAvailable == avx512 && cpu.X86.HasAVX512VNNI

const (
	// limbBound is the greatest magnitude of a factor: 127·(1 + 2^8 + 2^16 + 2^24).
	limbBound = 0x7f7f7f7f

	// limbDim is the shortest row that is worth the effort.
	limbDim = 32

	// limbRows is how many rows the kernel takes at most. A limb and the next, which counts
	// for 2^8, add at most 128·255·(1 + 2^8) a row to 32 bits, and 2^31 holds that of 255.
	limbRows = 128

	// limbColumns is how many columns are packed at a time.
	limbColumns = 16
)

// limbWords is the room for packed factors.
type limbWords [limbRows * limbColumns]uint32

// fitsLimbs reports whether no factor is beyond limbBound.
func fitsLimbs(q []float64) bool {
	for _, v := range q {
		if !(math.Abs(v) <= limbBound) {
			return false
		}
	}
	return true
}

// addLimbs adds groups of four rows, at most limbRows rows and at least one group, whose
// factors fit.
func addLimbs(dst []float64, x []uint8, q []float64, groups, dim, columns, ahead int) {
	var words limbWords
	for k := 0; k < columns; k += limbColumns {
		count, part := min(limbColumns, columns-k), dst[k*dim:]
		packLimbs(&words, q[k:], groups, columns, count)
		addLimbsByteVNNI(&part[0], &x[0], &words[0], groups, dim, count, dim, ahead, lowMask(dim, 64))
		ahead = 0
	}
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

// addLimbsByteVNNI adds groups of four rows that are stride bytes apart, at least one
// group, column and entry, whose factors are packed. Bit j of mask is set for each entry j
// of the last dim%64. While a row is added what is ahead of it by so many bytes is fetched.
//
//go:noescape
func addLimbsByteVNNI(dst *float64, x *uint8, factors *uint32, groups, dim, columns, stride, ahead int, mask uint64)

//go:build amd64 && !noasm

package kernel

import "sync"

const (
	// twoLimbs, threeLimbs and fourLimbs are the greatest magnitudes of factors in this number of
	// limbs. The largest limb is 127.
	twoLimbs   = 127 * (1 + 1<<8)
	threeLimbs = 127 * (1 + 1<<8 + 1<<16)
	fourLimbs  = 127 * (1 + 1<<8 + 1<<16 + 1<<24)

	// limbDim is the shortest row for which limbs pay off.
	limbDim = 32

	// limbRows bounds the rows that the kernels take. Two limbs together add at most (128 +
	// 128·2^8)·255 a row to 32 bits, and 2^31 holds the sum of 256 rows.
	limbRows = 192

	// limbColumns is the number of columns that are packed at a time. It is a multiple of the tiles
	// of all kernels, and exceeds the columns of many models.
	limbColumns = 36
)

// packedFactors is the memory of packed factors, four words for each column of a group of four
// rows. It is also the memory of the rows of a strip in the order of the kernels.
type packedFactors struct {
	words [limbGroups*limbColumns*4 + 7*4]uint32 // eight columns are written at a time
	room  [limbGroups * 256]uint8
}

// limbGroups bounds the groups of rows that the kernels take. A group has four rows of bytes or two
// rows of 16 bits.
const limbGroups = max(limbRows/4, shortLimbRows/2, fineLimbRows/2)

// packedRooms holds *packedFactors, which are filled before they are read.
var packedRooms = sync.Pool{New: func() any { return new(packedFactors) }}

// mostLimbRows returns the largest number of rows of a type that are added in limbs. 0 means that
// none are. From AVX-512 VNNI on, the processor multiplies bytes of four rows, or 16 bits of two,
// at once. It adds the products up in 32 bits. AddInt then splits the factors of bytes into two to
// four limbs of 8 signed bits. It splits factors of 16 bits into one to three limbs of 10 bits. A
// sum of limbs times entries over few enough rows is exact in 32 bits.
func mostLimbRows[T IntEntry](set instructions, dim int) int {
	switch {
	case set < avx512VNNI || dim < limbDim:
		return 0
	case strideOf[T](1) == 1:
		return limbRows
	}
	return shortLimbRows
}

// limbsOf returns the number of limbs of factors up to a magnitude. 0 means that they are not
// split.
func limbsOf(largest float64) int {
	switch {
	case largest <= twoLimbs:
		return 2
	case largest <= threeLimbs:
		return 3
	case largest <= fourLimbs:
		return 4
	}
	return 0
}

// addLimbs adds the rows that form whole groups, at most mostLimbRows, and returns their number. It
// adds none if a factor is too large.
func addLimbs[T IntEntry](dst []float64, x []T, q []float64, rows, dim, columns, ahead int) (done int) {
	switch x := any(x).(type) {
	case []uint8:
		return addByteLimbs(dst, x, q, rows, dim, columns, ahead)
	case []int16:
		return addShortLimbs(dst, x, q, rows, dim, columns, ahead)
	}
	return 0
}

// addByteLimbs is addLimbs for bytes.
func addByteLimbs(dst []float64, x []uint8, q []float64, rows, dim, columns, ahead int) (done int) {
	groups := rows / 4
	if groups == 0 {
		return 0
	}
	if columns == 1 {
		var words [limbRows]uint32
		limbs := limbsOf(MaxAbs(q[:4*groups]))
		if limbs == 0 {
			return 0
		}
		rows := recordsOf(avx512VNNI, 4*groups)
		if rows > 0 {
			packOneByteAVX512(&words[0], &q[0], rows)
		}
		packLimbs(words[rows:], q[rows:], groups-rows/4, 1, 1) // the others
		addLimbsByte(limbs, dst, x, words[:], nil, groups, dim, 1, ahead)
		return 4 * groups
	}
	if columns > limbColumns && limbsOf(MaxAbs(q[:4*groups*columns])) == 0 {
		return 0
	}
	packed := packedRooms.Get().(*packedFactors)
	defer packedRooms.Put(packed)
	for k := 0; k < columns; k += limbColumns {
		count := min(limbColumns, columns-k)
		largest := packLimbsAVX512(&packed.words[0], &q[k], groups, columns, count, 1<<((count-1)%8+1)-1)
		limbs := limbsOf(float64(largest))
		if limbs == 0 {
			return 0 // only of the first columns, because the others were checked
		}
		addLimbsByte(limbs, dst[k*dim:], x, packed.words[:], &packed.room[0], groups, dim, count, ahead)
		ahead = 0
	}
	return 4 * groups
}

// addLimbsByte adds rows whose factors are packed. For one column room is unused.
func addLimbsByte(limbs int, dst []float64, x []uint8, words []uint32, room *uint8, groups, dim, columns, ahead int) {
	mask := lowMask(dim, 64)
	switch limbs {
	case 2:
		addTwoLimbsByteVNNI(&dst[0], &x[0], &words[0], room, groups, dim, columns, dim, ahead, mask)
	case 3:
		addThreeLimbsByteVNNI(&dst[0], &x[0], &words[0], room, groups, dim, columns, dim, ahead, mask)
	case 4:
		addFourLimbsByteVNNI(&dst[0], &x[0], &words[0], room, groups, dim, columns, dim, ahead, mask)
	}
}

// packLimbs splits the factors of groups of four rows. For each group, each of count columns and
// each limb from the lowest, it writes one word with the limb of each row. Adding 128 in every
// place turns the limbs into unsigned digits.
func packLimbs(words []uint32, q []float64, groups, columns, count int) {
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

// packOneByteAVX512 is packLimbs for one column and a positive multiple of 16 rows.
//
//go:noescape
func packOneByteAVX512(words *uint32, q *float64, n int)

// packLimbsAVX512 is packLimbs for any factors. It writes up to seven columns after the last. It
// returns the largest magnitude, or 2^31 if a magnitude is larger or NaN. Bit k of mask is set for
// each of the last columns, at most eight.
//
//go:noescape
func packLimbsAVX512(words *uint32, q *float64, groups, columns, count int, mask uint64) (largest uint32)

// The next functions add groups of four rows that are stride bytes apart, at least one group,
// column and entry, whose factors are packed. Room has 256 bytes for each group, if there is more
// than one column. Bit j of mask is set for each entry j of the last dim%64. While a row is added,
// the memory ahead bytes after it is prefetched.

//go:noescape
func addTwoLimbsByteVNNI(dst *float64, x *uint8, factors *uint32, room *uint8, groups, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func addThreeLimbsByteVNNI(dst *float64, x *uint8, factors *uint32, room *uint8, groups, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func addFourLimbsByteVNNI(dst *float64, x *uint8, factors *uint32, room *uint8, groups, dim, columns, stride, ahead int, mask uint64)

//go:build amd64 && !noasm

package kernel

import "sync"

const (
	// twoLimbs, threeLimbs and fourLimbs are the greatest magnitudes of factors in this many limbs.
	// The largest limb is 127.
	twoLimbs   = 127 * (1 + 1<<8)
	threeLimbs = 127 * (1 + 1<<8 + 1<<16)
	fourLimbs  = 127 * (1 + 1<<8 + 1<<16 + 1<<24)

	// limbDim is the shortest row that is worth the effort.
	limbDim = 32

	// limbRows is how many rows the kernels take at most. Two limbs together add at most (128 + 128·2^8)·255 a row
	// to 32 bits, and 2^31 holds that of 256.
	limbRows = 192

	// limbColumns is how many columns are packed at a time: a multiple of the tiles of all kernels, and more than
	// many models have.
	limbColumns = 36
)

// packedFactors is the room for packed factors, four words for each column of a group of four rows.
// It is also the room for the rows of a strip in the order that kernels multiply in.
type packedFactors struct {
	words [limbGroups*limbColumns*4 + 7*4]uint32 // eight columns are written at a time
	room  [limbGroups * 256]uint8
}

// limbGroups is how many groups of rows the kernels take at most: four rows of bytes are one, or two of 16 bits.
const limbGroups = max(limbRows/4, shortLimbRows/2, fineLimbRows/2)

// packedRooms holds *packedFactors, which are filled before they are read.
var packedRooms = sync.Pool{New: func() any { return new(packedFactors) }}

// mostLimbRows returns how many rows of a type are added in limbs at most; 0: none are. From AVX-512 VNNI on the
// processor multiplies bytes of four rows, or 16 bits of two, at once and adds the products up in 32 bits. AddInt
// splits the factors of bytes into two to four limbs of 8 bits with sign there, and those of 16 bits into one to three
// of 10 bits. A sum of limbs times entries over few enough rows is exact in 32 bits.
func mostLimbRows[T IntEntry](set instructions, dim int) int {
	switch {
	case set < avx512VNNI || dim < limbDim:
		return 0
	case strideOf[T](1) == 1:
		return limbRows
	}
	return shortLimbRows
}

// limbsOf returns how many limbs factors of up to a magnitude are split into; 0: they are not.
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

// addLimbs adds as many of the rows, at most mostLimbRows, as make whole groups, and returns how
// many they are. None if a factor is too large.
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
			return 0 // of the first columns: others were looked at
		}
		addLimbsByte(limbs, dst[k*dim:], x, packed.words[:], &packed.room[0], groups, dim, count, ahead)
		ahead = 0
	}
	return 4 * groups
}

// addLimbsByte adds rows whose factors are packed; of one column there is no room.
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

// packLimbs splits the factors of groups of four rows: for each group, each of count
// columns and each limb from the lowest it writes one word with the limb of each row.
// Adding 128 in every place makes the limbs digits without sign.
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

// packLimbsAVX512 is packLimbs for any factors. It writes up to seven columns after the last, and
// returns the largest magnitude, or 2^31 where one is larger or NaN. Bit k of mask is set for each
// of the last columns, at most eight.
//
//go:noescape
func packLimbsAVX512(words *uint32, q *float64, groups, columns, count int, mask uint64) (largest uint32)

// What follows adds groups of four rows that are stride bytes apart, at least one group, column and
// entry, whose factors are packed. Room has 256 bytes for each group, if there is more than one
// column. Bit j of mask is set for each entry j of the last dim%64. While a row is added what is
// ahead of it by this many bytes is fetched.

//go:noescape
func addTwoLimbsByteVNNI(dst *float64, x *uint8, factors *uint32, room *uint8, groups, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func addThreeLimbsByteVNNI(dst *float64, x *uint8, factors *uint32, room *uint8, groups, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func addFourLimbsByteVNNI(dst *float64, x *uint8, factors *uint32, room *uint8, groups, dim, columns, stride, ahead int, mask uint64)

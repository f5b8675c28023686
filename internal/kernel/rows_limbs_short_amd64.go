//go:build amd64 && !noasm

package kernel

const (
	// shortLimbBits is the number of bits of a limb of a factor of 16-bit rows.
	shortLimbBits = 10

	// shortLimb is the greatest limb of factors. The greatest factors of one, two or three limbs
	// are oneShortLimb, ….
	shortLimb       = 1<<(shortLimbBits-1) - 1
	oneShortLimb    = shortLimb
	twoShortLimbs   = shortLimb * (1 + 1<<shortLimbBits)
	threeShortLimbs = shortLimb * (1 + 1<<shortLimbBits + 1<<(2*shortLimbBits))

	// shortLimbRows bounds the rows that the kernels take. A limb adds at most 2^9·2^15 a row to 32
	// bits, and 2^31 exceeds the sum of 120 rows.
	shortLimbRows = 120

	// fineLimbBits is the number of bits of limbs if limbs this short hold all factors of several
	// columns. One adds at most 2^8·2^15 a row, and 2^31 exceeds the sum of fineLimbRows rows.
	fineLimbBits, fineLimb = 9, 1<<(fineLimbBits-1) - 1
	twoFineLimbs           = fineLimb * (1 + 1<<fineLimbBits)
	fineLimbRows           = 160
)

// shortLimbsOf returns the number of limbs of factors up to a magnitude. 0 means that they are not
// split, because float64 is as fast for this number of columns.
func shortLimbsOf(largest float64, columns int) int {
	switch {
	case largest <= oneShortLimb:
		return 1
	case largest <= twoShortLimbs:
		return 2
	case largest <= threeShortLimbs && columns <= 2:
		return 3
	}
	return 0
}

// addShortLimbs is addLimbs for rows of 16 bits.
func addShortLimbs(dst []float64, x []int16, q []float64, rows, dim, columns, ahead int) (done int) {
	groups := rows / 2
	limbs := shortLimbsOf(MaxAbs(q[:2*groups*columns]), columns)
	if groups == 0 || limbs == 0 {
		return 0
	}
	if columns == 1 {
		var words [2 * shortLimbRows]uint32
		rows := recordsOf(avx512VNNI, 2*groups)
		if rows > 0 {
			packOneShortAVX512(&words[0], &q[0], rows)
		}
		packShortLimbs(words[2*rows:], q[rows:], groups-rows/2, factorSteps{row: 1}, 1, limbs, shortLimbBits) // the others
		addLimbsShort(limbs, shortLimbBits, dst, x, words[:], nil, groups, dim, 1, ahead)
		return 2 * groups
	}
	packed := packedRooms.Get().(*packedFactors)
	defer packedRooms.Put(packed)
	for k := 0; k < columns; k += limbColumns {
		count := min(limbColumns, columns-k)
		packShortLimbs(packed.words[:], q[k:], groups, factorSteps{row: columns, column: 1}, count, limbs, shortLimbBits)
		addLimbsShort(limbs, shortLimbBits, dst[k*dim:], x, packed.words[:], &packed.room[0], groups, dim, count, ahead)
		ahead = 0
	}
	return 2 * groups
}

// factorSteps are the distances of factors of neighboring rows and columns.
type factorSteps struct{ row, column int }

// packShortLimbs splits the factors of groups of two rows. For each group and each of count columns
// it writes four words. Each limb of this number of bits has one word, from the lowest on, with the
// limb of each row.
func packShortLimbs(words []uint32, q []float64, groups int, apart factorSteps, count, limbs, bits int) {
	half, all := int32(1)<<(bits-1), int32(1)<<bits-1
	at := 0
	for g := range groups {
		first, second := q[2*g*apart.row:], q[(2*g+1)*apart.row:]
		for k := range count {
			a, b := int32(first[k*apart.column]), int32(second[k*apart.column])
			out := words[at : at+4 : at+4]
			for l := range limbs - 1 {
				lowA, lowB := (a+half)&all-half, (b+half)&all-half
				out[l] = uint32(uint16(lowA)) | uint32(uint16(lowB))<<16
				a, b = (a-lowA)>>bits, (b-lowB)>>bits
			}
			out[limbs-1] = uint32(uint16(a)) | uint32(uint16(b))<<16
			at += 4
		}
	}
}

// packOneShortAVX512 is packShortLimbs for one column, three limbs and a positive multiple of 16
// rows. A factor of fewer limbs uses the first of them.
//
//go:noescape
func packOneShortAVX512(words *uint32, q *float64, n int)

// addLimbsShort adds rows whose factors are packed in limbs of this number of bits. For one column
// room is unused.
func addLimbsShort(limbs, bits int, dst []float64, x []int16, words []uint32, room *uint8, groups, dim, columns, ahead int) {
	mask, base := lowMask(dim, 64), float64(int(1)<<bits)
	switch limbs {
	case 1:
		addOneLimbShortVNNI(&dst[0], &x[0], &words[0], room, groups, dim, columns, 2*dim, ahead, mask, base)
	case 2:
		addTwoLimbsShortVNNI(&dst[0], &x[0], &words[0], room, groups, dim, columns, 2*dim, ahead, mask, base)
	case 3:
		addThreeLimbsShortVNNI(&dst[0], &x[0], &words[0], room, groups, dim, columns, 2*dim, ahead, mask, base)
	}
}

// The next functions add groups of two rows as the kernels of bytes do. A limb counts for base
// times the one below it.

//go:noescape
func addOneLimbShortVNNI(dst *float64, x *int16, factors *uint32, room *uint8, groups, dim, columns, stride, ahead int, mask uint64, base float64)

//go:noescape
func addTwoLimbsShortVNNI(dst *float64, x *int16, factors *uint32, room *uint8, groups, dim, columns, stride, ahead int, mask uint64, base float64)

//go:noescape
func addThreeLimbsShortVNNI(dst *float64, x *int16, factors *uint32, room *uint8, groups, dim, columns, stride, ahead int, mask uint64, base float64)

//go:build amd64 && !noasm

package kernel

import "math"

// addColumnLimbs adds rows in limbs whose factors are stored column after column. It adds the first
// rows that form whole groups and returns their number. It adds none if rows are too short or a
// factor is too large.
func addColumnLimbs[T IntEntry](set instructions, dst []float64, x []T, dim int, q []float64, columns int) (done int) {
	most := mostLimbRows[T](set, dim)
	if most == 0 {
		return 0
	}
	stride, rows := strideOf[T](dim), len(q)/columns
	f := columnFactors{q: q, rows: rows, columns: columns, bits: shortLimbBits}
	if most = min(most, blockRows(stride)); strideOf[T](1) == 2 || columns > limbColumns { // else packing detects it
		largest := MaxAbs(q)
		if f.limbs = limbsFor[T](largest, columns); f.limbs == 0 {
			return 0
		}
		if strideOf[T](1) == 2 && columns >= spreadColumns && largest <= twoFineLimbs {
			f.limbs, f.bits, most = 2, fineLimbBits, fineLimbRows
		}
	} else if columns >= spreadColumns {
		most = mostByteRows
	}
	if most = evenRows(rows, most); columns < spreadColumns {
		f.ahead = aheadOf(x, rows, most, stride) // else products prefetched it
	}
	for done < rows {
		n := min(rows-done, most)
		f.q = q[done:]
		added := 0
		switch x := any(x[done*dim:]).(type) {
		case []uint8:
			added = f.addBytes(dst, x, n, dim)
		case []int16:
			added = f.addShorts(dst, x, n, dim)
		}
		if done += added; added < n {
			break
		}
	}
	return done
}

// limbsFor returns the number of limbs of factors for a type of rows. 0 means that they are not
// split.
func limbsFor[T IntEntry](largest float64, columns int) int {
	if strideOf[T](1) == 1 {
		return limbsOf(largest)
	}
	return shortLimbsOf(largest, columns)
}

// columnFactors are factors of columns that are rows numbers apart, in this number of limbs. For
// bytes, 0 means the number that the largest factor needs. Limbs of 16-bit rows have this number of
// bits.
type columnFactors struct {
	q                                 []float64
	rows, columns, limbs, bits, ahead int
}

// mostByteRows bounds the rows of bytes that are packed at a time.
const mostByteRows = 4 * limbGroups

// addBytes adds the rows out of n that form whole groups, and returns their number.
func (f columnFactors) addBytes(dst []float64, x []uint8, n, dim int) (done int) {
	groups := n / 4
	if groups == 0 {
		return 0
	}
	packed := packedRooms.Get().(*packedFactors)
	defer packedRooms.Put(packed)
	ahead := f.ahead // with the first columns
	for k := 0; k < f.columns; k += limbColumns {
		count := min(limbColumns, f.columns-k)
		largest, limbs := packColumnsAVX512(&packed.words[0], &f.q[k*f.rows], groups, count, 8*f.rows), f.limbs
		if limbs == 0 {
			limbs = limbsOf(float64(largest))
		}
		if limbs == 0 {
			return 0 // of the only columns
		}
		most := min(groups, limbRows/4)
		if limbs == 2 && 4*groups*int(largest) <= math.MaxInt32/math.MaxUint8 {
			most = groups // both limbs together fit 32 bits
		}
		for from := 0; from < groups; from += most {
			addLimbsByte(limbs, dst[k*dim:], x[4*from*dim:], packed.words[4*from*count:], &packed.room[0], min(most, groups-from), dim, count, ahead)
		}
		ahead = 0
	}
	return 4 * groups
}

// addShorts is addBytes for rows of 16 bits.
func (f columnFactors) addShorts(dst []float64, x []int16, n, dim int) (done int) {
	groups := n / 2
	if groups == 0 {
		return 0
	}
	packed := packedRooms.Get().(*packedFactors)
	defer packedRooms.Put(packed)
	ahead := f.ahead // with the first columns
	for k := 0; k < f.columns; k += limbColumns {
		count := min(limbColumns, f.columns-k)
		f.packShorts(packed.words[:], f.q[k*f.rows:], groups, count)
		addLimbsShort(f.limbs, f.bits, dst[k*dim:], x, packed.words[:], &packed.room[0], groups, dim, count, ahead)
		ahead = 0
	}
	return 2 * groups
}

// packShorts is packShortLimbs for the columns of q.
func (f columnFactors) packShorts(words []uint32, q []float64, groups, count int) {
	done := 0
	if f.limbs <= 2 && groups >= 4 {
		done = groups &^ 3
		packShortColumnsAVX512(&words[0], &q[0], done/4, count, 8*f.rows, f.bits)
	}
	if done < groups {
		packShortLimbs(words[4*done*count:], q[2*done:], groups-done, factorSteps{row: 1, column: f.rows}, count, f.limbs, f.bits)
	}
}

// packShortColumnsAVX512 is packShortLimbs for four groups at a time, at least once, in at most two
// limbs. The columns of the factors are apart bytes apart.
//
//go:noescape
func packShortColumnsAVX512(words *uint32, q *float64, fours, columns, apart, bits int)

// packColumnsAVX512 is packLimbs for factors whose columns are apart bytes apart. It returns the
// largest magnitude, or 2^31 if a magnitude is larger or NaN.
//
//go:noescape
func packColumnsAVX512(words *uint32, q *float64, groups, columns, apart int) (largest uint32)

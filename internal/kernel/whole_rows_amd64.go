//go:build amd64 && !noasm

package kernel

const (
	// maxDotBytes is the longest row of bytes whose products with 16 bits are added up in 32 bits.
	// A turn adds at most 2·255·32767, and 2^31 holds the sum of 128 turns of 32 entries.
	maxDotBytes = 128 * 32
	// maxSquareBytes is the longest row of bytes whose squares are added up in 32 bits. A turn of
	// 32 entries adds at most 2·255², and 2^31 holds the sum of 2^14 turns. A turn of 64 entries
	// adds at most 4·255², and 2^32 holds the sum of 2^13 turns.
	maxSquareBytes = 1 << 14 * 32
	// maxSquareFour is the longest row of 16 bits that is taken with three others: of 2^16 pairs.
	maxSquareFour = 1 << 17
	// maxSquareFourBytes is the longest row of bytes that is taken with three others: its squares
	// add up to less than 2^32.
	maxSquareFourBytes = 1 << 16
)

// dotRowsVector computes all rows of at least one entry and returns their number, or computes none.
func dotRowsVector[T IntEntry](set instructions, dst []int64, x []T, m []int16) (done int) {
	if set < avx512 {
		return 0
	}
	dim := len(m)
	switch x := any(x).(type) {
	case []int16:
		dotRowsShortAVX512(&dst[0], &x[0], &m[0], len(dst), dim/32, dim%32, uint32(lowMask(dim, 32)))
	case []uint8:
		if dim > maxDotBytes {
			return 0
		}
		dotRowsByteAVX512(&dst[0], &x[0], &m[0], len(dst), dim/32, dim%32, uint32(lowMask(dim, 32)))
	}
	return len(dst)
}

// squareRowsVector computes all rows of at least one entry and returns their number, or computes
// none.
func squareRowsVector[T IntEntry](set instructions, dst []int64, x []T, dim int) (done int) {
	if set < avx512 {
		return 0
	}
	switch x := any(x).(type) {
	case []int16:
		squareShorts(dst, x, dim)
	case []uint8:
		if dim > maxSquareBytes {
			return 0
		}
		if set >= avx512VNNI {
			squareBytes(dst, x, dim)
			return len(dst)
		}
		squareRowsByteAVX512(&dst[0], &x[0], len(dst), dim/32, dim%32, uint32(lowMask(dim, 32)))
	}
	return len(dst)
}

// squareShorts writes the squares of rows of at least one entry.
func squareShorts(dst []int64, x []int16, dim int) {
	mask := uint32(lowMask(dim, 32))
	fours := len(dst) / 4
	if dim > maxSquareFour {
		fours = 0
	}
	if fours > 0 {
		squareRowsShortFourAVX512(&dst[0], &x[0], fours, dim/32, 2*dim, mask)
	}
	if done := 4 * fours; done < len(dst) {
		squareRowsShortAVX512(&dst[done], &x[done*dim], len(dst)-done, dim/32, dim%32, mask)
	}
}

// squareBytes writes the squares of rows of at least one entry and at most maxSquareBytes, with
// VNNI.
func squareBytes(dst []int64, x []uint8, dim int) {
	mask := lowMask(dim, 64)
	fours := len(dst) / 4
	if dim > maxSquareFourBytes {
		fours = 0
	}
	if fours > 0 {
		squareRowsByteFourVNNI(&dst[0], &x[0], fours, dim/64, dim, mask)
	}
	if done := 4 * fours; done < len(dst) {
		squareRowsByteVNNI(&dst[done], &x[done*dim], len(dst)-done, dim/64, dim%64, mask)
	}
}

// dotRowsShortAVX512 writes the products of at least one row of 32·turns+left entries; bit j of mask is set
// for each of the left.
//
//go:noescape
func dotRowsShortAVX512(dst *int64, x, m *int16, rows, turns, left int, mask uint32)

// squareRowsShortAVX512 writes the squares as dotRowsShortAVX512 writes the products.
//
//go:noescape
func squareRowsShortAVX512(dst *int64, x *int16, rows, turns, left int, mask uint32)

// squareRowsShortFourAVX512 writes the squares of four rows at a time, at least of four. The rows
// have at most maxSquareFour entries and are stride bytes apart. They have 32·turns entries and the
// entries of the mask.
//
//go:noescape
func squareRowsShortFourAVX512(dst *int64, x *int16, fours, turns, stride int, mask uint32)

// dotRowsByteAVX512 is dotRowsShortAVX512 for at most maxDotBytes entries.
//
//go:noescape
func dotRowsByteAVX512(dst *int64, x *uint8, m *int16, rows, turns, left int, mask uint32)

// squareRowsByteAVX512 is squareRowsShortAVX512 for at most maxSquareBytes entries.
//
//go:noescape
func squareRowsByteAVX512(dst *int64, x *uint8, rows, turns, left int, mask uint32)

// squareRowsByteVNNI is squareRowsByteAVX512 for rows of 64·turns+left entries.
//
//go:noescape
func squareRowsByteVNNI(dst *int64, x *uint8, rows, turns, left int, mask uint64)

// squareRowsByteFourVNNI is squareRowsShortFourAVX512 for bytes, of at most maxSquareFourBytes
// entries: 64·turns entries and the entries of the mask.
//
//go:noescape
func squareRowsByteFourVNNI(dst *int64, x *uint8, fours, turns, stride int, mask uint64)

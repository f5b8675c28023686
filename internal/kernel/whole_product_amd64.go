//go:build amd64 && !noasm

package kernel

// addProductVector computes some columns of a, and reports whether the set has kernels.
func addProductVector(set instructions, dst []int64, a, b []int16, s IntShape, columns [2]int) bool {
	p, has := newWholeProduct(set, dst, a, b, s)
	if has {
		p.run(columns[0], columns[1])
	}
	return has
}

// addGramVector computes the entries on and below the diagonal, and reports whether the set has
// kernels.
func addGramVector(set instructions, dst []int64, x []int16, s IntShape) bool {
	p, has := newWholeProduct(set, dst, x, x, s)
	if has {
		p.lower = true
		p.run(0, s.Left)
	}
	return has
}

// newWholeProduct reports whether the set has kernels.
func newWholeProduct(set instructions, dst []int64, a, b []int16, s IntShape) (p wholeProduct, has bool) {
	p = wholeProduct{IntShape: s, set: set, tile: wholeTile{columns: 16, rows: 6}, dst: dst, a: a, b: b}
	if set >= avx512VNNI {
		p.tile = wholeTile{columns: 32, rows: 12}
	}
	return p, set != portable
}

// wide returns the width of the panel of this number of columns of a, at most the columns of a
// tile.
func (p *wholeProduct) wide(columns int) int {
	if p.set >= avx512VNNI && columns <= 16 {
		return 16
	}
	return p.tile.columns
}

// high returns the height of the tile of this number of columns of b, which may be fewer than the
// columns.
func (p *wholeProduct) high(columns int) int {
	if p.set >= avx512VNNI && columns <= 8 {
		return (columns + 3) / 4 * 4
	}
	return p.tile.rows
}

// pack writes pairs of rows of src, of this number of columns, to dst. The entry of the first row
// is the lower half, and the entry of the second row the upper half. A missing last row counts as
// zeros. The rows of dst have the given width. Their entries beyond the columns are unspecified,
// because no tile stores them.
func (p *wholeProduct) pack(dst []uint32, width int, src []int16, srcRow, rows, columns int) {
	pairs, single := rows/2, rows%2
	_, _ = dst[(pairs+single)*width-1], src[(rows-1)*srcRow+columns-1]
	switch {
	case p.set >= avx512VNNI && width > 16:
		wholePairs2AVX512(&dst[0], 4*width, &src[0], 2*srcRow, pairs, single, 1<<(columns-16)-1, 1<<(width-16)-1)
		return
	case p.set >= avx512VNNI:
		wholePairs1AVX512(&dst[0], 4*width, &src[0], 2*srcRow, pairs, single, 1<<columns-1, 1<<width-1)
		return
	case columns < 16:
		pairs = 0
	case pairs > 0:
		wholePairsAVX2(&dst[0], &src[0], 2*srcRow, pairs)
	}
	for i := 2 * pairs; i < rows; i += 2 {
		to, first := dst[i/2*width:(i/2+1)*width], src[i*srcRow:i*srcRow+columns]
		for j, v := range first {
			to[j] = uint32(uint16(v))
		}
		if i+1 == rows {
			break
		}
		for j, v := range src[(i+1)*srcRow : (i+1)*srcRow+columns] {
			to[j] |= uint32(uint16(v)) << 16
		}
	}
}

// addTile adds the products of a panel of a and a panel of b to the existing rows and columns of
// dst. The panel of a has the width of panel, and that of b its height.
func (p *wholeProduct) addTile(dst []int64, a, b []uint32, pairs int, panel, of wholeTile) {
	_, _, _ = dst[(of.rows-1)*p.Left+of.columns-1], a[pairs*panel.columns-1], b[pairs*panel.rows-1]
	if p.set >= avx512VNNI {
		mask := uint32(1)<<(of.columns-(panel.columns-16)) - 1
		wholeTileVNNI(panel, &dst[0], 8*p.Left, &a[0], &b[0], pairs, of.rows, mask)
		return
	}
	if panel == of {
		wholeTile6x2AVX2(&dst[0], 8*p.Left, &a[0], &b[0], pairs)
		return
	}
	var whole [6 * 16]int64
	wholeTile6x2AVX2(&whole[0], 8*16, &a[0], &b[0], pairs)
	for r := range of.rows {
		for c := range of.columns {
			dst[r*p.Left+c] += whole[r*16+c]
		}
	}
}

func wholeTileVNNI(panel wholeTile, dst *int64, stride int, a, b *uint32, pairs, rows int, mask uint32) {
	switch panel {
	case wholeTile{32, 12}:
		wholeTile12x2VNNI(dst, stride, a, b, pairs, rows, mask)
	case wholeTile{32, 8}:
		wholeTile8x2VNNI(dst, stride, a, b, pairs, rows, mask)
	case wholeTile{32, 4}:
		wholeTile4x2VNNI(dst, stride, a, b, pairs, rows, mask)
	case wholeTile{16, 12}:
		wholeTile12x1VNNI(dst, stride, a, b, pairs, rows, mask)
	case wholeTile{16, 8}:
		wholeTile8x1VNNI(dst, stride, a, b, pairs, rows, mask)
	case wholeTile{16, 4}:
		wholeTile4x1VNNI(dst, stride, a, b, pairs, rows, mask)
	default:
		panic("kernel: there is no such tile")
	}
}

// The kernels of tiles add the sums over pairs of products of a panel of a and one of b to rows of
// dst. These rows are stride bytes apart. The digits are the height of the panel of b, and the
// number of vectors of the panel of a. A vector has 16 columns (AVX-512) or 8 (AVX2). Of the last
// vector, the columns with a bit in the mask are stored; the kernel of AVX2 stores all. pairs and
// rows are positive; rows is at most the height.
//
//go:noescape
func wholeTile12x2VNNI(dst *int64, stride int, a, b *uint32, pairs, rows int, mask uint32)

//go:noescape
func wholeTile8x2VNNI(dst *int64, stride int, a, b *uint32, pairs, rows int, mask uint32)

//go:noescape
func wholeTile4x2VNNI(dst *int64, stride int, a, b *uint32, pairs, rows int, mask uint32)

//go:noescape
func wholeTile12x1VNNI(dst *int64, stride int, a, b *uint32, pairs, rows int, mask uint32)

//go:noescape
func wholeTile8x1VNNI(dst *int64, stride int, a, b *uint32, pairs, rows int, mask uint32)

//go:noescape
func wholeTile4x1VNNI(dst *int64, stride int, a, b *uint32, pairs, rows int, mask uint32)

//go:noescape
func wholeTile6x2AVX2(dst *int64, stride int, a, b *uint32, pairs int)

// The kernels that pack write pairs of rows of src, and a single row after them, as rows of dst.
// The rows of src are srcRow bytes apart, and the rows of dst dstRow bytes. The digit is the number
// of vectors of 16 entries. Of the last vector, the entries with a bit in the masks are read and
// written.
//
//go:noescape
func wholePairs2AVX512(dst *uint32, dstRow int, src *int16, srcRow, pairs, single int, read, write uint32)

//go:noescape
func wholePairs1AVX512(dst *uint32, dstRow int, src *int16, srcRow, pairs, single int, read, write uint32)

// wholePairsAVX2 packs a positive number of pairs of rows of 16 entries.
//
//go:noescape
func wholePairsAVX2(dst *uint32, src *int16, srcRow, pairs int)

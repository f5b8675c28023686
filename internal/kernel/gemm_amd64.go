//go:build amd64 && !noasm

package kernel

import "unsafe"

// gemmWhole computes t.rows tiles, one below the other.
func gemmWhole[T Float](set instructions, vectors int, t *gemmTile) {
	switch {
	case set == portable:
		gemmPortable[T](t, vectors, t.rows*gemmEdge)
	case isDouble[T]():
		gemm64Whole(set, vectors, t)
	default:
		gemm32Whole(set, vectors, t)
	}
}

// gemmLast computes a tile of t.rows rows, at most gemmEdge.
func gemmLast[T Float](set instructions, vectors int, t *gemmTile) {
	switch {
	case set == portable:
		gemmPortable[T](t, vectors, t.rows)
	case isDouble[T]():
		gemm64Edge(set, vectors, t)
	default:
		gemm32Edge(set, vectors, t)
	}
}

func gemm32Whole(set instructions, vectors int, t *gemmTile) {
	switch {
	case set >= avx512 && vectors == 2:
		gemm32Whole2AVX512(t)
	case set >= avx512:
		gemm32Whole1AVX512(t)
	case vectors == 2:
		gemm32Whole2AVX2(t)
	default:
		gemm32Whole1AVX2(t)
	}
}

func gemm32Edge(set instructions, vectors int, t *gemmTile) {
	switch {
	case set >= avx512 && vectors == 2:
		gemm32Edge2AVX512(t)
	case set >= avx512:
		gemm32Edge1AVX512(t)
	case vectors == 2:
		gemm32Edge2AVX2(t)
	default:
		gemm32Edge1AVX2(t)
	}
}

func gemm64Whole(set instructions, vectors int, t *gemmTile) {
	switch {
	case set >= avx512 && vectors == 2:
		gemm64Whole2AVX512(t)
	case set >= avx512:
		gemm64Whole1AVX512(t)
	case vectors == 2:
		gemm64Whole2AVX2(t)
	default:
		gemm64Whole1AVX2(t)
	}
}

func gemm64Edge(set instructions, vectors int, t *gemmTile) {
	switch {
	case set >= avx512 && vectors == 2:
		gemm64Edge2AVX512(t)
	case set >= avx512:
		gemm64Edge1AVX512(t)
	case vectors == 2:
		gemm64Edge2AVX2(t)
	default:
		gemm64Edge1AVX2(t)
	}
}

// laneWindow returns the address of a mask of 32 bytes with the given number set.
func laneWindow(bytes int) unsafe.Pointer {
	const row, most = 32, 16 // of vectorConstants: 16 ones, then 16 zeros
	return unsafe.Pointer(&vectorConstants[row][max(0, most-bytes/4)])
}

// copyVector writes rows of the given width, and reports whether there is a kernel for them.
func copyVector[T Float](set instructions, dst []T, width int, src []T, srcRow, rows int) bool {
	if set == portable || rows == 0 {
		return false
	}
	size := int(unsafe.Sizeof(T(0)))
	to, from := unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0])
	switch width * size {
	case 128:
		gemmCopy4AVX2(to, from, srcRow*size, rows)
	case 64:
		gemmCopy2AVX2(to, from, srcRow*size, rows)
	case 32:
		gemmCopy1AVX2(to, from, srcRow*size, rows)
	default:
		return false
	}
	return true
}

// transposeVector writes the first rows of src as columns of dst, for the entries that its kernels
// take. The given number of columns is left. The caller writes the other entries.
func transposeVector[T Float](set instructions, dst []T, dstRow int, src []T, srcRow, depth, left int) (done, columns int) {
	size := int(unsafe.Sizeof(T(0)))
	columns = 32 / size
	if set == portable || left < columns {
		return 0, 1
	}
	blocks := depth * size / 16
	if blocks == 0 {
		return 0, columns
	}
	to, from := unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0])
	if isDouble[T]() {
		gemm64TransposeAVX2(to, dstRow*size, from, srcRow*size, blocks)
	} else {
		gemm32TransposeAVX2(to, dstRow*size, from, srcRow*size, blocks)
	}
	return blocks * 16 / size, columns
}

// The kernels for whole tiles have 12 rows, or 6 for two vectors with AVX2; they change the count.
// The kernels for the last rows have at most gemmEdge rows. The digit is the number of vectors.
//
//go:noescape
func gemm32Whole1AVX512(t *gemmTile)

//go:noescape
func gemm32Whole2AVX512(t *gemmTile)

//go:noescape
func gemm32Whole1AVX2(t *gemmTile)

//go:noescape
func gemm32Whole2AVX2(t *gemmTile)

//go:noescape
func gemm32Edge1AVX512(t *gemmTile)

//go:noescape
func gemm32Edge2AVX512(t *gemmTile)

//go:noescape
func gemm32Edge1AVX2(t *gemmTile)

//go:noescape
func gemm32Edge2AVX2(t *gemmTile)

//go:noescape
func gemm64Whole1AVX512(t *gemmTile)

//go:noescape
func gemm64Whole2AVX512(t *gemmTile)

//go:noescape
func gemm64Whole1AVX2(t *gemmTile)

//go:noescape
func gemm64Whole2AVX2(t *gemmTile)

//go:noescape
func gemm64Edge1AVX512(t *gemmTile)

//go:noescape
func gemm64Edge2AVX512(t *gemmTile)

//go:noescape
func gemm64Edge1AVX2(t *gemmTile)

//go:noescape
func gemm64Edge2AVX2(t *gemmTile)

// The kernels that copy write rows of 1, 2 or 4 times 32 bytes, one after the other.
//
//go:noescape
func gemmCopy1AVX2(dst, src unsafe.Pointer, srcRow, rows int)

//go:noescape
func gemmCopy2AVX2(dst, src unsafe.Pointer, srcRow, rows int)

//go:noescape
func gemmCopy4AVX2(dst, src unsafe.Pointer, srcRow, rows int)

// gemm32TransposeAVX2 writes 8 rows of src as columns of dst, in blocks of 4 entries each.
//
//go:noescape
func gemm32TransposeAVX2(dst unsafe.Pointer, dstRow int, src unsafe.Pointer, srcRow, blocks int)

// gemm64TransposeAVX2 writes 4 rows of src as columns of dst, in blocks of 2 entries each.
//
//go:noescape
func gemm64TransposeAVX2(dst unsafe.Pointer, dstRow int, src unsafe.Pointer, srcRow, blocks int)

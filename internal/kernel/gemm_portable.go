package kernel

import "unsafe"

// gemmPortable is the kernel for up to gemmEdge rows and one or two vectors of two entries. It
// takes tiles as the kernels for whole tiles and for the last rows do; rows is the total number of
// rows.
func gemmPortable[T Float](t *gemmTile, vectors, rows int) {
	size := int(unsafe.Sizeof(T(0)))
	columns := 2*vectors - t.partial
	for first := 0; first < rows; first += 2 {
		a := unsafe.Add(t.a, first*t.aRow)
		below := 0 // the distance from a row to the next, if there is one
		if first+1 < rows {
			below = t.aRow
		}
		for j := 0; j < columns; j += 2 {
			sums := portableSums[T](a, unsafe.Add(t.b, j*size), below, t.aDepth, t.bDepth, t.depth)
			c := unsafe.Add(t.c, first*t.cRow+j*size)
			for r := range min(2, rows-first) {
				for x := range min(2, columns-j) {
					portableUpdate((*T)(unsafe.Add(c, r*t.cRow+x*size)), sums[r][x], *(*T)(unsafe.Pointer(&t.alpha)), t.add != 0)
				}
			}
		}
	}
}

// portableSums adds up the products of two rows of A and two columns of B.
func portableSums[T Float](a, b unsafe.Pointer, below, aDepth, bDepth, depth int) (sums [2][2]T) {
	var s00, s01, s10, s11 T
	second := int(unsafe.Sizeof(T(0)))
	at, bt := 0, 0 // pointers would finally leave the slices
	for range depth {
		a0, a1 := *(*T)(unsafe.Add(a, at)), *(*T)(unsafe.Add(a, at+below))
		b0, b1 := *(*T)(unsafe.Add(b, bt)), *(*T)(unsafe.Add(b, bt+second))
		s00 += T(a0 * b0)
		s01 += T(a0 * b1)
		s10 += T(a1 * b0)
		s11 += T(a1 * b1)
		at += aDepth
		bt += bDepth
	}
	return [2][2]T{{s00, s01}, {s10, s11}}
}

func portableUpdate[T Float](c *T, sum, alpha T, add bool) {
	if add {
		*c += T(alpha * sum)
		return
	}
	*c = T(alpha * sum)
}

//go:build !amd64 || noasm

package kernel

import "unsafe"

// gemmWhole computes t.rows tiles, one below the other.
func gemmWhole[T Float](_ instructions, vectors int, t *gemmTile) {
	gemmPortable[T](t, vectors, t.rows*gemmEdge)
}

// gemmLast computes a tile of t.rows rows, at most gemmEdge.
func gemmLast[T Float](_ instructions, vectors int, t *gemmTile) {
	gemmPortable[T](t, vectors, t.rows)
}

// laneWindow has no use for the portable kernel.
func laneWindow(int) unsafe.Pointer { return nil }

// copyVector does nothing here and reports false.
func copyVector[T Float](instructions, []T, int, []T, int, int) bool { return false }

// transposeVector does nothing here: the caller takes one column.
func transposeVector[T Float](instructions, []T, int, []T, int, int, int) (done, columns int) {
	return 0, 1
}

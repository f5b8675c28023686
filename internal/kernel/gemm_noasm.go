//go:build !amd64 || noasm

package kernel

import "unsafe"

// gemmWhole does t.rows tiles, one below the other.
func gemmWhole[T Float](_ instructions, vectors int, t *gemmTile) {
	gemmPortable[T](t, vectors, t.rows*gemmEdge)
}

// gemmLast does a tile of t.rows rows, at most gemmEdge.
func gemmLast[T Float](_ instructions, vectors int, t *gemmTile) {
	gemmPortable[T](t, vectors, t.rows)
}

// laneWindow is of no use to the portable kernel.
func laneWindow(int) unsafe.Pointer { return nil }

// copyVector does nothing here, and says so.
func copyVector[T Float](instructions, []T, int, []T, int, int) bool { return false }

// transposeVector does nothing here, and says so: the caller takes one column.
func transposeVector[T Float](instructions, []T, int, []T, int, int, int) (done, columns int) {
	return 0, 1
}

package kernel

import "math"

// turnedLanes is the number of partial sums that Turn.Squares has for a row. Coordinate k belongs
// to partial sum k modulo turnedLanes. A panel has turnedLanes rows of the matrix, whose products
// with pairs of coordinates follow one another.
const turnedLanes = singleLanes

// mostTurned is the number of rows that Turn.Squares takes at a time, so that a panel is read once
// for all of them.
const mostTurned = 96

// Turn is a square matrix W of integers, a center m and a scale s, in the form for measuring rows.
type Turn struct {
	side   int
	stride int
	panels []int16   // the matrix by panels, if a kernel takes it
	across []int16   // its transpose, if no kernel takes panels
	center []float64 // with zeros after it up to a whole panel
	scale  float64
}

// NewTurn prepares a matrix, row after row, and a center with one coordinate for each row. The call
// panics if the matrix is not square.
func NewTurn(matrix []int16, center []float64, scale float64) *Turn {
	checkTurn("NewTurn", len(matrix), len(center), len(center))
	return newTurn(available, matrix, center, scale)
}

// newTurn is NewTurn at a level that the processor has. From AVX-512 VNNI on, rows are measured by
// panels of the matrix.
func newTurn(set instructions, matrix []int16, center []float64, scale float64) *Turn {
	side := len(center)
	t := &Turn{side: side, stride: turnedStride(side), center: make([]float64, (side+turnedLanes-1)/turnedLanes*turnedLanes), scale: scale}
	copy(t.center, center)
	if set >= avx512VNNI {
		t.panels = turnedPanels(matrix, side)
		return t
	}
	t.across = make([]int16, len(matrix))
	Transpose(t.across, matrix, side, side)
	return t
}

// turnedStride returns the distance of rows. It is an even number of entries, chosen so that many
// rows do not share few places of the first cache.
func turnedStride(side int) int {
	stride := (side + 1) &^ 1
	if stride%256 == 0 {
		stride += 32
	}
	return stride
}

// turnedPanels returns the matrix by panels. For each pair of columns a panel has sixteen pairs of
// numbers, one for each of sixteen rows.
func turnedPanels(matrix []int16, side int) []int16 {
	pairs := (side + 1) / 2
	panels := make([]int16, (side+turnedLanes-1)/turnedLanes*pairs*2*turnedLanes)
	for k := range side {
		panel := panels[k/turnedLanes*pairs*2*turnedLanes:]
		for j, v := range matrix[k*side : (k+1)*side] {
			panel[(j/2*turnedLanes+k%turnedLanes)*2+j%2] = v
		}
	}
	return panels
}

// Stride returns the distance, in entries, of rows for Squares: at least the side of the matrix.
// Entries after the coordinates of a row must be 0.
func (t *Turn) Stride() int { return t.stride }

// Width returns the distance of the products that Squares writes: at least the side of the matrix.
func (t *Turn) Width() int { return len(t.center) }

// Squares writes Σ_k (s·(W·x)_k - factors[i]·m_k)² of each row x to dst, and W·x to products, Width
// apart. Rows have 16 bits and are Stride apart. W·x is taken modulo 2^32, as a signed number.
// s·(W·x)_k is rounded to float64, and so are the difference and each sum. The other products have
// no rounding of their own. If s is a power of two and factors and centers are integers,
// differences below 2^53 are exact. For n coordinates the relative error is then below (n+4)·2^-53.
// The result has the same bits on every processor and in every build. The call panics, and writes
// nothing, unless rows has len(dst) rows and products and factors have matching lengths.
func (t *Turn) Squares(dst []float64, products []int32, rows []int16, factors []float64) {
	wantLength("rows", len(rows), len(dst), t.stride)
	wantLength("factors", len(factors), len(dst), 1)
	wantLength("products", len(products), len(dst), t.Width())
	for len(dst) > 0 {
		n := min(mostTurned, len(dst))
		if t.panels != nil {
			t.squaresVector(dst[:n], products[:n*t.Width()], rows[:n*t.stride], factors[:n])
		} else {
			t.squaresPortable(dst[:n], products[:n*t.Width()], rows[:n*t.stride], factors[:n])
		}
		dst, products, rows, factors = dst[n:], products[n*t.Width():], rows[n*t.stride:], factors[n:]
	}
}

// squaresPortable is Squares by AddProductInt, which takes the sums of a group of rows modulo 2^32.
func (t *Turn) squaresPortable(dst []float64, products []int32, rows []int16, factors []float64) {
	n := len(dst)
	columns, long := make([]int16, n*t.side), make([]int64, n*t.side)
	for i := range n {
		for j, v := range rows[i*t.stride : i*t.stride+t.side] {
			columns[j*n+i] = v
		}
	}
	AddProductInt(long, t.across, columns, IntShape{Rows: t.side, Left: t.side, Right: n, Group: max(1, t.side)})
	for i := range dst {
		var lanes [turnedLanes]float64
		for k, v := range long[i*t.side : (i+1)*t.side] {
			products[i*t.Width()+k] = int32(v)
			y := math.FMA(-factors[i], t.center[k], float64(float64(v)*t.scale))
			lanes[k%turnedLanes] = math.FMA(y, y, lanes[k%turnedLanes])
		}
		dst[i] = addLanes(&lanes)
	}
}

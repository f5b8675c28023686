//go:build amd64 && !noasm

package kernel

// turnedRows is the number of rows that the kernel takes.
const turnedRows = 24

// squaresVector is Turn.Squares for at most mostTurned rows.
func (t *Turn) squaresVector(dst []float64, products []int32, rows []int16, factors []float64) {
	var lanes [mostTurned][turnedLanes]float64
	n, width := len(dst)-len(dst)%turnedRows, t.Width()
	t.measureTurned(lanes[:n], products, rows, factors)
	if n < len(dst) {
		padded, some, all := make([]int16, turnedRows*t.stride), make([]int32, turnedRows*width), [turnedRows]float64{}
		copy(padded, rows[n*t.stride:])
		copy(all[:], factors[n:])
		t.measureTurned(lanes[n:n+turnedRows], some, padded, all[:])
		copy(products[n*width:], some)
	}
	for i := range dst {
		dst[i] = addLanes(&lanes[i])
	}
}

// measureTurned adds to the lanes of whole groups of rows, panel after panel, and writes the
// products of these rows.
func (t *Turn) measureTurned(lanes [][turnedLanes]float64, products []int32, rows []int16, factors []float64) {
	pairs, width := (t.side+1)/2, t.Width()
	for k := 0; k < width; k += turnedLanes {
		panel := t.panels[k*pairs*2:]
		for i := 0; i < len(lanes); i += turnedRows {
			turnedSquaresVNNI(&lanes[i][0], &products[i*width+k], 4*width, &rows[i*t.stride], &panel[0], pairs, 2*t.stride, &t.center[k], &factors[i], t.scale)
		}
	}
}

// turnedSquaresVNNI adds the contribution of a panel of 16 rows of the matrix to the lanes of 24
// rows. These rows have at least one pair and are stride bytes apart. It writes the products of
// each row, apart bytes after the products of the row before.
//
//go:noescape
func turnedSquaresVNNI(lanes *float64, products *int32, apart int, rows, panel *int16, pairs, stride int, center, factors *float64, scale float64)

//go:build amd64 && !noasm

package kernel

// turnedRows is how many rows the kernel takes.
const turnedRows = 24

// squaresVector is Turn.Squares for at most mostTurned rows.
func (t *Turn) squaresVector(dst []float64, rows []int16, factors []float64) {
	var lanes [mostTurned][turnedLanes]float64
	n := len(dst) - len(dst)%turnedRows
	t.measureTurned(lanes[:n], rows, factors)
	if n < len(dst) {
		padded, all := make([]int16, turnedRows*t.stride), [turnedRows]float64{}
		copy(padded, rows[n*t.stride:])
		copy(all[:], factors[n:])
		t.measureTurned(lanes[n:n+turnedRows], padded, all[:])
	}
	for i := range dst {
		dst[i] = addLanes(&lanes[i])
	}
}

// measureTurned adds to the lanes of an integer of groups of rows, panel after panel.
func (t *Turn) measureTurned(lanes [][turnedLanes]float64, rows []int16, factors []float64) {
	pairs := (t.side + 1) / 2
	for k := 0; k < len(t.center); k += turnedLanes {
		panel := t.panels[k*pairs*2:]
		for i := 0; i < len(lanes); i += turnedRows {
			turnedSquaresVNNI(&lanes[i][0], &rows[i*t.stride], &panel[0], pairs, 2*t.stride, &t.center[k], &factors[i], t.scale)
		}
	}
}

// turnedSquaresVNNI adds what a panel of 16 rows of the matrix makes of 24 rows, of at least one
// pair and this many bytes apart, to the lanes.
//
//go:noescape
func turnedSquaresVNNI(lanes *float64, rows, panel *int16, pairs, stride int, center, factors *float64, scale float64)

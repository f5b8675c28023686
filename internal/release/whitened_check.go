package release

import "math"

// Kernels propose the norms of whitened rows and their products W·x, and may be wrong. Portable
// code holds the products to their product with the secret, and the norm to the products. Its time
// grows with the coordinates and not with their square. Lemma 17 of docs/release-parts.md has the
// proof.

const (
	// exactMost is what no coordinate of y passes: they are exact in float64.
	exactMost = 1 << 53
	// squareSpare is more than the error of the sum of their squares, and less than the raise of
	// squared norms. Together with squareRoom it is more than both.
	squareSpare, squareRoom = 0x1p-32, 0x1p-29
)

// explainsWhitened reports whether m has the measures of row i that the frame gives a whitened row
// of this squared norm. The product of W·x with the secret is mix: with a squared norm that is not
// too small, and not larger than rounding asks for. w is proposed as W·x.
func (f *frame) explainsWhitened(m *measures, i int, square int64, mix uint64, w []int32) bool {
	if !(float64(square) <= f.whitener.reach) {
		return m.says(i, rowMeasures{})
	}
	beta := int64(0)
	if f.m != nil {
		beta = f.betaOf(square)
	}
	sum, fits := f.squareWhitened(w, beta)
	if !fits || mixLong(w, f.whitenedSecret) != mix {
		return false
	}
	least, most := unitsOf(sum, squareSpare), unitsOf(sum, squareRoom)+1
	if m.n2[i] == 0 && m.says(i, rowMeasures{}) { // too long
		return most > whitenedMost || !(f.Intercept*math.Sqrt(most) < 1<<frameBits)
	}
	y2 := m.n2[i] - m.tail(i)*m.tail(i)
	return least <= float64(y2) && float64(y2) <= most && y2 <= whitenedMost && m.says(i, f.finishUnit(rowMeasures{beta: beta}, y2, math.Sqrt(float64(y2))))
}

// unitsOf returns a squared norm and more in units of n2, rounded up.
func unitsOf(square, spare float64) float64 {
	return math.Ceil(square * (1 + spare) * (1.0 / (1 << (2 * whitenedShift))))
}

// squareWhitened returns Σ (M·w - β·m)², but for rounding, and whether its terms are exact.
func (f *frame) squareWhitened(w []int32, beta int64) (square float64, fits bool) {
	var even, odd float64
	most := uint64(0)
	center := f.whitenedCenter[:len(w)] // as long as the rows of the frame
	for k, v := range w {
		y := int64(v)<<f.bits - beta*center[k]
		most |= uint64(max(y, -y))
		even, odd = odd, even+float64(y)*float64(y)
	}
	return even + odd, most < exactMost
}

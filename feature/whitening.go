package feature

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// Whitening is a linear map that multiplies rows after centering: a row x becomes the product of x
// and a matrix. Matrices are row-major. A Whitening must not be changed after its first use. It has one of three
// forms:
//
//   - Matrix, a d×d matrix for d features
//   - Scales, one factor for each of d features
//   - Channels with Places, for features that form a matrix X of channels×places, stored one
//     channel after the other. X becomes the product Channels·X·Places.
type Whitening struct {
	// Matrix is a d×d matrix for d features, or nil.
	Matrix []float64
	// Scales are the factors by which d features are multiplied, or nil.
	Scales []float64
	// Channels and Places are square matrices that multiply the matrix of the features from the
	// left and from the right, or nil.
	Channels, Places []float64
}

// validate returns an error when the form or a length does not fit d features, or a number is not
// finite.
func (w *Whitening) validate(d int) error {
	forms := 0
	for _, part := range [][]float64{w.Matrix, w.Scales, w.Channels} {
		if part != nil {
			forms++
		}
	}
	channels, places := squareRoot(len(w.Channels)), squareRoot(len(w.Places))
	switch {
	case forms != 1 || (w.Channels == nil) != (w.Places == nil):
		return fmt.Errorf("feature: whitening has %d forms, want one of a matrix, scales, and channels with places", forms)
	case w.Matrix != nil && (d > maxFeatures || len(w.Matrix) != d*d):
		return fmt.Errorf("feature: whitening has %d numbers, want %d for %d features", len(w.Matrix), d*d, d)
	case w.Scales != nil && len(w.Scales) != d:
		return fmt.Errorf("feature: whitening has %d scales, want %d", len(w.Scales), d)
	case w.Channels != nil && (channels*channels != len(w.Channels) || places*places != len(w.Places) || channels*places != d):
		return fmt.Errorf("feature: whitening is of channels with %d numbers and places with %d, want square matrices for %d features", len(w.Channels), len(w.Places), d)
	case !finite(w.Matrix) || !finite(w.Scales) || !finite(w.Channels) || !finite(w.Places):
		return fmt.Errorf("feature: whitening holds a number that is not finite")
	}
	return nil
}

// squareRoot returns the largest integer whose square is at most n.
func squareRoot(n int) int {
	return int(math.Sqrt(float64(n)))
}

// Multiply writes the product of the row x and the linear map to dst, which must not be x. Both
// slices have one number for each feature.
func (w *Whitening) Multiply(dst, x []float64) {
	a, b := append([]float64(nil), x...), make([]float64, len(x))
	copy(dst, w.apply(a, b, 1))
}

// addRow adds a multiple of what feature k becomes to dst, and returns the square of its length. The whitening has a
// matrix or scales.
func (w *Whitening) addRow(dst []float64, k int, multiple float64) float64 {
	if w.Scales != nil {
		dst[k] += multiple * w.Scales[k]
		return w.Scales[k] * w.Scales[k]
	}
	row := w.Matrix[k*len(dst) : (k+1)*len(dst)]
	for j, v := range row {
		dst[j] += multiple * v
	}
	return kernel.Dot(row, row)
}

// apply multiplies rows that stand in x, one after the other, and returns the slice with the
// result, x or room. It overwrites both. A row's result has the same bits whatever rows stand next
// to it.
func (w *Whitening) apply(x, room []float64, rows int) []float64 {
	if rows == 0 {
		return x
	}
	d := len(x) / rows
	switch {
	case w.Scales != nil:
		for r := range rows {
			row := x[r*d : (r+1)*d]
			for j, s := range w.Scales {
				row[j] *= s
			}
		}
		return x
	case w.Matrix != nil:
		kernel.GemmSerial(kernel.NewMatrix(room, rows, d), 1, kernel.NewMatrix(x, rows, d), kernel.NewMatrix(w.Matrix, d, d), 0)
		return room
	}
	places := squareRoot(len(w.Places))
	channels := d / places
	kernel.GemmSerial(kernel.NewMatrix(room, rows*channels, places), 1, kernel.NewMatrix(x, rows*channels, places), kernel.NewMatrix(w.Places, places, places), 0)
	left := kernel.NewMatrix(w.Channels, channels, channels)
	for r := range rows {
		kernel.GemmSerial(kernel.NewMatrix(x[r*d:(r+1)*d], channels, places), 1, left, kernel.NewMatrix(room[r*d:(r+1)*d], channels, places), 0)
	}
	return x
}

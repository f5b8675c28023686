package feature

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/encoder"
)

// deskew is a transform that sets a slanted grey image upright in the middle. It moves the centroid
// to the middle of the image, and shears the image along its rows so that its mixed second moment
// becomes zero. With mass p at row y and column x, centroid (ȳ, x̄) and middle (m, n),
//
//	q(y, x) = p(y, x + x̄ - n + α·(y - ȳ)), α = Σ p·(x - x̄)·(y - ȳ) / Σ p·(y - ȳ)²,
//	out(y, x) = q(y + ȳ - m, x),
//
// linear between pixels in x and then in y, and zero outside the image. Numbers below zero have no
// mass.
//
// It is the deslanting of handwriting by moments (Y. LeCun et al., "Gradient-based learning applied
// to document recognition", Proceedings of the IEEE 86, 1998, section III.A; the moments follow
// M.-K. Hu, "Visual pattern recognition by moment invariants", IRE Transactions on Information
// Theory 8, 1962).
type deskew struct{ rows, columns int }

var _ transform = deskew{}

// newDeskew returns the transform of parameters {"shape": [rows, columns]}. A row of the table
// holds the image row by row.
func newDeskew(parameters json.RawMessage, in int) (transform, error) {
	rows, columns, colors, err := imageShape(parameters, in)
	if err == nil && colors != 1 {
		err = fmt.Errorf("shape has %d colors, want a grey image", colors)
	}
	return deskew{rows, columns}, err
}

func (d deskew) In() int { return d.rows * d.columns }

func (d deskew) Out() int { return d.rows * d.columns }

// Bound returns in. Each number of the result is an interpolation between two numbers of the row,
// or between a number and zero.
func (d deskew) Bound(in float64) float64 { return in }

func (d deskew) NewScratch() any { return nil }

// Name returns the name of the pixel at the same place.
func (d deskew) Name(j int, before func(int) encoder.Name) encoder.Name { return before(j) }

func (d deskew) Apply(dst, x []float64, _ any) {
	down, right, slope, found := d.slant(x)
	if !found {
		copy(dst, x)
		return
	}
	clear(dst)
	whole, part := math.Floor(down), down-math.Floor(down)
	for i := range d.rows {
		row := x[i*d.columns:][:d.columns]
		by := right + slope*(float64(i)-down-float64(d.rows-1)/2)
		d.addRow(dst, row, i-int(whole), by, 1-part)
		d.addRow(dst, row, i-int(whole)-1, by, part)
	}
}

// slant returns how far down and right of the middle the centroid is. slope is the number of
// columns by which a row is off the row above it, 0 when all mass is in one row. found is false
// without mass.
func (d deskew) slant(x []float64) (down, right, slope float64, found bool) {
	var mass, byRow, byColumn float64
	d.each(x, func(y, x, p float64) {
		mass, byRow, byColumn = mass+p, byRow+p*y, byColumn+p*x
	})
	if !(mass > 0) {
		return 0, 0, 0, false
	}
	middle, across := byRow/mass, byColumn/mass
	var mixed, tall float64
	d.each(x, func(y, x, p float64) {
		mixed, tall = mixed+p*(y-middle)*(x-across), tall+p*(y-middle)*(y-middle)
	})
	// The rounding of the second moment of a single row is no height.
	if tall > 1e-9*mass {
		slope = mixed / tall
	}
	return middle - float64(d.rows-1)/2, across - float64(d.columns-1)/2, slope, true
}

// each calls f for every place with mass.
func (d deskew) each(x []float64, f func(y, x, p float64)) {
	for i := range d.rows {
		for j, p := range x[i*d.columns:][:d.columns] {
			if p > 0 {
				f(float64(i), float64(j), p)
			}
		}
	}
}

// addRow adds weight times a row, moved by columns to the left, to row i of dst.
func (d deskew) addRow(dst, row []float64, i int, by, weight float64) {
	if i < 0 || i >= d.rows {
		return
	}
	whole, part := int(math.Floor(by)), by-math.Floor(by)
	at := func(j int) float64 {
		if j < 0 || j >= len(row) {
			return 0
		}
		return row[j]
	}
	out := dst[i*d.columns:][:d.columns]
	for j := range out {
		out[j] += weight * ((1-part)*at(j+whole) + part*at(j+whole+1))
	}
}

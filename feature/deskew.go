package feature

import (
	"encoding/json"
	"fmt"
	"math"
)

// deskew sets a slanted grey image upright: it shears the image along its rows so that its own mixed
// second moment becomes zero, about its own centroid. With mass p at row y and column x,
//
//	out(y, x) = p(y, x + α·(y - ȳ)), α = Σ p·(x - x̄)·(y - ȳ) / Σ p·(y - ȳ)²,
//
// linear between pixels and zero outside the image. It is the deslanting of handwriting by moments
// (Y. LeCun et al., "Gradient-based learning applied to document recognition", Proceedings of the IEEE
// 86, 1998, section III.A; the moments are those of M.-K. Hu, "Visual pattern recognition by moment
// invariants", IRE Transactions on Information Theory 8, 1962). Numbers below zero have no mass.
type deskew struct{ rows, columns int }

var _ Transform = deskew{}

// newDeskew makes the transform of parameters {"shape": [rows, columns]}; a row of the table holds the
// image row by row.
func newDeskew(parameters json.RawMessage, in int) (Transform, error) {
	rows, columns, colors, err := imageShape(parameters, in)
	if err == nil && colors != 1 {
		err = fmt.Errorf("shape has %d colors, want a grey image", colors)
	}
	return deskew{rows, columns}, err
}

func (d deskew) In() int { return d.rows * d.columns }

func (d deskew) Out() int { return d.rows * d.columns }

// Bound is in: a number after lies between numbers before, or between one and zero.
func (d deskew) Bound(in float64) float64 { return in }

func (d deskew) NewScratch() any { return nil }

// Name is that of the pixel at the same place.
func (d deskew) Name(j int, before func(int) Name) Name { return before(j) }

func (d deskew) Apply(dst, x []float64, _ any) {
	middle, slope := d.slant(x)
	for i := range d.rows {
		row, out := x[i*d.columns:][:d.columns], dst[i*d.columns:][:d.columns]
		if slope == 0 {
			copy(out, row)
			continue
		}
		shearRow(out, row, slope*(float64(i)-middle))
	}
}

// slant returns the row of the centroid, and by how many columns a row is off the one above it: 0 for
// an image without mass or with all mass in one row.
func (d deskew) slant(x []float64) (middle, slope float64) {
	var mass, byRow, byColumn float64
	d.each(x, func(y, x, p float64) {
		mass, byRow, byColumn = mass+p, byRow+p*y, byColumn+p*x
	})
	middle, across := byRow/mass, byColumn/mass
	var mixed, tall float64
	d.each(x, func(y, x, p float64) {
		mixed, tall = mixed+p*(y-middle)*(x-across), tall+p*(y-middle)*(y-middle)
	})
	// What rounding leaves of the second moment of a single row is no height; without mass, nothing is.
	if !(tall > 1e-9*mass) {
		return 0, 0
	}
	return middle, mixed / tall
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

// shearRow writes a row of pixels seen from by columns to the right.
func shearRow(dst, x []float64, by float64) {
	n := float64(len(x))
	if !(by > -n && by < n) {
		clear(dst)
		return
	}
	whole := int(math.Floor(by))
	part := by - float64(whole)
	at := func(j int) float64 {
		if j < 0 || j >= len(x) {
			return 0
		}
		return x[j]
	}
	for j := range dst {
		dst[j] = (1-part)*at(j+whole) + part*at(j+whole+1)
	}
}

package wholerows

import (
	"math"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
)

// inner holds the products of the features x of a row, the center c and the whitening W that decide
// the row's place. Products of parts that a map lacks are not read.
type inner struct {
	Square         float64 // ‖x‖²
	Center         float64 // x·c
	Whitened       float64 // ‖xW‖²
	WhitenedCenter float64 // xW·cW
}

// mapped is the place of a row. Its features x become Scale·x - Shift·Center, multiplied by the
// whitening, and the intercept after them is Intercept.
type mapped struct{ Scale, Shift, Intercept float64 }

// rowTransform computes the places of rows from their products. It is immutable.
type rowTransform struct {
	m                 *feature.Map
	center2, whitened float64 // squared norms of c and of cW
}

// newPlacing returns the transform of a map. The argument whitened is cW, or nil without whitening.
func newPlacing(m *feature.Map, whitened []float64) rowTransform {
	center, after := kernel.Norm(m.Center), kernel.Norm(whitened)
	return rowTransform{m, center * center, after * after}
}

// closest is the least squared distance of row and center, relative to the sum of their squared
// norms, that products can resolve. Its relative error is at most 2/closest times that of the
// products.
const closest = 0x1p-6

// place returns the place of the row with these products, equal to Map.Apply's result up to
// rounding. Its features x become Scale·x - Shift·c, multiplied by W. It reports false for a row
// too near the center for products to resolve.
func (p rowTransform) place(in inner) (at mapped, ok bool) {
	m := p.m
	scale, shift := m.Factor(math.Sqrt(in.Square)), 0.0
	square := scale * scale * in.Square
	if m.Center != nil {
		if square, ok = distance(square, scale*in.Center, p.center2); !ok {
			return at, false
		}
		shift = m.Factor(math.Sqrt(square))
		scale, square = scale*shift, shift*shift*square
	}
	if m.Whitening != nil {
		if square, ok = distance(scale*scale*in.Whitened, scale*shift*in.WhitenedCenter, shift*shift*p.whitened); !ok {
			return at, false
		}
		last := m.Factor(math.Sqrt(square))
		scale, shift, square = scale*last, shift*last, last*last*square
	}
	at = mapped{Scale: scale, Shift: shift, Intercept: m.Intercept}
	if m.Intercept > 0 && m.Norm == feature.NormUnit {
		last := 1 / math.Sqrt(square+m.Intercept*m.Intercept)
		at = mapped{scale * last, shift * last, m.Intercept * last}
	}
	return at, true
}

// distance returns ‖a - b‖² from ‖a‖², a·b and ‖b‖². It also reports whether the result is well
// above their rounding error.
func distance(a2, ab, b2 float64) (square float64, ok bool) {
	square = a2 - 2*ab + b2
	return square, square >= closest*(a2+b2)
}

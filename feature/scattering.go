package feature

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/encoder"
)

// scattering is the wavelet scattering of an image with 2 scales, 8 angles and orders 0 to 2. Let x
// be an image, extended by its own reflection by 4 pixels on each side and then periodically. Let ψ
// be a wavelet and φ a Gaussian. The result holds the images x⋆φ, |x⋆ψ|⋆φ and ||x⋆ψ|⋆ψ'|⋆φ, ψ'
// coarser than ψ, at every fourth pixel. A modulus after a wavelet of the coarser scale is kept at
// every second pixel.
//
// Sources: S. Mallat, "Group invariant scattering", Communications on Pure and Applied Mathematics
// 65, 2012, https://arxiv.org/abs/1101.2286; for images J. Bruna and S. Mallat, "Invariant
// scattering convolution networks", IEEE PAMI 35, 2013, https://arxiv.org/abs/1203.1513.
type scattering struct {
	rows, columns, colors int
	paddedRows, paddedCol int
	fineRows, fineColumns *fourier // forward
	// backward[s] are the inverse transforms at a step of 2^s pixels.
	backRows, backColumns [scales]*fourier
	// wavelets[s][a] is the spectrum of a wavelet, with the scale of the inverse transform.
	wavelets [scales][angles][]float64
	// lowRows[s] and lowColumns[s] smooth an image with a step of 2^s pixels.
	lowRows, lowColumns [scales][]float64
	bound               float64
}

// paths is the number of images that scattering computes from one image.
const paths = 1 + scales*angles + angles*angles

// padding is the number of pixels by which an image is extended on each side.
const padding = coarseness

type shapeParameters struct {
	Shape []int `json:"shape"`
}

// newScattering returns the transform of parameters {"shape": [rows, columns]} or {"shape": [rows,
// columns, colors]}. A row holds the image row by row, with the colors of a pixel next to each
// other. Each color gives 81 images of rows/4 × columns/4 numbers.
func newScattering(parameters json.RawMessage, in int) (transform, error) {
	s := &scattering{}
	var err error
	if s.rows, s.columns, s.colors, err = imageShape(parameters, in); err != nil {
		return nil, err
	}
	if s.rows%coarseness != 0 || s.columns%coarseness != 0 || min(s.rows, s.columns) < 2*padding {
		return nil, fmt.Errorf("shape is %d×%d, want multiples of %d of at least %d", s.rows, s.columns, coarseness, 2*padding)
	}
	if s.Out() > maxFeatures {
		return nil, fmt.Errorf("shape gives %d features, want at most %d", s.Out(), maxFeatures)
	}
	s.prepare()
	return s, nil
}

// imageShape reads the shape of the images, colors last.
func imageShape(parameters json.RawMessage, in int) (rows, columns, colors int, err error) {
	var p shapeParameters
	if err = decodeParameters(parameters, &p); err != nil {
		return 0, 0, 0, err
	}
	shape := p.Shape
	if len(shape) == 2 {
		shape = append(shape[:2:2], 1)
	}
	if len(shape) != 3 {
		return 0, 0, 0, fmt.Errorf("shape is %v, want rows and columns, or rows, columns and colors, such as 28x28 or 32x32x3", p.Shape)
	}
	product := 1
	for _, n := range shape {
		if n < 1 || n > in || product > in {
			return 0, 0, 0, fmt.Errorf("shape is %v, want the shape of an image of %d numbers", p.Shape, in)
		}
		product *= n
	}
	if product != in {
		return 0, 0, 0, fmt.Errorf("shape %v has %d numbers, want the %d numbers of a row", p.Shape, product, in)
	}
	return shape[0], shape[1], shape[2], nil
}

// prepare computes transforms, filters and the bound.
func (s *scattering) prepare() {
	s.paddedRows, s.paddedCol = s.rows+2*padding, s.columns+2*padding
	s.fineRows, s.fineColumns = newFourier(s.paddedRows, -1), newFourier(s.paddedCol, -1)
	outRows, outColumns := s.outShape()
	order := [scales + 1]float64{1}
	for scale := range scales {
		step := 1 << scale
		s.backRows[scale], s.backColumns[scale] = newFourier(s.paddedRows/step, 1), newFourier(s.paddedCol/step, 1)
		s.lowRows[scale], s.lowColumns[scale] = lowPass(outRows, s.paddedRows/step, step), lowPass(outColumns, s.paddedCol/step, step)
		for angle := range angles {
			w := newWavelet(scale, angle)
			s.wavelets[scale][angle] = w.spectrum(s.paddedRows, s.paddedCol, 1/float64(s.paddedRows*s.paddedCol))
			order[scale+1] = max(order[scale+1], w.sum())
		}
	}
	low := 0.0
	for scale := range scales {
		low = max(low, largestSum(s.lowRows[scale], s.paddedRows>>scale)*largestSum(s.lowColumns[scale], s.paddedCol>>scale))
	}
	s.bound = low * max(1, order[1], order[2], order[1]*order[2])
}

func (s *scattering) outShape() (rows, columns int) {
	return s.rows / coarseness, s.columns / coarseness
}

func (s *scattering) In() int { return s.rows * s.columns * s.colors }

func (s *scattering) Out() int {
	rows, columns := s.outShape()
	return s.colors * paths * rows * columns
}

// Bound returns in times a bound from Young's inequality. No value of a convolution x⋆ψ exceeds the
// largest magnitude of x times the sum of the magnitudes of ψ.
func (s *scattering) Bound(in float64) float64 { return in * s.bound }

// Name returns the scattering path and the place of feature j.
func (s *scattering) Name(j int, _ func(int) encoder.Name) encoder.Name {
	rows, columns := s.outShape()
	place := j % (rows * columns)
	path := j / (rows * columns) % paths
	text := fmt.Sprintf("color %d, row %d, column %d", j/(paths*rows*columns)+1, place/columns+1, place%columns+1)
	switch {
	case path == 0:
		return encoder.Name{Column: "scattering, order 0", Level: text}
	case path <= scales*angles:
		return encoder.Name{Column: fmt.Sprintf("scattering, scale %d angle %d", (path-1)/angles, (path-1)%angles), Level: text}
	}
	path -= 1 + scales*angles
	return encoder.Name{Column: fmt.Sprintf("scattering, angle %d then %d", path/angles, path%angles), Level: text}
}

// scatteringScratch is the working space of one goroutine.
type scatteringScratch struct {
	a, b, c, spectrum, inner []complex128
	modulus, half            []float64
}

func (s *scattering) NewScratch() any {
	n := s.paddedRows * s.paddedCol
	w := func() []complex128 { return make([]complex128, n) }
	return &scatteringScratch{w(), w(), w(), w(), w(), make([]float64, n), make([]float64, s.paddedRows*s.paddedCol)}
}

func (s *scattering) Apply(dst, x []float64, scratch any) {
	w := scratch.(*scatteringScratch)
	each := len(dst) / s.colors
	for color := range s.colors {
		s.image(dst[color*each:][:each], x[color:], w)
	}
}

// image scatters one color.
func (s *scattering) image(dst, x []float64, w *scatteringScratch) {
	rows, columns := s.outShape()
	next := func() []float64 {
		out := dst[:rows*columns]
		dst = dst[rows*columns:]
		return out
	}
	s.pad(w.modulus, x)
	s.smooth(next(), w.modulus, 0, w)
	s.forward(w.spectrum, w)
	second := dst[scales*angles*rows*columns:]
	for angle := range angles {
		s.modulus(w.spectrum, 0, angle, w)
		s.smooth(next(), w.modulus, 0, w)
		s.forward(w.inner, w)
		for inner := range angles {
			s.modulus(w.inner, 1, inner, w)
			s.smooth(second[(angle*angles+inner)*rows*columns:][:rows*columns], w.modulus, 1, w)
		}
	}
	for angle := range angles {
		s.modulus(w.spectrum, 1, angle, w)
		s.smooth(next(), w.modulus, 1, w)
	}
}

// pad extends an image by its reflection at the middle of its outermost pixels.
func (s *scattering) pad(dst, x []float64) {
	for i := range s.paddedRows {
		row := x[reflect(i-padding, s.rows)*s.columns*s.colors:]
		for j := range s.paddedCol {
			dst[i*s.paddedCol+j] = row[reflect(j-padding, s.columns)*s.colors]
		}
	}
}

func reflect(i, n int) int {
	if i < 0 {
		return -i
	}
	return min(i, 2*(n-1)-i)
}

// forward writes the spectrum of w.modulus, columns' frequency first.
func (s *scattering) forward(dst []complex128, w *scatteringScratch) {
	for i, v := range w.modulus {
		w.a[i] = complex(v, 0)
	}
	x, y := s.fineRows.apply(w.a, w.b, s.paddedCol)
	transpose(y, x, s.paddedRows, s.paddedCol)
	x, _ = s.fineColumns.apply(y, x, s.paddedRows)
	copy(dst, x)
}

// modulus writes |x⋆ψ| to w.modulus, at a step of 2^scale pixels, for the spectrum of an x of step
// 1.
func (s *scattering) modulus(spectrum []complex128, scale, angle int, w *scatteringScratch) {
	rows, columns := s.paddedRows>>scale, s.paddedCol>>scale
	s.filter(w.a, spectrum, s.wavelets[scale][angle], scale)
	n := rows * columns
	x, y := s.backColumns[scale].apply(w.a[:n], w.b[:n], rows)
	transpose(y, x, columns, rows)
	x, _ = s.backRows[scale].apply(y, x, columns)
	for i, v := range x {
		w.modulus[i] = math.Sqrt(real(v)*real(v) + imag(v)*imag(v))
	}
}

// filter multiplies a spectrum by that of a filter. Adding up the four quarters of the product
// keeps every second pixel.
func (s *scattering) filter(dst, spectrum []complex128, filter []float64, scale int) {
	filter = filter[:len(spectrum)]
	if scale == 0 {
		for i, v := range spectrum {
			dst[i] = complex(real(v)*filter[i], imag(v)*filter[i])
		}
		return
	}
	rows, columns := s.paddedRows/2, s.paddedCol/2
	for k := range columns {
		quarter := func(a, b int) ([]complex128, []float64) {
			at := (k+a*columns)*2*rows + b*rows
			return spectrum[at:][:rows], filter[at:][:rows]
		}
		x0, f0 := quarter(0, 0)
		x1, f1 := quarter(0, 1)
		x2, f2 := quarter(1, 0)
		x3, f3 := quarter(1, 1)
		out := dst[k*rows:][:rows]
		for l := range out {
			out[l] = complex(real(x0[l])*f0[l]+real(x1[l])*f1[l]+real(x2[l])*f2[l]+real(x3[l])*f3[l],
				imag(x0[l])*f0[l]+imag(x1[l])*f1[l]+imag(x2[l])*f2[l]+imag(x3[l])*f3[l])
		}
	}
}

// smooth writes x⋆φ at every fourth pixel, for an x at a step of 2^scale pixels.
func (s *scattering) smooth(dst, x []float64, scale int, w *scatteringScratch) {
	rows, columns := s.paddedRows>>scale, s.paddedCol>>scale
	outRows, outColumns := s.outShape()
	low := s.lowColumns[scale]
	for o := range outRows {
		half := w.half[:columns]
		clear(half)
		for i, a := range s.lowRows[scale][o*rows:][:rows] {
			for j, v := range x[i*columns:][:columns] {
				half[j] += a * v
			}
		}
		for p := range outColumns {
			sum := 0.0
			for j, a := range low[p*columns:][:columns] {
				sum += a * half[j]
			}
			dst[o*outColumns+p] = sum
		}
	}
}

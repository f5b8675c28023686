package feature

import "math"

// The bank of filters follows M. Andreux et al., "Kymatio: scattering transforms in Python",
// Journal of Machine Learning Research 21, 2020: Morlet wavelets of 2 scales and 8 angles and a
// Gaussian.
const (
	scales     = 2
	angles     = 8
	coarseness = 1 << scales // pixels from one output to the next
	// envelope is the standard deviation of the finest wavelet along its wave, in pixels. Across
	// the wave it is 1/slant times that. It doubles from scale to scale.
	envelope = 0.8
	slant    = 4.0 / angles
	// lowDeviation is the standard deviation of the Gaussian.
	lowDeviation = envelope * (1 << (scales - 1))
)

// wavelet is the Morlet wavelet of a scale and an angle: a plane wave under a Gaussian, less the
// multiple of the Gaussian that makes its sum 0.
type wavelet struct {
	frequency, deviation float64
	cos, sin             float64 // of the direction of the wave, over rows and columns
	less                 float64 // the multiple of the Gaussian that is subtracted
}

func newWavelet(scale, angle int) wavelet {
	grow := float64(int(1) << scale)
	sin, cos := math.Sincos(float64(angles/2-1-angle) * math.Pi / angles)
	w := wavelet{frequency: 3 * math.Pi / 4 / grow, deviation: envelope * grow, cos: cos, sin: sin}
	w.less = w.periodic(0, 0, w.frequency) / w.periodic(0, 0, 0)
	return w
}

// periodic returns the discrete-time Fourier transform of the Gaussian around frequency center,
// sampled at integer pixels. By Poisson's formula it is the sum of the transform over shifts by 2π.
func (w wavelet) periodic(row, column, center float64) float64 {
	const shifts, far = 3, 140 // further terms add less than 1e-30
	sum := 0.0
	for i := -shifts; i <= shifts; i++ {
		for j := -shifts; j <= shifts; j++ {
			r, c := row+2*math.Pi*float64(i), column+2*math.Pi*float64(j)
			along, across := r*w.cos+c*w.sin-center, (c*w.cos-r*w.sin)/slant
			if square := (along*along + across*across) * w.deviation * w.deviation; square < far {
				sum += math.Exp(-square / 2)
			}
		}
	}
	return sum
}

// spectrum returns the transform of the wavelet on a grid of rows × columns, the columns' frequency
// first. Element k·rows+l belongs to frequencies 2πl/rows and 2πk/columns. It is real.
func (w wavelet) spectrum(rows, columns int, scale float64) []float64 {
	out := make([]float64, 0, rows*columns)
	for k := range columns {
		for l := range rows {
			r, c := 2*math.Pi*float64(l)/float64(rows), 2*math.Pi*float64(k)/float64(columns)
			out = append(out, scale*(w.periodic(r, c, w.frequency)-w.less*w.periodic(r, c, 0)))
		}
	}
	return out
}

// sum returns a bound on the sum of the magnitudes of the wavelet's values. The magnitudes of the
// wave under the Gaussian are the Gaussian's. So are the magnitudes of the subtracted part, times
// less.
func (w wavelet) sum() float64 { return (1 + w.less) * w.periodic(0, 0, 0) }

// lowPass returns the matrix, outputs × n, that smooths a periodic signal with the Gaussian. The
// signal has n samples, step pixels apart. One value in coarseness pixels is kept: those at
// coarseness, 2·coarseness, …
func lowPass(outputs, n, step int) []float64 {
	const periods = 2
	out, length := make([]float64, outputs*n), n*step
	for o := range outputs {
		for i := range n {
			for p := -periods; p <= periods; p++ {
				x := float64(i*step-(o+1)*coarseness+p*length) / lowDeviation
				out[o*n+i] += float64(step) * math.Exp(-x*x/2) / (math.Sqrt(2*math.Pi) * lowDeviation)
			}
		}
	}
	return out
}

// largestSum returns the largest sum of magnitudes in a row of a matrix.
func largestSum(a []float64, n int) float64 {
	largest := 0.0
	for ; len(a) > 0; a = a[n:] {
		sum := 0.0
		for _, v := range a[:n] {
			sum += math.Abs(v)
		}
		largest = max(largest, sum)
	}
	return largest
}

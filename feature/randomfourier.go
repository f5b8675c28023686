package feature

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/kernel"
)

// randomFourier is the transform to random Fourier features z(x) = √(2/D)·cos(W·x + b). Products
// z(x)·z(y) approximate the Gaussian kernel exp(-|x-y|²/(2h²)). The entries of W are normal with
// mean 0 and standard deviation 1/h; the entries of b are uniform in [0, 2π). Both follow from a
// public seed; see frequencies. The norm of z(x) is at most √2.
//
// Source: A. Rahimi and B. Recht, "Random features for large-scale kernel machines", NIPS 2007,
// algorithm 1.
type randomFourier struct {
	in, out int
	w       []float64 // in × out, row after row
	b       []float64
	scale   float64
}

var (
	_ transform     = (*randomFourier)(nil)
	_ rowsTransform = (*randomFourier)(nil)
)

type randomFourierParameters struct {
	// Features is D, the number of features.
	Features int `json:"features"`
	// Bandwidth is h. 0 means √(in/6), the root mean square distance of two rows of independent
	// numbers that are uniform in [0, 1].
	Bandwidth float64 `json:"bandwidth"`
	Seed      uint64  `json:"seed"`
}

// maxFrequencies bounds the number of entries of W: 256 MiB.
const maxFrequencies = 1 << 25

// newRandomFourier returns the transform of parameters {"features": D, "bandwidth": h, "seed": n}.
func newRandomFourier(parameters json.RawMessage, in int) (transform, error) {
	var p randomFourierParameters
	if err := decodeParameters(parameters, &p); err != nil {
		return nil, err
	}
	switch {
	case p.Features < 1 || p.Features > maxFrequencies/in:
		return nil, fmt.Errorf("features is %d, want 1 to %d for rows of %d numbers; 1000 is a common choice", p.Features, maxFrequencies/in, in)
	case p.Bandwidth == 0:
		p.Bandwidth = math.Sqrt(float64(in) / 6)
	case !(p.Bandwidth >= 1e-6 && p.Bandwidth <= 1e6):
		return nil, fmt.Errorf("bandwidth is %v, want 0.000001 to 1000000, or none for one that suits %d numbers in [0, 1]", p.Bandwidth, in)
	}
	f := &randomFourier{in: in, out: p.Features, scale: math.Sqrt(2 / float64(p.Features))}
	f.w, f.b = frequencies(in, p.Features, p.Bandwidth, p.Seed)
	return f, nil
}

// frequencies returns W, of shape in × out, and b. Number k of a seed is splitMix(seed, k), k from
// 0. Feature j uses a pair of numbers for each entry of its column of W, and then one for b[j]. All
// are rounded to single precision, because processors differ in the last bit of a logarithm or a
// cosine.
func frequencies(in, out int, bandwidth float64, seed uint64) (w, b []float64) {
	w, b = make([]float64, in*out), make([]float64, out)
	k := uint64(0)
	for j := range out {
		for i := range in {
			w[i*out+j] = float64(float32(normal(splitMix(seed, k), splitMix(seed, k+1)) / bandwidth))
			k += 2
		}
		b[j] = float64(float32(2 * math.Pi * unit(splitMix(seed, k))))
		k++
	}
	return w, b
}

// splitMix returns number k, from 0, of the generator SplitMix64 (G. L. Steele, D. Lea and C. H.
// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, figure 17, with the
// constants of https://prng.di.unimi.it/splitmix64.c). It is not secure and need not be: it makes
// public numbers.
func splitMix(seed, k uint64) uint64 {
	z := seed + (k+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unit returns 64 bits as a number in (0, 1): the middle of one of 2^53 equal parts, or, for the
// last part, the largest number below 1.
func unit(bits uint64) float64 {
	return min((float64(bits>>11)+0.5)*0x1p-53, 1-0x1p-53)
}

// normal returns two numbers as a standard normal one (G. E. P. Box and M. E. Muller, "A note on
// the generation of random normal deviates", Annals of Mathematical Statistics 29, 1958).
func normal(first, second uint64) float64 {
	return math.Sqrt(-2*math.Log(unit(first))) * math.Cos(2*math.Pi*unit(second))
}

func (f *randomFourier) In() int { return f.in }

func (f *randomFourier) Out() int { return f.out }

// Bound returns √(2/D), for every in.
func (f *randomFourier) Bound(float64) float64 { return f.scale }

func (f *randomFourier) NewScratch() any { return nil }

// Name returns "fourier = feature j": a feature depends on all numbers of a row.
func (f *randomFourier) Name(j int, _ func(int) encoder.Name) encoder.Name {
	return encoder.Name{Column: "fourier", Level: "feature " + strconv.Itoa(j)}
}

func (f *randomFourier) Apply(dst, x []float64, scratch any) { f.ApplyRows(dst, x, 1, scratch) }

// ApplyRows computes one matrix product for all rows. Each row of the result depends only on its
// own row.
func (f *randomFourier) ApplyRows(dst, x []float64, rows int, _ any) {
	kernel.GemmSerial(kernel.NewMatrix(dst[:rows*f.out], rows, f.out), 1, kernel.NewMatrix(x[:rows*f.in], rows, f.in), kernel.NewMatrix(f.w, f.in, f.out), 0)
	for r := range rows {
		row := dst[r*f.out : (r+1)*f.out]
		for j, v := range row {
			row[j] = f.scale * math.Cos(v+f.b[j])
		}
	}
}

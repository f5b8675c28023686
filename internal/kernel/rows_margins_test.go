package kernel

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMarginsKernelsAreTheSame compares every kernel with the portable definition.
func TestMarginsKernelsAreTheSame(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		forEntries(t,
			func(t *testing.T) { marginsAreTheSame[float32](t, set) },
			func(t *testing.T) { marginsAreTheSame[int16](t, set) },
			func(t *testing.T) { marginsAreTheSame[uint8](t, set) })
		t.Run("bits", func(t *testing.T) {
			r := rand.New(rand.NewPCG(21, 1))
			for _, s := range rowShapes(r) {
				x, w := anyBits(r, s.rows, s.dim), anySingles(r, s.columns*s.dim)
				disturb(r, w)
				got, want := guarded(s.rows*s.columns), guarded(s.rows*s.columns)
				if s.rows > 0 {
					marginsBits(set, got[:s.rows*s.columns], x, s.dim, w, s.columns)
					marginsBitsPortable(want[:s.rows*s.columns], x, s.dim, w, s.columns)
				}
				expectSame(t, fmt.Sprintf("%+v", s), got, want)
			}
		})
	})
}

// guarded returns n numbers and some behind them that must stay as they are.
func guarded(n int) []float32 { return slices.Repeat([]float32{-7.25}, n+9) }

func marginsAreTheSame[T Entry](t *testing.T, set instructions) {
	r := rand.New(rand.NewPCG(20, 1))
	for _, s := range rowShapes(r) {
		x, w := anyEntries[T](r, s.rows*s.dim), anySingles(r, s.columns*s.dim)
		disturb(r, w)
		got, want := guarded(s.rows*s.columns), guarded(s.rows*s.columns)
		if s.rows > 0 {
			margins(set, got[:s.rows*s.columns], x, s.dim, w, s.columns)
			marginsPortable(want[:s.rows*s.columns], x, s.dim, w, s.columns)
		}
		expectSame(t, fmt.Sprintf("%+v", s), got, want)
	}
}

// disturb makes some weights infinite or NaN, now and then.
func disturb(r *rand.Rand, w []float32) {
	for len(w) > 0 && r.IntN(3) == 0 {
		w[r.IntN(len(w))] = [3]float32{float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}[r.IntN(3)]
	}
}

// TestMarginsAreWithinTheBound compares with sums in float64, where products of two
// float32 numbers are exact, and at most dim·2^-53·Σ|x·w| is lost.
func TestMarginsAreWithinTheBound(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		forEntries(t,
			func(t *testing.T) { marginsAreWithinTheBound[float32](t, set) },
			func(t *testing.T) { marginsAreWithinTheBound[int16](t, set) },
			func(t *testing.T) { marginsAreWithinTheBound[uint8](t, set) })
	})
}

func marginsAreWithinTheBound[T Entry](t *testing.T, set instructions) {
	r := rand.New(rand.NewPCG(24, 1))
	lost := 0
	for _, s := range rowShapes(r) {
		if s.rows == 0 {
			continue
		}
		x, w := anyEntries[T](r, s.rows*s.dim), anySingles(r, s.columns*s.dim)
		dst := make([]float32, s.rows*s.columns)
		margins(set, dst, x, s.dim, w, s.columns)
		for at, got := range dst {
			row, column := x[at/s.columns*s.dim:][:s.dim], w[at%s.columns*s.dim:][:s.dim]
			want, size := 0.0, 0.0
			for j, v := range row {
				product := float64(v) * float64(column[j])
				want += product
				size += math.Abs(product)
			}
			n := float64((s.dim+15)/16+4) * 0x1p-24
			bound := n/(1-n)*size + float64(s.dim)*(0x1p-149+0x1p-53*size)
			if off := math.Abs(float64(got) - want); !(off <= bound) {
				t.Fatalf("%+v, product %d: got %v, want %v within %v", s, at, got, want, bound)
			} else if off > 0 {
				lost++
			}
		}
	}
	if lost < 100 {
		t.Errorf("%d products were rounded, want many", lost)
	}
}

// TestMarginsFollowTheDefinition computes one product after the text of the definition,
// partial sum by partial sum.
func TestMarginsFollowTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 1))
	for dim := range 100 {
		x, w := anySingles(r, dim), anySingles(r, dim)
		var sums [16]float32
		for l := range sums {
			for j := l; j < dim; j += 16 {
				product := float32(float64(x[j]) * float64(w[j]))
				sums[l] = float32(float64(sums[l]) + float64(product))
			}
		}
		for width := 8; width >= 1; width /= 2 {
			for l := range width {
				sums[l] = float32(float64(sums[l]) + float64(sums[l+width]))
			}
		}
		got := []float32{-1}
		Margins(got, x, dim, w, 1)
		expectSame(t, fmt.Sprintf("dim %d", dim), got, sums[:1])
	}
}

// TestMarginsOfBitsAreThoseOfBytes compares packed bits with the same entries as bytes.
func TestMarginsOfBitsAreThoseOfBytes(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(26, 1))
		for _, s := range rowShapes(r) {
			if s.rows == 0 {
				continue
			}
			bits, w := anyBits(r, s.rows, s.dim), anySingles(r, s.columns*s.dim)
			x := make([]uint8, s.rows*s.dim)
			for at := range x {
				i, j := at/s.dim, at%s.dim
				x[at] = uint8(bits[i*BitWords(s.dim)+j/64] >> (j % 64) & 1)
			}
			got, want := make([]float32, s.rows*s.columns), make([]float32, s.rows*s.columns)
			marginsBits(set, got, bits, s.dim, w, s.columns)
			margins(set, want, x, s.dim, w, s.columns)
			expectSame(t, fmt.Sprintf("%+v", s), got, want)
		}
	})
}

// TestMarginsDoNotDependOnPlace holds that the product of a row and a column has the same
// bits alone as in any block with any other columns.
func TestMarginsDoNotDependOnPlace(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(27, 1))
		for range 60 {
			s := rowShape{1 + r.IntN(70), r.IntN(300), 1 + r.IntN(13)}
			words := BitWords(s.dim)
			x, bits, w := anyEntries[float32](r, s.rows*s.dim), anyBits(r, s.rows, s.dim), anySingles(r, s.columns*s.dim)
			all, allBits := make([]float32, s.rows*s.columns), make([]float32, s.rows*s.columns)
			margins(set, all, x, s.dim, w, s.columns)
			marginsBits(set, allBits, bits, s.dim, w, s.columns)
			for range 20 {
				i, k := r.IntN(s.rows), r.IntN(s.columns)
				rows, columns := 1+r.IntN(s.rows-i), 1+r.IntN(s.columns-k)
				got := make([]float32, 2*rows*columns)
				part := w[k*s.dim : (k+columns)*s.dim]
				margins(set, got[:rows*columns], x[i*s.dim:(i+rows)*s.dim], s.dim, part, columns)
				marginsBits(set, got[rows*columns:], bits[i*words:(i+rows)*words], s.dim, part, columns)
				for at := range rows * columns {
					from := (i+at/columns)*s.columns + k + at%columns
					expectSame(t, fmt.Sprintf("%+v, row %d, column %d", s, i, k),
						[]float32{got[at], got[rows*columns+at]}, []float32{all[from], allBits[from]})
				}
			}
		}
	})
}

// FuzzMargins compares the kernels on entries and weights of any bits.
func FuzzMargins(f *testing.F) {
	f.Add(uint8(20), uint8(3), []byte("\x00\x00\x80\x7f\x00\x00\x00\x80"), make([]byte, 700))
	f.Add(uint8(16), uint8(1), []byte("\x01\x00\x00\x00\xff\xff\x7f\x7f"), slices.Repeat([]byte{0x3f, 0x80, 1, 0xff}, 100))
	f.Fuzz(func(t *testing.T, dim, columns uint8, weights, data []byte) {
		d, k := int(dim), 1+int(columns%40)
		if d == 0 || len(weights) < 4 {
			return
		}
		w := make([]float32, d*k)
		for j := range w {
			w[j] = math.Float32frombits(binary.LittleEndian.Uint32(weights[4*j%(len(weights)&^3):]))
		}
		single, short := make([]float32, len(data)/4/d*d), make([]int16, len(data)/2/d*d)
		bits := make([]uint64, len(data)/8/BitWords(d)*BitWords(d))
		for j := range single {
			single[j] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*j:]))
		}
		for j := range short {
			short[j] = int16(binary.LittleEndian.Uint16(data[2*j:]))
		}
		for j := range bits {
			bits[j] = binary.LittleEndian.Uint64(data[8*j:])
		}
		fuzzMargins(t, single, d, w, k)
		fuzzMargins(t, short, d, w, k)
		fuzzMargins(t, data[:len(data)/d*d], d, w, k)
		if rows := len(bits) / BitWords(d); rows > 0 {
			got, want := make([]float32, rows*k), make([]float32, rows*k)
			marginsBitsPortable(want, bits, d, w, k)
			for set := portable; set <= available; set++ {
				marginsBits(set, got, bits, d, w, k)
				expectSame(t, fmt.Sprintf("bits, %v, dim %d, columns %d", set, d, k), got, want)
			}
		}
	})
}

func fuzzMargins[T Entry](t *testing.T, x []T, dim int, w []float32, columns int) {
	t.Helper()
	rows := len(x) / dim
	if rows == 0 {
		return
	}
	got, want := make([]float32, rows*columns), make([]float32, rows*columns)
	marginsPortable(want, x, dim, w, columns)
	for set := portable; set <= available; set++ {
		margins(set, got, x, dim, w, columns)
		expectSame(t, fmt.Sprintf("%T, %v, dim %d, columns %d", x, set, dim, columns), got, want)
	}
}

package wholerows

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
)

// numbers returns a chain of columns of bytes, and rows of it that draw gives.
func numbers(t *testing.T, width, rows int, draw func() float64) (*feature.Pipeline, func() func(i int) []float32) {
	t.Helper()
	s := &data.Schema{MaxRecords: 10, Row: "one row", Target: data.Target{Column: "y", Upper: 1}, Columns: []data.Column{{Name: "x", Kind: data.Numeric, Upper: 255, OutOfRange: data.Clamp, Missing: data.Zero, Repeat: width}}}
	s, err := s.Expand()
	if err != nil {
		t.Fatal(err)
	}
	values := make([][]float32, rows)
	for i := range values {
		for range width {
			values[i] = append(values[i], float32(draw()))
		}
	}
	chain, err := feature.NewPipeline(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	return chain, func() func(i int) []float32 { return func(i int) []float32 { return values[i] } }
}

// TestWholeRows compares products of rows of bytes, of any numbers, and of bytes but for one row far behind, with those of
// their features.
func TestWholeRows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 3))
	drawn := 0
	for name, c := range map[string]struct {
		draw   func() float64
		limbs  int
		offset float64 // of a feature
	}{
		"bytes":    {func() float64 { return float64(r.IntN(256)) }, 1, 1e-14},
		"numbers":  {func() float64 { return 255 * r.Float64() }, 2, 0x1p-27},
		"one odd":  {func() float64 { drawn++; return float64(r.IntN(256)) + 0.3*float64(drawn/3000) }, 2, 0x1p-27},
		"large":    {func() float64 { return 255 - 0.01*r.Float64() }, 2, 0x1p-27},
		"all zero": {func() float64 { return 0 }, 1, 0},
	} {
		const dim, rows, count = 13, 250, 5
		chain, values := numbers(t, dim, rows, c.draw)
		w := New(chain, rows, values)
		if w.limbs != c.limbs || w.Rows() != rows || w.Dim() != dim || w.Blocks() != (rows+Block-1)/Block {
			t.Fatalf("%s: %d limbs, %d rows of %d in %d blocks, want %d limbs, %d rows of %d", name, w.limbs, w.Rows(), w.Dim(), w.Blocks(), c.limbs, rows, dim)
		}
		columns, extent := make([]int16, dim*count), kernel.IntExtent{Entry: 32767, Square: 32767 * 32767 * dim}
		for j := range columns {
			columns[j] = int16(r.IntN(1 << 16))
			if j%count == 0 {
				columns[j] = math.MaxInt16 // whose products with large numbers pass 32 bits
			}
		}
		x, scratch := make([]float64, dim), chain.NewScratch()
		var room []int64
		for b := range w.Blocks() {
			first, n := w.Block(b)
			room = w.Multiply(room, b, columns, count, kernel.ProductGroup(extent, w.Extent()))
			if len(room) != n*count {
				t.Fatalf("%s: block %d has %d products, want %d", name, b, len(room), n*count)
			}
			for i := range n {
				chain.FeaturesOf(x, 1, scratch, func(int) []float32 { return values()(first + i) })
				if norm := kernel.Norm(x); math.Abs(w.Square(first+i)-norm*norm) > 1e-15*norm*norm {
					t.Fatalf("%s: square of row %d is %v, want %v", name, first+i, w.Square(first+i), norm*norm)
				}
				for k := range count {
					want, slack := 0.0, 1e-9
					for j, v := range x {
						want += v * float64(columns[j*count+k])
						slack += c.offset * math.Abs(float64(columns[j*count+k]))
					}
					if got := float64(room[i*count+k]) * w.Unit(); !(math.Abs(got-want) <= slack) {
						t.Fatalf("%s: product of row %d and column %d is %v, want %v within %v", name, first+i, k, got, want, slack)
					}
				}
			}
		}
	}
}

// TestWholeRowsOfNone has no rows, and features beyond what is declared.
func TestWholeRowsOfNone(t *testing.T) {
	chain, values := numbers(t, 3, 2, func() float64 { return 3.7 })
	if New(chain, 0, values) != nil {
		t.Error("got rows without rows, want nil")
	}
	third := Rows{dim: 3, rows: 2, limbs: 2, unit: 1.0 / (3 * kernel.LimbUnit * kernel.LimbUnit)} // for features up to a third
	large := func() func(int) []float32 {
		return func(i int) []float32 { return []float32{255, 0.3, 0.7 * float32(i)} }
	}
	if third.fill(chain, large) {
		t.Error("two limbs hold features beyond their bound, want a refusal")
	}
	if !third.fill(chain, values) {
		t.Error("two limbs refuse features within their bound")
	}
}

// TestPlacing compares where products send rows with what Apply writes, for every normalization, with center, whitening and
// intercept and without; near the center it must say that products do not tell.
func TestPlacing(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	const dim = 6
	told, near := 0, 0
	for range 400 {
		chain, values := numbers(t, dim, 1, func() float64 { return 255 * r.Float64() })
		m := &feature.Map{Pipeline: chain, Norm: []feature.Normalization{feature.NormNone, feature.NormClip, feature.NormUnit}[r.IntN(3)], Radius: 0.3 + 2*r.Float64(), Intercept: float64(r.IntN(2))}
		x, scratch, want := make([]float64, dim), m.NewScratch(1), make([]float64, m.Dim())
		chain.FeaturesOf(x, 1, chain.NewScratch(), func(int) []float32 { return values()(0) })
		if r.IntN(2) == 0 {
			m.Center = make([]float64, dim)
			away := []float64{1, 0.1}[r.IntN(2)]
			for j := range m.Center {
				m.Center[j] = x[j]*m.Factor(kernel.Norm(x)) + away*r.NormFloat64()
			}
		}
		if m.Norm != feature.NormNone && r.IntN(2) == 0 {
			m.Whitening = &feature.Whitening{Matrix: whitening(r, dim, false).Matrix}
		}
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		m.Apply(want, 1, scratch, func(int) []float32 { return values()(0) })
		got, ok := place(m, x)
		if !ok {
			near++
			continue
		}
		told++
		for j := range want {
			if math.Abs(got[j]-want[j]) > 1e-12 {
				t.Fatalf("%s, center %v, whitening %v, intercept %v: got %v for %v, want %v", m.Norm, m.Center, m.Whitening, m.Intercept, got, x, want)
			}
		}
	}
	if told < 200 || near < 20 {
		t.Errorf("products told where %d rows go and did not for %d, want many and some", told, near)
	}
}

// place writes out where products send the row of these features.
func place(m *feature.Map, x []float64) (out []float64, ok bool) {
	white := func(v []float64) []float64 {
		v = append([]float64(nil), v...)
		if m.Whitening != nil {
			m.Whitening.Multiply(v, append([]float64(nil), v...))
		}
		return v
	}
	center := make([]float64, len(x))
	copy(center, m.Center)
	after := white(center)
	in := inner{Square: kernel.Dot(x, x), Center: kernel.Dot(x, center), Whitened: kernel.Dot(white(x), white(x)), WhitenedCenter: kernel.Dot(white(x), after)}
	at, ok := newPlacing(m, after).place(in)
	for j := range x {
		out = append(out, at.Scale*x[j]-at.Shift*center[j])
	}
	out = white(out)
	if m.Intercept > 0 {
		out = append(out, at.Intercept)
	}
	return out, ok
}

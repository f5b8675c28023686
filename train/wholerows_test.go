package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/privacy"
)

// TestWhitenedWholeRows compares rows that are whitened in integers, by a frame where every step takes all of them and
// else before, with what the map of the model makes of the record by itself. A coordinate of a centered row that is kept is
// rounded by less than a step, toward zero, which the whitening stretches by its norm at most and the normalization divides
// by that of the row, twice that at most; then half a step of the other grid is added, and as much for rounding in
// float32. A frame rounds the whitened center to 2^-11 of its largest coordinate, which the normalization divides in the same way, and
// the length of a row to one of many integers.
func TestWhitenedWholeRows(t *testing.T) {
	s, d := pictures(t, 200)
	for name, c := range map[string]struct {
		norm    feature.Normalization
		center  Tristate
		radius  float64
		sampled float64
		framed  bool
	}{"unit": {feature.NormUnit, Yes, 0, 0, true}, "no center": {feature.NormUnit, No, 0, 0, true}, "sampled": {feature.NormUnit, Yes, 0, 0.1, false}, "clip": {feature.NormClip, Yes, 2, 0, false}} {
		setup, err := NewPlan(Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: Yes, Normalization: c.norm, Radius: c.radius, Center: c.center, SamplingProbability: c.sampled}, s)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := setup.encode(d, 0)
		if err != nil {
			t.Fatal(err)
		}
		ready, err := setup.prepare(free{}, encoded)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := setup.descend(encoded, ready)
		if err != nil || ready.whole == nil || ready.framed != c.framed {
			t.Fatalf("%s: %v, framed is %v, want rows whitened in integers, and framed %v", name, err, ready.framed, c.framed)
		}
		m := ready.features
		dim, want, scratch, plain := m.Dim(), make([]float64, m.Dim()), m.NewScratch(1), centeredRows(m, d)
		whitened, center, stretch, room := make([]float64, m.Pipeline.Dim()), make([]float64, m.Pipeline.Dim()), kernel.Norm(m.Whitening.Matrix), make([]int16, dim)
		if m.Center != nil {
			m.Whitening.Multiply(center, m.Center)
		}
		largest := max(slices.Max(center), -slices.Min(center))
		block, err := rows.Load(0, d.Records(), release.Block{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Records() {
			m.Apply(want, 1, scratch, func(int) []float32 { return d.Row(nil, i) })
			got := make([]float64, dim)
			block.AddTo(got, i, []float64{1}, room)
			m.Whitening.Multiply(whitened, plain[i])
			slack := rows.Step() + 2*m.RowBound()*largest*0x1p-11*math.Sqrt(float64(dim))/kernel.Norm(whitened) + 1e-3*m.RowBound()
			if !c.framed {
				slack = rows.Step() + 2*m.RowBound()*stretch*ready.centered.Step()*math.Sqrt(float64(dim))/kernel.Norm(whitened)
			}
			for j, v := range want {
				if diff := math.Abs(got[j] - v); !(diff <= slack) || slack > 0.05*m.RowBound() {
					t.Fatalf("%s: coordinate %d of row %d is off by %v, want at most %v, less than a twentieth of the row", name, j, i, diff, slack)
				}
			}
			if norm := kernel.Norm(got); math.Abs(norm-kernel.Norm(want)) > slack {
				t.Fatalf("%s: row %d has norm %v, want %v", name, i, norm, kernel.Norm(want))
			}
		}
	}
}

// TestWideRowsShareNoPasses holds that rows of more features than a frame whitens are whitened before, and alone.
func TestWideRowsShareNoPasses(t *testing.T) {
	for features, framed := range map[int]bool{mostFramed: true, mostFramed + 1: false} {
		s, err := (&data.Schema{Name: "wide", Row: "one row", MaxRecords: 2000,
			Columns: []data.Column{{Name: "x", Kind: data.Numeric, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero, Repeat: features}},
			Target:  data.Target{Column: "y", Levels: []string{"no", "yes"}}}).Expand()
		if err != nil {
			t.Fatal(err)
		}
		setup, err := NewPlan(Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: Yes, Structure: option.StructureFull}, s)
		if err != nil || setup.framed() != framed || setup.SharesPasses() != framed {
			t.Errorf("%d features: framed is %v, want %v, %v", features, setup.framed(), framed, err)
		}
	}
}

// TestRoundMatrix holds that integers fit 16 bits, that their sums of products with the longest vectors fit 32, that the
// matrix becomes what they stand for, and that the unit is as small as that allows.
func TestRoundMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	const side, limit = 40, math.MaxInt16 * math.MaxInt16
	for name, diagonal := range map[string]float64{"even": 0, "diagonal": 1e9} {
		matrix := make([]float64, side*side)
		for i := range side {
			for j := range i + 1 {
				matrix[i*side+j] = 3 * r.NormFloat64()
				matrix[j*side+i] = matrix[i*side+j]
			}
			matrix[i*side+i] += diagonal
		}
		before := append([]float64(nil), matrix...)
		whole := roundMatrix(matrix, limit)
		largest, longest := 0.0, 0.0
		for i := range side {
			square := int64(0)
			for j := range side {
				q, at := whole.Numbers[i*side+j], i*side+j
				square += int64(q) * int64(q)
				if largest = max(largest, math.Abs(float64(q))); matrix[at] != float64(q)*whole.Unit || math.Abs(matrix[at]-before[at]) > whole.Unit/2*(1+1e-9) {
					t.Fatalf("%s: number %d is %v for %v, want the nearest of unit %v", name, at, matrix[at], before[at], whole.Unit)
				}
			}
			longest = max(longest, math.Sqrt(float64(square)))
		}
		if most := math.MaxInt32 / float64(math.MaxInt16); longest > most || longest < 0.99*most && largest < math.MaxInt16 {
			t.Errorf("%s: the longest row is %v and the largest number %v, want at most %v and %v, and one of them reached", name, longest, largest, most, math.MaxInt16)
		}
	}
	for name, v := range map[string]float64{"zero": 0, "infinite": math.Inf(1), "no number": math.NaN()} {
		if whole := roundMatrix([]float64{v, v, v, v}, limit); whole != nil {
			t.Errorf("%s: got numbers %v, want none", name, whole.Numbers)
		}
	}
}

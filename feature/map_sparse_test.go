package feature

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/internal/encoder"
)

// TestSparseMap compares where sparse rows go with what Apply writes for the whole rows, for all
// normalizations, with center and intercept and without.
func TestSparseMap(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	empty := 0
	for range 60 {
		d := randomSparse(t, r, 1+r.IntN(30), 10)
		e, err := encoder.New(d.Schema())
		if err != nil {
			t.Fatal(err)
		}
		sparse := e.Sparse(d.Absent())
		for _, m := range []*Map{{Norm: NormNone}, {Norm: NormClip, Radius: 1.2}, {Norm: NormUnit}, {Norm: NormUnit, Intercept: 0.5}, {Norm: NormClip, Radius: 0.5, Intercept: 2}, {Norm: NormNone, Intercept: 1}} {
			m.Pipeline = plainChain(e)
			if r.IntN(3) > 0 {
				m.Center = make([]float64, e.Dim())
				for j := range m.Center {
					m.Center[j] = r.NormFloat64() / 3
				}
			}
			if err = m.Validate(); err != nil {
				t.Fatal(err)
			}
			want, scratch, narrow := make([]float64, m.Dim()), m.NewScratch(1), m.Sparse()
			for i := range d.Records() {
				columns, values := d.Cells(i)
				index, x := sparse.Entries(columns, values, nil, nil)
				if len(index) == 0 {
					empty++
				}
				m.Apply(want, 1, scratch, func(int) []float32 { return d.Row(nil, i) })
				at := mapped{}
				at.scale, at.shift, at.intercept = narrow(index, x)
				checkMapped(t, m, at, index, x, want)
			}
		}
	}
	if empty < 20 {
		t.Errorf("got %d rows without a feature, want some", empty)
	}
	whitened := &Map{Norm: NormUnit, Whitening: &Whitening{Scales: []float64{1}}}
	if whitened.Sparse() != nil {
		t.Error("a map that whitens was given as one for sparse rows")
	}
}

// mapped is what Map.Sparse says of a row.
type mapped struct{ scale, shift, intercept float64 }

// checkMapped writes out what mapped says. The tolerance is far above the rounding of 30 features.
func checkMapped(t *testing.T, m *Map, at mapped, index []uint32, x, want []float64) {
	t.Helper()
	got := make([]float64, m.Dim())
	for j, c := range m.Center {
		got[j] = -at.shift * c
	}
	for k, j := range index {
		got[j] += at.scale * x[k]
	}
	if m.Intercept > 0 {
		got[len(got)-1] = at.intercept
	}
	for j := range want {
		if !(math.Abs(got[j]-want[j]) <= 1e-12) {
			t.Fatalf("norm %s, center %v, intercept %v: coordinate %d of %v %v: got %v, want %v", m.Norm, m.Center, m.Intercept, j, index, x, got[j], want[j])
		}
	}
}

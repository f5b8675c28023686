package train

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
)

// evidenceCase returns a preparation whose column kind has the frequencies ½, ⅖, 0 and so on, and weights for two scores.
func evidenceCase(t *testing.T) (prepared, Plan, []float64) {
	t.Helper()
	return evidenceCaseOf(t, "rare")
}

// evidenceCaseOf is evidenceCase with another name of the third level.
func evidenceCaseOf(t *testing.T, third string) (prepared, Plan, []float64) {
	t.Helper()
	s := &data.Schema{Name: "made", Row: "one person", MaxRecords: 5000, Target: data.Target{Column: "y", Levels: []string{"no", "yes"}}, Columns: []data.Column{
		{Name: "kind", Kind: data.Categorical, Levels: []string{"a", "b", third}, Unknown: data.Other, Missing: data.Indicator},
		{Name: "size", Kind: data.Numeric, Lower: 0, Upper: 1, OutOfRange: data.Clamp, Missing: data.Indicator},
	}}
	setup, err := NewPlan(Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, s)
	if err != nil {
		t.Fatal(err)
	}
	d, r := setup.Features.Pipeline.Dim(), rand.New(rand.NewPCG(4, 5))
	m := &feature.Map{Pipeline: setup.Features.Pipeline, Norm: feature.NormUnit, Intercept: 0.25, Whitening: &feature.Whitening{Matrix: make([]float64, d*d)}}
	for i := range d {
		for j := range i + 1 {
			v := r.NormFloat64()
			m.Whitening.Matrix[i*d+j], m.Whitening.Matrix[j*d+i] = v, v
		}
	}
	for _, n := range m.Names() {
		m.Center = append(m.Center, map[string]float64{"kind = a": 0.5, "kind = b": 0.4, "size": 0.3}[n.String()])
	}
	weights := make([]float64, 2*m.Dim())
	for j := range weights {
		weights[j] = r.NormFloat64()
	}
	return prepared{divisor: 1000, features: m}, Plan{Preparation: []PreparationStep{{Kind: option.MeanStatistic, Bound: 1, NoiseMultiplier: 0.001}}}, weights
}

// TestStatesWithoutEvidence: a state that never occurs adds to each score what the mean of its column adds, and states that
// are frequent add what they did. A rare level keeps what its weight calls for.
func TestStatesWithoutEvidence(t *testing.T) {
	ready, plan, weights := evidenceCase(t)
	m := ready.features
	d := m.Pipeline.Dim()
	scores := func(row []float64) (out [2]float64) {
		for k := range out {
			for j, v := range row {
				out[k] += v * weights[k*m.Dim()+j]
			}
		}
		return out
	}
	near := func(a, b [2]float64) bool { return math.Abs(a[0]-b[0]) < 1e-9 && math.Abs(a[1]-b[1]) < 1e-9 }
	for _, noise := range []float64{0, 1e-6, 1e6} {
		served, _ := ready.evident(plan, weights, noise)
		row := func(matrix []float64, name string) []float64 {
			for j, n := range m.Names() {
				if n.String() == name {
					return matrix[j*d : (j+1)*d]
				}
			}
			t.Fatalf("no feature %s", name)
			return nil
		}
		before, after := m.Whitening.Matrix, served.Whitening.Matrix
		mean := [2]float64{}
		for name, share := range map[string]float64{"kind = a": 5. / 9, "kind = b": 4. / 9} {
			own := scores(row(before, name))
			mean[0], mean[1] = mean[0]+share*own[0], mean[1]+share*own[1]
		}
		for _, n := range m.Names() {
			own, want := scores(row(before, n.String())), scores(row(after, n.String()))
			unseen := n.Column == "kind" && (n.Level == "missing" || n.Level == "other" || n.Level == "rare" && noise > 1)
			switch {
			case unseen && !near(want, mean):
				t.Errorf("noise %v, %s adds %v, want the mean %v of its column", noise, n, want, mean)
			case !unseen && n.String() != "size = missing" && !near(own, want):
				t.Errorf("noise %v, %s adds %v, want %v as before", noise, n, want, own)
			}
		}
		if norm := dot(row(after, "kind = missing"), row(after, "kind = missing")); !(norm > dot(mean[:], mean[:])/1e6) {
			t.Errorf("noise %v: a missing kind has the norm %v, want that of the column", noise, norm)
		}
	}
}

// TestEvidenceGoesByState: a declared level that is named as an unknown level or a missing cell keeps what a declared level
// keeps by its frequency and its weight. The unknown level and the missing cell beside it keep nothing.
func TestEvidenceGoesByState(t *testing.T) {
	const third = 2 // feature of the column kind
	for name, c := range map[string]struct {
		level                         string
		deviations, weightNoise, want float64
	}{
		"other, without a bound on noise":   {"other", 0, 0, 1},
		"missing, without a bound on noise": {"missing", 0, 0, 1},
		"other, by its weight":              {"other", 0, 1e-9, 1},
		"missing, by its weight":            {"missing", 0, 1e-9, 1},
		"other, by its frequency":           {"other", 2, 1e9, 0.75},
		"missing, by its frequency":         {"missing", 2, 1e9, 0.75},
		"rare, by its frequency":            {"rare", 2, 1e9, 0.75},
	} {
		ready, plan, weights := evidenceCaseOf(t, c.level)
		m := ready.features
		d := m.Pipeline.Dim()
		m.Center[third] = c.deviations * ready.centerNoise(plan)
		served, _ := ready.evident(plan, weights, c.weightNoise)
		adds := func(f *feature.Map, state int) float64 {
			return dot(f.Whitening.Matrix[state*d:(state+1)*d], weights[:d])
		}
		mean := (5*adds(m, 0) + 4*adds(m, 1)) / 9
		for state, share := range map[int]float64{third: c.want, third + 1: 0, third + 2: 0} {
			if got, want := adds(served, state), share*adds(m, state)+(1-share)*mean; math.Abs(got-want) > 1e-4 {
				t.Errorf("%s: %v adds %v, want %v, which is a share of %v of its own", name, m.Names()[state], got, want, share)
			}
		}
	}
}

// TestEvidenceIsFinite: numbers that noise made extreme leave a finite map.
func TestEvidenceIsFinite(t *testing.T) {
	for name, edit := range map[string]func(r *prepared, weights []float64){
		"no frequency":       func(r *prepared, _ []float64) { clear(r.features.Center) },
		"negative frequency": func(r *prepared, _ []float64) { r.features.Center[0], r.features.Center[1] = -1, -2 },
		"large frequency":    func(r *prepared, _ []float64) { r.features.Center[0] = 1e9 },
		"no weights":         func(_ *prepared, w []float64) { clear(w) },
		"no directions":      func(r *prepared, _ []float64) { clear(r.features.Whitening.Matrix) },
	} {
		ready, plan, weights := evidenceCase(t)
		edit(&ready, weights)
		served, _ := ready.evident(plan, weights, 1)
		if err := served.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEvidenceLeavesOthers: maps of other forms, and those of baselines, stay as they are.
func TestEvidenceLeavesOthers(t *testing.T) {
	for name, edit := range map[string]func(*prepared, *Plan){
		"baseline":         func(_ *prepared, p *Plan) { p.NonPrivate = true },
		"persons":          func(_ *prepared, p *Plan) { p.Person = &PersonUnit{} },
		"no whitening":     func(r *prepared, _ *Plan) { r.features.Whitening = nil },
		"no center":        func(r *prepared, _ *Plan) { r.features.Center = nil },
		"clipped rows":     func(r *prepared, _ *Plan) { r.features.Norm = feature.NormClip },
		"no mean released": func(_ *prepared, p *Plan) { p.Preparation = nil },
	} {
		ready, plan, weights := evidenceCase(t)
		edit(&ready, &plan)
		if got, moved := ready.evident(plan, weights, 1); got != ready.features || &moved[0] != &weights[0] {
			t.Errorf("%s: got another map or other weights, want the same", name)
		}
	}
}

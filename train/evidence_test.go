package train

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/cryptotest"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
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
	p := Plan{Preparation: []PreparationStep{{Kind: option.MeanStatistic, Bound: 1, NoiseMultiplier: 0.001}, {Kind: option.CovarianceStatistic}}}
	return prepared{divisor: 1000, features: m}, p, weights
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

// TestEvidenceLeavesOthers: maps without frequencies of states, and those of baselines, stay as they are.
func TestEvidenceLeavesOthers(t *testing.T) {
	for name, edit := range map[string]func(*prepared, *Plan){
		"baseline":         func(_ *prepared, p *Plan) { p.NonPrivate = true },
		"rows of any norm": func(r *prepared, _ *Plan) { r.features.Norm, r.features.Whitening = feature.NormNone, nil },
	} {
		ready, plan, weights := evidenceCase(t)
		edit(&ready, &plan)
		if got, moved := ready.evident(plan, weights, 1); got != ready.features || &moved[0] != &weights[0] {
			t.Errorf("%s: got another map or other weights, want the same", name)
		}
	}
}

// TestEvidenceByShares: maps that are not whitened, not of norm 1 or of persons keep their numbers. Missing cells and
// unknown levels have the shares that their frequencies call for, and declared states keep all.
func TestEvidenceByShares(t *testing.T) {
	for name, edit := range map[string]func(*prepared, *Plan){
		"persons":      func(_ *prepared, p *Plan) { p.Person = &PersonUnit{} },
		"no whitening": func(r *prepared, p *Plan) { r.features.Whitening, p.Preparation = nil, p.Preparation[:1] },
		"clipped rows": func(r *prepared, _ *Plan) { r.features.Norm, r.features.Radius = feature.NormClip, 1 },
		"bounded norms": func(r *prepared, p *Plan) {
			r.features.Whitening, p.Preparation, p.Clipping.ParameterRadius = nil, p.Preparation[:1], 1
		},
	} {
		ready, plan, weights := evidenceCase(t)
		edit(&ready, &plan)
		noise, some := ready.centerNoise(plan), false
		for j, n := range ready.features.Names() { // between noise and evidence
			if n.String() == "kind = other" {
				ready.features.Center[j], ready.features.Center[j-1] = 3*noise, -3*noise
			}
		}
		got, moved := ready.evident(plan, weights, 1)
		if err := got.Validate(); err != nil || &moved[0] != &weights[0] || &got.Center[0] != &ready.features.Center[0] || got.Whitening != ready.features.Whitening {
			t.Fatalf("%s: got other weights or another center or whitening, want the same: %v", name, err)
		}
		for j, n := range got.Names() {
			want := 1.0
			if n.Aside {
				want, some = occurs(got.Center[j], noise, 0.9), true // the column kind has 0.9 of all rows
			}
			if math.Abs(got.Evidence[j]-want) > 1e-12 {
				t.Errorf("%s: %s keeps %v, want %v", name, n, got.Evidence[j], want)
			}
		}
		if !some {
			t.Fatal("no state is a missing cell or an unknown level")
		}
	}
}

// TestRowsWithTheirStatesStay trains rows of single records, of persons and clipped rows without a covariance. Rows
// with declared states have the scores of the map of the descent, to the last bit. Rows with missing cells do not.
func TestRowsWithTheirStatesStay(t *testing.T) {
	d := indicatedData(t, 2, 400)
	for name, change := range map[string]func(*Request){
		"rows":    func(*Request) {},
		"clipped": func(r *Request) { r.Normalization = feature.NormClip },
		"bounded": func(r *Request) { r.ClippingMode, r.ParameterRadius, r.Steps = option.ClipDataAndParameter, 0.5, 5 },
	} {
		r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 20, Center: Yes, Whiten: No}
		change(&r)
		s, err := NewPlan(r, d.Schema())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		result, err := Fit(context.Background(), rich(t, privacy.AddOrRemoveOne), s, d, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err = CheckModel(s.Plan, result.Model); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		before, err := model.New(s.Schema, result.Unshrunk, s.Model.Loss, result.UnshrunkWeights)
		if err != nil {
			t.Fatal(err)
		}
		row, same, moved := make([]float32, 5), 0, 0
		for i := range 2 * d.Records() {
			copy(row, d.Row(row, i%d.Records()))
			if i >= d.Records() {
				row[i%5] = float32(math.NaN())
			}
			got, want := make([]float64, 1), make([]float64, 1)
			result.Model.Predict(got, row, result.Model.NewScratch())
			before.Predict(want, row, before.NewScratch())
			complete := !slices.ContainsFunc(row, func(v float32) bool { return v != v })
			if equal := got[0] == want[0]; complete && !equal {
				t.Fatalf("%s, row %v: got %v, want %v", name, row, got[0], want[0])
			} else if !complete && equal {
				same++
			} else if !complete {
				moved++
			}
		}
		if moved < 300 || same > moved/20 {
			t.Errorf("%s: %d rows with missing cells move and %d do not, want nearly all to move", name, moved, same)
		}
	}
}

// TestOccurs compares the probability that a state occurs with Bayes' theorem by sums, for means in noise of all sizes. It
// rises with the mean.
func TestOccurs(t *testing.T) {
	normal := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	for _, noise := range []float64{0.003, 0.02, 0.1, 1, 30} {
		before := 0.0
		for z := -6.0; z <= 6; z += 0.25 {
			const scale, parts = 0.7, 40000
			some := 0.0
			for k := range parts {
				some += normal(z-mostOccurring*scale*(float64(k)+0.5)/parts/noise) / parts
			}
			want := some / (some + (1-occurring)/occurring*normal(z))
			if want < 0.01 {
				want = 0
			} else if want > 0.99 {
				want = 1
			}
			got := occurs(z*noise, noise, scale)
			if math.Abs(got-want) > 1e-4 || got < before {
				t.Errorf("mean %v in noise %v: got %v after %v, want %v", z*noise, noise, got, before, want)
			}
			before = got
		}
		if low, high := occurs(-1e9, noise, 0.7), occurs(1e9, noise, 0.7); low > occurring || high < occurring || noise < 0.1 && (low != 0 || high != 1) {
			t.Errorf("noise %v: got %v and %v far from 0", noise, low, high)
		}
	}
	for _, noise := range []float64{1e-300, 1e-15, 1e-9, 1e3, 1e5, 1e9, 1e300, math.Inf(1)} {
		before := 0.0
		for z := -50.0; z <= 50; z += 0.01 {
			got := occurs(z*noise, noise, 0.7)
			if !(got >= before && got <= 1) || noise > 1e3 && math.Abs(got-occurring) > 1e-3 {
				t.Fatalf("mean %v in noise %v: got %v after %v", z*noise, noise, got, before)
			}
			before = got
		}
	}
}

// TestNoiseOfStates wants more of the budget for frequencies where they would not tell missing cells from none, and only
// there: for few records with such states, in a statistic by which the model treats them.
func TestNoiseOfStates(t *testing.T) {
	inCells := func(r *Request) {
		r.Whiten, r.Center, r.Transforms = Auto, Auto, []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs": "all"}`)}}
	}
	clipped := func(radius float64) func(*Request) {
		return func(r *Request) { r.Normalization, r.Radius = feature.NormClip, radius }
	}
	for name, c := range map[string]struct {
		records     int
		missing     data.Treatment
		change      func(*Request)
		least, most float64 // share of the budget
	}{
		"few records":         {1000, data.Indicator, func(*Request) {}, 0.03, 0.08},
		"very few records":    {500, data.Indicator, func(*Request) {}, 0.08, 0.08},
		"many records":        {100000, data.Indicator, func(*Request) {}, 0.01, 0.01},
		"whitened":            {500, data.Indicator, func(r *Request) { r.Whiten, r.Structure = Yes, option.StructureFull }, 0.08, 0.08},
		"diagonal":            {500, data.Indicator, func(r *Request) { r.Whiten, r.Structure = Yes, option.StructureDiagonal }, 0.08, 0.08},
		"no such state":       {500, data.Zero, func(*Request) {}, 0.01, 0.01},
		"rows of any norm":    {500, data.Indicator, func(r *Request) { r.Normalization = feature.NormNone }, 0.01, 0.01},
		"short rows":          {500, data.Indicator, clipped(0.1), 0.08, 0.08},
		"long rows":           {500, data.Indicator, clipped(10), 0.08, 0.08},
		"short, many rows":    {100000, data.Indicator, clipped(0.1), 0.01, 0.01},
		"steps of one budget": {500, data.Indicator, func(r *Request) { r.PerStep, r.Steps = true, 5 }, 0, 2},
		"persons":             {500, data.Indicator, func(r *Request) { r.Person = &PersonUnit{Column: "who", MaxRows: 2} }, 0.08, 0.08},
		"few records, cells":  {2000, data.Indicator, inCells, 0.03, 0.08},
		"many records, cells": {200000, data.Indicator, inCells, 0.01, 0.01},
		"no state, cells":     {2000, data.Zero, inCells, 0.01, 0.01},
		"cells as rows": {2000, data.Indicator, func(r *Request) {
			inCells(r)
			r.Whiten, r.Center, r.Structure = Yes, Yes, option.StructureFull
		}, 0.01, 0.01},
		"wide rows":           {500, data.Indicator, func(r *Request) { r.Center = Yes }, 0.01, 0.01},
		"wide rows, whitened": {500, data.Indicator, func(r *Request) { r.Whiten, r.Structure = Yes, option.StructureFull }, 0.08, 0.08},
		"other features": {500, data.Indicator, func(r *Request) {
			r.Transforms = []feature.Spec{{Name: "fourier", Parameters: []byte(`{"features":8}`)}}
		}, 0.01, 0.01},
	} {
		s := &data.Schema{Name: "made", Row: "one person", MaxRecords: c.records, Records: c.records, Target: data.Target{Column: "y", Levels: []string{"no", "yes"}}, Columns: []data.Column{
			{Name: "kind", Kind: data.Categorical, Levels: []string{"a", "b"}, Unknown: data.Zero, Missing: c.missing},
			{Name: "size", Kind: data.Numeric, Lower: 0, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero},
		}}
		if strings.HasPrefix(name, "wide") {
			for i := range encoder.MostFilled {
				s.Columns[0].Levels = append(s.Columns[0].Levels, strconv.Itoa(i))
			}
		}
		r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: No, Center: Yes}
		c.change(&r)
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p, found := setup.Plan, false
		for _, statistic := range p.Preparation {
			if statistic.Kind != option.MeanStatistic && statistic.Kind != option.FrequencyStatistic {
				continue
			}
			found = true
			z, mu := statistic.NoiseMultiplier, muOf(t, r)
			if share := 1 / (z * z * mu * mu); share < c.least*0.99 || share > c.most*1.01 {
				t.Errorf("%s: got %.4f of the budget for the %s, want %v to %v", name, share, statistic.Kind, c.least, c.most)
			}
		}
		if !found {
			t.Errorf("%s: got no frequencies", name)
		}
		if few := c.most == 0.08; few && setup.NoisyStates || !few && c.records <= 2000 && c.missing == data.Indicator && !r.PerStep && !setup.NoisyStates {
			t.Errorf("%s: got noisy states %v with up to %v of the budget", name, setup.NoisyStates, c.most)
		}
	}
}

// muOf returns μ of the guarantee of a request.
func muOf(t *testing.T, r Request) float64 {
	t.Helper()
	target, err := privacy.NewGuarantee(r.Epsilon, r.Delta, r.Neighboring, privacy.Unit{})
	if err != nil {
		t.Fatal(err)
	}
	return account.MuOf(target)
}

// TestFrequentMissingCellsKeepTheirEffect trains on tables where one in five cells of a number is missing, and the target is
// higher there. Predictions of these rows must follow, in rows that are not whitened, in whitened rows and in cells. The
// words of the noise are fixed.
func TestFrequentMissingCellsKeepTheirEffect(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 41)
	s := &data.Schema{Name: "made", Row: "one person", MaxRecords: 2500, Target: data.Target{Column: "y", Lower: 0, Upper: 10}}
	for _, name := range []string{"u", "v", "w"} {
		s.Columns = append(s.Columns, data.Column{Name: name, Kind: data.Numeric, Lower: 0, Upper: 1, OutOfRange: data.Clamp, Missing: data.Indicator})
	}
	s.Columns = append(s.Columns, data.Column{Name: "kind", Kind: data.Categorical, Levels: []string{"p", "q"}, Unknown: data.Other, Missing: data.Indicator})
	r, columns, labels := rand.New(rand.NewPCG(7, 8)), make([][]float32, 4), []float32{}
	for range 2000 {
		y := 4.0
		for j := range 3 {
			v := r.Float64()
			y += v - 0.5
			columns[j] = append(columns[j], float32(v))
		}
		if r.IntN(5) == 0 {
			columns[0][len(labels)], y = float32(math.NaN()), y+3
		}
		columns[3], labels = append(columns[3], float32(r.IntN(2))), append(labels, float32(y))
	}
	d, err := data.New(s, columns, labels)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Request){
		"rows":     func(r *Request) { r.Whiten = No },
		"whitened": func(r *Request) { r.Whiten, r.Structure = Yes, option.StructureFull },
		"cells": func(r *Request) {
			r.Transforms = []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs": "all"}`)}}
		},
	} {
		request, o := Defaults()
		request.Epsilon, request.Delta, request.Neighboring = 1, 1e-6, privacy.AddOrRemoveOne
		change(&request)
		setup, err := NewPlan(request, s)
		if err != nil {
			t.Fatal(err)
		}
		result, err := Fit(context.Background(), rich(t, privacy.AddOrRemoveOne), setup, d, o)
		if err != nil {
			t.Fatal(err)
		}
		means, count, p, row := [2]float64{}, [2]float64{}, make([]float64, 1), make([]float32, 4)
		for i := range d.Records() {
			row = d.Row(row, i)
			missing := 0
			if row[0] != row[0] {
				missing = 1
			}
			result.Model.Predict(p, row, result.Model.NewScratch())
			means[missing], count[missing] = means[missing]+p[0], count[missing]+1
		}
		if higher := means[1]/count[1] - means[0]/count[0]; higher < 1.5 {
			t.Errorf("%s: predictions are higher by %.2f in rows with a missing cell, want at least half of 3", name, higher)
		}
	}
}

// TestLastIterateCellsAreServed: where the last iterate alone is priced, a state of no record gets the weights of its
// column in cells, as in every other descent.
func TestLastIterateCellsAreServed(t *testing.T) {
	d := indicatedData(t, 2, 400)
	r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 50, Ridge: 0.05, Accounting: option.AccountingLastIterate,
		Transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs": "all"}`)}}}
	s, err := NewPlan(r, d.Schema())
	if err != nil {
		t.Fatal(err)
	}
	result, err := Fit(context.Background(), rich(t, privacy.AddOrRemoveOne), s, d, Options{LearningRate: s.Plan.LastIterate.LearningRate, Ridge: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	if err = CheckModel(s.Plan, result.Model); err != nil {
		t.Error(err)
	}
	if s.NoisyStates || result.Unshrunk == nil || result.CellFrequencies == nil {
		t.Errorf("got noisy states %v, served cells %v and %d frequencies, want served cells", s.NoisyStates, result.Unshrunk != nil, len(result.CellFrequencies))
	}
}

// TestHashedStatesAreNoisy: buckets of pairs keep their weights, which a setup says.
func TestHashedStatesAreNoisy(t *testing.T) {
	for parameters, want := range map[string]bool{`{"pairs": "all"}`: false, `{"pairs": "all", "buckets": 8}`: true, `{"pairs": "none", "buckets": 8}`: false} {
		r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(parameters)}}}
		if s, err := NewPlan(r, indicatedData(t, 2, 400).Schema()); err != nil || s.NoisyStates != want {
			t.Errorf("%s: got noisy states %v (%v), want %v", parameters, s.NoisyStates, err, want)
		}
	}
}

package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/cryptotest"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// indicatedData has columns with indicators of missing cells. Few cells are missing, or none. A column has a rare
// level and one that never occurs. The target is a number in [0, 10] for no levels. With two levels, that column has
// many more levels that never occur, so that rows are stored sparse.
func indicatedData(t *testing.T, levels, records int) *data.Dataset {
	t.Helper()
	target := "bounds: [0, 10]"
	if levels > 0 {
		target = "levels: [" + strings.Join([]string{"a", "b", "c"}[:levels], ", ") + "]"
	}
	never := "never"
	for k := 0; levels == 2 && k < 60; k++ {
		never += fmt.Sprintf(", never%d", k)
	}
	s, err := data.ParseSchema("indicated.yaml", fmt.Appendf(nil, `
dither-schema: 1
row: one person
max-records: 40000
records: %d
target: {column: y, %s}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  u: {numeric: [-1, 1]}
  v: {numeric: [-1, 1]}
  w: {numeric: [-1, 1]}
  x: {numeric: [-1, 1]}
  kind: {levels: [p, q, rare, %s]}
`, records, target, never))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(29, uint64(levels)))
	columns, labels := make([][]float32, 5), make([]float32, records)
	for i := range records {
		x := [4]float64{}
		for j := range x {
			x[j] = 2*r.Float64() - 1
			if v := float32(x[j]); j > 0 || r.IntN(100) > 0 {
				columns[j] = append(columns[j], v)
			} else {
				columns[j] = append(columns[j], float32(math.NaN()))
			}
		}
		kind := r.IntN(2)
		if r.IntN(200) == 0 {
			kind = 2
		}
		columns[4] = append(columns[4], float32(kind))
		score := 0.8*x[0] - 0.5*x[1] + 0.3*float64(kind)
		if labels[i] = float32(3 + score + 1.5*math.Pow(r.Float64(), 4)); levels > 0 {
			labels[i] = float32(min(float64(levels-1), max(0, math.Floor(1.5*score+r.ExpFloat64()))))
		}
	}
	d, err := data.New(s, columns, labels)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// servedCase is a way to prepare rows.
type servedCase struct {
	name   string
	change func(*Request)
}

// servedCases are ways to prepare rows whose predictions are corrected.
func servedCases() []servedCase {
	crossed := func(pairs string) func(r *Request) {
		return func(r *Request) {
			r.Transforms, r.Center, r.Whiten = []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs": "` + pairs + `", "bins": 8, "pair-bins": 4}`)}}, Auto, Auto
		}
	}
	return []servedCase{
		{"rows as they are", func(*Request) {}},
		{"a center", func(r *Request) { r.Center = Yes }},
		{"a covariance", func(r *Request) { r.Center, r.Whiten = Yes, Yes }},
		{"a covariance without a center", func(r *Request) { r.Whiten = Yes }},
		{"variances without a center", func(r *Request) { r.Whiten, r.Structure = Yes, option.StructureDiagonal }},
		{"variances", func(r *Request) { r.Center, r.Whiten, r.Structure = Yes, Yes, option.StructureDiagonal }},
		{"clipped rows as they are", func(r *Request) { r.Normalization, r.Radius = feature.NormClip, 1 }},
		{"clipped rows", func(r *Request) { r.Normalization, r.Radius, r.Center, r.Whiten = feature.NormClip, 1, Yes, Yes }},
		{"functions of columns", crossed("none")},
		{"pairs", crossed("all")},
	}
}

// servedSetup returns a plan of a case. The noise of its correction is so small that predictions are right
// on average, where the correction sees what is served.
func servedSetup(t *testing.T, c servedCase, d *data.Dataset) Setup {
	t.Helper()
	r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 40, ClippingNorm: 0.3, Center: No, Whiten: No, Calibrate: true}
	c.change(&r)
	s, err := NewPlan(r, d.Schema())
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	statistic := *s.Plan.Calibration
	statistic.NoiseMultiplier = 1e-5
	s.Plan.Calibration = &statistic
	return s
}

// servedFits calls use with a model for each kind of target, way to prepare rows and way to read them: in memory, in
// a file, in passes that plans share and, for a number and for two levels, in three processes.
func servedFits(t *testing.T, use func(name string, s Setup, d *data.Dataset, result *Result)) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, 29)
	for _, levels := range []int{0, 2, 3} {
		d := indicatedData(t, levels, 1500)
		for _, c := range servedCases() {
			s, o := servedSetup(t, c, d), Options{Momentum: 0.9}
			keep := func(way string, result *Result, err error) {
				name := fmt.Sprintf("%d levels, %s, %s", levels, c.name, way)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				use(name, s, d, result)
			}
			result, err := Fit(context.Background(), rich(t, privacy.AddOrRemoveOne), s, d, o)
			keep("memory", result, err)
			if !s.Plan.whitens() || s.framed() || s.Plan.alike(option.FrequencyStatistic) > 0 {
				text := encoded(t, s, d, 1000, o)
				result, err = FitFile(context.Background(), rich(t, privacy.AddOrRemoveOne), s, bytes.NewReader(text), int64(len(text)), o)
				keep("file", result, err)
			}
			if levels <= 2 {
				ends := []int{0, 100, 400, d.Records()}
				results, errs := onRanks(3, c.name, func(ctx context.Context, rank int) (*Result, error) {
					return Fit(ctx, rich(t, privacy.AddOrRemoveOne), s, d.Slice(ends[rank], ends[rank+1]), o)
				})
				keep("ranks", results[1], errors.Join(errs...))
			}
			if s.SharesPasses() {
				results, failed := FitMany(context.Background(), rich(t, privacy.AddOrRemoveOne), []Run{{s, o}}, d)
				if failed != nil {
					t.Fatal(failed)
				}
				keep("passes", results[0], nil)
			}
		}
	}
}

// TestServedPredictionsAreCorrected corrects predictions with hardly any noise. The correction follows from predictions
// of the served model, and the correction reads the scores that are served.
func TestServedPredictionsAreCorrected(t *testing.T) {
	servedFits(t, func(name string, s Setup, d *data.Dataset, result *Result) {
		correctsServed(t, name, s, d, result)
		readsServed(t, name, s, d, result)
		correctsUnshrunk(t, name, result)
	})
}

// correctsServed works the correction of a model out again, from the predictions for the data set that the served
// model makes without it. That gives the model. The features of a table are rounded to its grid, which
// moves scores by less than 1e-4.
//
// Predictions of numbers then have the mean of the target, if nothing reaches a limit.
func correctsServed(t *testing.T, name string, s Setup, d *data.Dataset, result *Result) {
	t.Helper()
	m, l := result.Model, s.Model
	weights := slices.Clone(m.Weights())
	for j := range weights {
		if weights[j] /= result.Stretch; j%l.Dim == l.Dim-1 {
			weights[j] = result.Uncorrected[j]
			if result.UnshrunkWeights != nil { // what was moved before the correction is stretched too
				weights[j] += (m.Weights()[j] - result.UnshrunkWeights[j]) / result.Stretch
			}
		}
	}
	limited, center := !s.Schema.Target.Regression(), 0.0
	for range s.Plan.Calibration.rounds() {
		c := &correction{loss: l.Loss, scale: scaleOf(l), scores: scoresOf(t, s, m, weights, d), labels: labels(s.Schema.Target, d, d.Records()), parameters: l.Columns + 1, numbers: s.Plan.Calibration.Numbers}
		c.rooms.New = func() any { return &correctionRoom{make([]float64, l.Columns), make([]float64, l.Columns)} }
		c.center = center
		sum, deviation := sumOf(t, c), s.Plan.Calibration.NoiseMultiplier*s.Plan.Calibration.Bound
		step, noise := c.scale.newton(sum, l.Columns+1, deviation)
		c.scale.around(center, step, noise)
		if l.Columns == 1 {
			center = c.scale.center(sum, deviation, step)
		}
		weights, _, _ = corrected(weights, m.Features(), l, step)
		for i, score := range c.scores {
			limited = limited || math.Abs(float64(score)) > 1 || math.Abs(float64(c.labels[i]-score)) > maxResidual
		}
		limited = limited || max(step[0], -step[0], step[1], -step[1]) >= c.scale.most
	}
	far, want := 0.0, scoresOf(t, s, m, weights, d)
	for i, score := range scoresOf(t, s, m, m.Weights(), d) {
		far = max(far, math.Abs(float64(score-want[i])))
	}
	if !(far <= 1e-4) && !(l.Columns > 1 && far <= 1e-3) { // equal shifts of all scores are nearly unknown
		t.Errorf("%s: scores are up to %v away from those that the served model needs, want at most 1e-4 of a single score and 1e-3 of several", name, far)
	}
	if limited {
		return
	}
	if predicted, target := meanOf(t, m, d); !(math.Abs(predicted-target) <= 1e-4) {
		t.Errorf("%s: the mean prediction is %v, want %v", name, predicted, target)
	}
}

// scoresOf returns the scores of the records of a data set under the map of a model with other weights. They follow
// from predictions. Of more than two levels they are less than the scores by a number that a record's scores share.
func scoresOf(t *testing.T, s Setup, of *model.Model, weights []float64, d *data.Dataset) (out []float32) {
	t.Helper()
	m, err := model.New(s.Schema, of.Features(), s.Model.Loss, weights)
	if err != nil {
		t.Fatal(err)
	}
	err = m.PredictAll(context.Background(), d, func(_ int, p []float64) error {
		for _, v := range p {
			out = append(out, float32(scoreOf(s, v)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// scoreOf returns the score that has a prediction.
func scoreOf(s Setup, prediction float64) float64 {
	switch {
	case s.Schema.Target.Regression():
		return encoder.ScaleTarget(s.Schema.Target, prediction)
	case s.Model.Columns == 1:
		return math.Log(prediction / (1 - prediction))
	}
	return math.Log(prediction)
}

// readsServed compares the scores that a correction of the served model reads with those of Table.Predict. They are the
// same to the precision of float32. Rows of a file in blocks of two sizes give the same bits, with one goroutine and with
// several.
func readsServed(t *testing.T, name string, s Setup, d *data.Dataset, result *Result) {
	t.Helper()
	tab, err := NewTable(s, d, 0)
	if err != nil {
		t.Fatal(err)
	}
	predictions, targets, err := tab.Predict(result.Model)
	if err != nil {
		t.Fatal(err)
	}
	got, err := newCorrection(result.Model, tab.table, s.Plan.Calibration.Numbers)
	if err != nil {
		t.Fatal(err)
	}
	k, far := s.Model.Columns, 0.0
	for i, p := range predictions {
		shared := 0.0
		if k > 1 { // a number that the scores of the record share
			shared = float64(got.scores[i-i%k]) - scoreOf(s, predictions[i-i%k])
		}
		own, want := float64(got.scores[i]), scoreOf(s, p)+shared
		if s.Schema.Target.Regression() {
			own = min(1, max(-1, own)) // a prediction stays in the declared bounds
		}
		far = max(far, math.Abs(own-want)/(1+math.Abs(want)+math.Abs(shared)))
	}
	if !(far <= 0x1p-20) || len(got.scores) != len(predictions) || !slices.Equal(got.labels, targets) {
		t.Errorf("%s: %d scores are up to %v away from %d served ones, want at most 2^-20 and the same labels", name, len(got.scores), far, len(predictions))
	}
	for _, size := range []int{101, 1500, 301} {
		framed := frame(before(s.Features))
		if size == 301 { // the frame of another plan
			framed = release.Standardization{Normalize: release.NormalizeClip, Radius: 0.3}
		}
		processors := runtime.GOMAXPROCS(1 + 2*(size%2))
		text := encoded(t, s, d, size, Options{})
		rows, failed := release.OpenRows(bytes.NewReader(text), int64(len(text)), framed)
		if failed != nil {
			t.Fatal(failed)
		}
		again, failed := newCorrection(result.Model, table{rows: rows, records: rows.Len(), file: &rowsFile{}}, s.Plan.Calibration.Numbers)
		if failed != nil || !slices.Equal(again.scores, got.scores) || !slices.Equal(again.labels, got.labels) {
			t.Errorf("%s, blocks of %d: rows of a file have other scores or labels: %v", name, size, failed)
		}
		runtime.GOMAXPROCS(processors)
	}
}

// correctsUnshrunk wants the same correction of the weights that states had before they were shrunk. Weights of states
// with a cell of their own are the same in both models.
func correctsUnshrunk(t *testing.T, name string, result *Result) {
	t.Helper()
	if result.UnshrunkWeights == nil {
		return
	}
	f, names, moved := result.Unshrunk, result.Unshrunk.Names(), 0
	cells := f.Whitening != nil && f.Whitening.Scales != nil && f.Center == nil
	for j, w := range result.UnshrunkWeights {
		own, constant := result.Model.Weights()[j], j%f.Dim() == f.Pipeline.Dim()
		if !constant && math.Abs(w-result.Stretch*result.Uncorrected[j]) > 1e-12*math.Abs(w) {
			t.Errorf("%s: weight %d is %v before states were shrunk, and %v without the correction by %v", name, j, w, result.Uncorrected[j], result.Stretch)
		}
		switch {
		case !constant && names[j%f.Dim()].Cell.Aside != [2]string{}:
			moved++
		case own != w && (!constant || cells || result.Model.Features().Evidence != nil):
			t.Errorf("%s: weight %d is %v, and %v before states were shrunk, want the same", name, j, own, w)
		}
	}
	if moved == 0 && cells {
		t.Errorf("%s: no weight is that of a missing cell or an unknown level", name)
	}
}

// TestMeanScoresStay compares the mean scores of served models with those of the maps of their descents, for predictions
// that are not corrected. Where states are shrunk and the weight of the constant stays, mean scores move. With the weight
// that is served they move less: the sum of squares is at most a half. The words of the noise are fixed.
func TestMeanScoresStay(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 30)
	for _, levels := range []int{0, 2, 3} {
		d, before, after := indicatedData(t, levels, 1500), 0.0, 0.0
		for range 30 {
			r := Request{Epsilon: 3, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 40, Center: Yes, Whiten: Yes}
			s, err := NewPlan(r, d.Schema())
			if err != nil {
				t.Fatal(err)
			}
			result, err := Fit(context.Background(), rich(t, privacy.AddOrRemoveOne), s, d, Options{Momentum: 0.9})
			if err != nil {
				t.Fatal(err)
			}
			tab, err := NewTable(s, d, 0)
			if err != nil {
				t.Fatal(err)
			}
			means := func(f *feature.Map, weights []float64) []float64 {
				m, failed := model.New(s.Schema, f, s.Model.Loss, weights)
				if failed != nil {
					t.Fatal(failed)
				}
				scores, _, failed := tab.served(m)
				if failed != nil {
					t.Fatal(failed)
				}
				out := make([]float64, s.Model.Columns)
				for i, v := range scores {
					out[i%len(out)] += float64(v) / float64(d.Records())
				}
				return out
			}
			served, want := result.Model.Features(), means(result.Unshrunk, result.UnshrunkWeights)
			for k, mean := range means(served, result.UnshrunkWeights) {
				before += (mean - want[k]) * (mean - want[k])
			}
			for k, mean := range means(served, result.Model.Weights()) {
				after += (mean - want[k]) * (mean - want[k])
			}
		}
		if !(after <= before/2) || before < 1e-3 {
			t.Errorf("%d levels: mean scores move by squares of %v, and of %v with the weight of the constant, want at most a half", levels, before, after)
		}
	}
}

// TestConstantStaysWhereItMust wants the iterates of a whitened descent to end in the weights of the model, and weights of
// bounded norm within the bound, although states are shrunk.
func TestConstantStaysWhereItMust(t *testing.T) {
	d := indicatedData(t, 2, 1500)
	for _, radius := range []float64{0, 0.5} {
		r := Request{Epsilon: 3, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 20, Center: Yes, Whiten: Yes, ParameterRadius: radius}
		o := Options{Momentum: 0.9, Output: option.OutputAllIterates}
		if radius > 0 {
			r.ClippingMode, r.Normalization, o = option.ClipDataAndParameter, feature.NormUnit, Options{Momentum: 0.9, Average: No}
		}
		s, err := NewPlan(r, d.Schema())
		if err != nil {
			t.Fatal(err)
		}
		result, err := Fit(context.Background(), rich(t, privacy.AddOrRemoveOne), s, d, o)
		if err != nil {
			t.Fatal(err)
		}
		if result.Unshrunk == nil {
			t.Fatal("no state was shrunk")
		}
		if err = CheckModel(s.Plan, result.Model); err != nil {
			t.Errorf("radius %v: %v", radius, err)
		}
		if radius == 0 && !slices.Equal(result.Iterates[len(result.Iterates)-1], result.Model.Weights()) {
			t.Error("the iterates end in other weights than those of the model")
		}
	}
}

// TestMoveIsBounded moves the weights of constants where nearly all is noise. Rows have the norm 1, so mean scores of two
// maps differ by at most twice the norm of the weights, and so does the move.
func TestMoveIsBounded(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 31)
	d, moved := indicatedData(t, 3, 500), 0.0
	for range 20 {
		r := Request{Epsilon: 0.1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 20, Center: Yes, Whiten: Yes}
		s, err := NewPlan(r, d.Schema())
		if err != nil {
			t.Fatal(err)
		}
		result, err := Fit(context.Background(), rich(t, privacy.AddOrRemoveOne), s, d, Options{Momentum: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		f := result.Model.Features()
		dim := f.Pipeline.Dim()
		for k := range s.Model.Columns {
			w, square := result.UnshrunkWeights[k*f.Dim():], 0.0
			for _, v := range w[:dim] {
				square += v * v
			}
			move := math.Abs(result.Model.Weights()[k*f.Dim()+dim]-w[dim]) * f.Intercept
			if moved = max(moved, move); move > 2*math.Sqrt(square)*(1+1e-9) {
				t.Errorf("the constant moves a score by %v, want at most %v", move, 2*math.Sqrt(square))
			}
		}
	}
	if moved == 0 {
		t.Error("no weight moves")
	}
}

// TestSampleIsNotMoved wants no weights before a move for a sample of a distribution over models: its weights are served.
// That holds for cells of interactions too.
func TestSampleIsNotMoved(t *testing.T) {
	d := indicatedData(t, 3, 1500)
	r := Request{Epsilon: 0.5, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 20, Whiten: Yes}
	centered, cells := r, r
	centered.Center = Yes
	cells.Transforms = []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs": "all", "bins": 8}`)}}
	for name, r := range map[string]Request{"rows": centered, "cells": cells} {
		s, err := NewPlan(r, d.Schema())
		if err != nil {
			t.Fatal(err)
		}
		for _, temperature := range []float64{0, 1e-5} {
			result, err := Fit(context.Background(), rich(t, privacy.AddOrRemoveOne), s, d, Options{Temperature: temperature, Ridge: 0.1, Output: option.OutputLast})
			if err != nil {
				t.Fatal(err)
			}
			if moved := result.UnshrunkWeights != nil; moved != (temperature == 0) || name == "rows" && result.Unshrunk == nil {
				t.Errorf("%s, temperature %v: states are shrunk %v, and weights are moved %v", name, temperature, result.Unshrunk != nil, moved)
			}
		}
	}
}

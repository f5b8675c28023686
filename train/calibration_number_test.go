package train

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// numbersData has a target in [0, 10], whose error is exponential, so that its mean is above its median.
func numbersData(t *testing.T, records int, tail float64) *data.Dataset {
	t.Helper()
	s, err := data.ParseSchema("numbers.yaml", fmt.Appendf(nil, `
dither-schema: 1
row: one person
max-records: 40000
records: %d
target: {column: y, bounds: [0, 10]}
defaults: {missing: zero, out-of-range: clamp}
columns:
  u: {numeric: [-1, 1]}
  v: {numeric: [-1, 1]}
  w: {numeric: [-1, 1]}
`, records))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(29, 11))
	columns, target := make([][]float32, 3), make([]float32, records)
	for i := range records {
		x := [3]float64{2*r.Float64() - 1, 2*r.Float64() - 1, 2*r.Float64() - 1}
		for j, v := range x {
			columns[j] = append(columns[j], float32(v))
		}
		target[i] = float32(min(10, 3+0.8*x[0]-0.5*x[1]+tail*r.ExpFloat64()))
	}
	d, err := data.New(s, columns, target)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// numberSetup returns a plan with a correction.
func numberSetup(t *testing.T, d *data.Dataset, change func(*Request)) Setup {
	t.Helper()
	r := Request{Epsilon: 8, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Calibrate: true}
	change(&r)
	s, err := NewPlan(r, d.Schema())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNumbersOfANumberAreBounded takes scores and targets from a grid with numbers that no row should have. No row
// is longer than the bound, and some row is nearly as long as the proof allows.
func TestNumbersOfANumberAreBounded(t *testing.T) {
	extreme := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, -math.MaxFloat32, 1e9, -1e9, math.SmallestNonzeroFloat32, math.Copysign(0, -1)}
	for x := -2.0; x <= 2; x += 1.0 / 64 {
		extreme = append(extreme, x)
	}
	for _, loss := range []model.Loss{model.Squared, model.Huber(0.25)} {
		l, longest := model.Linear{Loss: loss, Columns: 1, Dim: 1}, 0.0
		if bound := calibrationBound(l); bound != 0.74 || calibrationNumbers(l) != 5 {
			t.Fatalf("%s: got bound %v and %d numbers, want 0.74 and 5", loss.Name(), bound, calibrationNumbers(l))
		}
		c := &correction{loss: loss, scale: scaleOf(l), scores: make([]float32, 1), parameters: 2, numbers: 5}
		for _, score := range extreme {
			for _, target := range extreme {
				c.scores[0] = float32(score)
				got := make([]float64, 5)
				c.add(got, target, 0)
				norm := kernel.Norm(got)
				if !(norm <= calibrationBound(l)) {
					t.Fatalf("%s, score %v, target %v: got norm %v of %v, want at most %v", loss.Name(), score, target, norm, got, calibrationBound(l))
				}
				if (score-score != 0 || target-target != 0) && norm != 0 {
					t.Fatalf("%s, score %v, target %v: got %v, want zeros", loss.Name(), score, target, got)
				}
				longest = max(longest, norm)
			}
		}
		if want := math.Sqrt(35.0 / 64); math.Abs(longest-want) > 1e-12 {
			t.Errorf("%s: the longest vector is %v, want %v", loss.Name(), longest, want)
		}
	}
}

// TestNumbersOfAPersonAreBounded adds the longest rows of a person. One of these rows has no target.
func TestNumbersOfAPersonAreBounded(t *testing.T) {
	l := model.Linear{Loss: model.Squared, Columns: 1, Dim: 1}
	c := &correction{loss: l.Loss, scale: scaleOf(l), scores: []float32{-1, -1, -1, -1}, parameters: 2, numbers: 5, table: table{persons: [][]int{{3}, {0, 1, 2}}}}
	got := make([]float64, 10)
	if err := c.vectors([]float32{1, 1, 1, float32(math.NaN())})(0, got, []int{1, 0}); err != nil {
		t.Fatal(err)
	}
	if norm := kernel.Norm(got[:5]); norm > 3*calibrationBound(l) || norm < 2.9*calibrationBound(l) || kernel.Norm(got[5:]) != 0 {
		t.Errorf("a person of 3 rows has norm %v and one without a target adds %v, want at most %v and zeros", norm, got[5:], 3*calibrationBound(l))
	}
}

// TestNumbersArePaidOnce wants one release in the price, in the count of draws and in the run.
func TestNumbersArePaidOnce(t *testing.T) {
	d := numbersData(t, 500, 1)
	s := numberSetup(t, d, func(r *Request) { r.Epsilon = 1 })
	plain := numberSetup(t, d, func(r *Request) { r.Epsilon, r.Calibrate = 1, false })
	c, events := s.Plan.Calibration, s.Plan.Training()
	want := mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: c.NoiseMultiplier}, Count: 1}
	if last := events[len(events)-1]; last.String() != want.String() || c.Bound != 0.74 || s.Plan.NoiseDraws() != plain.Plan.NoiseDraws()+5 {
		t.Errorf("got %v at last with bound %v and %d draws, want %v with bound 0.74 and %d draws", last, c.Bound, s.Plan.NoiseDraws(), want, plain.Plan.NoiseDraws()+5)
	}
	cost, err := account.GDP.Epsilon(s.Plan.Event(), 1e-6, privacy.AddOrRemoveOne)
	if err != nil || cost.Upper > 1 || cost.Upper < 0.99 {
		t.Errorf("the plan costs %v, error %v, want at most 1 and nearly that", cost.Upper, err)
	}
	l := budget(t, 1)
	if _, err = Fit(context.Background(), l, s, d, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := l.Event().String(); got != (mechanism.Sequence{s.Plan.Event()}).String() {
		t.Errorf("paid for %s, want %s", got, s.Plan.Event())
	}
}

// sumOf returns the sum of what the rows of a table add, without noise.
func sumOf(t *testing.T, c *correction) []float64 {
	t.Helper()
	sum := make([]float64, c.numbers)
	for i, label := range c.labels {
		c.add(sum, float64(label), i)
	}
	return sum
}

// TestNumbersAreFittedByLeastSquares corrects a model without noise. Residuals and positions do not reach their
// limits, so the new scores are the regression of the targets on the old ones.
func TestNumbersAreFittedByLeastSquares(t *testing.T) {
	d := numbersData(t, 3000, 0.2)
	s := numberSetup(t, d, func(r *Request) { r.Whiten, r.Center = No, No })
	tab, err := s.encode(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	weights := []float64{0.3, -0.15, 0.02, -0.5}
	before := newCorrectionOf(t, s, weights, tab)
	n, mean, average, product, square := float64(len(before.scores)), 0.0, 0.0, 0.0, 0.0
	for i, p := range before.scores {
		if y := float64(before.labels[i]); math.Abs(float64(p)) > 0.5 || math.Abs(y-float64(p)) > 0.5 {
			t.Fatalf("score %v and target %v reach a limit", p, y)
		}
		mean, average = mean+float64(p)/n, average+float64(before.labels[i])/n
	}
	for i, p := range before.scores {
		product += (float64(p) - mean) * (float64(before.labels[i]) - average)
		square += (float64(p) - mean) * (float64(p) - mean)
	}
	step, _ := scaleOf(s.Model).newton(sumOf(t, before), 2, 1e-9)
	moved, stretch, _ := corrected(weights, s.Features, s.Model, step)
	if want := product / square; math.Abs(stretch-want) > 1e-4 || math.Abs(stretch-1) < 0.02 {
		t.Errorf("the factor is %v, want %v and not nearly 1", stretch, want)
	}
	after := newCorrectionOf(t, s, moved, tab)
	for i, p := range after.scores {
		if want := average + product/square*(float64(before.scores[i])-mean); math.Abs(float64(p)-want) > 1e-4 {
			t.Fatalf("row %d: got score %v, want %v", i, p, want)
		}
	}
}

// meanOf returns the mean prediction and the mean target of records.
func meanOf(t *testing.T, m *model.Model, d *data.Dataset) (predicted, target float64) {
	t.Helper()
	err := m.PredictAll(context.Background(), d, func(_ int, p []float64) error {
		for _, v := range p {
			predicted += v / float64(d.Records())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range d.Target() {
		target += float64(v) / float64(d.Records())
	}
	return predicted, target
}

// TestCalibrationCorrectsTheMeanOfNumbers trains on skewed targets, whose mean clipped gradients miss by more than 0.1.
// Limited residuals leave an error of about -0.018. The noise in the mean prediction has a standard deviation of
// 0.74·√50/(8000·μ) scaled targets. That is 0.0023 for μ = 1.45 at epsilon 8, since a scaled target is 5 wide. So chance
// exceeds 0.04 with probability below 1e-15.
func TestCalibrationCorrectsTheMeanOfNumbers(t *testing.T) {
	d := numbersData(t, 8000, 0.8)
	for _, loss := range []model.Loss{nil, model.Squared} {
		found := map[bool]float64{}
		for _, calibrate := range []bool{false, true} {
			s := numberSetup(t, d, func(r *Request) { r.Loss, r.Calibrate, r.ClippingNorm = loss, calibrate, 0.15 })
			result, err := Fit(context.Background(), budget(t, 8), s, d, Options{Momentum: 0.9})
			if err != nil {
				t.Fatal(err)
			}
			if err = CheckModel(s.Plan, result.Model); err != nil {
				t.Error(err)
			}
			if calibrate != (result.Stretch > 0 && result.StretchNoise > 0 && result.ShiftNoise > 0) {
				t.Errorf("calibration %v: got factor %v with noise %v and %v", calibrate, result.Stretch, result.StretchNoise, result.ShiftNoise)
			}
			predicted, target := meanOf(t, result.Model, d)
			found[calibrate] = predicted - target
		}
		t.Logf("loss %v: %v", loss, found)
		if !(found[false] < -0.1) || math.Abs(found[true]) > 0.04 {
			t.Errorf("loss %v: mean predictions are wrong by %v, and by %v with calibration, want less than -0.1 and within 0.04", loss, found[false], found[true])
		}
	}
}

// TestNumbersHaveOneStatistic wants the same bits from memory and from files in blocks of two sizes, with one
// goroutine and with several, and for one row as for many.
func TestNumbersHaveOneStatistic(t *testing.T) {
	d := numbersData(t, 1500, 1)
	s := numberSetup(t, d, func(*Request) {})
	memory, err := s.encode(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	weights := make([]float64, s.Model.Weights())
	for j := range weights {
		weights[j] = math.Sin(float64(j))
	}
	want := newCorrectionOf(t, s, weights, memory)
	sum := sumOf(t, want)
	if slices.Max(want.scores) == slices.Min(want.scores) || len(want.scores) != 1500 {
		t.Fatal("the scores are all alike")
	}
	for _, size := range []int{101, 1500} {
		for _, goroutines := range []int{1, 3} {
			processors := runtime.GOMAXPROCS(goroutines)
			text := encoded(t, s, d, size, Options{})
			rows, err := release.OpenRows(bytes.NewReader(text), int64(len(text)), frame(before(s.Features)))
			if err != nil {
				t.Fatal(err)
			}
			got := newCorrectionOf(t, s, weights, table{rows: rows, records: rows.Len(), file: &rowsFile{}})
			if !slices.Equal(got.scores, want.scores) || !slices.Equal(got.labels, want.labels) {
				t.Errorf("blocks of %d, %d goroutines: rows of a file have other scores or targets", size, goroutines)
			}
			rowsOf := func(records []int) []float64 {
				out := make([]float64, 5*len(records))
				if err = got.vectors(got.labels)(0, out, records); err != nil {
					t.Fatal(err)
				}
				return out
			}
			many := make([]int, 1500)
			for i := range many {
				many[i] = i
			}
			all, total := rowsOf(many), make([]float64, 5)
			for i := range many {
				one := all[5*i : 5*i+5]
				if alone := rowsOf(many[i : i+1]); !slices.Equal(alone, one) {
					t.Fatalf("row %d adds %v alone and %v with others", i, alone, one)
				}
				for k, v := range one {
					total[k] += v
				}
			}
			if !slices.Equal(total, sum) {
				t.Errorf("blocks of %d, %d goroutines: got the sum %v, want %v", size, goroutines, total, sum)
			}
			runtime.GOMAXPROCS(processors)
		}
	}
}

// TestNumbersAreRefused wants an error for losses of numbers that have other predictions than means, and for a plan
// whose statistic has another bound or count than follows from the model.
func TestNumbersAreRefused(t *testing.T) {
	d := numbersData(t, 100, 1)
	for _, loss := range []model.Loss{model.Quantile(0.5, 0.05), model.Poisson()} {
		r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Loss: loss, Calibrate: true}
		if _, err := NewPlan(r, d.Schema()); err == nil || !strings.Contains(err.Error(), "with loss "+loss.Name()) {
			t.Errorf("loss %s: got error %v, want a refusal", loss.Name(), err)
		}
	}
	s := numberSetup(t, d, func(*Request) {})
	m, err := model.New(d.Schema(), s.Features, s.Model.Loss, make([]float64, s.Model.Weights()))
	if err != nil {
		t.Fatal(err)
	}
	if err = s.Plan.checkCalibration(m); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*PreparationStep){
		"kind":                     func(c *PreparationStep) { c.Kind = "calibration" },
		"numbers":                  func(c *PreparationStep) { c.Numbers++ },
		"a smaller bound":          func(c *PreparationStep) { c.Bound = 0.7 },
		"the bound of two levels":  func(c *PreparationStep) { c.Bound = 1.5 },
		"a bound of several rows":  func(c *PreparationStep) { c.Bound *= 3 },
		"the bound of many levels": func(c *PreparationStep) { c.Bound = 1.61 },
	} {
		p, c := s.Plan, *s.Plan.Calibration
		p.Calibration = &c
		change(&c)
		if p.checkCalibration(m) == nil {
			t.Errorf("%s: the plan fits the model, want a refusal", name)
		}
	}
}

package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// skewedData has levels of unequal frequencies that follow from three numbers.
func skewedData(t *testing.T, levels, records int) *data.Dataset {
	t.Helper()
	names := []string{"a", "b", "c", "d"}[:levels]
	s, err := data.ParseSchema("skewed.yaml", fmt.Appendf(nil, `
dither-schema: 1
row: one person
max-records: 40000
records: %d
target: {column: y, levels: [%s]}
defaults: {missing: zero, out-of-range: clamp}
columns:
  u: {numeric: [-1, 1]}
  v: {numeric: [-1, 1]}
  w: {numeric: [-1, 1]}
`, records, strings.Join(names, ", ")))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(24, uint64(levels)))
	columns, target := make([][]float32, 3), make([]float32, records)
	for i := range records {
		x := [3]float64{2*r.Float64() - 1, 2*r.Float64() - 1, 2*r.Float64() - 1}
		for j, v := range x {
			columns[j] = append(columns[j], float32(v))
		}
		best := math.Inf(-1)
		for k := range levels {
			gumbel := -math.Log(-math.Log(r.Float64()))
			if score := 4*x[k%3]*float64(k) - 1.6*float64(k) + gumbel; score > best {
				best, target[i] = score, float32(k)
			}
		}
	}
	d, err := data.New(s, columns, target)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// meanError returns the largest relative error of a level's mean probability over the records.
func meanError(t *testing.T, m *model.Model, d *data.Dataset) float64 {
	t.Helper()
	k, levels := m.Outputs(), len(d.Schema().Target.Levels)
	predicted, counted := make([]float64, levels), make([]float64, levels)
	err := m.PredictAll(context.Background(), d, func(first int, p []float64) error {
		for i := 0; i < len(p); i += k {
			if k == 1 {
				predicted[0], predicted[1] = predicted[0]+1-p[i], predicted[1]+p[i]
				continue
			}
			for j := range k {
				predicted[j] += p[i+j]
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range d.Target() {
		counted[int(v)]++
	}
	worst := 0.0
	for j := range predicted {
		worst = max(worst, math.Abs(predicted[j]/counted[j]-1))
	}
	return worst
}

// TestCalibrationCorrectsTheMean trains with a norm that biases the probabilities. The correction removes half of the
// error of the mean probabilities at least. The error that is left has standard deviation 0.004 with two levels and 0.01
// with three in 20 runs, so that chance exceeds the limits of 0.035 and 0.095 with probability below 1e-9.
func TestCalibrationCorrectsTheMean(t *testing.T) {
	for _, levels := range []int{2, 3} {
		d := skewedData(t, levels, 8000)
		for _, normalization := range []feature.Normalization{feature.NormUnit, feature.NormClip} {
			found := map[bool]float64{}
			for _, calibrate := range []bool{false, true} {
				r := Request{Epsilon: 8, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 150, ClippingNorm: 0.4, Normalization: normalization, Calibrate: calibrate}
				s, err := NewPlan(r, d.Schema())
				if err != nil {
					t.Fatal(err)
				}
				result, err := Fit(context.Background(), budget(t, 8), s, d, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if err = CheckModel(s.Plan, result.Model); err != nil {
					t.Error(err)
				}
				found[calibrate] = meanError(t, result.Model, d)
			}
			if found[false] < 0.06 || found[true] > found[false]/2 {
				t.Errorf("%d levels, rows %s: mean probabilities are wrong by %v, and by %v with calibration, want more than 0.06 and at most half of that", levels, normalization, found[false], found[true])
			}
		}
	}
}

// newCorrectionOf returns the correction of a model with these weights on an encoded table.
func newCorrectionOf(t *testing.T, s Setup, weights []float64, of table) *correction {
	t.Helper()
	m, err := model.New(s.Schema, s.Features, s.Model.Loss, weights)
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCorrection(m, of, s.Plan.Calibration.Numbers)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCalibrationVectorsKeepTheirBound computes what rows, and persons with three rows, add under models with weights
// of all magnitudes. No vector is longer than the bound that is charged, and some reach nine tenths of it.
func TestCalibrationVectorsKeepTheirBound(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 9))
	for _, levels := range []int{2, 3, 4} {
		d, longest := skewedData(t, levels, 300), 0.0
		s, err := NewPlan(Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Calibrate: true}, d.Schema())
		if err != nil {
			t.Fatal(err)
		}
		tab, err := s.encode(d, 0)
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			weights := make([]float64, s.Model.Weights())
			for j := range weights {
				weights[j] = math.Exp(12*r.Float64()-3) * r.NormFloat64()
			}
			tab.persons = [][]int{{r.IntN(300)}, {r.IntN(300), r.IntN(300), r.IntN(300)}}
			n := s.Plan.Calibration.Numbers
			out := make([]float64, 2*n)
			if err = newCorrectionOf(t, s, weights, tab).vectors(tab.targets())(0, out, []int{0, 1}); err != nil {
				t.Fatal(err)
			}
			longest = max(longest, kernel.Norm(out[:n]), kernel.Norm(out[n:])/3)
		}
		if longest > s.Plan.Calibration.Bound || longest < 0.9*s.Plan.Calibration.Bound {
			t.Errorf("%d levels: the longest vector is %v, want at most %v and nearly that", levels, longest, s.Plan.Calibration.Bound)
		}
	}
}

// logOdds is the scale of models of levels.
var logOdds = scaleOf(model.Linear{Loss: model.Logistic, Columns: 1})

// TestNewton checks steps that were worked out by hand. The first numbers are sums of residuals, and the others the
// upper triangle of what parameters take from them. The last row of the matrix may follow.
func TestNewton(t *testing.T) {
	even := correctionScale{reach: 4, most: 1, expected: 0.3, spread: 1}
	spread := even
	spread.spread = 0.25
	for _, c := range []struct {
		scale     correctionScale
		noisy     []float64
		deviation float64
		want      []float64
	}{
		{even, []float64{20, 0, 100, 0, 50}, 0, []float64{0.2, 0}},
		{even, []float64{0, 10, 100, 0, 50}, 0, []float64{0, 0.2}},
		{even, []float64{22, 13, 100, 20, 50}, 0, []float64{0.84 / 4.6, 0.86 / 4.6}},
		{even, []float64{20, 0, 75, 0, 50}, 22.5, []float64{20.0 / 150, 0}}, // half of a step
		{even, []float64{50, 50, 10, 0, 5}, 1e6, []float64{0, 0}},           // noise alone
		{even, []float64{500, -500, 10, 0, 5}, 0, []float64{1, -1}},
		{even, []float64{1, 1, -5, 30, -5}, 15, []float64{30.0 / 3400, 30.0 / 3400}},       // indefinite
		{even, []float64{6, -6, 0, 20, -20, 0, 20, 0, 9}, 1e-9, []float64{0.15, -0.15, 0}}, // singular along (1, 1, 0)
		{even, []float64{22, 34, 100, 20, 50, 40}, 0, []float64{0.1, 0.6}},
		{even, []float64{90, 120, 100, 20, 50, 40}, 0, []float64{0.7, 1}}, // a shift of 0.5 and a slope of 2, which is limited
		{even, []float64{0, 25, 60, 30, 5, 60}, 0, []float64{0.5, -1}},    // 60a + 30b = 0 and 60a + 5b = 25
		{spread, []float64{22, 13, 25, 5, 12.5}, 0, []float64{0.84 / 4.6, 0.86 / 4.6}},
		{spread, []float64{22, 34, 25, 5, 12.5, 10}, 0, []float64{0.1, 0.6}},
	} {
		got, _ := c.scale.newton(c.noisy, len(c.want), c.deviation)
		for k, want := range c.want {
			if math.Abs(got[k]-want) > 2e-5*math.Abs(want)+1e-7 {
				t.Errorf("numbers %v with noise of %v: got step %v, want %v", c.noisy, c.deviation, got, c.want)
			}
		}
	}
}

// TestCalibrationIsPaid wants the statistic after the steps, in the price and in the count of draws, for rows and
// persons.
func TestCalibrationIsPaid(t *testing.T) {
	plain, calibrated := personPlan(t, 1, func(*Request) {}).Plan, personPlan(t, 1, func(r *Request) { r.Calibrate = true }).Plan
	c := calibrated.Calibration
	if c == nil || c.Bound != 3*1.5 || calibrated.NoiseDraws() != plain.NoiseDraws()+2*6 || !(calibrated.NoiseMultiplier > plain.NoiseMultiplier) {
		t.Fatalf("got the plan %+v, want one with a calibration of 6 numbers and more noise in its steps than %v", calibrated, plain.NoiseMultiplier)
	}
	events := calibrated.Training()
	if last := events[len(events)-1]; last.String() != (mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: c.NoiseMultiplier}, Count: 2}).String() {
		t.Errorf("the last release is %v, want that of the calibration", last)
	}
	cost, err := account.GDP.Epsilon(calibrated.Event(), 1e-6, privacy.AddOrRemoveOne)
	if err != nil || cost.Upper > 1 || cost.Upper < 0.99 {
		t.Errorf("the plan costs %v, error %v, want at most 1 and nearly that", cost.Upper, err)
	}
	each := personPlan(t, 1, func(r *Request) { r.Calibrate, r.PerStep = true, true }).Plan
	if each.Calibration.NoiseMultiplier != each.NoiseMultiplier {
		t.Errorf("per step: noise is %v and %v, want one", each.Calibration.NoiseMultiplier, each.NoiseMultiplier)
	}
	names := make([]string, 300)
	for i := range names {
		names[i] = string(rune('a' + i%26))
	}
	s := personPlan(t, 1, func(r *Request) { r.Calibrate = true })
	if _, err = Fit(context.Background(), budget(t, 3), s, diary(t, names, rand.New(rand.NewPCG(1, 2))), Options{}); err != nil {
		t.Error(err)
	}
}

// TestCalibrationRefusals wants an error for each request and plan that has no correction.
func TestCalibrationRefusals(t *testing.T) {
	schema := skewedData(t, 2, 10).Schema()
	for words, change := range map[string]func(*Request){
		"want logistic or softmax":   func(r *Request) { r.Loss = model.Hinge(0.5) },
		"without a constant feature": func(r *Request) { r.Intercept = -1 },
		"with weights of levels":     func(r *Request) { r.Balance = true },
		"with clipping example":      func(r *Request) { r.ClippingMode = option.ClipExample },
	} {
		r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Calibrate: true}
		change(&r)
		if _, err := NewPlan(r, schema); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("got error %v, want one with %q", err, words)
		}
	}
	good, err := NewPlan(Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Calibrate: true}, schema)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Plan){
		"kind":       func(p *Plan) { p.Calibration.Kind = option.MeanStatistic },
		"column":     func(p *Plan) { p.Calibration.Column = "u" },
		"no noise":   func(p *Plan) { p.Calibration.NoiseMultiplier = 0 },
		"no bound":   func(p *Plan) { p.Calibration.Bound = math.NaN() },
		"no numbers": func(p *Plan) { p.Calibration.Numbers = 0 },
		"many":       func(p *Plan) { p.Calibration.Numbers = maxCalibrationNumbers + 1 },
		"weights":    func(p *Plan) { p.ClassWeights = []float64{1, 0.5} },
	} {
		p, c := good.Plan, *good.Plan.Calibration
		p.Calibration = &c
		change(&p)
		if p.Validate() == nil {
			t.Errorf("%s: the plan is valid, want a refusal", name)
		}
	}
	m, err := model.New(schema, good.Features, good.Model.Loss, make([]float64, good.Model.Weights()))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*PreparationStep){
		"numbers": func(c *PreparationStep) { c.Numbers++ },
		"fewer":   func(c *PreparationStep) { c.Numbers -= 2 },
		"bound":   func(c *PreparationStep) { c.Bound *= 0.9 },
	} {
		p, c := good.Plan, *good.Plan.Calibration
		p.Calibration = &c
		change(&c)
		if p.checkCalibration(m) == nil {
			t.Errorf("%s: the plan fits the model, want a refusal", name)
		}
	}
	earlier, c := good.Plan, *good.Plan.Calibration
	earlier.Calibration, c.Numbers = &c, earlierNumbers
	if err = earlier.checkCalibration(m); err != nil {
		t.Errorf("the plan of an earlier program does not fit its model: %v", err)
	}
	unpaid := good
	unpaid.Plan = earlier
	if err = unpaid.checkCalibrated(Options{}); err == nil || !strings.Contains(err.Error(), "earlier programs") {
		t.Errorf("a run follows the plan of an earlier program: got error %v, want a refusal", err)
	}
	if free, err := NewPlan(Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Calibrate: true}, schema); err != nil || free.Plan.Calibration != nil {
		t.Errorf("without privacy: got calibration %v, error %v, want none", free.Plan.Calibration, err)
	}
}

// TestCalibrationVectorsAreDerivatives compares the numbers of a row with its residuals, and with differences of them
// after steps of the shifts and of the slope.
func TestCalibrationVectorsAreDerivatives(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 10))
	for _, levels := range []int{2, 3} {
		d := skewedData(t, levels, 30)
		s, err := NewPlan(Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Calibrate: true}, d.Schema())
		if err != nil {
			t.Fatal(err)
		}
		tab, err := s.encode(d, 0)
		if err != nil {
			t.Fatal(err)
		}
		weights := make([]float64, s.Model.Weights())
		for j := range weights {
			weights[j] = 3 * r.NormFloat64()
		}
		m, err := model.New(d.Schema(), s.Features, s.Model.Loss, weights)
		if err != nil {
			t.Fatal(err)
		}
		predictions, labels, err := (&Table{table: tab, chain: s.Features.Pipeline}).Predict(m)
		if err != nil {
			t.Fatal(err)
		}
		k, n := m.Outputs(), m.Outputs()+1
		for i := range labels {
			center := float64(i%5) - 2
			z, u, v := make([]float64, max(2, k)), make([]float64, max(2, k)), make([]float64, max(2, k))
			p := predictions[i*k : (i+1)*k]
			if k == 1 { // the first score is 0
				z[1] = math.Log(p[0] / (1 - p[0]))
				u[1], v[1] = min(1, max(-1, (z[1]-center)/4)), min(1, max(-1, (z[1]-center)/2))
			} else {
				best := math.Log(max(p[0], p[1], p[2]))
				for j := range z {
					z[j] = math.Log(p[j])
					u[j] = max(-1, (z[j]-best)/4) / 2
					v[j] = u[j]
				}
			}
			sums := func(b int, step float64) []float64 { // after a step of one parameter
				moved, total := make([]float64, len(z)), 0.0
				for j := range z {
					moved[j] = z[j]
					switch {
					case b == n-1:
						moved[j] += step * u[j]
					case j == b+len(z)-k:
						moved[j] += step
					}
					total += math.Exp(moved[j])
				}
				out := make([]float64, n)
				for j := range z {
					residual := -math.Exp(moved[j]) / total
					if j == int(labels[i]) {
						residual++
					}
					if at := j - (len(z) - k); at >= 0 {
						out[at] += residual
					}
					out[n-1] += residual * v[j]
				}
				return out
			}
			const step = 1e-4
			want := sums(0, 0)
			for a := range n {
				for b := a; b < n; b++ {
					want = append(want, (sums(b, -step)[a]-sums(b, step)[a])/(2*step))
				}
			}
			if k == 1 { // the number below the diagonal
				want = append(want, (sums(0, -step)[1]-sums(0, step)[1])/(2*step))
			}
			got := make([]float64, len(want))
			c := newCorrectionOf(t, s, weights, tab)
			c.center = center
			c.add(got, float64(labels[i]), i)
			for j := range want {
				if math.Abs(got[j]-want[j]) > 1e-5 {
					t.Fatalf("%d levels, row %d: got %v, want %v", levels, i, got, want)
				}
			}
		}
	}
}

// TestCalibrationIsCheckedBeforeItIsPaid wants an error for setups and options that would fail or mislead after
// everything was spent.
func TestCalibrationIsCheckedBeforeItIsPaid(t *testing.T) {
	d := skewedData(t, 2, 100)
	for words, change := range map[string]func(*Setup, *Options){
		"output rule is all-iterates":    func(_ *Setup, o *Options) { o.Output = option.OutputAllIterates },
		"a temperature is given":         func(_ *Setup, o *Options) { o.Temperature = 1e-9 },
		"without a constant feature":     func(s *Setup, _ *Options) { s.Features.Intercept = 0 },
		"number of sums":                 func(s *Setup, _ *Options) { s.Model.Loss = model.Hinge(0.5) },
		"bound of the statistic":         func(s *Setup, _ *Options) { s.Plan.Calibration.Bound *= 0.9 },
		"want positive ones and at most": func(s *Setup, _ *Options) { s.Plan.Calibration.Numbers = 1 << 18 },
	} {
		s, err := NewPlan(Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 2, Calibrate: true}, d.Schema())
		if err != nil {
			t.Fatal(err)
		}
		l, o := budget(t, 1), Options{}
		change(&s, &o)
		if _, err = Fit(context.Background(), l, s, d, o); err == nil || !strings.Contains(err.Error(), words) || len(l.Event()) != 0 {
			t.Errorf("got error %v and %v spent, want an error with %q and nothing spent", err, l.Event(), words)
		}
	}
	schema := *d.Schema()
	schema.Target.Levels = nil
	for k := range 600 {
		schema.Target.Levels = append(schema.Target.Levels, fmt.Sprint("level ", k))
	}
	r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Calibrate: true}
	if _, err := NewPlan(r, &schema); err == nil || !strings.Contains(err.Error(), "with 600 levels") {
		t.Errorf("600 levels: got error %v, want a refusal before anything is spent", err)
	}
}

// TestCalibrationIsReportedLast wants the cost of the calibration in the last report alone: a run that ends earlier has
// not paid for it.
func TestCalibrationIsReportedLast(t *testing.T) {
	d := skewedData(t, 2, 100)
	s, err := NewPlan(Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 2, Center: No, Whiten: No, Calibrate: true}, d.Schema())
	if err != nil {
		t.Fatal(err)
	}
	var costs []float64
	o := Options{Progress: func(p Progress) { costs = append(costs, p.Epsilon) }}
	if _, err = Fit(context.Background(), budget(t, 1), s, d, o); err != nil {
		t.Fatal(err)
	}
	if len(costs) != 3 || costs[0] != 0 || !(costs[2] > 0.99 && costs[2] <= 1) {
		t.Errorf("got costs %v after 0, 1 and 2 steps, want 0 at first and about 1 at last", costs)
	}
}

// TestNoiseAloneMovesLittle draws derivatives that are noise, for two levels and for three. The mean square of a shift
// is about 0.023 and 0.011 in 2000 draws. Chance moves it by less than 0.003.
func TestNoiseAloneMovesLittle(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 11))
	for _, l := range []model.Linear{{Loss: model.Logistic, Columns: 1}, {Loss: model.Softmax, Columns: 3}} {
		square := 0.0
		const draws = 2000
		for range draws {
			noisy := make([]float64, calibrationNumbers(l))
			for j := range noisy {
				noisy[j] = 1000 * r.NormFloat64()
			}
			step, _ := scaleOf(l).newton(noisy, l.Columns+1, 1000)
			square += step[0] * step[0] / draws
		}
		if most := map[int]float64{1: 0.03, 3: 0.015}[l.Columns]; square > most {
			t.Errorf("%s: noise alone shifts scores by %v in the mean square, want at most %v", l.Loss.Name(), square, most)
		}
	}
}

// TestSkewedScoresAreCorrected draws log-odds whose mean is far from 0, and labels by them. A model has wrong log-odds.
// Two rounds without noise leave a log-loss that is at most that of the right ones, but for what the draw moves, or a
// third of what was above it.
func TestSkewedScoresAreCorrected(t *testing.T) {
	l := model.Linear{Loss: model.Logistic, Columns: 1}
	for _, c := range []struct{ mean, spread, scale, shift float64 }{
		{-3, 1, 1, 0.3}, {-3, 1, 1, -0.3}, {-2, 0.5, 1, 0}, {-3.5, 1, 0.7, 0.3}, {-5.5, 2, 0.7, 0.3}, {-5, 0.3, 1, 0.4}, {-3, 0.5, 0.7, -1.17}, {-4, 1, 0.7, -1.37}, {-5, 1, 0.8, -1.2}, {-4.5, 1, 1.3, -0.3}, {-5, 0.3, 1, 0}, {-6, 1, 1, 0.3}, {-4.5, 0.3, 1, 0.3}, {2.5, 1, 1.3, 0.2}, {0, 1, 0.7, 0.3}, {0, 4, 0.8, 0.5},
	} {
		r := rand.New(rand.NewPCG(24, 15))
		const n = 20000
		right := make([]float64, n)
		k := &correction{loss: l.Loss, scale: scaleOf(l), scores: make([]float32, n), labels: make([]float32, n), parameters: 2, numbers: calibrationNumbers(l)}
		k.rooms.New = func() any { return &correctionRoom{make([]float64, 1), make([]float64, 1)} }
		for i := range n {
			right[i] = c.mean + c.spread*r.NormFloat64()
			if r.Float64() < 1/(1+math.Exp(-right[i])) {
				k.labels[i] = 1
			}
			k.scores[i] = float32(c.scale*right[i] + c.shift)
		}
		for range calibrationRounds {
			sum := sumOf(t, k)
			step, noise := k.scale.newton(sum, 2, 1e-9)
			k.scale.around(k.center, step, noise)
			k.center = k.scale.center(sum, 1e-9, step)
			for i, z := range k.scores {
				k.scores[i] = z + float32(step[0]) + z*float32(step[1]*stretchOf(l))
			}
		}
		excess, before := 0.0, 0.0
		for i, z := range k.scores {
			loss := func(z float64) float64 { return math.Log1p(math.Exp(z)) - float64(k.labels[i])*z }
			excess += (loss(float64(z)) - loss(right[i])) / n
			before += (loss(c.scale*right[i]+c.shift) - loss(right[i])) / n
		}
		if !(excess < max(3e-4, before/3)) {
			t.Errorf("log-odds of mean %v and deviation %v, times %v plus %v: the log-loss is %v above that of the right ones, and was %v, want less than 0.0003 or a third", c.mean, c.spread, c.scale, c.shift, excess, before)
		}
	}
}

// TestLimitedSlopeStatesItsNoise wants the noise of a shift with a limited slope: that of a sum, divided by what the shift
// takes from it. Here the inverse of the whole matrix would state less.
func TestLimitedSlopeStatesItsNoise(t *testing.T) {
	step, noise := logOdds.newton([]float64{90, 80, 100, 20, 50, -40}, 2, 1) // a shift of 0.5 and a slope of 2, which is limited
	if step[1] != 1 || noise[0] < 0.0099 || noise[0] > 0.0101 {
		t.Errorf("got step %v with noise %v, want a slope of 1 and noise of 0.01 in the shift", step, noise)
	}
}

// TestCenter has centers that were worked out by hand: the mean of the log-odds, moved by the step and limited.
func TestCenter(t *testing.T) {
	for _, c := range []struct {
		sum, product, deviation, shift, slope, want float64
	}{
		{100, -75, 0, 0, 0, -3},
		{100, -75, 0, 0.5, 0.2, -2.65}, // -3 + 0.5 - 3·0.2/4
		{100, -75, 100, 0, 0, -0.3},    // 9 variances are 9 times the square of the sum
		{100, -400, 0, 0, 0, -4},
		{100, -400, 0, 1, 0, -3},
		{100, 100, 0, 1, 0, 4},
		{-5, 30, 1, 1, 1, 0},
	} {
		got := logOdds.center([]float64{0, 0, c.sum, c.product, 0, 0}, c.deviation, []float64{c.shift, c.slope})
		if math.Abs(got-c.want) > 1e-12 {
			t.Errorf("sum %v, product %v, noise %v, step %v and %v: got center %v, want %v", c.sum, c.product, c.deviation, c.shift, c.slope, got, c.want)
		}
	}
}

// TestAround wants a step around a center to move every score as the step that it becomes around 0.
func TestAround(t *testing.T) {
	const center, z = -3, -5
	step, noise := []float64{0.4, -0.8}, []float64{0.1, 0.2}
	logOdds.around(center, step, noise)
	if want := 0.4 - 0.8*(z-center)/4; math.Abs(step[0]+step[1]*z/4-want) > 1e-12 || step[1] != -0.8 {
		t.Errorf("got step %v, which moves %v by %v, want %v", step, z, step[0]+step[1]*z/4, want)
	}
	if want := 0.1 + 0.2*3/4; math.Abs(noise[0]-want) > 1e-12 || noise[1] != 0.2 {
		t.Errorf("got noise %v, want %v and 0.2", noise, want)
	}
}

// TestNewtonStatesItsNoise adds noise to derivatives and none to second derivatives, often enough for the variances of
// the steps. The sum of n squares in units of the stated variance has a χ² distribution. It passes n ± 2·√(17·n) + 34
// with probability below 2·e^-17 (Laurent & Massart, "Adaptive estimation of a quadratic functional by model selection",
// Annals of Statistics 2000, lemma 1).
func TestNewtonStatesItsNoise(t *testing.T) {
	r, clean := rand.New(rand.NewPCG(24, 13)), []float64{22, 13, 100, 20, 50, 30}
	const n, deviation = 4000, 3.0
	want, _ := logOdds.newton(clean, 2, deviation)
	sums := make([]float64, 2)
	for range n {
		noisy := slices.Clone(clean)
		noisy[0], noisy[1] = noisy[0]+deviation*r.NormFloat64(), noisy[1]+deviation*r.NormFloat64()
		step, noise := logOdds.newton(noisy, 2, deviation)
		for k := range sums {
			sums[k] += math.Pow((step[k]-want[k])/noise[k], 2)
		}
	}
	for k, sum := range sums {
		if far := 2*math.Sqrt(17*n) + 34; math.Abs(sum-n) > far {
			t.Errorf("number %d: the sum of %d squares is %v, want within %v", k, n, sum, far)
		}
	}
}

// TestManyAreCorrectedLikeOne wants models of shared passes to be corrected, each at its price.
func TestManyAreCorrectedLikeOne(t *testing.T) {
	d := skewedData(t, 2, 8000)
	var jobs []Run
	for _, calibrate := range []bool{false, true} {
		s, err := NewPlan(Request{Epsilon: 8, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 150, ClippingNorm: 0.4, Calibrate: calibrate}, d.Schema())
		if err != nil || !s.SharesPasses() {
			t.Fatalf("calibration %v: error %v, want a plan that shares passes", calibrate, err)
		}
		jobs = append(jobs, Run{Setup: s})
	}
	l := budget(t, 16)
	results, err := FitMany(context.Background(), l, jobs, d)
	if err != nil {
		t.Fatal(err)
	}
	plain, corrected := meanError(t, results[0].Model, d), meanError(t, results[1].Model, d)
	if plain < 0.06 || corrected > plain/2 || results[0].Stretch != 0 || !(results[1].StretchNoise > 0 && results[1].ShiftNoise > 0) {
		t.Errorf("mean probabilities are wrong by %v, and by %v with calibration, factor %v; want more than 0.06 and at most half of that", plain, corrected, results[1].Stretch)
	}
	if got, want := l.Event().String(), (mechanism.Sequence{jobs[0].Setup.Plan.Event(), jobs[1].Setup.Plan.Event()}).String(); got != want {
		t.Errorf("paid for %s, want %s", got, want)
	}
}

// TestSingularDerivativesAreSolved adds noise to second derivatives that are 0 along one direction, as those of three
// scores are along equal shifts. Every step is about that without noise in the other directions.
func TestSingularDerivativesAreSolved(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 12))
	for range 1000 {
		noisy := []float64{30, -30, 0, 0, 200, -100, -100, 0, 200, -100, 0, 200, 0, 300}
		for j := range noisy {
			noisy[j] += r.NormFloat64()
		}
		step, _ := scaleOf(model.Linear{Loss: model.Softmax, Columns: 3}).newton(noisy, 4, 1)
		if got := step[0] - step[1]; math.Abs(got-0.2) > 0.06 {
			t.Fatalf("the scores move apart by %v, want about 0.2", got)
		}
	}
}

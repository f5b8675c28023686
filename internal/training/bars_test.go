package training

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
)

// made returns a simulated table. It has numbers, of which two are nearly equal, and levels, of which one never
// occurs. The target has so many levels, or is a number or a count.
func made(t testing.TB, seed uint64, records, levels int, counts bool) (*data.Schema, *data.Dataset) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 24))
	const numbers, kinds = 4, 5
	s := &data.Schema{Name: "made", Row: "one person", Records: records, MaxRecords: 2 * records, Target: data.Target{Column: "y", Lower: -1, Upper: 1}}
	if counts {
		s.Target.Lower, s.Target.Upper = 0, 12
	}
	if levels > 0 {
		s.Target = data.Target{Column: "y"}
	}
	for k := range levels {
		s.Target.Levels = append(s.Target.Levels, "level "+strconv.Itoa(k))
	}
	for k := range numbers {
		s.Columns = append(s.Columns, data.Column{Name: "x" + strconv.Itoa(k), Kind: data.Numeric, Lower: -3, Upper: 3, OutOfRange: data.Clamp, Missing: data.Zero})
	}
	kind := data.Column{Name: "kind", Kind: data.Categorical, Unknown: data.Other, Missing: data.Indicator}
	for k := range kinds {
		kind.Levels = append(kind.Levels, "kind "+strconv.Itoa(k))
	}
	s.Columns = append(s.Columns, kind)
	slope := make([]float64, (numbers+kinds)*max(1, levels))
	for j := range slope {
		slope[j] = r.NormFloat64()
	}
	columns, y := make([][]float32, numbers+1), make([]float32, records)
	for i := range y {
		x := make([]float64, numbers)
		for j := range x {
			x[j] = r.NormFloat64()
		}
		x[1] = x[0] + 0.01*x[1]
		level := r.IntN(kinds - 1)
		score := func(k int) float64 {
			sum := slope[k*(numbers+kinds)+numbers+level]
			for j, v := range x {
				sum += v * slope[k*(numbers+kinds)+j]
			}
			return sum
		}
		for j, v := range x {
			columns[j] = append(columns[j], float32(v))
		}
		columns[numbers] = append(columns[numbers], float32(level))
		y[i] = drawn(r, score, levels, counts)
	}
	d, err := data.New(s, columns, y)
	if err == nil {
		err = s.Validate()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// uneven returns a simulated table that is hard for intervals. Two of its numbers are nearly equal, one is nearly always
// 0, one has a long tail, and one is always missing. Each of its levels is half as frequent as the one before, and one
// never occurs. The target has so many levels, or is a number or a count.
func uneven(t testing.TB, seed uint64, records, levels int, counts bool) (*data.Schema, *data.Dataset) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 25))
	const numbers, kinds = 6, 9
	s := &data.Schema{Name: "uneven", Row: "one person", Records: records, MaxRecords: 2 * records, Target: data.Target{Column: "y", Lower: -1, Upper: 1}}
	if counts {
		s.Target.Lower, s.Target.Upper = 0, 12
	}
	if levels > 0 {
		s.Target = data.Target{Column: "y"}
	}
	for k := range levels {
		s.Target.Levels = append(s.Target.Levels, "level "+strconv.Itoa(k))
	}
	for k := range numbers {
		s.Columns = append(s.Columns, data.Column{Name: "x" + strconv.Itoa(k), Kind: data.Numeric, Lower: -3, Upper: 3, OutOfRange: data.Clamp, Missing: data.Zero})
	}
	kind := data.Column{Name: "kind", Kind: data.Categorical, Unknown: data.Other, Missing: data.Indicator}
	for k := range kinds {
		kind.Levels = append(kind.Levels, "kind "+strconv.Itoa(k))
	}
	s.Columns = append(s.Columns, kind)
	slope := make([]float64, (numbers+kinds)*max(1, levels))
	for j := range slope {
		slope[j] = r.NormFloat64() / 1.5
	}
	columns, y := make([][]float32, numbers+1), make([]float32, records)
	for i := range y {
		x := make([]float64, numbers)
		for j := range x {
			x[j] = max(-3, min(3, r.NormFloat64()))
		}
		x[1] = x[0] + 0.01*x[1]
		if x[2] = 0; r.IntN(100) == 0 {
			x[2] = 1
		}
		x[3] = min(3, math.Exp(1.5*x[3])/4)
		level := 0
		for level < kinds-2 && r.IntN(2) == 0 {
			level++
		}
		score := func(k int) float64 {
			sum := slope[k*(numbers+kinds)+numbers+level]
			for j, v := range x[:numbers-1] {
				sum += v * slope[k*(numbers+kinds)+j]
			}
			return sum
		}
		for j, v := range x {
			if j == numbers-1 {
				v = math.NaN()
			}
			columns[j] = append(columns[j], float32(v))
		}
		columns[numbers] = append(columns[numbers], float32(level))
		y[i] = drawn(r, score, levels, counts)
	}
	d, err := data.New(s, columns, y)
	if err == nil {
		err = s.Validate()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// drawn returns a target for scores: a level, a count or a number.
func drawn(r *rand.Rand, score func(k int) float64, levels int, counts bool) (y float32) {
	switch {
	case counts:
		for sum := r.ExpFloat64(); sum < math.Exp(score(0)/3) && y < 12; sum += r.ExpFloat64() {
			y++
		}
	case levels == 0:
		y = float32(max(-1, min(1, score(0)/6+0.3*r.NormFloat64())))
	case levels == 2 && r.Float64() < 1/(1+math.Exp(-score(0))):
		y = 1
	case levels > 2:
		best := math.Inf(-1)
		for k := range levels {
			if v := score(k) - math.Log(r.ExpFloat64()); v > best {
				best, y = v, float32(k)
			}
		}
	}
	return y
}

// unlimited returns a ledger that pays for everything.
func unlimited(t testing.TB) *ledger.Ledger {
	t.Helper()
	g, err := privacy.NewGuarantee(math.Inf(1), 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.NewSingle(g)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// withoutNoise returns the setup and options that repeat a fit without noise from the same prepared rows.
func withoutNoise(of train.Setup, o train.Options, noisy *train.Result, interval bars) (train.Setup, train.Options) {
	again := of
	again.Schema, again.Features = noisy.Model.Schema(), interval.before(noisy.Model).Features()
	again.Plan.Preparation, again.Plan.NonPrivate, again.Plan.NoiseMultiplier, again.Plan.NoiseMultipliers, again.Plan.Calibration = nil, true, 0, nil, nil
	if l := again.Plan.LastIterate; l != nil {
		o.Ridge, again.Plan.LastIterate = l.Ridge, nil
	}
	again.Plan.Records = int(math.Round(noisy.Divisor))
	o.LearningRate, o.Output = noisy.LearningRate, noisy.Output
	return again, o
}

// unclipping is a multiple of the clipping norm that no gradient of a test exceeds.
const unclipping = 50

// coverage counts intervals, and those that contain their targets. unclipped states that the targets are of a model
// without clipping, or of the loss that clipping makes.
type coverage struct {
	weights, inside, places, insideShapes int
	unclipped                             bool
	// whitened states that the rows are whitened.
	whitened bool
	// beyond counts those that contain the weight of a model without clipping, although it is not their target.
	beyond int
}

func (c coverage) missed() float64 { return 1 - float64(c.inside)/float64(c.weights) }
func (c coverage) missedShapes() float64 {
	return 1 - float64(c.insideShapes)/float64(max(1, c.places))
}

// covered fits by gradient descent, once as asked and once for the target of the intervals.
func covered(t testing.TB, r train.Request, o train.Options, s *data.Schema, d *data.Dataset) (out coverage) {
	t.Helper()
	run, err := Descent(r, o, true, Tables{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	noisy, err := train.Fit(context.Background(), unlimited(t), run.Setup, d, run.Options)
	if err != nil {
		t.Fatal(err)
	}
	interval := run.barsOf(noisy)
	if interval.refusal != "" {
		t.Fatalf("no intervals: %s", interval.refusal)
	}
	again, options := withoutNoise(run.Setup, o, noisy, interval)
	out.whitened = noisy.Model.Features().Whitening != nil
	if out.unclipped = interval.spread != nil; out.unclipped && run.Setup.Model.Loss.Name() != model.Huber(0).Name() {
		again.Plan.Clipping.Norm *= unclipping
		again.Plan.Clipping.Bound *= unclipping
	}
	exact, err := train.Fit(context.Background(), unlimited(t), again, d, options)
	if err != nil {
		t.Fatal(err)
	}
	target := exact.Model
	if !out.unclipped && noisy.Stretch != 0 {
		target = stretched(t, noisy, target)
	}
	shown, wanted, other := effective(noisy.Model), effective(target), effective(target)
	if !out.unclipped {
		again.Plan.Clipping.Norm *= unclipping
		again.Plan.Clipping.Bound *= unclipping
		free, failed := train.Fit(context.Background(), unlimited(t), again, d, options)
		if failed != nil {
			t.Fatal(failed)
		}
		other = effective(free.Model)
	}
	lengths := interval.of(noisy.Model, shown)
	for k := range shown {
		for j, w := range shown[k] {
			if math.Abs(w-other[k][j]) <= lengths[k][j] {
				out.beyond++
			}
			if out.weights++; math.Abs(w-wanted[k][j]) <= lengths[k][j] {
				out.inside++
			}
		}
	}
	goals := map[string]report.Shape{}
	for _, shape := range shapes(target, bars{}, nil, preparation{}) {
		goals[shape.Name+shape.Score] = shape
	}
	for _, shape := range shapes(noisy.Model, interval, nil, preparation{}) {
		goal := goals[shape.Name+shape.Score]
		for i, p := range shape.Points {
			if out.places++; p.Low <= goal.Points[i].Y && goal.Points[i].Y <= p.High {
				out.insideShapes++
			}
		}
		for i, c := range shape.States {
			if out.places++; math.Abs(c.Value-goal.States[i].Value) <= c.Half {
				out.insideShapes++
			}
		}
	}
	return out
}

// distances fits by gradient descent, once with noise and once without it from the same prepared rows. It returns the
// differences of the weights, divided by the bound on their standard deviation: of the map's rows, and of the features.
func distances(t testing.TB, r train.Request, o train.Options, s *data.Schema, d *data.Dataset) (rows, features []float64) {
	t.Helper()
	run, err := Descent(r, o, true, Tables{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	noisy, err := train.Fit(context.Background(), unlimited(t), run.Setup, d, run.Options)
	if err != nil {
		t.Fatal(err)
	}
	interval := uncorrectedBars(noisy.WeightNoise * cmp.Or(noisy.Stretch, 1))
	if interval.unshrunk = unmoved(noisy); !(interval.half > 0) {
		t.Fatal("no bound")
	}
	again, o := withoutNoise(run.Setup, o, noisy, interval)
	exact, err := train.Fit(context.Background(), unlimited(t), again, d, o)
	if err != nil {
		t.Fatal(err)
	}
	if noisy.Stretch != 0 {
		return standardized(noisy.Model, stretched(t, noisy, exact.Model), interval)
	}
	return standardized(noisy.Model, exact.Model, interval)
}

// stretched returns a model without noise whose weights were multiplied by the released factor. The weights of its
// constant feature are those of the result.
func stretched(t testing.TB, of *train.Result, exact *model.Model) *model.Model {
	t.Helper()
	weights, dim := slices.Clone(exact.Weights()), exact.Linear().Dim
	for j := range weights {
		if weights[j] *= of.Stretch; j%dim == dim-1 {
			weights[j] = of.Model.Weights()[j]
		}
	}
	m, err := model.New(exact.Schema(), exact.Features(), exact.Linear().Loss, weights)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// standardized returns the differences of the weights of two models, divided by the standard deviations to which
// intervals of this half length belong: of the map's rows, and of the features.
func standardized(a, b *model.Model, interval bars) (rows, features []float64) {
	for j, w := range interval.before(a).Weights() {
		rows = append(rows, (w-b.Weights()[j])/interval.half*normalReach)
	}
	before := interval.before(a).Features()
	span, other := spans(before), effectiveUnder(before, b)
	for k, weights := range effective(interval.before(a)) {
		for j, w := range weights {
			features = append(features, (w-other[k][j])/(interval.half*span[j])*normalReach)
		}
	}
	return rows, features
}

// chiLimits returns limits that a χ² variable of n degrees of freedom passes on either side with a probability of at
// most e^-x (Laurent & Massart, "Adaptive estimation of a quadratic functional by model selection", Annals of
// Statistics 2000, lemma 1).
func chiLimits(n int, x float64) (low, high float64) {
	root := 2 * math.Sqrt(float64(n)*x)
	return float64(n) - root, float64(n) + root + 2*x
}

func sumOfSquares(values []float64) (sum float64) {
	for _, v := range values {
		sum += v * v
	}
	return sum
}

// rare is the exponent of a probability of a false alarm, e^-rare < 5e-8. The tests of this file compare fewer than
// twenty sums with such limits.
const rare = 17

// TestDescentBars: the differences that noise makes have a covariance of at most the bound. So the sum of their
// squares, in units of the bound, is at most a χ² variable, up to terms of second order in the noise.
func TestDescentBars(t *testing.T) {
	private := train.Request{Epsilon: 2, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}
	momentum := train.Options{Momentum: option.DefaultMomentum}
	for _, c := range []struct {
		name   string
		levels int
		counts bool
		loss   model.Loss
		change func(*train.Request, *train.Options)
	}{
		{"logistic", 2, false, nil, func(*train.Request, *train.Options) {}},
		{"softmax", 4, false, model.Softmax, func(*train.Request, *train.Options) {}},
		{"one-vs-rest", 3, false, model.OneVsRest, func(_ *train.Request, o *train.Options) { o.Output = option.OutputUniformAverage }},
		{"corrected", 2, false, nil, func(r *train.Request, _ *train.Options) { r.Calibrate = true }},
		{"corrected softmax", 4, false, model.Softmax, func(r *train.Request, _ *train.Options) { r.Calibrate = true }},
		{"squared", 0, false, nil, func(_ *train.Request, o *train.Options) { o.Ridge, o.Output = 0.01, option.OutputLast }},
		{"corrected numbers", 0, false, model.Squared, func(r *train.Request, _ *train.Options) { r.Calibrate = true }},
		{"Poisson", 0, true, model.Poisson(), func(*train.Request, *train.Options) {}},
		{"last iterate", 2, false, nil, func(r *train.Request, o *train.Options) {
			r.Accounting, r.Ridge, r.LearningRate, r.Steps = option.AccountingLastIterate, 0.01, 1, 40
			o.Ridge, o.LearningRate, o.Momentum = 0.01, 1, 0
		}},
		{"schedule of noise", 2, false, nil, func(r *train.Request, o *train.Options) {
			r.NoiseContraction, o.Output, o.Momentum = 0.95, option.OutputLast, 0
		}},
	} {
		s, d := made(t, 1, 3000, c.levels, c.counts)
		r, o := private, momentum
		r.Loss = c.loss
		c.change(&r, &o)
		rows, features := distances(t, r, o, s, d)
		if slices.Max(rows) == slices.Min(rows) {
			t.Errorf("%s: the noise changed nothing", c.name)
		}
		sum := sumOfSquares(rows)
		_, high := chiLimits(len(rows), rare)
		t.Logf("%s: mean square %.2f of rows, %.2f of features", c.name, sum/float64(len(rows)), sumOfSquares(features)/float64(len(features)))
		if sum > high {
			t.Errorf("%s: the sum of squares is %.4g times the bound, want at most %.4g", c.name, sum, high)
		}
	}
}

// TestDescentBarsAreReached: with a learning rate near 0 the curvature does not matter. The noise then has the
// variance of the bound, so that its sum of squares is a χ² variable.
func TestDescentBarsAreReached(t *testing.T) {
	s, d := made(t, 2, 1000, 6, false)
	for _, output := range []string{option.OutputLast, option.OutputTailAverage, option.OutputUniformAverage} {
		for _, momentum := range []float64{0, 0.9} {
			r := train.Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 20, Center: train.No, Whiten: train.No, Loss: model.Softmax}
			var rows []float64
			for range 4 {
				some, _ := distances(t, r, train.Options{Momentum: momentum, LearningRate: 1e-5, Output: output}, s, d)
				rows = append(rows, some...)
			}
			low, high := chiLimits(len(rows), rare)
			if sum := sumOfSquares(rows); sum < low || sum > high {
				t.Errorf("output %s, momentum %v: the sum of squares is %.4g, want %.4g to %.4g", output, momentum, sum, low, high)
			}
		}
	}
}

// outputPair fits by output perturbation, with and without noise, and returns the share of weights outside their
// intervals and the number of weights.
func outputPair(t testing.TB, r erm.Request, s *data.Schema, d *data.Dataset) (misses, weights int) {
	t.Helper()
	run, err := Minimizer(r, 0, train.Options{}, Tables{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	noisy, err := erm.Fit(context.Background(), unlimited(t), *run.Other, d, erm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	interval := run.barsOf(noisy)
	if interval.refusal != "" || !(interval.half > 0) {
		t.Fatalf("no intervals: %s", interval.refusal)
	}
	again := *run.Other
	again.Features = noisy.Model.Features()
	again.Plan.NonPrivate, again.Plan.Center = true, nil
	exact, err := erm.Fit(context.Background(), unlimited(t), again, d, erm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, features := standardized(noisy.Model, exact.Model, interval)
	for _, v := range features {
		if math.Abs(v) > normalReach {
			misses++
		}
	}
	return misses, len(features)
}

// TestOutputBars: one in twenty weights is outside its interval. Noises of weights are independent. Limits are by
// Chernoff's bound on binomial tails, for a probability of 0.045 to 0.055, which allows for the rounding.
func TestOutputBars(t *testing.T) {
	for _, c := range []struct {
		name   string
		noise  string
		delta  float64
		levels int
		loss   model.Loss
	}{
		{"logistic", option.NoiseGaussian, 1e-6, 2, nil},
		{"softmax", option.NoiseGaussian, 1e-6, 6, model.Softmax},
		{"one-vs-rest, l1", option.NoiseL1, 0, 6, model.OneVsRest},
	} {
		s, d := made(t, 3, 400, c.levels, false)
		misses, weights := 0, 0
		for weights < 600 {
			m, n := outputPair(t, erm.Request{Method: option.MethodOutput, Noise: c.noise, Epsilon: 2, Delta: c.delta, Neighboring: privacy.AddOrRemoveOne, Loss: c.loss}, s, d)
			misses, weights = misses+m, weights+n
		}
		t.Logf("%s: %d of %d weights are outside", c.name, misses, weights)
		share, n := float64(misses)/float64(weights), float64(weights)
		if share > 0.055 && n*divergence(share, 0.055) > rare || share < 0.045 && n*divergence(share, 0.045) > rare {
			t.Errorf("%s: %d of %d weights are outside their intervals, want about a twentieth", c.name, misses, weights)
		}
	}
}

// divergence is the relative entropy of two coins.
func divergence(a, b float64) float64 {
	part := func(x, y float64) float64 {
		if x == 0 {
			return 0
		}
		return x * math.Log(x/y)
	}
	return part(a, b) + part(1-a, 1-b)
}

// TestBarRefusals: where no interval is known, the reason is said and no interval is drawn.
func TestBarRefusals(t *testing.T) {
	s, _ := made(t, 1, 3000, 2, false)
	base := train.Request{Epsilon: 2, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}
	for name, change := range map[string]func(*train.Request, *train.Options){
		"samples":  func(r *train.Request, _ *train.Options) { r.SamplingProbability = 0.1 },
		"adam":     func(_ *train.Request, o *train.Options) { o.Optimizer = option.OptimizerAdam },
		"l1":       func(_ *train.Request, o *train.Options) { o.L1 = 0.1 },
		"warm-up":  func(_ *train.Request, o *train.Options) { o.WarmUp = 3 },
		"schedule": func(_ *train.Request, o *train.Options) { o.Schedule = option.ScheduleLinear },
		"weights":  func(r *train.Request, _ *train.Options) { r.ClassWeights = []float64{1, 0.5} },
		"balance":  func(r *train.Request, _ *train.Options) { r.Balance = true },
		"radius":   func(r *train.Request, _ *train.Options) { r.PrivateRadius = true },
		"projection": func(r *train.Request, _ *train.Options) {
			r.ClippingMode, r.ClippingNorm, r.ParameterRadius = option.ClipDataAndParameter, 1, 1
		},
	} {
		r, o := base, train.Options{Momentum: option.DefaultMomentum}
		change(&r, &o)
		run, err := Descent(r, o, true, Tables{Schema: s})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := run.barsOf(&train.Result{LearningRate: 1, Divisor: 3000, Output: option.OutputLast}); got.refusal == "" || got.half != 0 || got.target != nil {
			t.Errorf("%s: got %+v, want a refusal", name, got)
		}
	}
}

// TestMovedWeightsAreCovered: a level never occurs, and its weight has a true distance of 0 to 3 standard deviations
// from the mean of its column. Of the intervals around the weight that the estimator moved, at least 95 % contain the
// true one. More than rare allows is a false alarm with a probability below 5e-8.
func TestMovedWeightsAreCovered(t *testing.T) {
	s, _ := made(t, 1, 100, 2, false)
	run, err := Descent(train.Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Center: train.No, Whiten: train.No}, train.Options{}, true, Tables{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	own := *run.Setup.Features
	d, at := own.Pipeline.Dim(), 4 // of the first level, the mean is at 0
	own.Whitening = &feature.Whitening{Matrix: make([]float64, d*d)}
	for j := range d {
		own.Whitening.Matrix[j*d+j] = 1
	}
	r, misses := rand.New(rand.NewPCG(8, 9)), 0
	const trials = 2000
	for _, effect := range []float64{0, 1, 2, 3} {
		misses = 0
		for range trials {
			weights := make([]float64, own.Dim())
			weights[at] = effect + r.NormFloat64()
			served := own
			served.Whitening = &feature.Whitening{Matrix: slices.Clone(own.Whitening.Matrix)}
			served.Whitening.Matrix[at*d+at] = max(0, 1-1/(weights[at]*weights[at]))
			m, err := model.New(s, &served, model.Logistic, weights)
			if err != nil {
				t.Fatal(err)
			}
			interval := descentBars(run.Setup.Plan, train.Options{}, &train.Result{Model: m, WeightNoise: 1, Unshrunk: &own})
			shown := effective(m)
			if math.Abs(shown[0][at]-effect) > interval.of(m, shown)[0][at] {
				misses++
			}
		}
		if share := float64(misses) / trials; share > missed && trials*divergence(share, missed) > rare {
			t.Errorf("an effect of %v deviations: %d of %d intervals miss it, want at most a twentieth", effect, misses, trials)
		}
	}
}

// TestMovedIntervals: a fit moves the weight of the level that never occurs. The intervals of weights and of shapes
// reach as far as those of the weights before, and the page says so.
func TestMovedIntervals(t *testing.T) {
	s, d := made(t, 1, 3000, 2, false)
	run, err := Descent(train.Request{Epsilon: 2, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, train.Options{Momentum: option.DefaultMomentum}, true, Tables{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	result, err := train.Fit(context.Background(), unlimited(t), run.Setup, d, run.Options)
	if err != nil {
		t.Fatal(err)
	}
	interval := run.barsOf(result)
	if result.Unshrunk == nil || !slices.Contains(interval.target, movedWords) {
		t.Fatalf("got the words %q and the map %v, want that weights were moved", interval.target, result.Unshrunk)
	}
	unmoved, err := model.New(result.Model.Schema(), result.Unshrunk, result.Model.Linear().Loss, result.UnshrunkWeights)
	if err != nil {
		t.Fatal(err)
	}
	shown, before := effective(result.Model), effective(unmoved)
	if last := len(shown[0]) - 1; shown[0][last] == before[0][last] {
		t.Error("the weight of the constant was not moved")
	}
	lengths, lengthsBefore, moved := interval.of(result.Model, shown), interval.of(unmoved, before), 0
	for j, w := range shown[0] {
		far, own := math.Abs(w-before[0][j]), lengthsBefore[0][j]
		if far > 1e-9 {
			moved++
		}
		if lengths[0][j] < (far+own)*(1-1e-9) {
			t.Errorf("weight %d: the interval reaches %v, want %v", j, lengths[0][j], far+own)
		}
	}
	if moved == 0 {
		t.Error("no weight was moved")
	}
	reach := map[string]report.Coefficient{}
	for _, shape := range shapes(unmoved, interval, nil, preparation{}) {
		for _, c := range shape.States {
			reach[shape.Name+c.Feature] = c
		}
	}
	for _, shape := range shapes(result.Model, interval, nil, preparation{}) {
		for _, c := range shape.States {
			was := reach[shape.Name+c.Feature]
			if short := math.Abs(c.Value-was.Value) + was.Half - c.Half; short > 1e-9 {
				t.Errorf("%s %s: the interval is %v too short to contain that before", shape.Name, c.Feature, short)
			}
		}
	}
}

// TestHalves works out the delta method by hand: two independent noises for a feature, and the sum of all for the
// constant one.
func TestHalves(t *testing.T) {
	got := correctedBars(0.3, &train.Result{Stretch: 2, StretchNoise: 0.4, ShiftNoise: 0.1}).halves([]float64{4, 0, 5}, []float64{1, 3, 1}, true)
	for j, want := range []float64{math.Hypot(0.6, 0.8), 1.8, 0.6 + 1 + 0.1} {
		if math.Abs(got[j]/normalReach-want) > 1e-12 {
			t.Errorf("weight %d: got %v deviations, want %v", j, got[j]/normalReach, want)
		}
	}
	if got = (bars{half: 2}).halves([]float64{4, 5}, []float64{1, 3}, true); got[0] != 2 || got[1] != 6 {
		t.Errorf("without a correction: got %v, want 2 and 6", got)
	}
	if correctedBars(1, &train.Result{Stretch: -1}).refusal == "" {
		t.Error("a factor of -1 has intervals, want a refusal")
	}
}

// TestSpans compares the spans with the lengths of the columns of the whitening.
func TestSpans(t *testing.T) {
	s, d := made(t, 1, 3000, 2, false)
	run, err := Descent(train.Request{Epsilon: 4, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: train.Yes}, train.Options{Momentum: option.DefaultMomentum}, true, Tables{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	result, err := train.Fit(context.Background(), unlimited(t), run.Setup, d, run.Options)
	if err != nil {
		t.Fatal(err)
	}
	m := result.Model.Features()
	if m.Whitening == nil {
		t.Fatal("the rows are not whitened")
	}
	got := spans(m)
	for j := range got[:m.Pipeline.Dim()] {
		unit, image := make([]float64, m.Pipeline.Dim()), make([]float64, m.Pipeline.Dim())
		unit[j] = 1
		m.Whitening.Multiply(image, unit)
		if want := math.Sqrt(sumOfSquares(image)); math.Abs(got[j]/want-1) > 1e-9 {
			t.Errorf("feature %d: got span %v, want %v", j, got[j], want)
		}
	}
	if last := got[len(got)-1]; last != 1 {
		t.Errorf("the constant has span %v, want 1", last)
	}
}

package training

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/shadow"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// tooMany reports whether so large a mean share of misses over independent runs is a fault. At a true mean of at most
// 5 % it has a probability below e^-rare, by the Chernoff bound, which holds for shares as for coins.
func tooMany(share float64, runs int) bool {
	return share > missed && float64(runs)*divergence(share, missed) > rare
}

// TestUnclippedIntervals: intervals contain the weights and shapes of a descent without noise and without clipping. The
// runs of all cases are counted together.
func TestUnclippedIntervals(t *testing.T) {
	all, allShapes, count := 0.0, 0.0, 0
	for _, c := range []struct {
		name   string
		levels int
		counts bool
		loss   model.Loss
		rows   int
		table  func(t testing.TB, seed uint64, records, levels int, counts bool) (*data.Schema, *data.Dataset)
		ask    func(*train.Request)
	}{
		{"logistic", 2, false, nil, 5000, made, func(*train.Request) {}},
		{"logistic, uneven", 2, false, nil, 5000, uneven, func(r *train.Request) { r.Calibrate = true }},
		{"softmax", 3, false, model.Softmax, 5000, uneven, func(*train.Request) {}},
		{"squared", 0, false, model.Squared, 3000, uneven, func(*train.Request) {}},
		{"Huber", 0, false, nil, 3000, made, func(*train.Request) {}},
		{"Huber, corrected", 0, false, nil, 3000, uneven, func(r *train.Request) { r.Calibrate = true }},
		{"Poisson", 0, true, model.Poisson(), 3000, uneven, func(*train.Request) {}},
		{"not whitened", 2, false, nil, 3000, made, func(r *train.Request) { r.Whiten, r.Epsilon = train.No, 1 }},
	} {
		const runs = 4
		misses, shapesMissed := 0.0, 0.0
		s, d := c.table(t, 7, c.rows, c.levels, c.counts)
		for range runs {
			r := train.Request{Epsilon: 8, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Loss: c.loss}
			c.ask(&r)
			got := covered(t, r, train.Options{Momentum: option.DefaultMomentum}, s, d)
			if !got.unclipped {
				t.Fatalf("%s: the intervals are not of a model without clipping", c.name)
			}
			misses, shapesMissed, count = misses+got.missed(), shapesMissed+got.missedShapes(), count+1
		}
		t.Logf("%s: %.1f %% of weights and %.1f %% of shapes are missed", c.name, 100*misses/runs, 100*shapesMissed/runs)
		all, allShapes = all+misses, allShapes+shapesMissed
	}
	if all, allShapes = all/float64(count), allShapes/float64(count); tooMany(all, count) || tooMany(allShapes, count) {
		t.Errorf("intervals miss %.1f %% of weights and %.1f %% of shapes, want 5 %%", 100*all, 100*allShapes)
	}
}

// TestTurnsUndoClipping: at this budget the noise is a hundredth of what clipping does. Along the directions whose
// moments are known, the estimates leave less than half of that. A quarter and less was left in other runs.
func TestTurnsUndoClipping(t *testing.T) {
	for _, c := range []struct {
		levels int
		loss   model.Loss
	}{{2, nil}, {3, model.Softmax}} {
		s, d := made(t, 5, 5000, c.levels, false)
		run, err := Descent(train.Request{Loss: c.loss, Epsilon: 25, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, train.Options{Momentum: option.DefaultMomentum}, true, Tables{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		noisy, err := train.Fit(context.Background(), unlimited(t), run.Setup, d, run.Options)
		if err != nil {
			t.Fatal(err)
		}
		shown := shadow.Of(run.Setup.Plan, run.Options, noisy)
		again, options := withoutNoise(run.Setup, run.Options, noisy, bars{unshrunk: unmoved(noisy)})
		again.Plan.Clipping.Norm *= unclipping
		again.Plan.Clipping.Bound *= unclipping
		free, err := train.Fit(context.Background(), unlimited(t), again, d, options)
		if err != nil {
			t.Fatal(err)
		}
		left, bias, dim, weights := 0.0, 0.0, free.Model.Linear().Dim, free.Model.Weights()
		for k, shift := range shown.Shift {
			for i, m := range shown.Moments {
				if along := 0.0; !shown.Hidden[i] {
					for j, v := range shown.Vectors.Data[i*(dim-1) : (i+1)*(dim-1)] {
						along += v * weights[k*dim+j]
					}
					left, bias = left+m*math.Pow(along-shown.Free[k][i], 2), bias+m*math.Pow(along-shown.Clipped[k][i], 2)
				}
			}
			far := weights[(k+1)*dim-1] - noisy.Model.Weights()[(k+1)*dim-1]
			left, bias = left+math.Pow(shown.Constant*(far-shift), 2), bias+math.Pow(shown.Constant*far, 2)
		}
		t.Logf("%d levels: %.3f of what clipping does to scores is left", c.levels, math.Sqrt(left/bias))
		if math.Sqrt(left/bias) > 0.5 {
			t.Errorf("%d levels: %.3f of what clipping does to scores is left, want less than half", c.levels, math.Sqrt(left/bias))
		}
	}
}

// TestLongDescentHasNoShadow: the same run with more steps than a shadow can follow at once has the intervals of the
// bound on the noise.
func TestLongDescentHasNoShadow(t *testing.T) {
	s, d := made(t, 5, 500, 10, false)
	run, err := Descent(train.Request{Epsilon: 8, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, train.Options{Momentum: option.DefaultMomentum}, true, Tables{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	result, err := train.Fit(context.Background(), unlimited(t), run.Setup, d, run.Options)
	if err != nil {
		t.Fatal(err)
	}
	if got := descentBars(run.Setup.Plan, run.Options, result); got.spread == nil {
		t.Errorf("%d steps have no shadow, want one", run.Setup.Plan.Steps)
	}
	run.Setup.Plan.Steps, run.Setup.Plan.NoiseMultipliers = 3000, nil
	if got := descentBars(run.Setup.Plan, run.Options, result); got.spread != nil || len(got.target) == 0 {
		t.Errorf("%d steps have a shadow or no intervals, want intervals of the noise alone", run.Setup.Plan.Steps)
	}
}

// TestBoundIsReached: intervals that are shorter wherever the noise hides the moments fail here. The noise in weights
// of empty columns has the stated variance, and so has that in the difference of two nearly equal columns. Then the sum
// of squares, in units of the stated deviations, is a χ² variable up to rounding. Each of four limits is passed with a
// probability below 5e-8.
func TestBoundIsReached(t *testing.T) {
	const runs = 100
	s, d := uneven(t, 9, 1000, 0, false)
	empty, equal, weights := 0.0, 0.0, 0
	for range runs {
		run, err := Descent(train.Request{Loss: model.Squared, Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: train.No}, train.Options{Momentum: option.DefaultMomentum}, true, Tables{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		noisy, err := train.Fit(context.Background(), unlimited(t), run.Setup, d, run.Options)
		if err != nil {
			t.Fatal(err)
		}
		interval := run.barsOf(noisy)
		if interval.spread == nil {
			t.Fatal("want intervals without clipping")
		}
		again, options := withoutNoise(run.Setup, run.Options, noisy, interval)
		again.Plan.Clipping.Norm *= unclipping
		again.Plan.Clipping.Bound *= unclipping
		exact, err := train.Fit(context.Background(), unlimited(t), again, d, options)
		if err != nil {
			t.Fatal(err)
		}
		shown, wanted := effective(interval.before(noisy.Model)), effective(exact.Model)
		lengths := interval.of(noisy.Model, shown)
		for j, n := range noisy.Model.Features().Names() {
			if emptyInUneven(n) {
				empty, weights = empty+math.Pow((shown[0][j]-wanted[0][j])/lengths[0][j]*normalReach, 2), weights+1
			}
		}
		far := shown[0][0] - shown[0][1]
		half := interval.spread.Half(0, []int{0, 1}, []float64{1, -1}, far)
		equal += math.Pow((far-wanted[0][0]+wanted[0][1])/half*normalReach, 2)
	}
	t.Logf("mean squares: %.3f of %d weights of empty columns, %.3f of %d differences", empty/float64(weights), weights, equal/runs, runs)
	for _, c := range []struct {
		name string
		sum  float64
		n    int
	}{{"weights of empty columns", empty, weights}, {"differences of equal columns", equal, runs}} {
		if low, high := chiLimits(c.n, rare); c.sum < low || c.sum > high {
			t.Errorf("%s: the sum of %d squares is %.4g, want %.4g to %.4g", c.name, c.n, c.sum, low, high)
		}
	}
}

// emptyInUneven reports whether a feature of an uneven table is 0 in all records.
func emptyInUneven(n encoder.Name) bool {
	return n.Column == "x5" || slices.Contains([]string{"kind 8", "other", "missing"}, n.Level)
}

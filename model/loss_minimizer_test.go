package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
)

// minimizer returns the one score that makes the sum of the losses of the labels least, by bisection of its
// derivative.
func minimizer(l Loss, labels []float64) float64 {
	low, high, residual := -50.0, 50.0, []float64{0}
	for range 200 {
		z, slope := (low+high)/2, 0.0
		for _, y := range labels {
			l.Residuals(residual, []float64{z}, y)
			slope += residual[0]
		}
		if slope > 0 {
			high = z
		} else {
			low = z
		}
	}
	return (low + high) / 2
}

// TestQuantileLossFindsQuantiles compares the minimizer with the quantile of the labels, which lies within
// the width of the smoothing.
func TestQuantileLossFindsQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	labels := make([]float64, 2001)
	for i := range labels {
		labels[i] = math.Tanh(r.NormFloat64())
	}
	sorted := slices.Sorted(slices.Values(labels))
	for _, q := range []float64{0.1, 0.5, 0.9} {
		if got, want := minimizer(smoothedQuantile{q, 0.01}, labels), sorted[int(q*2000)]; math.Abs(got-want) > 0.01 {
			t.Errorf("quantile %v: the minimizer is %v, want %v within 0.01", q, got, want)
		}
	}
}

// TestPoissonLossFindsTheMean: the likelihood equation of one intercept is that the mean of the model is
// the mean of the counts.
func TestPoissonLossFindsTheMean(t *testing.T) {
	for _, c := range []struct{ low, high float64 }{{0, 10}, {5, 8}} {
		l, err := LossFor(data.Target{Lower: c.low, Upper: c.high}, poisson{1})
		if err != nil {
			t.Fatal(err)
		}
		half, labels, sum := (c.high-c.low)/2, make([]float64, 100), 0.0
		for i := range labels {
			count := c.low + float64(i%4)*(c.high-c.low)/4
			labels[i] = (count - (c.low + half)) / half
			sum += count
		}
		score := []float64{minimizer(l, labels)}
		l.Predict(score)
		if got, want := c.low+half+half*score[0], sum/100; math.Abs(got-want) > 1e-9 {
			t.Errorf("counts of %v to %v: mean of the model %v, want %v", c.low, c.high, got, want)
		}
		score[0] = 700
		if l.Predict(score); math.Abs(score[0]-1) > 1e-12 {
			t.Errorf("a huge score predicts %v, want 1, the largest of the range", score[0])
		}
	}
	if _, err := LossFor(data.Target{Lower: -1, Upper: 4}, poisson{1}); err == nil {
		t.Error("counts below 0: got no error")
	}
	if l, err := LossFor(data.Target{Lower: -1, Upper: 4}, huber{1}); err != nil || l != (huber{1}) {
		t.Errorf("huber: got %v, %v, want it as it was", l, err)
	}
}

// TestHingeIsTheHinge compares the loss with max(0, 1-m) outside the window, and with the formula inside.
func TestHingeIsTheHinge(t *testing.T) {
	h := hinge{0.5}
	for _, c := range []struct{ z, label, want float64 }{{2, 1, 0}, {1.5, 1, 0}, {1, 1, 0.125}, {0.5, 1, 0.5}, {0, 1, 1}, {-3, 1, 4}, {-3, 0, 0}, {3, 0, 4}} {
		if got := h.Value([]float64{c.z}, c.label); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("score %v, class %v: got %v, want %v", c.z, c.label, got, c.want)
		}
	}
}

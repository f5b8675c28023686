package model

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// columnsOf is how many scores the conformance tests give a loss.
func columnsOf(l Loss) (columns, classes int) {
	switch l.(type) {
	case logistic, hinge:
		return 1, 2
	case softmax, oneVsRest, squaredClasses:
		return 4, 4
	}
	return 1, 0
}

func randomLabel(r *rand.Rand, classes int) float64 {
	if classes == 0 {
		return 2*r.Float64() - 1
	}
	return float64(r.IntN(classes))
}

// TestLossLaws holds every loss of the table to what its methods promise.
func TestLossLaws(t *testing.T) {
	for _, l := range Losses() {
		t.Run(l.Name(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			columns, classes := columnsOf(l)
			if got := l.Columns(classes); got != columns {
				t.Fatalf("Columns(%d): got %d, want %d", classes, got, columns)
			}
			largest := 0.0
			for range 2000 {
				z, residual := make([]float64, columns), make([]float64, columns)
				scale := math.Exp(2 * r.NormFloat64())
				for k := range z {
					z[k] = r.NormFloat64() * scale
				}
				label := randomLabel(r, classes)
				l.Residuals(residual, z, label)
				norm, other := 0.0, make([]float64, columns)
				for k := range z {
					const h = 1e-6
					up, down := append([]float64(nil), z...), append([]float64(nil), z...)
					up[k] += h
					down[k] -= h
					if slope := (l.Value(up, label) - l.Value(down, label)) / (2 * h); math.Abs(slope-residual[k]) > 1e-5*max(1, scale) {
						t.Fatalf("residual %d of %v, label %v: got %v, finite difference %v", k, z, label, residual[k], slope)
					}
					norm = math.Hypot(norm, residual[k])
					other[k] = z[k] + 0.01*r.NormFloat64()
				}
				largest = max(largest, norm)
				if norm > l.Lipschitz(columns)*(1+1e-12) {
					t.Fatalf("residual norm %v at %v passes Lipschitz %v", norm, z, l.Lipschitz(columns))
				}
				checkSmooth(t, l, z, other, residual, label)
			}
			if math.IsInf(l.Lipschitz(columns), 1) {
				if largest < 10 {
					t.Errorf("largest residual is %v, want one far above any other loss's, as Lipschitz is infinite", largest)
				}
				return
			}
			if largest < 0.9*l.Lipschitz(columns) {
				t.Errorf("largest residual %v is far from Lipschitz %v: the constant is loose or the test idle", largest, l.Lipschitz(columns))
			}
		})
	}
}

// checkSmooth holds |residual(other) - residual(z)| ≤ smoothness·|other - z|.
func checkSmooth(t *testing.T, l Loss, z, other, residual []float64, label float64) {
	t.Helper()
	moved := make([]float64, len(z))
	l.Residuals(moved, other, label)
	change, distance := 0.0, 0.0
	for k := range z {
		change = math.Hypot(change, moved[k]-residual[k])
		distance = math.Hypot(distance, other[k]-z[k])
	}
	if change > l.Smoothness()*distance*(1+1e-9) {
		t.Fatalf("residual changes by %v over %v, more than smoothness %v", change, distance, l.Smoothness())
	}
}

func TestLossExtremes(t *testing.T) {
	if got := (logistic{}).Value([]float64{0}, 1); got != math.Ln2 {
		t.Errorf("logistic loss at 0: got %v, want ln 2", got)
	}
	for _, z := range []float64{-1e308, -800, 800, 1e308} {
		r := []float64{0}
		logistic{}.Residuals(r, []float64{z}, 1)
		if v := (logistic{}).Value([]float64{z}, 1); math.IsNaN(v) || math.IsNaN(r[0]) || math.Abs(r[0]) > 1 {
			t.Errorf("logistic at %v: value %v, residual %v", z, v, r[0])
		}
	}
	p := []float64{1e300, -1e300, 0}
	softmax{}.Predict(p)
	if p[0] != 1 || p[1] != 0 || p[2] != 0 {
		t.Errorf("softmax of huge scores: got %v, want [1 0 0]", p)
	}
}

func TestLossSpec(t *testing.T) {
	for _, l := range Losses() {
		if got, err := (LossSpec{Name: l.Name()}).Loss(); err != nil || got != l {
			t.Errorf("%s: got %v, %v", l.Name(), got, err)
		}
	}
	for s, want := range map[LossSpec]string{
		{Name: "perceptron"}:                   "want logistic",
		{}:                                     "want logistic",
		{Name: "huber", Width: -1}:             "want positive",
		{Name: "hinge", Width: math.Inf(1)}:    "want positive",
		{Name: "quantile", Width: math.NaN()}:  "want positive",
		{Name: "quantile", Quantile: 1}:        "between 0 and 1",
		{Name: "quantile", Quantile: -0.5}:     "between 0 and 1",
		{Name: "poisson", Middle: 0.5}:         "range of the target",
		{Name: "poisson", Middle: math.Inf(1)}: "range of the target",
	} {
		if _, err := s.Loss(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got error %v, want one with %q", s, err, want)
		}
	}
	if _, err := LossFor(data.Target{Levels: []string{"a"}}, nil); err == nil {
		t.Error("one class: got a loss")
	}
}

// TestNewLinearRefusesMisfits wants a refusal that names the loss or losses to use instead.
func TestNewLinearRefusesMisfits(t *testing.T) {
	for _, c := range []struct {
		name         string
		loss         Loss
		classes, dim int
		want         string
	}{
		{"logistic with 3", logistic{}, 3, 5, "use softmax, one-vs-rest or squared-classes"},
		{"logistic with 1", logistic{}, 1, 5, "declare the levels"},
		{"squared with 2", squared{}, 2, 5, "use logistic, hinge, softmax, one-vs-rest or squared-classes"},
		{"squared-classes on regression", squaredClasses{}, 0, 5, "want huber, squared, quantile or poisson"},
		{"huber with 2", huber{1}, 2, 5, "use logistic, hinge, softmax, one-vs-rest or squared-classes"},
		{"huber with 3", huber{1}, 3, 5, "use softmax, one-vs-rest or squared-classes"},
		{"logistic on regression", logistic{}, 0, 5, "want huber, squared"},
		{"softmax on regression", softmax{}, 0, 5, "want huber, squared"},
		{"one-vs-rest on regression", oneVsRest{}, 0, 5, "want huber, squared"},
		{"one-vs-rest with 1", oneVsRest{}, 1, 5, "declare the levels"},
		{"hinge with 3", hinge{1}, 3, 5, "use softmax"},
		{"quantile with 2", smoothedQuantile{0.5, 1}, 2, 5, "use logistic"},
		{"poisson with 2", poisson{1}, 2, 5, "use logistic"},
		{"no loss", nil, 2, 5, "want a loss"},
		{"no features", logistic{}, 2, 0, "at least 1 feature"},
	} {
		if _, err := NewLinear(c.loss, c.classes, c.dim); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", c.name, err, c.want)
		}
	}
	for _, l := range Losses() {
		columns, classes := columnsOf(l)
		if m, err := NewLinear(l, classes, 5); err != nil || m.Weights() != 5*columns {
			t.Errorf("%s: got %+v, error %v, want %d weights", l.Name(), m, err, 5*columns)
		}
	}
}

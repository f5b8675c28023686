package sweep

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
)

// randomModel returns a model of random weights, with a whitening of random numbers if asked.
func randomModel(t *testing.T, r *rand.Rand, s *data.Schema, whiten bool) *model.Model {
	t.Helper()
	chain, err := feature.NewPipeline(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	draw := func(n int) []float64 {
		out := make([]float64, n)
		for j := range out {
			out[j] = r.NormFloat64()
		}
		return out
	}
	f := &feature.Map{Pipeline: chain, Norm: feature.NormUnit, Intercept: 0.5}
	if whiten {
		f.Center, f.Whitening = draw(chain.Dim()), &feature.Whitening{Matrix: draw(chain.Dim() * chain.Dim())}
	}
	m, err := model.New(s, f, model.Logistic, draw(f.Dim()))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMeasureKeepsRows compares measures of models on rows that are kept between them, several at a time, with those of
// predictions row by row: of models of one schema and of another, with another bound, in turns.
func TestMeasureKeepsRows(t *testing.T) {
	s, d := toy(t, 700)
	other := *s
	other.Columns = append([]data.Column(nil), s.Columns...)
	other.Columns[1].Upper *= 3
	e, err := NewEvaluator(d)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(4, 4))
	seen := map[float64]bool{}
	var running sync.WaitGroup
	for i := range 12 {
		m := randomModel(t, r, []*data.Schema{s, &other}[i/2%2], i%3 == 0)
		labels, predictions, reader := make([]int, d.Records()), make([]float64, d.Records()), m.NewReader(d)
		for i, v := range d.Target() {
			labels[i] = int(v)
			reader.Predict(predictions[i:i+1], i)
		}
		c, err := evaluate.Classify(s.Target.Levels, labels, predictions, 0.5, nil)
		if err != nil {
			t.Fatal(err)
		}
		seen[float64(c.LogLoss)] = true
		running.Go(func() {
			got, err := e.measure(m)
			if err != nil {
				t.Error(err)
				return
			}
			for k, want := range []evaluate.Measure{c.Accuracy, c.LogLoss, c.AUC} {
				slack := 1e-6
				if got[k].Name == option.MetricAUC {
					slack = 1e-4 // two rows of nearly one score may change their order
				}
				if !(math.Abs(float64(got[k].Value-want)) <= slack*float64(want)) {
					t.Errorf("model %d: %s is %v, want %v", i, got[k].Name, got[k].Value, want)
				}
			}
		})
	}
	running.Wait()
	if len(seen) < 12 {
		t.Errorf("models have %d losses, want 12", len(seen))
	}
	if e.rows == nil {
		t.Error("no rows were kept")
	}
}

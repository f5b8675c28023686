package sweep

import (
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/wholerows"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// Metric is one measure of a model, such as "accuracy". The value is NaN if the metric is undefined
// for the records.
type Metric struct {
	// Name is the name of the metric, such as "accuracy".
	Name string `json:"name"`
	// Value is the value of the metric. NaN means undefined.
	Value evaluate.Measure `json:"value"`
}

// These are the names of further metrics, defined in package evaluate. The logarithmic loss is in
// nats.
const (
	metricLogLoss = "log-loss"
	metricRMSE    = "rmse"
	metricMAE     = "mae"
)

// Metrics returns the names of the metrics for a target. The first name is the main metric, by
// which models are compared.
func Metrics(t data.Target) []string {
	switch {
	case t.Regression():
		return []string{option.MetricR2, metricRMSE, metricMAE}
	case len(t.Levels) == 2:
		return []string{option.MetricAccuracy, metricLogLoss, option.MetricAUC}
	}
	return []string{option.MetricAccuracy, metricLogLoss}
}

// Evaluator computes metrics of models on one data set with targets. The metrics are exact and have
// no privacy. An Evaluator is safe for concurrent use.
type Evaluator struct {
	data  *data.Dataset
	mutex sync.Mutex
	// tables maps transforms to features of the data set, so that costly features are computed
	// once.
	tables map[string]*train.Table
	// rows are the rows of the data set under a schema without transforms, kept for later models.
	// They are nil if they are not kept.
	rows   *wholerows.Rows
	schema *data.Schema
}

// NewEvaluator returns an evaluator that measures models on a data set. It keeps the data set. It
// is an error if the data set has no targets or no records.
func NewEvaluator(d *data.Dataset) (*Evaluator, error) {
	if d == nil || d.Target() == nil || d.Records() == 0 {
		return nil, fmt.Errorf("sweep: the table to measure on has no records or no target, want both")
	}
	return &Evaluator{data: d, tables: map[string]*train.Table{}}, nil
}

// measure returns the metrics of a model, in the order of Metrics. Rows that the schema drops are
// left out.
func (e *Evaluator) measure(m *model.Model) ([]Metric, error) {
	d, err := e.data.Under(m.Schema())
	if err != nil {
		return nil, err
	}
	predictions, err := e.predict(m, d)
	if err != nil {
		return nil, err
	}
	k := m.Outputs()
	var labels []int
	var targets, kept []float64
	for i, v := range d.Target() {
		if !d.Dropped(i) {
			labels, targets, kept = append(labels, int(v)), append(targets, float64(v)), append(kept, predictions[i*k:(i+1)*k]...)
		}
	}
	if m.Schema().Target.Regression() {
		r, failed := evaluate.Regress(targets, kept, nil)
		return []Metric{{option.MetricR2, r.R2}, {metricRMSE, r.RMSE}, {metricMAE, r.MAE}}, failed
	}
	c, err := evaluate.Classify(m.Schema().Target.Levels, labels, kept, m.Threshold(), nil)
	out := []Metric{{option.MetricAccuracy, c.Accuracy}, {metricLogLoss, c.LogLoss}}
	if len(m.Schema().Target.Levels) == 2 {
		out = append(out, Metric{option.MetricAUC, c.AUC})
	}
	return out, err
}

// predict returns a model's prediction for every row. If rows are kept, they are rounded by the
// rule of package wholerows. Features after transforms are made once for all models. They are
// rounded to the grid of training, with an error of at most half a step.
func (e *Evaluator) predict(m *model.Model, d *data.Dataset) ([]float64, error) {
	if f := m.Features(); m.Network() == nil && f.Transforms() {
		t, err := e.table(m, d)
		if err != nil {
			return nil, err
		}
		predictions, _, err := t.Predict(m)
		return predictions, err
	}
	k, n := m.Outputs(), d.Records()
	out := make([]float64, n*k)
	if scores := e.scores(m, d); scores != nil {
		inBlocks(n, wholerows.Block, func() func(first, rows int) {
			predict := scores.NewPredictor()
			return func(first, rows int) { predict(out[first*k:(first+rows)*k], first/wholerows.Block) }
		})
		return out, nil
	}
	inBlocks(n, 128, func() func(first, rows int) {
		r := m.NewReader(d)
		return func(first, rows int) { r.PredictRows(out[first*k:(first+rows)*k], first, rows) }
	})
	return out, nil
}

// mostFeatures is the number of features that are kept between models, at 2 or 4 bytes each.
const mostFeatures = 1 << 25

// scores returns the function that predicts all kept rows of a data set. It is nil if there are too
// many rows or the model does not take them.
func (e *Evaluator) scores(m *model.Model, d *data.Dataset) *wholerows.Scores {
	dim, n := m.Features().Dim(), d.Records()
	if !m.TakesFeatures() || m.Features().Transforms() || dim > mostFeatures/n {
		return nil
	}
	e.mutex.Lock()
	if e.schema != m.Schema() {
		e.schema, e.rows = m.Schema(), wholerows.New(m.Features().Pipeline, n, func() func(i int) []float32 {
			var values []float32
			return func(i int) []float32 {
				values = d.Row(values, i)
				return values
			}
		})
	}
	rows := e.rows
	e.mutex.Unlock()
	if rows == nil {
		return nil
	}
	return wholerows.NewScores(m, d, rows)
}

// inBlocks runs workers over the rows of [0, n) in blocks of at most most rows. Each goroutine has
// its own worker.
func inBlocks(n, most int, worker func() func(first, rows int)) {
	var next atomic.Int64
	parallel.Each(min(runtime.GOMAXPROCS(0), (n+most-1)/most), func(int) {
		do := worker()
		for first := int(next.Add(1)-1) * most; first < n; first = int(next.Add(1)-1) * most {
			do(first, min(most, n-first))
		}
	})
}

// table returns the data set with the transforms of a model.
func (e *Evaluator) table(m *model.Model, d *data.Dataset) (*train.Table, error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	key := transformsOf(m.Features().Pipeline)
	if t, known := e.tables[key]; known {
		return t, nil
	}
	t, err := train.NewTable(train.Setup{Schema: m.Schema(), Features: m.Features(), Model: m.Linear()}, d, 0)
	if err == nil {
		e.tables[key] = t
	}
	return t, err
}

// transformsOf returns a key for the transforms of a pipeline.
func transformsOf(c *feature.Pipeline) string {
	text, err := json.Marshal(c.Specs())
	if err != nil {
		return fmt.Sprintf("%p", c) // unique to this pipeline
	}
	return string(text)
}

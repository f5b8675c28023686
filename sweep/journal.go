package sweep

import "fmt"

// Run identifies one run of a sweep by its configuration and its number.
type Run struct {
	// Settings are the values of the settings that the sweep varies.
	Settings []Setting `json:"settings"`
	// Baseline marks a run without privacy, for comparison.
	Baseline bool `json:"baseline,omitempty"`
	// Repeat is the number of the run among the runs of the same configuration, from 1.
	Repeat int `json:"repeat"`
}

func (r Run) key() string { return fmt.Sprintf("%s\x00%d", runKey(r.Settings, r.Baseline), r.Repeat) }

// Measurement is the result of a run. It contains the metrics of the run's model, and not the
// model.
type Measurement struct {
	Run
	// LearningRate is the learning rate that the run used. It is 0 for methods without a learning
	// rate.
	LearningRate float64 `json:"learning-rate"`
	// Diverged reports whether a weight is not finite. If it is true, there is no model, and every
	// metric is NaN. Diverged follows from numbers that the run released, so it costs nothing more.
	Diverged bool `json:"diverged,omitempty"`
	// Metrics are the measures of the run's model.
	Metrics []Metric `json:"metrics"`
}

// Value returns the value of the metric with this name. It is NaN for an unknown name.
func (r Measurement) Value(metric string) float64 {
	for _, m := range r.Metrics {
		if m.Name == metric {
			return float64(m.Value)
		}
	}
	return nan
}

// Journal stores the results of a sweep, so that a later process can continue the sweep. An
// implementation must be safe for concurrent use.
type Journal interface {
	// Begin records that runs begin. A sweep calls it before the first draw of the runs' noise.
	// From then on the cost of the runs counts as spent.
	Begin(runs []Run) error
	// End stores the results of runs.
	End(results []Measurement) error
	// Result returns the result of a run. The second result is false if the run has not ended.
	Result(r Run) (Measurement, bool)
}

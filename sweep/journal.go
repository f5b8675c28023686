package sweep

import "fmt"

// Run identifies one run of a sweep: its configuration and the number of the repeat, from 1.
type Run struct {
	Settings []Setting `json:"settings"`
	Baseline bool      `json:"baseline,omitempty"`
	Repeat   int       `json:"repeat"`
}

func (r Run) key() string { return fmt.Sprintf("%s\x00%d", runKey(r.Settings, r.Baseline), r.Repeat) }

// Measurement is the result of a run. It contains metrics and no weights.
type Measurement struct {
	Run
	// LearningRate is the learning rate that was used; 0 for methods without one.
	LearningRate float64 `json:"learning-rate"`
	// Diverged is true if the weights are not finite. Then there is no model, and every metric is
	// NaN. Diverged follows from numbers that the run released, so it costs nothing more.
	Diverged bool     `json:"diverged,omitempty"`
	Metrics  []Metric `json:"metrics"`
}

// Value returns a metric by its name. It is NaN for an unknown name.
func (r Measurement) Value(metric string) float64 {
	for _, m := range r.Metrics {
		if m.Name == metric {
			return float64(m.Value)
		}
	}
	return nan
}

// Journal stores the results of a sweep, so that a later process can continue it. It is safe for
// concurrent use.
type Journal interface {
	// Begin records that runs begin. It is called before their first draw of noise. From then on
	// they count as paid.
	Begin(runs []Run) error
	// End stores the results of runs.
	End(results []Measurement) error
	// Result returns the result of a run, if the run has ended.
	Result(r Run) (Measurement, bool)
}

package sweep

import "fmt"

// Run is one run of a configuration, with the number of its repeat, from 1.
type Run struct {
	Settings []Setting `json:"settings"`
	Baseline bool      `json:"baseline,omitempty"`
	Repeat   int       `json:"repeat"`
}

func (r Run) key() string { return fmt.Sprintf("%s\x00%d", runKey(r.Settings, r.Baseline), r.Repeat) }

// Measurement is the result of a run. It holds metrics only, no weights.
type Measurement struct {
	Run
	// LearningRate is the learning rate that was used; 0 for methods without one.
	LearningRate float64 `json:"learning-rate"`
	// Diverged is true if the weights are not finite. Then there is no model, and every metric is
	// undefined. Diverged follows from the numbers that the run released, so it is no further
	// release.
	Diverged bool     `json:"diverged,omitempty"`
	Metrics  []Metric `json:"metrics"`
}

// Value returns a metric by its name, undefined for an unknown name.
func (r Measurement) Value(metric string) float64 {
	for _, m := range r.Metrics {
		if m.Name == metric {
			return float64(m.Value)
		}
	}
	return nan
}

// Journal keeps the results of a sweep, and says which runs ended before. It is safe for concurrent
// use.
type Journal interface {
	// Begin notes that runs begin, before their first draw of noise. Whatever happens then, they
	// count as paid.
	Begin(runs []Run) error
	// End notes the results of runs.
	End(results []Measurement) error
	// Result returns the result of a run, if the run has ended.
	Result(r Run) (Measurement, bool)
}

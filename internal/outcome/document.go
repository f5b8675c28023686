package outcome

import (
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/sweep"
	"math"
)

// DefaultFolder is the default folder for results.
const DefaultFolder = "dither-sweep"

// Document is the summary of a sweep: the content of summary.json.
type Document struct {
	Folder   string            `json:"folder,omitempty"`
	Notice   string            `json:"notice"`
	Fixed    []sweep.Setting   `json:"fixed"`
	Varied   []sweep.Parameter `json:"varied"`
	Repeats  int               `json:"repeats"`
	Measured string            `json:"measured-on,omitempty"`
	Cost     Cost              `json:"cost"`
	Seconds  float64           `json:"estimated-seconds,omitempty"`
	// Public reports whether two kinds of records are public: the table, and the records on which
	// models were measured. If both are public, Table, Records, Target and Command describe them.
	Public    bool    `json:"public"`
	Table     string  `json:"table,omitempty"`
	Records   int     `json:"records,omitempty"`
	Target    *Target `json:"target,omitempty"`
	Command   string  `json:"command,omitempty"`
	Marked    *Mark   `json:"marked,omitempty"`
	Summaries []Row   `json:"configurations"`
}

// Target describes the target that the models of a sweep predict. Levels is 0 if the target is a
// number.
type Target struct {
	Column string `json:"column"`
	Levels int    `json:"levels,omitempty"`
}

// Mark is the configuration that figures highlight.
type Mark struct {
	Settings []sweep.Setting `json:"settings"`
	Why      string          `json:"why"`
}

// Cost is the cost of all runs together.
type Cost struct {
	Epsilon     certificate.Epsilon `json:"epsilon"`
	Delta       float64             `json:"delta"`
	Neighboring string              `json:"neighboring"`
	Unit        string              `json:"unit"`
	Accountant  string              `json:"accountant"`
	Runs        int                 `json:"runs"`
}

// Row is one configuration with the values of one metric. Metric is empty if the configuration was
// not measured.
type Row struct {
	Settings []sweep.Setting     `json:"settings"`
	Private  bool                `json:"private"`
	Method   string              `json:"method"`
	Epsilon  certificate.Epsilon `json:"epsilon"`
	Delta    float64             `json:"delta"`
	// Interactions is what a run fits for columns and pairs, in words of the flag. Calibrate says that
	// it corrects predictions.
	Interactions      string           `json:"interactions"`
	Calibrate         bool             `json:"calibrate"`
	Metric            string           `json:"metric,omitempty"`
	Repeats           int              `json:"repeats,omitempty"`
	Diverged          int              `json:"diverged,omitempty"`
	Mean              evaluate.Measure `json:"mean"`
	StandardDeviation evaluate.Measure `json:"standard-deviation"`
	Low               evaluate.Measure `json:"low"`
	High              evaluate.Measure `json:"high"`
}

// RowOf returns the row of a configuration that was not measured.
func RowOf(c *sweep.Candidate) Row {
	u := evaluate.Measure(math.NaN())
	return Row{Settings: append([]sweep.Setting{}, c.Settings...), Private: c.Certificate.Private,
		Method: c.Certificate.Method, Epsilon: c.Certificate.Epsilon, Delta: c.Certificate.Delta,
		Interactions: interactionsOf(c), Calibrate: calibrates(c), Mean: u, StandardDeviation: u, Low: u, High: u}
}

// Document returns the summary of the sweep. It names the highlighted configuration if marked is
// true.
func (s *Study) Document(summaries []sweep.Summary, marked bool) Document {
	c := s.Cost
	d := Document{Folder: s.Folder, Notice: s.Notice(), Fixed: Shown(s.Fixed), Varied: append([]sweep.Parameter{}, s.Varied...), Repeats: s.Repeats, Measured: s.Measured,
		Cost: Cost{c.Epsilon, c.Delta, c.Neighboring.String(), c.Unit, c.Accountant, c.Runs}, Summaries: []Row{}}
	if m := s.Marked; m.Candidate != nil && marked {
		d.Marked = &Mark{append([]sweep.Setting{}, m.Candidate.Settings...), m.Why}
	}
	if d.Public = s.Public && !s.Secret; d.Public {
		d.Table, d.Command, d.Records = s.Table, s.Command, s.Records
		d.Target = &Target{s.Target.Column, len(s.Target.Levels)}
	}
	for _, each := range summaries {
		row := RowOf(each.Candidate)
		row.Metric, row.Repeats, row.Diverged = each.Metric, each.Repeats, each.Diverged
		row.Mean, row.StandardDeviation, row.Low, row.High = evaluate.Measure(each.Mean), evaluate.Measure(each.StandardDeviation), evaluate.Measure(each.Low), evaluate.Measure(each.High)
		d.Summaries = append(d.Summaries, row)
	}
	return d
}

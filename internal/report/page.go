package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/figure"
)

// FileName is the name of the page inside the folder of a model or an evaluation.
const FileName = "report.html"

// Page is the content of the page about one model. Only Title and Guarantee are required. A section
// without content is left out.
type Page struct {
	// Title heads the page, as "A private model of any-visit".
	Title string
	// Generated is the time of writing, in the caller's spelling.
	Generated string
	// Guarantee is the promise; it has no default.
	Guarantee Guarantee
	// Table names the table of records, Purpose says what the model is for, and Owner whose records
	// they are. Places to fill in by hand stand for an empty Purpose and Owner.
	Table, Purpose, Owner string
	// Others says what is known about other releases from these records.
	Others []string
	// Banner stands prominently above everything. When Guarantee.Epsilon is infinite, an empty
	// Banner becomes "NOT PRIVATE: epsilon is infinite".
	Banner string
	// Public lists what was declared public, with the reason it matters.
	Public []Fact
	// Tainted lists, in plain words, what was copied from the records although it counts as public,
	// such as bounds or levels.
	Tainted []string
	// Assumptions lists, in plain words, what the guarantee depends on.
	Assumptions []string
	// Warnings lists what the reader should know before using the model.
	Warnings []string
	// Model describes the model: kind, features, preparation, steps.
	Model []Fact
	// Events lists what was released, and for what share of the budget.
	Events []Event
	// Budget are figures that go with the releases, such as epsilon over the steps.
	Budget []figure.Figure
	// Coefficients are shown in the caller's order, grouped by Score.
	Coefficients []Coefficient
	// Shapes show what each column and each pair of columns does to each score, those with the largest effects
	// first.
	Shapes []Shape
	// BarWords say what the intervals of the coefficients contain. BarRefusal says why there are no
	// intervals.
	BarWords   []string
	BarRefusal string
	// Unlisted is the number of further coefficients of each score, all of them smaller.
	Unlisted int
	// Estimates is nil unless the method says how uncertain its coefficients are.
	Estimates *Estimates
	// Metrics is nil unless a set that was declared public was given.
	Metrics *Metrics
	// Holdout is nil unless a part of the records was held out and measured privately.
	Holdout *Metrics
	// Tradeoff is nil unless the curve of a sweep on a public table goes with the run.
	Tradeoff *Tradeoff
	// Verify is the command that recomputes the certificate.
	Verify string
	// Files lists the files of the model folder and their hashes.
	Files []Fact
	// Provenance lists version, run and time.
	Provenance []Fact
}

// Guarantee is the promise of differential privacy that the page explains.
type Guarantee struct {
	// Epsilon in nats, at least 0; +Inf for a model that is not private.
	Epsilon float64
	// Delta is a probability, at least 0 and below 1.
	Delta float64
	// Neighboring is "add-or-remove-one", "replace-one" or "zero-out". Any
	// other relation is named but described only in general words.
	Neighboring string
	// Unit is what one record stands for, as "one person-year row".
	Unit string
	// Persons reports that one record is all rows of a person.
	Persons bool
	// Accountant is the name of the accountant that gives Epsilon.
	Accountant string
	// GroupRows is the number of rows for which GroupEpsilon holds; 0 or 1
	// leaves the group out.
	GroupRows int
	// GroupEpsilon is the epsilon of GroupRows rows together, at the same
	// Delta; at least Epsilon.
	GroupEpsilon float64
	// NoisePerRecord compares in words the noise with the largest contribution of one record. It is
	// optional.
	NoisePerRecord string
	// Released is what the page is about, as "evaluation"; "" is "model".
	Released string
	// Attacker bounds the errors of attackers on one record, by everything that is proven about the
	// run. Nil means by Epsilon and Delta alone.
	Attacker *account.TradeOff
	// Records is the declared number of records, and MaxRecords the declared bound on it. Each is 0
	// if it is not declared. Delta is judged against them.
	Records, MaxRecords int
}

// Fact is a named value, with an optional reason why it matters.
type Fact struct{ Name, Value, Why string }

// Event is one kind of release from the records.
type Event struct {
	// Purpose is what the release was for, as "training".
	Purpose string
	// Text is the event in the notation of certificates.
	Text string
	// Count is how many times it was released.
	Count int
	// Share is its share of the budget, between 0 and 1.
	Share float64
}

// Coefficient is the weight of one feature in one score.
type Coefficient struct {
	// Feature is the name of the feature's column.
	Feature string
	// Level is the level that the feature indicates; empty for a number.
	Level string
	// Score names the score that the weight enters, as the class of a softmax
	// model; empty when the model has one score.
	Score string
	// Value is the weight.
	Value float64
	// Half is half the length of an interval around Value, or 0 for no interval.
	Half float64
}

// Estimates are coefficients with intervals, which follow from what was released.
type Estimates struct {
	// Facts go before the table.
	Facts []Fact
	// Intervals are drawn, in the order of the table.
	Intervals []Interval
	// Table has one row a coefficient, or is nil, and Refusal then says why.
	Table   *Table
	Refusal string
}

// Interval is an estimate with the ends of its interval.
type Interval struct {
	Name             string
	Value, Low, High float64
}

// Metrics are measured over records that were declared public, or, where Private says so, computed
// from a noisy release.
type Metrics struct {
	// Source says which records, and who declared them public.
	Source string
	// Private says that the records are private and that the guarantee covers the measures.
	Private bool
	// Tables are shown in order: headline numbers, levels, groups.
	Tables []Table
	// Confusion is the confusion matrix of a classifier, or nil.
	Confusion *Confusion
	// Reliability compares probabilities with frequencies in a figure, or is nil.
	Reliability *Reliability
}

// Tradeoff is the accuracy as a function of the budget on a public table, with the epsilon of this
// run on its axis.
type Tradeoff struct {
	// Words say what the curve shows, and what it does not show.
	Words []string
	// Warnings list how the runs of the curve differ from this run.
	Warnings []string
	// Figures are drawn in order; Commands, if they are there, make them, one below the other.
	Figures  []figure.Figure
	Commands []string
}

// Table is a plain table. The first cell of each row names the row. It has the
// shape of evaluate.Table and converts from it.
type Table struct {
	Title   string
	Columns []string
	Rows    [][]string
	// Folded reports that the table is closed until the reader opens it.
	Folded bool
}

// Confusion is a confusion matrix: Counts has shape [true level][predicted
// level].
type Confusion struct {
	Levels []string
	Counts [][]int
}

// figures returns the figures of the caller.
func (p Page) figures() []figure.Figure {
	all := slices.Clone(p.Budget)
	for _, m := range []*Metrics{p.Metrics, p.Holdout} {
		if m != nil {
			all = append(all, m.Reliability.figures()...)
		}
	}
	if p.Tradeoff != nil {
		all = append(all, p.Tradeoff.Figures...)
	}
	return all
}

// validate refuses a page whose guarantee is not fully stated: a missing number must not read as a
// strong promise.
func (p Page) validate() error {
	if p.Title == "" {
		return fmt.Errorf("report: the title is empty, want a heading; name the model's target")
	}
	if err := p.Guarantee.validate(); err != nil {
		return err
	}
	for _, f := range p.figures() {
		if err := checkPanels(f); err != nil {
			return err
		}
	}
	if p.Metrics != nil && p.Metrics.Confusion != nil {
		return p.Metrics.Confusion.validate()
	}
	return nil
}

func (g Guarantee) validate() error {
	switch {
	case math.IsNaN(g.Epsilon) || g.Epsilon < 0:
		return fmt.Errorf("report: epsilon is %v, want at least 0; take it from the accountant", g.Epsilon)
	case math.IsNaN(g.Delta) || g.Delta < 0 || g.Delta >= 1:
		return fmt.Errorf("report: delta is %v, want at least 0 and below 1; take it from the plan", g.Delta)
	case g.Neighboring == "":
		return fmt.Errorf("report: the neighboring relation is empty, want its name; take it from the plan")
	case g.Unit == "":
		return fmt.Errorf("report: the privacy unit is empty, want its name; take it from the plan")
	case g.GroupRows > 1 && !(g.GroupEpsilon >= g.Epsilon):
		return fmt.Errorf("report: the epsilon of %d rows is %v, want at least %v; a group is protected less than one row", g.GroupRows, g.GroupEpsilon, g.Epsilon)
	}
	return nil
}

func (c *Confusion) validate() error {
	if len(c.Counts) != len(c.Levels) {
		return fmt.Errorf("report: the confusion matrix has %d rows, want %d; give one row a level", len(c.Counts), len(c.Levels))
	}
	for i, row := range c.Counts {
		if len(row) != len(c.Levels) {
			return fmt.Errorf("report: row %d of the confusion matrix has %d cells, want %d; give one cell a level", i, len(row), len(c.Levels))
		}
	}
	return nil
}

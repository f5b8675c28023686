package experiment

import (
	"context"
	"strings"

	"github.com/ditherml/dither/internal/figure"
)

// Comparison is one published figure and ours.
type Comparison struct {
	// Quantity says what is measured, and where: "accuracy on the test rows after 10 steps".
	Quantity string `json:"quantity"`
	// Published is the figure as its source prints it, "" when it prints none.
	Published string `json:"published"`
	// Ours is the figure from this run, with an interval when it is random, as text.
	Ours string `json:"ours"`
	// Value is ours as a number, NaN where it is none.
	Value float64 `json:"value"`
	// Deterministic is whether every run gives the same figure.
	Deterministic bool `json:"deterministic"`
	// Why explains the difference, or says that there is none. Never empty.
	Why string `json:"why"`
	// Golden is what Value must be; nil where nothing says so exactly, such as for a random figure.
	Golden *Golden `json:"golden,omitempty"`
}

// Shown returns Ours as a page prints it. A random figure is marked as random where it does not tell its spread.
func (c Comparison) Shown() string {
	told := func(word string) bool { return strings.Contains(c.Ours, word) }
	switch {
	case c.Deterministic || told("±") || told("random") || told("runs"):
		return c.Ours
	case told("(one run)"):
		return strings.ReplaceAll(c.Ours, "(one run)", "(random, one run)")
	}
	return c.Ours + " (random, one run)"
}

// Outcome is what a reproduction found.
type Outcome struct {
	Comparisons []Comparison    `json:"comparisons"`
	Figures     []figure.Figure `json:"-"`
	// Notes are sentences that go with the table.
	Notes []string `json:"notes,omitempty"`
}

// Reproduction is one experiment of the literature that can be run again.
type Reproduction struct {
	// Name is what the command calls it, such as "book".
	Name string
	// Title says what is reproduced.
	Title string
	// Source names author, title and place of the publication.
	Source string
	// Data names the folders of data sets that it reads, none where it needs none.
	Data []string
	// Minutes is about how long it takes on two processors.
	Minutes float64
	// Linear says whether the experiment is deterministic or trains linear models only.
	Linear bool
	Run    func(context.Context, Environment) (Outcome, error)
}

// Environment is where reproductions run.
type Environment struct {
	// Data is the folder in which the folders of data sets stand.
	Data string
	// Repeats is how often a random figure is measured, 0 for the default of each reproduction.
	Repeats int
	// Progress, when not nil, is told what runs now and which share of the reproduction is done, in [0, 1].
	Progress func(what string, done float64)
}

// Report tells the progress where somebody listens.
func (l Environment) Report(what string, done float64) {
	if l.Progress != nil {
		l.Progress(what, done)
	}
}

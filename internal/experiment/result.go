package experiment

import (
	"context"
	"strings"

	"github.com/ditherml/dither/internal/figure"
)

// Comparison is one published figure and this program's figure.
type Comparison struct {
	// Quantity names the measured quantity and its place: "accuracy on the test rows after 10
	// steps".
	Quantity string `json:"quantity"`
	// Published is the figure as its source prints it, "" without one.
	Published string `json:"published"`
	// Ours is the figure from this run as text, with an interval if it is random.
	Ours string `json:"ours"`
	// Value is this program's figure as a number, or NaN.
	Value float64 `json:"value"`
	// Deterministic is true if every run gives the same figure.
	Deterministic bool `json:"deterministic"`
	// Why explains the difference, or states that there is none. It is never empty.
	Why string `json:"why"`
	// Golden is the required Value. It is nil if there is no exact one, as for a random figure.
	Golden *Golden `json:"golden,omitempty"`
}

// Shown returns Ours in the form of a page. A random figure without a stated spread is marked as
// random.
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

// Outcome is the result of a reproduction.
type Outcome struct {
	Comparisons []Comparison    `json:"comparisons"`
	Figures     []figure.Figure `json:"-"`
	// Notes are sentences for the table.
	Notes []string `json:"notes,omitempty"`
}

// Reproduction is one experiment of the literature that can be run again.
type Reproduction struct {
	// Name is the command's name for it, such as "book".
	Name string
	// Title names the reproduced result.
	Title string
	// Source names author, title and place of the publication.
	Source string
	// Data names the folders of data sets that it reads.
	Data []string
	// Minutes is its approximate duration on two processors.
	Minutes float64
	// Linear is true if the experiment is deterministic or trains linear models only.
	Linear bool
	Run    func(context.Context, Environment) (Outcome, error)
}

// Environment is the environment of reproductions.
type Environment struct {
	// Data is the folder with the folders of data sets.
	Data string
	// Repeats is how often a random figure is measured. 0 means the default of each reproduction.
	Repeats int
	// Progress, if not nil, is called with the current work and the finished share of the
	// reproduction, in [0, 1].
	Progress func(what string, done float64)
}

// Report calls Progress if it is not nil.
func (l Environment) Report(what string, done float64) {
	if l.Progress != nil {
		l.Progress(what, done)
	}
}

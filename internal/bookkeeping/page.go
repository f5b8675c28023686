package bookkeeping

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/privacy"
)

// mostListed is how many releases the page lists: the newest ones.
const mostListed = 2000

// WritePage writes the page of the ledger, for the people who are responsible for the budget.
func (a Account) WritePage(w io.Writer) error {
	d := report.Document{
		Title: "Privacy budget of " + a.Data,
		Lead: []string{
			a.promise(),
			a.standing(),
		},
		Sections: []report.Section{
			{Title: "How it stands", Facts: a.facts()},
			{Title: "Spent over the releases", Figures: a.figures()},
			{Title: "Over time", Tables: tables(a.monthRows())},
			{Title: "Populations", Text: []string{a.populationsWords()}, Facts: a.populationFacts()},
			{Title: "Releases", Text: a.listedWords(), Register: a.register()},
			{Title: "What the numbers mean", List: slices.Insert(slices.Clone(meanings), 2, a.sharesWords())},
			{Title: "Check it", Text: []string{"The command computes every price again from the events, and holds the chain of records and the certificates of models against each other."},
				Command: "dither ledger check " + display.Quoted(a.Where) + " MODEL-FOLDER...", Note: fmt.Sprintf("Ledger %s, head %s at record %d.", a.Ledger, a.Head, a.Records-1)},
		},
	}
	d.Sections = slices.DeleteFunc(d.Sections, func(s report.Section) bool {
		return s.Title == "Populations" && len(a.Populations) == 0 || s.Title == "Over time" && len(a.Releases) == 0 || s.Title == "Spent over the releases" && len(s.Figures) == 0
	})
	if !a.KeepsCap {
		d.Warnings = append(d.Warnings, "The cap is not kept: "+notKept+".")
	}
	if a.Forfeited {
		d.Warnings = append(d.Warnings, "All that was left is forfeited: nobody knows what else was spent.")
	}
	if a.Open > 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%s did not end yet, or ended without a word. What was reserved is spent. The list of releases calls them open.", display.Count(a.Open, "run")))
	}
	return d.WriteHTML(w)
}

// meanings explain the numbers of the page.
var meanings = []string{
	"Epsilon and delta bound what anyone can learn about one protected unit from all releases together. Smaller is more private.",
	"A plan alone: the guarantee of one release as its certificate has it.",
	"Proves epsilon: the guarantee of all releases up to there together, had their plans been fixed in advance. It begins high and rises slowly: the proof adds a constant, once for all of them.",
	"Cap: it holds too where plans depended on earlier results.",
	"Left: the part of the budget that is left, and the largest epsilon of one more release that still fits.",
	"Released: with the first digits of the hash of its certificate.",
	"Open: the release was reserved, and its run has not said how it ended. It counts as spent. Nothing is ever refunded but steps that were never begun.",
}

// shareMeaning explains shares, and plainShares says that they add up.
const (
	shareMeaning = "Share: the part of the budget that a release took. "
	plainShares  = shareMeaning + "Shares add up to what is spent. Epsilons do not add up."
)

// sharesWords says how shares and what is spent belong together.
func (a Account) sharesWords() string {
	switch {
	case len(a.Populations) > 0 && a.Neighboring == privacy.ReplaceOne:
		return shareMeaning + "What is spent counts the releases about all and about the two populations that took most."
	case len(a.Populations) > 0:
		return shareMeaning + "What is spent is the sum over the releases about all and about the population that took most."
	case len(a.Filter.Orders) > 1:
		return shareMeaning + "What is spent may be more than the sum of the shares: one order must have room for all releases together."
	case a.Filter.Name == budget.Basic && a.Delta > 0:
		return shareMeaning + "What is spent may be less than the sum of the shares: it is the larger one of the parts of epsilon and of delta."
	}
	return plainShares
}

// populationsWords says how releases about populations count.
func (a Account) populationsWords() string {
	if a.Neighboring == privacy.ReplaceOne {
		return "They share no person. A person who is replaced by another may leave one of them for another one, so the two that took most count together."
	}
	return "They share no person, so a release about one of them takes nothing from the others."
}

// promise says in a sentence or two what the ledger proves.
func (a Account) promise() string {
	cap := fmt.Sprintf("epsilon %s at delta %s", display.Plain(a.Epsilon), display.Plain(a.Delta))
	if !a.KeepsCap {
		return fmt.Sprintf("The releases that this ledger counts do not keep its cap, %s. It was to protect %s.", cap, a.Protected)
	}
	return fmt.Sprintf("All releases that this ledger counts together keep %s. It protects %s.", cap, a.Protected)
}

// standing says in a sentence what is left.
func (a Account) standing() string {
	switch {
	case len(a.Releases) == 0 && a.Left > 0:
		return fmt.Sprintf("Nothing is released yet. A release may have epsilon %s.", leftNumber(a.Left))
	case a.Left == 0:
		return fmt.Sprintf("%s took %s of the budget. Nothing is left.", display.Count(len(a.Releases), "release"), budget.Percent(a.Share))
	}
	return fmt.Sprintf("%s took %s of the budget. One more release may have epsilon %s.", display.Count(len(a.Releases), "release"), budget.Percent(a.Share), leftNumber(a.Left))
}

func (a Account) facts() []report.Fact {
	left, why, _ := strings.Cut(a.leftWords(), ": ")
	by := display.Count(len(a.Releases), "release") + ", which prove epsilon " + a.Spent.Rounded() + " together"
	switch len(a.Releases) {
	case 0:
		by = "nobody yet"
	case 1:
		by = "1 release, which proves epsilon " + a.Spent.Rounded()
	}
	facts := []report.Fact{
		{Name: "cap", Value: "epsilon " + display.Plain(a.Epsilon), Why: "at delta " + display.Plain(a.Delta) + ", " + relation(a.terms)},
		{Name: "spent", Value: budget.Percent(a.Share) + " of the budget", Why: "by " + by},
		{Name: "left", Value: left, Why: why},
		{Name: "protects", Value: a.Protected},
		{Name: "filter", Value: filterWords(a.Filter), Why: a.FilterNote},
		{Name: "records of the ledger", Value: strconv.Itoa(a.Records)},
		{Name: "made", Value: shortTime(a.Created) + " UTC", Why: "by " + dash(a.Who) + ", with " + a.Tool},
	}
	return facts
}

func (a Account) populationFacts() []report.Fact {
	var facts []report.Fact
	for _, p := range a.Populations {
		facts = append(facts, report.Fact{Name: p.Name, Value: "epsilon " + leftNumber(p.Left) + " left", Why: p.Declaration})
	}
	return facts
}

func tables(rows [][]string) []report.Table {
	if len(rows) < 2 {
		return nil
	}
	return []report.Table{{Columns: rows[0], Rows: rows[1:]}}
}

func (a Account) listedWords() []string {
	switch {
	case len(a.Releases) == 0:
		return []string{"None yet."}
	case len(a.Releases) > mostListed:
		return []string{fmt.Sprintf("The newest %d of %d. `dither ledger show --csv` lists all.", mostListed, len(a.Releases))}
	}
	return nil
}

// leastDrawn is the number of releases from which a picture says more than the list.
const leastDrawn = 5

// figures draw the share of the budget that is spent over the releases, and all of it.
func (a Account) figures() []figure.Figure {
	if len(a.course) < leastDrawn {
		return nil
	}
	spent := figure.Series{Name: "spent", Points: []figure.Point{figure.Value(0, 0)}}
	for _, p := range a.course {
		spent.Points = append(spent.Points, figure.Value(float64(p.releases), 100*p.share))
	}
	last := float64(len(a.Releases))
	limit := figure.Series{Name: "all of it", Dashed: true, Points: []figure.Point{figure.Value(0, 100), figure.Value(last, 100)}}
	return []figure.Figure{{Name: "spent", Title: "Budget spent over the releases",
		Panels: []figure.Panel{{X: figure.Axis{Label: "releases"}, Y: figure.Axis{Label: "budget spent, percent"}, Series: []figure.Series{spent, limit}}}}}
}

package report

import (
	"fmt"
	"strings"

	"github.com/ditherml/dither/sweep"
)

// ReproductionPage is the page about experiments of the literature that were run again: for each a
// table of the published figures next to ours with the reason why they differ, its notes and its
// figures. What holds of all data sets stands once at the top. A figure that every run must give,
// and that this run does not, is a warning, and so is an experiment without its data sets.
func ReproductionPage(results []sweep.Result, data, generated string) Document {
	d := Document{Title: "Experiments of the literature, run again", Generated: generated, Lead: reproductionLead(results, data)}
	for _, r := range results {
		for _, c := range r.Disagreements() {
			d.Warnings = append(d.Warnings, fmt.Sprintf("%s: %s is %s, and every run must give %v.", r.Name, c.Quantity, c.Ours, c.Golden.Value))
		}
		if len(r.Missing) > 0 {
			d.Warnings = append(d.Warnings, fmt.Sprintf("%s was not run: there is no folder %s among the data sets.", r.Name, strings.Join(r.Missing, ", ")))
			continue
		}
		d.Sections = append(d.Sections, Section{
			Title:       r.Title,
			Text:        []string{fmt.Sprintf("Source: %s.", strings.TrimSuffix(r.Source, "."))},
			Comparisons: r.Comparisons,
			List:        r.Notes,
			Figures:     r.Figures,
			Command:     "dither reproduce " + r.Name,
			Note:        "Ran for " + seconds(r.Seconds) + ".",
		})
	}
	return d
}

// reproductionLead sums up what was run.
func reproductionLead(results []sweep.Result, data string) []string {
	run, compared, fixed, agree := 0, 0, 0, 0
	for _, r := range results {
		if len(r.Missing) > 0 {
			continue
		}
		run++
		compared += len(r.Comparisons)
		for _, c := range r.Comparisons {
			if c.Golden != nil {
				fixed++
				if c.Agrees() {
					agree++
				}
			}
		}
	}
	lead := []string{fmt.Sprintf("%s, %s compared. Of the %d that every run must give, %d are as they must be; the others are random or differ for the reason given.", counted(run, "experiment"), counted(compared, "figure"), fixed, agree)}
	if data != "" {
		lead = append(lead, "These are "+strings.TrimSuffix(data, ".")+".")
	}
	return lead
}

// seconds writes a time as people say it.
func seconds(s float64) string {
	switch {
	case s < 1:
		return "less than a second"
	case s < 120:
		return fmt.Sprintf("%.0f s", s)
	}
	return fmt.Sprintf("%.0f minutes", s/60)
}

// counted is a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

package reproduce

import (
	"fmt"
	"strings"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/report"
)

// page returns the page about repeated experiments of the literature. Each has a table of the
// published figures next to this program's, with the reason for differences, its notes and its
// figures. Facts about all data sets are once at the top. A warning marks a figure that every run
// must give and this run does not, and an experiment without its data sets.
func page(results []experiment.Result, generated string) report.Document {
	d := report.Document{Title: "Experiments of the literature, run again", Generated: generated, Lead: lead(results)}
	for _, r := range results {
		for _, c := range r.Disagreements() {
			d.Warnings = append(d.Warnings, fmt.Sprintf("%s: %s is %s, and every run must give %v.", r.Name, c.Quantity, c.Ours, c.Golden.Value))
		}
		if len(r.Missing) > 0 {
			d.Warnings = append(d.Warnings, fmt.Sprintf("%s was not run: there is no folder %s among the data sets.", r.Name, strings.Join(r.Missing, ", ")))
			continue
		}
		d.Sections = append(d.Sections, report.Section{
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

// lead summarizes the runs.
func lead(results []experiment.Result) []string {
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
	return []string{
		fmt.Sprintf("%s, %s compared. Of the %d that every run must give, %d are as they must be; the others are random or differ for the reason given.", display.Count(run, "experiment"), display.Count(compared, "figure"), fixed, agree),
		"These are " + strings.TrimSuffix(Publicly, ".") + ".",
	}
}

// seconds returns a time as text.
func seconds(s float64) string {
	switch {
	case s < 1:
		return "less than a second"
	case s < 120:
		return fmt.Sprintf("%.0f s", s)
	}
	return fmt.Sprintf("%.0f minutes", s/60)
}

package reproduce

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/experiment"
)

// Listed is an experiment in the output of --json.
type Listed struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Source  string   `json:"source"`
	Data    []string `json:"data"`
	Missing []string `json:"missing"`
	Minutes float64  `json:"minutes"`
	Linear  bool     `json:"linear"`
}

// List returns all experiments, and which of their data sets an environment lacks.
func List(l experiment.Environment) []Listed {
	var all []Listed
	for _, e := range Reproductions() {
		all = append(all, Listed{e.Name, e.Title, e.Source, append([]string{}, e.Data...), append([]string{}, Missing(e, l)...), e.Minutes, e.Linear})
	}
	return all
}

// ListText returns a list for a terminal.
func ListText(all []Listed) []byte {
	var b bytes.Buffer
	total, linear := 0.0, 0.0
	for _, e := range all {
		fmt.Fprintf(&b, "%s (%s)\n", e.Name, minutesText(e.Minutes))
		for _, text := range []string{e.Title + ".", "Source: " + e.Source + ".", dataText(e)} {
			fmt.Fprint(&b, display.Indent(display.Wrapped(text), 2))
		}
		total += e.Minutes
		if e.Linear {
			linear += e.Minutes
		}
	}
	fmt.Fprintf(&b, "\nAll take about %s on two processors, those of --linear %s.\n", minutesText(total), minutesText(linear))
	return b.Bytes()
}

// dataText describes the data sets of an experiment.
func dataText(e Listed) string {
	switch {
	case len(e.Data) == 0:
		return "Data: none but what comes with the program."
	case len(e.Missing) > 0:
		return fmt.Sprintf("Data: %s; no folder %s is here, so it is skipped.", strings.Join(e.Data, ", "), strings.Join(e.Missing, ", "))
	}
	return "Data: " + strings.Join(e.Data, ", ") + "."
}

// minutesText returns a time in minutes as text.
func minutesText(minutes float64) string {
	if minutes < 1.5 {
		return fmt.Sprintf("%.0f s", math.Max(1, math.Ceil(minutes*60)))
	}
	return fmt.Sprintf("%.0f min", math.Ceil(minutes))
}

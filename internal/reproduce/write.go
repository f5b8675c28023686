package reproduce

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
)

// written is the form of a result in JSON.
type written struct {
	Name        string                  `json:"name"`
	Title       string                  `json:"title"`
	Source      string                  `json:"source"`
	Seconds     float64                 `json:"seconds"`
	Missing     []string                `json:"missing,omitempty"`
	Comparisons []experiment.Comparison `json:"comparisons"`
	Figures     []string                `json:"figures"`
	Notes       []string                `json:"notes"`
}

// Document returns the JSON form of results: the facts about the data sets, and every result.
func Document(results []experiment.Result) any {
	all := []written{}
	for _, r := range results {
		w := written{r.Name, r.Title, r.Source, math.Round(r.Seconds*10) / 10, r.Missing, []experiment.Comparison{}, []string{}, []string{}}
		w.Comparisons, w.Notes = append(w.Comparisons, r.Comparisons...), append(w.Notes, r.Notes...)
		for _, f := range r.Figures {
			w.Figures = append(w.Figures, FigureName(r, f))
		}
		all = append(all, w)
	}
	return struct {
		Data         string    `json:"data"`
		Reproduction []written `json:"reproductions"`
	}{Publicly, all}
}

// FigureName is the name of the file of a figure without ending.
func FigureName(r experiment.Result, f figure.Figure) string { return r.Name + "-" + f.Name }

// WriteJSON writes results as JSON.
func WriteJSON(w io.Writer, results []experiment.Result) error {
	text, err := json.MarshalIndent(Document(results), "", " ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// WriteCSV writes one line for each comparison. The value is empty if it is no number, and the
// golden value if there is none.
func WriteCSV(w io.Writer, results []experiment.Result) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"reproduction", "quantity", "published", "ours", "value", "deterministic", "golden", "tolerance", "why"}}
	for _, r := range results {
		for _, c := range r.Comparisons {
			golden, tolerance := "", ""
			if c.Golden != nil {
				golden, tolerance = exactly(c.Golden.Value), exactly(c.Golden.Tolerance)
			}
			rows = append(rows, []string{r.Name, c.Quantity, c.Published, c.Shown(), exactly(c.Value), strconv.FormatBool(c.Deterministic), golden, tolerance, c.Why})
		}
	}
	return out.WriteAll(rows)
}

// exactly returns a number with all of its digits, or "" for no finite number.
func exactly(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// WriteMarkdown writes a section for each experiment: its notes, its table, and its figures by the
// names of their files in a folder.
func WriteMarkdown(w io.Writer, results []experiment.Result, folder string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Of %s.\n", Publicly)
	for _, r := range results {
		fmt.Fprintf(&b, "\n## %s\n\nSource: %s. Command: `dither reproduce %s`", r.Title, strings.TrimSuffix(r.Source, "."), r.Name)
		if r.Missing != nil {
			fmt.Fprintf(&b, "\n\nNot run: no folder %s among the data sets.\n", strings.Join(r.Missing, ", "))
			continue
		}
		fmt.Fprintf(&b, ", %.0f s.\n", math.Max(1, r.Seconds))
		for _, note := range r.Notes {
			fmt.Fprintf(&b, "\n%s\n", cell(note))
		}
		fmt.Fprint(&b, "\n| quantity | published | ours | explanation |\n|---|---|---|---|\n")
		for _, c := range r.Comparisons {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell(c.Quantity), cell(c.Published), cell(c.Shown()), cell(c.Why))
		}
		for _, f := range r.Figures {
			fmt.Fprintf(&b, "\n![%s](%s%s.svg)\n", cell(f.Title), folder, FigureName(r, f))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell keeps a text in one cell of a table. An empty text is a dash.
func cell(text string) string {
	if text == "" {
		return "–"
	}
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}

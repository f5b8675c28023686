package reproduce

import (
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
)

// exampleResults stand for what reproductions find.
func exampleResults() []experiment.Result {
	return []experiment.Result{
		{Reproduction: experiment.Reproduction{Name: "book", Title: "The book chapter", Source: "A. Author, A Book, chapter 1."}, Seconds: 12.4,
			Outcome: experiment.Outcome{Figures: []figure.Figure{{Name: "f", Panels: []figure.Panel{{Series: []figure.Series{{Points: []figure.Point{figure.Value(1, 2)}}}}}}}, Notes: []string{"A note."}, Comparisons: []experiment.Comparison{
				{Quantity: "loss after one step", Published: "0.62", Ours: "0.6190", Value: 0.619, Why: "the same, with more digits", Deterministic: true, Golden: &experiment.Golden{Value: 0.619}},
				{Quantity: "loss at the start", Ours: "0.7", Value: 0.7, Why: "a fault", Deterministic: true, Golden: &experiment.Golden{Value: 0.69315, Tolerance: 1e-5}},
				{Quantity: "accuracy", Published: "85 %", Ours: "84.1 to 86.2 %", Value: 0.85, Why: "random"},
			}}},
		{Reproduction: experiment.Reproduction{Name: "mnist", Title: "Digits"}, Missing: []string{"mnist"}},
	}
}

// TestReproductionPage wants the page to count what agrees, and to tell what does not and what was not run.
func TestReproductionPage(t *testing.T) {
	var b strings.Builder
	if err := page(exampleResults(), "today").WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1 experiment, 3 figures compared. Of the 2 that every run must give, 1 are as they must be", "These are public data sets. The epsilon of each run", "Written today",
		"book: loss at the start is 0.7, and every run must give 0.69315.", "mnist was not run: there is no folder mnist", "Source: A. Author, A Book, chapter 1.</p>",
		`<tr class="disagrees"><th scope="row">loss at the start</th><td data-column="published">–</td>`, "(want 0.69315)", "Ran for 12 s.",
		`<td data-column="published">0.62</td><td data-column="ours">0.6190</td><td data-column="why">the same, with more digits</td>`, "<code>dither reproduce book</code>", "A note.",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("got a page without %q", want)
		}
	}
	if strings.Count(b.String(), `class="disagrees"`) != 1 {
		t.Error("got another number of figures set apart, want the one that disagrees")
	}
}

// TestTextNamesWhatIsMissing wants the text of an experiment without its data sets to say so.
func TestTextNamesWhatIsMissing(t *testing.T) {
	if got := string(Text(exampleResults()[1], 80)); !strings.Contains(got, "skipped: no folder mnist") {
		t.Errorf("got %q, want the folder named", got)
	}
}

func TestBroken(t *testing.T) {
	got := strings.Join(broken("one two  threefourfive 6", 7), "|")
	if want := "one two|threefo|urfive|6"; got != want && got != "one two|threefo|urfive 6" {
		t.Errorf("got %q, want %q", got, want)
	}
}

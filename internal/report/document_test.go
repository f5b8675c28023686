package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
)

// exampleDocument stands for what a sweep writes.
func exampleDocument() Document {
	return Document{
		Title: "Accuracy over ε", Generated: "2026-01-02 03:04:05 UTC",
		Lead:     []string{"Nine values of ε, twenty runs each."},
		Warnings: []string{"These are experiments on public records."},
		Sections: []Section{
			{Title: "Figures", Figures: exampleFigures()},
			{Title: "Results", Text: []string{"Sorted by ε."}, Tables: []Table{{Title: "Results", Columns: []string{"ε", "accuracy", "from", "to"}, Rows: [][]string{{"0.1", "85.7", "84.1", "86.9"}}}}},
			{Title: "How it was run", Facts: []Fact{{"repeats", "20", "each with fresh noise"}}, List: []string{"One pass over the records trained all."}, Command: "dither sweep plan.yaml"},
			{Title: "Compared", Comparisons: exampleComparisons(), Note: "Small print."},
			{Warning: true, Title: "Cost", Text: []string{"All runs together cost more."}},
		},
	}
}

// figuredPage is a page of a model with figures.
func figuredPage() Page {
	p := binaryPage()
	p.Budget = []figure.Figure{smallFigure()}
	p.Tradeoff = &Tradeoff{Words: []string{"of a public table"}, Warnings: []string{"by another method"}, Figures: []figure.Figure{smallFigure()}, Commands: []string{"dither sweep", "dither train --sweep s"}}
	return p
}

func documented(t *testing.T, d Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := d.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDocumentStructure checks what every page must have, with and without figures.
func TestDocumentStructure(t *testing.T) {
	for name, page := range map[string]string{
		"document": documented(t, exampleDocument()), "least": documented(t, Document{Title: "x"}), "page with figures": written(t, figuredPage(), 0),
	} {
		t.Run(name, func(t *testing.T) {
			all := elements(t, page)
			checkHeadings(t, all)
			checkNothingForeign(t, all)
			checkAccess(t, all)
		})
	}
}

// TestPageShowsEachCommandOnItsLine and names what was released, wherever the guarantee speaks of it.
func TestPageShowsEachCommandOnItsLine(t *testing.T) {
	p := figuredPage()
	if page := written(t, p, 0); !strings.Contains(page, "<pre><code>dither sweep\ndither train --sweep s</code></pre>") || !strings.Contains(page, "after seeing this model the odds") {
		t.Error("got no two lines for two commands, or no model")
	}
	p.Guarantee.Released = "evaluation"
	page := written(t, p, 0)
	for _, want := range []string{"Whatever the evaluation may release", "after seeing this evaluation the odds", "who has this evaluation and", ">this evaluation, ε = "} {
		if !strings.Contains(page, want) {
			t.Errorf("got a page of an evaluation without %q", want)
		}
	}
	if strings.Contains(page, "this model, ε") {
		t.Error("got the mark of a model on the page of an evaluation")
	}
}

func TestDocumentSaysWhatItIsGiven(t *testing.T) {
	page := documented(t, exampleDocument())
	for _, want := range []string{
		"<h1>Accuracy over ε</h1>", "Written 2026-01-02", "twenty runs each", "experiments on public records", "Sorted by ε.", "<td>85.7</td>",
		"each with fresh noise", "One pass over", "<code>dither sweep plan.yaml</code>", "All runs together cost more.", "Made by <code>dither reproduce book</code>",
		"example clipping (published)", "chosen: ε = 0.1", "example clipping, 0.1: 85.75 (84.55 to 86.35)", "Shaded or barred",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("got a page without %q", want)
		}
	}
	if err := (Document{}).WriteHTML(&bytes.Buffer{}); err == nil {
		t.Error("got a document without a title, want an error")
	}
	if err := (Document{Title: "x", Sections: []Section{{Figures: []figure.Figure{{}}}}}).WriteHTML(&bytes.Buffer{}); err == nil {
		t.Error("got a figure without a panel, want an error")
	}
}

// exampleComparisons stand for what reproductions find: one figure that agrees, one that does not, and one that is random.
func exampleComparisons() []experiment.Comparison {
	return []experiment.Comparison{
		{Quantity: "loss after one step", Published: "0.62", Ours: "0.6190", Value: 0.619, Why: "the same, with more digits", Deterministic: true, Golden: &experiment.Golden{Value: 0.619}},
		{Quantity: "loss at the start", Ours: "0.7", Value: 0.7, Why: "a fault", Deterministic: true, Golden: &experiment.Golden{Value: 0.69315, Tolerance: 1e-5}},
		{Quantity: "accuracy", Published: "85 %", Ours: "84.1 to 86.2 %", Value: 0.85, Why: "random"},
	}
}

// TestComparisons wants the figure that disagrees, and it alone, set apart.
func TestComparisons(t *testing.T) {
	page := documented(t, exampleDocument())
	for _, want := range []string{
		`<tr class="disagrees"><th scope="row">loss at the start</th><td data-column="published">–</td>`, "(want 0.69315)",
		`<td data-column="published">0.62</td><td data-column="ours">0.6190</td><td data-column="why">the same, with more digits</td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("got a page without %q", want)
		}
	}
	if strings.Count(page, `class="disagrees"`) != 1 {
		t.Error("got another number of figures set apart, want the one that disagrees")
	}
}

// TestDocumentNames puts each hostile text into every string of a document. The page must have the
// very tags and attributes that it has with harmless strings.
func TestDocumentNames(t *testing.T) {
	checkHostile(t, func(next func() string) string {
		d := exampleDocument()
		d.Sections[0].Figures = []figure.Figure{smallFigure()}
		return documented(t, filledFrom(d, next))
	})
}

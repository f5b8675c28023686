package report

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/experiment"
	"github.com/ditherml/dither/privacy"
)

// exampleSweep has two private configurations and one without privacy, and two metrics.
func exampleSweep() SweepResults {
	private := func(epsilon string, price float64) *experiment.Candidate {
		return &experiment.Candidate{Settings: []experiment.Setting{{Name: "noise-multiplier", Value: epsilon}}, Certificate: certificate.Certificate{Private: true, Epsilon: certificate.Epsilon(price)}}
	}
	one, two := private("10", 1.00001), private("5", 2.5)
	base := &experiment.Candidate{Baseline: true, Certificate: certificate.Certificate{Epsilon: certificate.Epsilon(math.Inf(1))}}
	nan := math.NaN()
	return SweepResults{
		Generated: "today", Command: "dither sweep --noise-multiplier 5,10", Notice: "What it is worth.", Public: true, Measured: "other records", Repeats: 3,
		Fixed: []experiment.Setting{{Name: "method", Value: "gd"}}, Varied: []experiment.Parameter{{Name: "noise-multiplier", Values: []string{"10", "5"}}},
		Summaries: []experiment.Summary{
			{Candidate: one, Metric: "accuracy", Repeats: 3, Mean: 0.8123, Low: 0.8, High: 0.83}, {Candidate: one, Metric: "log-loss", Repeats: 3, Mean: 0.5, Low: 0.45, High: 0.55},
			{Candidate: two, Metric: "accuracy", Repeats: 3, Mean: 0.85, Low: 0.84, High: 0.86}, {Candidate: two, Metric: "log-loss", Repeats: 0, Mean: nan, Low: nan, High: nan},
			{Candidate: base, Metric: "accuracy", Repeats: 1, Mean: 0.9, Low: nan, High: nan}, {Candidate: base, Metric: "log-loss", Repeats: 1, Mean: -0.001234, Low: nan, High: nan},
		},
		Cost:    experiment.Cost{Epsilon: 4.56781, Delta: 1e-5, Neighboring: privacy.AddOrRemoveOne, Unit: "one row", Accountant: "gdp", Runs: 6},
		Figures: []experiment.Figure{smallFigure()}, Files: []Fact{{"results.csv", "one row a run", ""}}, Chosen: []Fact{{"configuration", "noise multiplier 5", "paid for"}},
	}
}

func TestSweepTable(t *testing.T) {
	got := exampleSweep().table()
	want := Table{"All configurations", []string{"noise multiplier", "ε of one run", "accuracy", "interval", "log-loss", "interval"}, [][]string{
		{"10", "1.001", "0.8123", "0.8000 to 0.8300", "0.5000", "0.4500 to 0.5500"},
		{"5", "2.5", "0.8500", "0.8400 to 0.8600", "undefined", "–"},
		{"without privacy", "∞", "0.9000", "–", "−0.001234", "–"},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	r := exampleSweep()
	r.Varied = append(r.Varied, experiment.Parameter{Name: "epsilon"})
	if got = r.table(); got.Columns[2] != "accuracy" || got.Rows[0][1] != "–" {
		t.Errorf("got columns %v and row %v, want one column of epsilon, empty where it is not set", got.Columns, got.Rows[0])
	}
}

func TestSweepPage(t *testing.T) {
	page := documented(t, SweepPage(exampleSweep()))
	for _, want := range []string{
		"<h1>A sweep over noise multiplier</h1>", "3 configurations, 3 runs of each, measured on other records.", "<p>What it is worth.</p>", "What was chosen", "paid for",
		`<svg class="chart"`, "4.568", "the records with and without any one record", "<code>dither sweep --noise-multiplier 5,10</code>", "the same in all runs", "one row a run",
		"Means over 3 runs, with Student’s intervals of 95 %",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("got a page without %q", want)
		}
	}
	if strings.Contains(page, "<h2>Warnings</h2>") {
		t.Error("got a warning about public records, want none")
	}
	r := exampleSweep()
	r.Public, r.Repeats, r.Cost.Runs = false, 1, 0
	page = documented(t, SweepPage(r))
	for _, want := range []string{"<h2>Warnings</h2>", "<li>What it is worth.</li>", "run once, so there are no intervals"} {
		if !strings.Contains(page, want) {
			t.Errorf("private records, one run: got a page without %q", want)
		}
	}
	if strings.Contains(page, "What all of it costs") {
		t.Error("got a cost where none was priced")
	}
}

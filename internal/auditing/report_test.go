package auditing

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/failure"
)

// example is a report with a section of each kind.
func example(verdict Verdict) Report {
	four, delta, found, p := 4.0, 1e-5, 3.123456, 1e-9
	return NewReport("a test <b>", 90*time.Second,
		Section{Group: "noise", Name: "repetition", Claim: "no word of noise is used twice", PValue: &p, Confidence: 1 - 1e-7, Verdict: verdict, Seconds: 3.2, Power: "One pair in 100,000 numbers."},
		Section{Group: "canaries", Name: "gaussian", Claim: "epsilon 4 at delta 1e-5", Claimed: &four, Delta: &delta, LowerBound: &found, Confidence: 0.95, Verdict: NotRefuted,
			Facts:   []Fact{{"canaries", "20000"}},
			Bounds:  []Bound{{Name: "one-run", Assumption: "Fair coins.", Source: "Steinke, 2023", Claimed: &four, LowerBound: &found, Confidence: 0.95, Verdict: NotRefuted}},
			Picture: &Picture{Curve: []Rates{{0, 1}, {0.1, 0.5}, {1, 0}}, Boxes: []Box{{"attack", Rates{0.2, 0.5}, Rates{0.1, 0.4}, Rates{0.3, 0.6}}}}},
		Section{Group: "kernels", Name: "avx512", Claim: "results of all levels are equal", Verdict: NotRun, Note: "This processor has no AVX-512."},
	)
}

func TestReportIsRefutedByOneSection(t *testing.T) {
	if r := example(NotRefuted); r.Verdict != NotRefuted || r.Err() != nil || math.Abs(r.Confidence-(0.95-1e-7)) > 1e-12 {
		t.Errorf("got %v, %v, %v, want not refuted at the confidence of both sections", r.Verdict, r.Err(), r.Confidence)
	}
	r := example(Refuted)
	if err := r.Err(); r.Verdict != Refuted || !failure.IsRunning(err) || !strings.Contains(err.Error(), "repetition") {
		t.Errorf("got %v, %v, want refuted, and an error that names the attack", r.Verdict, err)
	}
	if r := NewReport("nothing", 0, Section{Verdict: NotRun}); r.Verdict != NotRun || r.Confidence != 1 {
		t.Errorf("got %v at %v, want that nothing was run", r.Verdict, r.Confidence)
	}
}

// TestStrongReportsHaveNoLimits: where every attack ran and could refute, nothing is said about limits.
func TestStrongReportsHaveNoLimits(t *testing.T) {
	r, five := example(NotRefuted), 5.0
	r.Sections[1].Detectable = &five
	r.Sections = r.Sections[:2]
	if got := r.limits(); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
}

func TestReportAsTextJSONAndPage(t *testing.T) {
	r := example(Refuted)
	text, err := r.Text()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"noise: repetition", "p 1e-09", "1 - 1e-07", "3.1234 ", "not run", "Fair coins.", "This processor", "0.05", "Not run: 1 attack;", "Too few canaries to"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	out, err := display.JSON(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err = json.Unmarshal(out, &back); err != nil || back.Sections[1].Bounds[0].Name != "one-run" || *back.Sections[1].LowerBound != 3.123456 {
		t.Errorf("%v: the JSON reads back as %+v", err, back)
	}
	for _, key := range []string{"claimed", "lower-bound", "confidence", "verdict"} {
		if strings.Count(string(out), `"`+key+`":`) < 4 {
			t.Errorf("the JSON has %q fewer than 4 times:\n%s", key, out)
		}
	}
	var page bytes.Buffer
	if err = r.WritePage(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"noise: repetition: the claim is refuted.", "a test &lt;b&gt;", "Steinke, 2023", "attack", "<svg", "Not run: 1 attack;", "Too few canaries to"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestReportsOfManyAttacksBeginWithWhatWasTried wants the parts and the meaning before the table of
// all attacks, and the details of few sections.
func TestReportsOfManyAttacksBeginWithWhatWasTried(t *testing.T) {
	for _, verdict := range []Verdict{Refuted, NotRefuted} {
		r := example(verdict)
		r.Parts = []Part{{"noise", "Reads noise.", "A scale that is off."}, {"canaries", "Trains.", "An epsilon of 5."}}
		r.Split = "Each has a half."
		text, err := r.Text()
		if err != nil {
			t.Fatal(err)
		}
		var page bytes.Buffer
		if err = r.WritePage(&page); err != nil {
			t.Fatal(err)
		}
		for name, got := range map[string]string{"text": string(text), "page": page.String()} {
			tried, table := strings.Index(got, "Reads noise."), strings.LastIndex(got, "kernels: avx512")
			if tried < 0 || table < tried || !strings.Contains(got, "audit.json") {
				t.Errorf("%s: want what was tried before the table, and where details are:\n%s", name, got)
			}
			if split := strings.Index(got, r.Split); split < 0 || name == "page" && split < tried {
				t.Errorf("%s: want the shares of the false alarm, on the page after what was tried", name)
			}
			if !strings.Contains(got, "Fair coins.") || !strings.Contains(got, "This processor") {
				t.Errorf("%s: want the details of the sharpest attack, and of a section that was not run", name)
			}
			if strings.Contains(got, "One pair in 100,000") != (verdict == Refuted) || strings.Contains(got, "That is no proof") != (verdict == NotRefuted) {
				t.Errorf("%s: want the details of a refuted section, and else the meaning of not refuted", name)
			}
		}
	}
}

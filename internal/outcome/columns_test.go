package outcome

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
)

// schema is one of two numbers and a target with two levels, whose number of records is public.
func schema(t *testing.T) *data.Schema {
	t.Helper()
	s, err := data.ParseSchema("toy", []byte("dither-schema: 1\nrow: one person\nrecords: 300\nmax-records: 4000\ntarget: {column: y, levels: [no, yes]}\n"+
		"defaults: {missing: zero, out-of-range: clamp}\ncolumns:\n  a: {numeric: [0, 1]}\n  b: {numeric: [0, 1]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// candidate plans descent.
func candidate(t *testing.T, s *data.Schema, r train.Request, settings ...sweep.Setting) sweep.Candidate {
	t.Helper()
	r.Delta, r.Neighboring, r.Whiten = 1e-6, privacy.AddOrRemoveOne, train.No
	setup, err := train.NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	c := sweep.Candidate{Settings: settings, Linear: &setup, Options: train.Options{Momentum: 0.5}, Baseline: math.IsInf(r.Epsilon, 1)}
	if err = c.Certify(); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTables checks the head and a row of each table of results.
func TestTables(t *testing.T) {
	s := schema(t)
	varied := []sweep.Parameter{{Name: "epsilon", Values: []string{"1"}}, {Name: "loss", Values: []string{"=x"}}}
	c := candidate(t, s, train.Request{Epsilon: 1, Steps: 4}, sweep.Setting{Name: "epsilon", Value: "1"}, sweep.Setting{Name: "loss", Value: "=x"})
	r := []sweep.Measurement{{Run: sweep.Run{Settings: c.Settings, Baseline: false, Repeat: 1}, LearningRate: 0.5, Diverged: false, Metrics: []sweep.Metric{{Name: "accuracy", Value: 0.5}}}, {Run: sweep.Run{Settings: c.Settings, Baseline: false, Repeat: 2}, LearningRate: 0.7, Diverged: false, Metrics: []sweep.Metric{{Name: "accuracy", Value: 0.75}}}}
	var b strings.Builder
	if err := writeResults(&b, varied, []sweep.Candidate{c}, r); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if lines[0] != "epsilon,loss,private,delta,method,sampling-probability,steps,noise-multiplier,clipping-norm,learning-rate,interactions,calibrate,repeat,diverged,accuracy" || len(lines) != 4 ||
		!strings.HasPrefix(lines[1], "1,'=x,true,1e-06,dp-gd,1,4,") || !strings.HasSuffix(lines[1], ",0.5,none,false,1,false,0.5") || !strings.HasSuffix(lines[2], ",0.7,none,false,2,false,0.75") {
		t.Errorf("got %q", b.String())
	}
	b.Reset()
	if err := writeSummary(&b, varied, sweep.Summarize([]sweep.Candidate{c}, r)); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, ",0.6,none,false,accuracy,2,0,0.625,0.1767766952966369,") || !strings.Contains(text, ",metric,repeats,diverged,mean,standard-deviation,low,high\n") {
		t.Errorf("got %q", text)
	}
	r = append(r, sweep.Measurement{Run: sweep.Run{Settings: c.Settings, Repeat: 3}, LearningRate: 0.7, Diverged: true})
	b.Reset()
	if err := writeResults(&b, varied, []sweep.Candidate{c}, r); err != nil || !strings.HasSuffix(b.String(), ",0.7,none,false,3,true,\n") {
		t.Errorf("a run that diverged: got %q (%v), want no metrics", b.String(), err)
	}
}

// TestAskedColumns varies the interactions. Where a rule chose them, the tables have what was asked
// and what ran. Without the word auto, both are one column.
func TestAskedColumns(t *testing.T) {
	s := schema(t)
	for _, c := range []struct{ values, head, row string }{
		{"none auto", "interactions-asked,private,epsilon,", "auto,true,1,"},
		{"none all", "interactions,private,epsilon,", "all,true,1,"},
	} {
		values := strings.Fields(c.values)
		varied := []sweep.Parameter{{Name: "interactions", Values: values}}
		each := candidate(t, s, train.Request{Epsilon: 1, Steps: 4}, sweep.Setting{Name: "interactions", Value: values[1]})
		r := []sweep.Measurement{{Run: sweep.Run{Settings: each.Settings, Repeat: 1}, LearningRate: 0.5, Metrics: []sweep.Metric{{Name: "accuracy", Value: 0.5}}}}
		var results, summary strings.Builder
		if err := writeResults(&results, varied, []sweep.Candidate{each}, r); err != nil {
			t.Fatal(err)
		}
		if err := writeSummary(&summary, varied, sweep.Summarize([]sweep.Candidate{each}, r)); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{results.String(), summary.String()} {
			lines := strings.Split(text, "\n")
			if !strings.HasPrefix(lines[0], c.head) || !strings.HasPrefix(lines[1], c.row) {
				t.Errorf("%s: got %q, want %q and %q", c.values, lines, c.head, c.row)
			}
			head, row := strings.Split(lines[0], ","), strings.Split(lines[1], ",")
			if ran := slices.Index(head, "interactions"); values[1] == auto && (ran < 0 || row[ran] != "none") {
				t.Errorf("%s: got %q, want none in the column interactions, which ran", c.values, lines)
			}
		}
	}
}

// TestPairWords wants the words of the flag interactions for parameters of the transform.
func TestPairWords(t *testing.T) {
	for parameters, want := range map[string]string{`{"pairs":"all","bins":64}`: "all", `{"pairs":"none"}`: "bins", `{"pairs":[["a","b"],["b","c"]]}`: "a*b,b*c"} {
		if got := pairWords([]byte(parameters)); got != want {
			t.Errorf("%s: got %q, want %q", parameters, got, want)
		}
	}
}

package outcome

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
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
		{"all none", "interactions,private,epsilon,", "none,true,1,"},
		{"none all", "interactions-asked,private,epsilon,", "all,true,1,"},
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
			if ran := slices.Index(head, "interactions"); strings.Contains(c.head, askedEnd) && (ran < 0 || row[ran] != "none") {
				t.Errorf("%s: got %q, want none in the column interactions, which ran", c.values, lines)
			}
		}
	}
}

// TestRanColumns varies settings whose asked value is not what runs, each alone: a default for 0, a norm of
// rows that an intercept lengthens, and rules. The column of the setting has what the plan runs, and another
// what was asked. A value that runs as it was asked has one column, in its own words.
func TestRanColumns(t *testing.T) {
	s := schema(t)
	for _, c := range []struct {
		name, value string
		request     train.Request
		rate        float64 // asked
		want        string  // "" for one column
	}{
		{"steps", "0", train.Request{}, 0, "60"},
		{"steps", "4", train.Request{Steps: 4}, 0, ""},
		{"steps", "4e0", train.Request{Steps: 4}, 0, ""},
		{"sampling-probability", "0", train.Request{Steps: 4}, 0, "1"},
		{"sampling-probability", "0.10", train.Request{Steps: 4, SamplingProbability: 0.1}, 0, ""},
		{"clipping-norm", "0", train.Request{Steps: 4}, 0, "norm"},
		{"clipping-norm", "0.3", train.Request{Steps: 4, ClippingNorm: 0.3}, 0, ""},
		{"clipping-norm", "0.5", train.Request{Steps: 4, ClippingNorm: 0.5, ClippingMode: option.ClipExample}, 0, "norm"},
		{"learning-rate", "0", train.Request{Steps: 4}, 0, "0.7"},
		{"learning-rate", "0.7", train.Request{Steps: 4}, 0.7, ""},
		{"accounting", "auto", train.Request{Steps: 4}, 0, option.AccountingComposition},
		{"accounting", "auto", train.Request{Steps: 200, Accounting: option.AccountingLastIterate, LearningRate: 0.1, Ridge: 0.5, Center: train.No}, 0, option.AccountingLastIterate},
		{"accounting", option.AccountingComposition, train.Request{Steps: 4}, 0, ""},
		{"center", "auto", train.Request{Steps: 4, Center: train.Yes}, 0, "yes"},
		{"center", "auto", train.Request{Steps: 4, Center: train.No}, 0, "no"},
		{"center", "no", train.Request{Steps: 4, Center: train.No}, 0, ""},
		{"center", "yes", train.Request{Steps: 4, Center: train.No}, 0, "no"},
		{"whiten", "auto", train.Request{Steps: 4}, 0, "no"},
		{"whiten", "yes", train.Request{Steps: 4}, 0, "no"},
		{"calibrate", "no", train.Request{Steps: 4}, 0, ""},
		{"calibrate", "yes", train.Request{Steps: 4}, 0, "false"},
		{"method", "auto", train.Request{Steps: 4}, 0, option.MethodGD},
		{"loss", "auto", train.Request{Steps: 4}, 0, ""},
	} {
		c.request.Epsilon = 1
		each := candidate(t, s, c.request, sweep.Setting{Name: c.name, Value: c.value})
		each.Options.LearningRate = c.rate
		if c.want == "norm" {
			if c.want = number(each.Linear.Plan.Clipping.Norm); c.want == c.value {
				t.Fatalf("%s %s: the plan has it, want another", c.name, c.value)
			}
		}
		varied := []sweep.Parameter{{Name: c.name, Values: []string{c.value}}}
		r := []sweep.Measurement{{Run: sweep.Run{Settings: each.Settings, Repeat: 1}, LearningRate: 0.7}}
		for _, name := range sweep.Metrics(s.Target) {
			r[0].Metrics = append(r[0].Metrics, sweep.Metric{Name: name, Value: 0.5})
		}
		summaries := sweep.Summarize([]sweep.Candidate{each}, r)
		var results, summary strings.Builder
		if err := writeResults(&results, varied, []sweep.Candidate{each}, r); err != nil {
			t.Fatal(err)
		}
		if err := writeSummary(&summary, varied, summaries); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{results.String(), summary.String()} {
			lines := strings.Split(text, "\n")
			head, row := strings.Split(lines[0], ","), strings.Split(lines[1], ",")
			ran := slices.Index(head, c.name)
			want, asked := c.want, c.name+askedEnd
			if want == "" {
				want, asked = c.value, c.name
			}
			if head[0] != asked || row[0] != c.value || ran < 0 || row[ran] != want || len(head) != len(row) {
				t.Errorf("%s %s: got %q, want %s first and %s that ran", c.name, c.value, lines[:2], asked, want)
			}
		}
		cell, want := (&Study{Varied: varied, Target: s.Target}).Rows(summaries)[1][0], c.value
		if c.want != "" {
			want += ", ran " + c.want
		}
		if cell != want {
			t.Errorf("%s %s: the terminal has %q, want %q", c.name, c.value, cell, want)
		}
	}
}

// TestPairWords wants the words of the flag interactions for parameters of the transform.
func TestPairWords(t *testing.T) {
	for parameters, want := range map[string]string{`{"pairs":"all","bins":64}`: "all", `{"pairs":"none"}`: "bins", `{"pairs":[["a","b"],["b","c"]]}`: "a*b,b*c",
		`{"pairs":"all","pair-bins":2}`: "all", `{"pairs":"all","pair-bins":4}`: "all (pair-bins 4)", `{"pairs":[["a","b"]],"pair-bins":8}`: "a*b (pair-bins 8)"} {
		if got := pairWords([]byte(parameters), false); got != want {
			t.Errorf("%s: got %q, want %q", parameters, got, want)
		}
	}
	if got := pairWords([]byte(`{"pairs":"all","pair-bins":2}`), true); got != "all (pair-bins 2)" {
		t.Errorf("got %q where the target is a number, want its bins", got)
	}
	const points = `{"pairs":"all","bins":128,"pair-bins":16,"coordinates":[["x","y"],["v","w"]]}`
	if got, want := pairWords([]byte(points), true), "all (pair-bins 16, bins 128, coordinates x*y, coordinates v*w)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for bins, want := range map[int]string{32: "all (coordinates x*y, coordinate-bins 32)", 64: "all (coordinates x*y)", 128: "all (coordinates x*y, coordinate-bins 128)"} {
		if got := pairWords(fmt.Appendf(nil, `{"pairs":"all","coordinates":[["x","y"]],"coordinate-bins":%d}`, bins), true); got != want {
			t.Errorf("got %q for %d bins of coordinates, want %q", got, bins, want)
		}
	}
	if got, want := pairWords([]byte(`{"pairs":"all","bins":128,"coordinates":[["x","y"]]}`), false), "all (coordinates x*y)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPairBinsAreDefaults plans pairs without a number of bins: their words name no number.
func TestPairBinsAreDefaults(t *testing.T) {
	levels, regression := schema(t), schema(t)
	regression.Target.Levels, regression.Target.Lower, regression.Target.Upper = nil, 0, 1
	for name, s := range map[string]*data.Schema{"levels": levels, "a number": regression} {
		for parameters, want := range map[string]string{`{"pairs":"all"}`: "all", `{"pairs":"all","pair-bins":16}`: "all (pair-bins 16)"} {
			c := candidate(t, s, train.Request{Epsilon: 1, Steps: 4, Transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(parameters)}}})
			if got := interactionsOf(&c); got != want {
				t.Errorf("target of %s, %s: got %q, want %q", name, parameters, got, want)
			}
		}
	}
}

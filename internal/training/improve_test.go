package training

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// numbered returns a schema with this many numbers and this target.
func numbered(t *testing.T, numbers, most int, target, more string) *data.Schema {
	t.Helper()
	text := fmt.Sprintf("dither-schema: 1\nrow: one person\nmax-records: %d\ntarget: {column: y, %s}\ndefaults: {missing: zero, out-of-range: clamp, unknown: zero}\ncolumns:\n%s", most, target, more)
	for j := range numbers {
		text += fmt.Sprintf("  x%d: {numeric: [0, 1]}\n", j)
	}
	s, err := data.ParseSchema("numbered.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestImprove has the rules as a table. At epsilon 1 and delta 1e-6 the signal is 600 between 2500 and 2600 records.
func TestImprove(t *testing.T) {
	const two, three, number = "levels: [a, b]", "levels: [a, b, c]", "bounds: [0, 9]"
	const level = "  sex: {levels: [f, m]}\n"
	const place = "  home_lon: {numeric: [-9, 9]}\n  home_lat: {numeric: [-9, 9]}\n"
	unchanged := func(*train.Request, *train.Options) {}
	for _, c := range []struct {
		name, target, more string
		numbers, records   int
		pairs, corrected   bool
		clipped            bool
		change             func(*train.Request, *train.Options)
		interactions       string
		uncorrected        bool
		fine, bins         int
		points             string // words of coordinates and logarithms among the parameters
	}{
		{name: "two levels", target: two, numbers: 5, records: 20000, pairs: true, corrected: true},
		{name: "a number", target: number, numbers: 5, records: 20000, pairs: true, corrected: true},
		{name: "three levels", target: three, numbers: 5, records: 20000},
		{name: "no number", target: two, more: "  town: {levels: [a, b]}\n", records: 20000, corrected: true},
		{name: "declared bins", target: two, more: "  age: {numeric: [0, 9], bins: [3, 6]}\n", records: 20000, corrected: true},
		{name: "texts", target: two, more: "  note: {text: {}}\n", numbers: 5, records: 20000, corrected: true},
		{name: "2500 records", target: number, numbers: 2, records: 2500},
		{name: "2600 records", target: number, numbers: 2, records: 2600, pairs: true},
		{name: "12600 records of numbers", target: number, numbers: 2, records: 12600, pairs: true},
		{name: "12750 records of numbers", target: number, numbers: 2, records: 12750, pairs: true, corrected: true},
		{name: "squared", target: number, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) { r.Loss = model.Squared }},
		{name: "persons with numbers alone", target: number, numbers: 5, records: 200000, change: func(r *train.Request, _ *train.Options) { r.Person = &train.PersonUnit{Column: "p", MaxRows: 5} }},
		{name: "persons with bins", target: number, more: "  old: {numeric: [0, 1], bins: [0.7]}\n", clipped: true, numbers: 5, records: 200000, change: func(r *train.Request, _ *train.Options) { r.Person = &train.PersonUnit{Column: "p", MaxRows: 5} }},
		{name: "persons with numbers and levels", target: number, more: level, clipped: true, numbers: 5, records: 200000, change: func(r *train.Request, _ *train.Options) { r.Person = &train.PersonUnit{Column: "p", MaxRows: 5} }},
		{name: "Huber", target: number, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) { r.Loss = model.Huber(0.25) }},
		{name: "Poisson", target: number, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) { r.Loss = model.Poisson() }},
		{name: "steps for a number", target: number, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) { r.Steps = 120 }},
		{name: "2100 records", target: two, numbers: 2, records: 2100},
		{name: "2400 records", target: two, numbers: 2, records: 2400, corrected: true},
		{name: "images", target: two, numbers: 784, records: 60000, corrected: true},
		{name: "1100000 records", target: number, numbers: 5, records: 1100000, pairs: true, corrected: true},
		{name: "1000000 records", target: number, numbers: 5, records: 1000000, pairs: true, corrected: true, fine: 16},
		{name: "a signal of 6986", target: number, numbers: 5, records: 29500, pairs: true, corrected: true},
		{name: "a signal of 14920", target: number, numbers: 5, records: 63000, pairs: true, corrected: true, fine: 16},
		{name: "a signal of 15040", target: number, numbers: 5, records: 63500, pairs: true, corrected: true, fine: 16, bins: 128},
		{name: "32 bins", target: number, numbers: 10, records: 8500, pairs: true, corrected: true, fine: 16, change: func(r *train.Request, _ *train.Options) { r.Epsilon = 50 }},
		{name: "levels, 64 bins", target: two, numbers: 10, records: 15000, pairs: true, corrected: true, fine: 4, change: func(r *train.Request, _ *train.Options) { r.Epsilon = 50 }},
		{name: "levels, a signal of 23600", target: two, numbers: 5, records: 100000, pairs: true, corrected: true, fine: 4},
		{name: "900000 records", target: number, numbers: 5, records: 900000, pairs: true, corrected: true, fine: 16, bins: 128},
		{name: "a signal of 7010", target: number, numbers: 5, records: 29600, pairs: true, corrected: true, fine: 16},
		{name: "more cells than are not hashed", target: number, numbers: 11, records: 40000, pairs: true, corrected: true},
		{name: "levels, a signal of 12480", target: two, numbers: 5, records: 52700, pairs: true, corrected: true},
		{name: "levels, a signal of 12527", target: two, numbers: 5, records: 52900, pairs: true, corrected: true, fine: 4},
		{name: "a point", target: number, more: place, numbers: 3, records: 18900, pairs: true, corrected: true, points: `"coordinates":[["home_lon","home_lat"]],"pair`},
		{name: "a point, a signal of 4520", target: number, more: place, numbers: 3, records: 19100, pairs: true, corrected: true, points: `"coordinate-bins":128,"coordinates":[["home_lon","home_lat"]],"pair`},
		{name: "a point and two levels", target: two, more: place, numbers: 3, records: 18900, pairs: true, corrected: true, points: `"coordinates":[["home_lon","home_lat"]],"pair`},
		{name: "a point and finer cells", target: number, more: place, numbers: 3, records: 63500, pairs: true, corrected: true, fine: 16, bins: 128, points: `"coordinate-bins":128,"coordinates":[["home_lon","home_lat"]],"pair`},
		{name: "a point of few integers", target: number, more: "  lon: {numeric: [0, 3], integer: true}\n  lat: {numeric: [0, 3], integer: true}\n", numbers: 3, records: 30000, pairs: true, corrected: true, fine: 16},
		{name: "a point that does not fit", target: number, more: place, numbers: 3, records: 1150000, pairs: true, corrected: true},
		{name: "a point and few records", target: number, more: place, numbers: 2, records: 2500},
		{name: "a wide range", target: number, more: "  pay: {numeric: [0, 50000]}\n", numbers: 3, records: 18900, pairs: true, corrected: true, points: `{"half-logarithmic":["pay"],"pairs":"auto"}`},
		{name: "2100000 records", target: number, numbers: 5, records: 2100000, corrected: true},
		{name: "eight bins", target: number, numbers: 10, records: 1600, pairs: true, change: func(r *train.Request, _ *train.Options) { r.Epsilon = 5 }},
		{name: "four bins", target: number, numbers: 10, records: 1590, change: func(r *train.Request, _ *train.Options) { r.Epsilon = 5 }},
		{name: "words none", target: two, numbers: 5, records: 20000, corrected: true, interactions: NoInteractions},
		{name: "never corrected", target: two, numbers: 5, records: 20000, pairs: true, uncorrected: true},
		{name: "replace one", target: two, numbers: 2, records: 5000, corrected: true, change: func(r *train.Request, _ *train.Options) { r.Neighboring = privacy.ReplaceOne }},
		{name: "persons, scaled rows", target: number, more: level, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) {
			r.Person, r.Normalization = &train.PersonUnit{Column: "p", MaxRows: 5}, feature.NormUnit
		}},
		{name: "persons, a radius", target: number, more: level, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) {
			r.Person, r.Radius = &train.PersonUnit{Column: "p", MaxRows: 5}, 2
		}},
		{name: "persons, another loss", target: number, more: level, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) {
			r.Person, r.Loss = &train.PersonUnit{Column: "p", MaxRows: 5}, model.Squared
		}},
		{name: "persons, not whitened", target: number, more: level, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) {
			r.Person, r.Whiten = &train.PersonUnit{Column: "p", MaxRows: 5}, train.No
		}},
		{name: "persons, a transform", target: number, more: level, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) {
			r.Person, r.Transforms = &train.PersonUnit{Column: "p", MaxRows: 5}, []feature.Spec{{Name: "crosses"}}
		}},
		{name: "persons, steps", target: number, more: level, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) {
			r.Person, r.Steps = &train.PersonUnit{Column: "p", MaxRows: 5}, 100
		}},
		{name: "persons", target: two, numbers: 5, records: 20000, corrected: true, change: func(r *train.Request, _ *train.Options) { r.Person = &train.PersonUnit{Column: "p", MaxRows: 5} }},
		{name: "weights", target: two, numbers: 5, records: 20000, pairs: true, change: func(r *train.Request, _ *train.Options) { r.ClassWeights = []float64{1, 2} }},
		{name: "balance", target: two, numbers: 5, records: 20000, pairs: true, change: func(r *train.Request, _ *train.Options) { r.Balance = true }},
		{name: "no intercept", target: two, numbers: 5, records: 20000, pairs: true, change: func(r *train.Request, _ *train.Options) { r.Intercept = -1 }},
		{name: "hinge", target: two, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) { r.Loss = model.Hinge(0.5) }},
		{name: "whitening", target: two, numbers: 5, records: 20000, corrected: true, change: func(r *train.Request, _ *train.Options) { r.Whiten = train.No }},
		{name: "transform", target: two, numbers: 5, records: 20000, corrected: true, change: func(r *train.Request, _ *train.Options) { r.Transforms = []feature.Spec{{Name: "crosses"}} }},
		{name: "baseline", target: two, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) { r.Epsilon = math.Inf(1) }},
		{name: "each step", target: two, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) { r.PerStep = true }},
		{name: "steps", target: two, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) { r.Steps = 120 }},
		{name: "samples", target: two, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) { r.SamplingProbability = 0.1 }},
		{name: "rows clipped", target: two, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) { r.ClippingMode = option.ClipExample }},
		{name: "last iterate", target: two, numbers: 5, records: 20000, change: func(r *train.Request, _ *train.Options) { r.Accounting = option.AccountingLastIterate }},
		{name: "temperature", target: two, numbers: 5, records: 20000, change: func(_ *train.Request, o *train.Options) { o.Temperature = 1 }},
		{name: "adam", target: two, numbers: 5, records: 20000, change: func(_ *train.Request, o *train.Options) { o.Optimizer = option.OptimizerAdam }},
		{name: "iterates", target: two, numbers: 5, records: 20000, change: func(_ *train.Request, o *train.Options) { o.Output = option.OutputAllIterates }},
	} {
		r, o := train.Defaults()
		if c.change == nil {
			c.change = unchanged
		}
		c.change(&r, &o)
		given := len(r.Transforms)
		if c.interactions == "" {
			c.interactions = AutoInteractions
		}
		if err := Improve(&r, o, numbered(t, c.numbers, c.records, c.target, c.more), c.interactions, !c.uncorrected); err != nil {
			t.Fatal(err)
		}
		steps, got := 0, struct {
			Bins  int
			Pairs int `json:"pair-bins"`
		}{}
		if c.fine > 0 {
			steps = option.FineSteps
		}
		if len(r.Transforms) > given {
			if err := json.Unmarshal(r.Transforms[0].Parameters, &got); err != nil || r.Steps != steps || got.Pairs != c.fine || got.Bins != c.bins {
				t.Errorf("%s: got %d steps and %s, want %d, %d bins in pairs and %d alone (%v)", c.name, r.Steps, r.Transforms[0].Parameters, steps, c.fine, c.bins, err)
			}
			if parameters := string(r.Transforms[0].Parameters); !strings.Contains(parameters, c.points) || c.points == "" && (strings.Contains(parameters, "coord") || strings.Contains(parameters, "log")) {
				t.Errorf("%s: got %s, want %s", c.name, parameters, c.points)
			}
		}
		if clipped := r.Normalization == feature.NormClip; clipped != c.clipped {
			t.Errorf("%s: got row normalization %q, want clip %v", c.name, r.Normalization, c.clipped)
		}
		if pairs := len(r.Transforms) > given; pairs != c.pairs || r.Calibrate != c.corrected {
			t.Errorf("%s: got interactions %v and a correction %v, want %v and %v", c.name, pairs, r.Calibrate, c.pairs, c.corrected)
		}
	}
}

// TestWarnsOfNoInteractions wants a warning where a setting of the rows alone keeps the rule from fitting pairs, and
// none where the rule fits none anyway or other words were given.
func TestWarnsOfNoInteractions(t *testing.T) {
	full := func(r *train.Request) { r.Whiten, r.Structure = train.Yes, option.StructureFull }
	for _, c := range []struct {
		name    string
		records int
		words   string
		change  func(*train.Request)
		want    string
	}{
		{"defaults", 20000, AutoInteractions, func(*train.Request) {}, ""},
		{"not whitened", 20000, AutoInteractions, func(r *train.Request) { r.Whiten = train.No }, "Because of --whiten this run"},
		{"whitened in full", 20000, AutoInteractions, full, "Because of --whiten this run"},
		{"centered", 20000, AutoInteractions, func(r *train.Request) { r.Center, r.Whiten = train.Yes, train.Yes }, "Because of --whiten and --center this run"},
		{"few records", 500, AutoInteractions, full, ""},
		{"also steps", 20000, AutoInteractions, func(r *train.Request) { r.Whiten, r.Steps = train.No, 60 }, ""},
		{"other words", 20000, NoInteractions, full, ""},
	} {
		r, o := train.Defaults()
		c.change(&r)
		s := numbered(t, 5, c.records, "levels: [a, b]", "")
		if err := Improve(&r, o, s, c.words, true); err != nil {
			t.Fatal(err)
		}
		run, err := Descent(r, o, false, Tables{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		run.Interactions = c.words
		got := ""
		for _, w := range run.warnings() {
			if strings.Contains(w, "--interactions") {
				got = w
			}
		}
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: got the warning %q, want %q", c.name, got, c.want)
		}
	}
}

// TestWarnsOfNoisyStates wants a warning where missing cells or undeclared levels have states of their own, and no
// released mean of rows tells how frequent they are.
func TestWarnsOfNoisyStates(t *testing.T) {
	const size = "  size: {numeric: [0, 1], missing: indicator}\n"
	for _, c := range []struct {
		name, more string
		records    int
		change     func(*train.Request)
		want       bool
	}{
		{"functions of columns", size, 20000, func(*train.Request) {}, false},
		{"few records", size, 500, func(*train.Request) {}, false},
		{"few records, no such state", "", 500, func(*train.Request) {}, false},
		{"few records, undeclared levels", "  kind: {levels: [a, b], unknown: other}\n", 500, func(*train.Request) {}, false},
		{"not centered", size, 500, func(r *train.Request) { r.Center = train.No }, true},
		{"not centered, undeclared levels", "  kind: {levels: [a, b], unknown: other}\n", 500, func(r *train.Request) { r.Center = train.No }, true},
		{"not centered, no such state", "", 500, func(r *train.Request) { r.Center = train.No }, false},
		{"whitened without a center", size, 500, func(r *train.Request) {
			r.Whiten, r.Structure, r.Center = train.Yes, option.StructureFull, train.No
		}, true},
		{"rows of any norm", size, 500, func(r *train.Request) { r.Normalization, r.Center = feature.NormNone, train.Yes }, true},
		{"texts", size + "  note: {text: {buckets: 256}, missing: zero}\n", 20000, func(r *train.Request) {}, true},
		{"scaled by frequencies without cells", size, 20000, func(r *train.Request) { r.Whiten, r.Structure = train.Yes, option.StructureFrequencies }, true},
		{"other features", size, 20000, func(r *train.Request) {
			r.Whiten, r.Structure, r.Center = train.Yes, option.StructureFull, train.Yes
			r.Transforms = []feature.Spec{{Name: "fourier", Parameters: []byte(`{"features":8}`)}}
		}, true},
		{"cells whitened in full", size, 20000, func(r *train.Request) {
			r.Whiten, r.Structure, r.Transforms = train.Yes, option.StructureFull, []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"none"}`)}}
		}, true},
		{"cells", size, 20000, func(r *train.Request) { r.Transforms = []feature.Spec{{Name: "interactions"}} }, false},
		{"many numbers", "  \"n[0:600]\": {numeric: [0, 1], missing: indicator}\n", 500, func(r *train.Request) { r.Center = train.Yes }, true},
		{"whitened in full", size, 500, func(r *train.Request) { r.Whiten, r.Structure = train.Yes, option.StructureFull }, false},
		{"clipped", size, 500, func(r *train.Request) {
			r.Whiten, r.Structure, r.Normalization = train.Yes, option.StructureFull, feature.NormClip
		}, false},
		{"persons", size, 20000, func(r *train.Request) { r.Person = &train.PersonUnit{Column: "p", MaxRows: 2} }, false},
		{"many numbers, whitened in full", "  \"n[0:600]\": {numeric: [0, 1], missing: indicator}\n", 500, func(r *train.Request) {
			r.Center, r.Whiten, r.Structure = train.Yes, train.Yes, option.StructureFull
		}, false},
		{"functions of persons", size, 20000, func(r *train.Request) {
			r.Person, r.Transforms = &train.PersonUnit{Column: "p", MaxRows: 2}, []feature.Spec{{Name: "interactions"}}
		}, true},
		{"baseline", size, 500, func(r *train.Request) { r.Epsilon = math.Inf(1) }, false},
	} {
		r, o := train.Defaults()
		c.change(&r)
		s := numbered(t, 5, c.records, "levels: [a, b]", c.more)
		if err := Improve(&r, o, s, AutoInteractions, true); err != nil {
			t.Fatal(err)
		}
		run, err := Descent(r, o, false, Tables{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(run.warnings(), " "), "undeclared level"); got != c.want {
			t.Errorf("%s: got a warning %v, want %v", c.name, got, c.want)
		}
	}
}

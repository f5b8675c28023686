package account

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// sample is an event of each kind, with one that cannot cost more: more noise, a smaller sample,
// fewer uses.
type sample struct{ event, cheaper string }

var samples = []sample{
	{"gaussian(3)", "gaussian(3.5)"},
	{"laplace(4)", "laplace(5)"},
	{"discrete-gaussian(30, 1)", "discrete-gaussian(45, 1)"},
	{"discrete-laplace(6, 1)", "discrete-laplace(8, 1)"},
	{"k-norm(5)", "k-norm(6)"},
	{"randomized-response(0.8, 4)", "randomized-response(0.85, 4)"},
	{"exponential(0.3)", "exponential(0.2)"},
	{"permute-and-flip(0.3)", "permute-and-flip(0.2)"},
	{"poisson(0.05, gaussian(1))", "poisson(0.04, gaussian(1))"},
	{"poisson(0.05, laplace(1))", "poisson(0.05, laplace(1.5))"},
	{"poisson(0.05, discrete-gaussian(2, 1))", "poisson(0.05, discrete-gaussian(3, 1))"},
	{"poisson(0.1, discrete-laplace(3, 2))", "poisson(0.1, discrete-laplace(3, 1))"},
	{"poisson(0.05, sequence(gaussian(1.5), repeat(2, gaussian(2))))", "poisson(0.05, sequence(gaussian(1.5), gaussian(2)))"},
	{"poisson(0.1, adaptive-clipping(1, 8))", "poisson(0.1, adaptive-clipping(1, 9))"},
	{"adaptive-clipping(3, 8)", "adaptive-clipping(3.2, 8)"},
	{"without-replacement(1000, 20, gaussian(4))", "without-replacement(1000, 15, gaussian(4))"},
	{"with-replacement(1000, 20, gaussian(4))", "with-replacement(1000, 20, gaussian(5))"},
	{"truncated-poisson(0.01, 1000, 25, gaussian(1))", "truncated-poisson(0.01, 1000, 35, gaussian(1))"},
	{"random-allocation(2, gaussian(3))", "random-allocation(3, gaussian(3))"},
	{"partition(10, gaussian(3))", "partition(10, gaussian(4))"},
	{"parallel(gaussian(3), laplace(4))", "parallel(gaussian(3.5), laplace(5))"},
	{"jl-clipping(5, 40, 2, 0.1)", "jl-clipping(5, 80, 1.5, 0.1)"},
	{"jl-clipping(9, 40, 2, 1)", "jl-clipping(10, 40, 2, 1)"},
	{"mixture-of-gaussians(2, 0, 0.8, 1, 0.15, 2, 0.05)", "mixture-of-gaussians(2.5, 0, 0.8, 1, 0.15, 2, 0.05)"},
	{"last-iterate(30, 0.95, 500)", "last-iterate(30, 0.95, 400)"},
	{"last-iterate-convex(40, 9, 500)", "last-iterate-convex(41, 9, 500)"},
	{"tree-aggregation(12, 1000)", "tree-aggregation(12, 500)"},
	{"banded-matrix(4, 4, 100, 1)", "banded-matrix(5, 4, 100, 1)"},
	{"banded-matrix(1, 4, 100, 0.1)", "banded-matrix(1, 8, 100, 0.1)"},
	{"objective-perturbation(6, 0.02)", "objective-perturbation(7, 0.02)"},
	{"repeat-and-select(1, 5, gaussian(6))", "repeat-and-select(1, 5, gaussian(7))"},
	{"repeat-and-select(+Inf, 5, gaussian(6))", "repeat-and-select(+Inf, 5, gaussian(7))"},
	{"assumed-dp(0.2, 1e-9, add-or-remove-one)", "assumed-dp(0.1, 1e-9, add-or-remove-one)"},
	{"assumed-dp(0.2, 0, replace-one)", "assumed-dp(0.1, 0, replace-one)"},
	{"assumed-zcdp(0.05, add-or-remove-one)", "assumed-zcdp(0.04, add-or-remove-one)"},
	{"assumed-xi-zcdp(0.02, 0.05, add-or-remove-one)", "assumed-xi-zcdp(0.01, 0.05, add-or-remove-one)"},
	{"sequence(gaussian(4), repeat(3, poisson(0.1, gaussian(2))), laplace(8))", "sequence(gaussian(4), repeat(2, poisson(0.1, gaussian(2))), laplace(8))"},
	{"repeat(4, sequence(gaussian(9), exponential(0.1)))", "repeat(3, sequence(gaussian(9), exponential(0.1)))"},
	{"non-private()", "gaussian(5)"},
}

// slowSample would take a third of the time of TestConformance, which leaves it to the long run. Other tests price it always.
const slowSample = "jl-clipping(5, 40, 2, 0.1)"

// slowSamples take seconds with most accountants. In the ordinary run TestConformance asks slowAccountant about them.
var slowSamples = []string{"without-replacement(1000, 20, gaussian(4))", "jl-clipping(9, 40, 2, 1)"}

const slowAccountant = "basic"

// asked reports whether TestConformance asks the accountant of number k about sample i: each accountant has a sixth of
// the samples, and each sample one accountant.
func asked(k, i int, a Accountant, s sample) bool {
	switch {
	case thorough:
		return true
	case s.event == slowSample:
		return false
	case slices.Contains(slowSamples, s.event):
		return a.Name() == slowAccountant
	}
	return (i+k)%6 == 3
}

const conformanceDelta = 1e-6

func parsed(t testing.TB, text string) mechanism.Event {
	t.Helper()
	e, err := mechanism.ParseEvent(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var relations = []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne, privacy.ZeroOut}

// conformanceWidth is the width of pld's intervals in these tests.
const conformanceWidth = 1e-3

// skipShort leaves out what takes long where the race detector is on.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("long: part of the ordinary run")
	}
}

// accountants are all but Best, which is made of them, with pld at a width that is soon computed.
func accountants() []Accountant {
	out := []Accountant{lossDistributions{width: conformanceWidth}}
	for _, a := range All() {
		if a.Name() != "pld" && a.Name() != "best" {
			out = append(out, a)
		}
	}
	return out
}

// alike reports whether two intervals say the same, up to the width that pld leaves.
func alike(a, b Interval) bool {
	near := func(x, y float64) bool { return x == y || math.Abs(x-y) <= 2*conformanceWidth*math.Abs(y)+2e-5 }
	return near(a.Lower, b.Lower) && near(a.Upper, b.Upper) && (a.Estimate == b.Estimate || near(a.Estimate, b.Estimate))
}

// TestSamplesAreComplete holds that every kind of event has a row.
func TestSamplesAreComplete(t *testing.T) {
	all := ""
	for _, s := range samples {
		all += s.event + " "
	}
	for _, name := range mechanism.EventNames() {
		if !strings.Contains(all, name+"(") {
			t.Errorf("%s has no sample", name)
		}
	}
}

// TestConformance runs the laws over every event, relation and accountant that has an answer.
func TestConformance(t *testing.T) {
	for k, a := range accountants() {
		for i, s := range samples {
			if !asked(k, i, a, s) {
				continue
			}
			var add *Interval // what the relation before answered
			for _, n := range relations {
				e := parsed(t, s.event)
				if n == privacy.ZeroOut && mechanism.CheckNeighboring(e, privacy.AddOrRemoveOne) == nil {
					continue // the same to every accountant: see TestZeroOutIsAddOrRemove
				}
				v, err := a.Epsilon(e, conformanceDelta, n)
				if err == nil {
					conform(t, a, s, n, v)
					if n == privacy.AddOrRemoveOne {
						add = &v
					} else if n == privacy.ReplaceOne && add != nil && v.Upper < add.Upper*(1-2*conformanceWidth)-2e-5 {
						t.Errorf("%s of %s: %v under replace-one is less than %v under add-or-remove-one", a.Name(), s.event, v, *add)
					}
				} else if !strings.HasPrefix(err.Error(), "account: ") && !strings.HasPrefix(err.Error(), "mechanism: ") {
					t.Errorf("%s of %s under %v: error %q", a.Name(), s.event, n, err)
				}
			}
		}
	}
}

func conform(t *testing.T, a Accountant, s sample, n privacy.Neighboring, v Interval) {
	t.Helper()
	e := parsed(t, s.event)
	epsilon := func(e mechanism.Event, delta float64) Interval {
		got, err := a.Epsilon(e, delta, n)
		if err != nil {
			t.Errorf("%s under %v: %v: %v", a.Name(), n, e, err)
		}
		if !(got.Lower <= got.Estimate && got.Estimate <= got.Upper && got.Lower >= 0) {
			t.Errorf("%s under %v: %v: interval %v is out of order", a.Name(), n, e, got)
		}
		return got
	}
	fail := func(law string, got, want any) {
		t.Errorf("%s of %s under %v: %s: got %v, want %v", a.Name(), s.event, n, law, got, want)
	}
	if !(v.Lower <= v.Estimate && v.Estimate <= v.Upper) {
		fail("order of the interval", v, "lower, estimate, upper")
	}
	if got := epsilon(mechanism.Repeat{Event: e, Count: 0}, conformanceDelta); got.Upper != 0 {
		fail("zero uses", got, 0)
	}
	three := mechanism.Sequence{e, e, e}
	if got, want := epsilon(mechanism.Repeat{Event: e, Count: 3}, conformanceDelta), epsilon(three, conformanceDelta); !alike(got, want) {
		fail("repeat is a sequence", got, want)
	} else if got.Upper < v.Upper*(1-2*conformanceWidth)-2e-5 {
		fail("three uses cost no less than one", got, v)
	}
	other := mechanism.Gaussian{NoiseMultiplier: 7}
	if alone, err := a.Epsilon(other, conformanceDelta, n); err == nil && alone.Upper < math.Inf(1) {
		if got, want := epsilon(mechanism.Sequence{e, other}, conformanceDelta), epsilon(mechanism.Sequence{other, e}, conformanceDelta); !alike(got, want) {
			fail("order of events", got, want)
		}
	}
	if got := epsilon(e, 10*conformanceDelta); got.Upper > v.Upper*(1+2*conformanceWidth)+2e-5 {
		fail("a larger delta costs no more", got, v)
	}
	if cheaper := parsed(t, s.cheaper); mechanism.CheckNeighboring(cheaper, n) == nil {
		if got, err := a.Epsilon(cheaper, conformanceDelta, n); err != nil || got.Upper > v.Upper*(1+2*conformanceWidth)+2e-5 {
			fail("the cheaper event", fmt.Sprint(got, err), v)
		}
	}
	d, err := a.Delta(e, v.Upper, n)
	if err != nil || d.Lower > conformanceDelta*(1+1e-2) || v.Upper > 0 && !math.IsInf(v.Upper, 1) && d.Upper > conformanceDelta*1.1 || !(d.Lower <= d.Upper) {
		fail("delta of epsilon", fmt.Sprint(d, err), conformanceDelta)
	}
	if _, open := e.(mechanism.NonPrivate); open && !math.IsInf(v.Upper, 1) {
		fail("a release without protection", v, math.Inf(1))
	}
}

// question is what an accountant is asked about a sample at conformanceDelta.
type question struct {
	accountant, event string
	relation          privacy.Neighboring
}

// onlyThorough skips a test that needs answers, which take a third of the time of all tests.
func onlyThorough(t *testing.T) {
	t.Helper()
	if !thorough && !*update {
		t.Skip("all accountants price all events: run with -tags long")
	}
}

// answers are those of all accountants about all samples; what is missing was refused. Several tests look at
// them.
var answers = sync.OnceValue(func() map[question]Interval {
	out := map[question]Interval{}
	for _, s := range samples {
		e, err := mechanism.ParseEvent(s.event)
		if err != nil {
			panic(err)
		}
		for _, n := range relations {
			for _, a := range All() {
				if v, failed := a.Epsilon(e, conformanceDelta, n); failed == nil {
					out[question{a.Name(), s.event, n}] = v
				}
			}
		}
	}
	return out
})

// TestZeroOutIsAddOrRemove holds that both relations cost the same where both have a proof.
func TestZeroOutIsAddOrRemove(t *testing.T) {
	onlyThorough(t)
	for _, s := range samples {
		add, one := answers()[question{"best", s.event, privacy.AddOrRemoveOne}]
		zero, two := answers()[question{"best", s.event, privacy.ZeroOut}]
		if one && two && add != zero {
			t.Errorf("%s: %v under zero-out, %v under add-or-remove-one", s.event, zero, add)
		}
	}
}

// TestOrderOfAccountants holds that no valid upper bound lies below a proven lower one, and that pld is
// no worse than rdp.
func TestOrderOfAccountants(t *testing.T) {
	onlyThorough(t)
	for _, s := range samples {
		for _, n := range relations {
			given := map[string]Interval{}
			for _, a := range All() {
				if v, ok := answers()[question{a.Name(), s.event, n}]; ok {
					given[a.Name()] = v
				}
			}
			for x, v := range given {
				for y, w := range given {
					if v.Lower > w.Upper {
						t.Errorf("%s under %v: lower bound %v of %s is above the upper bound %v of %s", s.event, n, v.Lower, x, w.Upper, y)
					}
				}
				if given["best"].Upper > v.Upper {
					t.Errorf("%s under %v: best is %v, %s is %v", s.event, n, given["best"].Upper, x, v.Upper)
				}
			}
			pld, one := given["pld"]
			if rdp, two := given["rdp"]; one && two && pld.Upper > rdp.Upper*(1+1e-4)+1e-6 {
				t.Errorf("%s under %v: pld is %v, rdp %v", s.event, n, pld, rdp)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the table of what each accountant answers")

// supportTable says, for each event and relation, which accountants answer and why the others do not.
func supportTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprint(&b, "# Which accountant prices which event\n"+
		"\n"+
		"`go test ./account -run TestSupportTable -update` writes this page. [account.md](account.md#events)\n"+
		"explains the events, and [accounting.md](accounting.md#bounds) the accountants.\n"+
		"\n"+
		"| accountant | refuses these events, although they have a proof |\n"+
		"|---|---|\n"+
		"| gdp | all events that are not equivalent to Gaussian releases. It prices all other events exactly |\n"+
		"| zcdp | events that disclose a record with some probability, and mixtures that no single release dominates. For both kinds no Rényi bound at all orders is known |\n"+
		"| pld | assumed-zcdp, assumed-xi-zcdp and repeat-and-select, since they have no dominating pair of distributions |\n"+
		"| rdp, basic, advanced, best | none |\n"+
		"\n"+
		"There is no event for\n"+
		"\n"+
		"- shuffling (each record in one batch of a fixed size, in random order);\n"+
		"- noise that a dense matrix or a buffered linear Toeplitz matrix correlates;\n"+
		"- Poisson samples of vectors with discrete noise;\n"+
		"- approximate zCDP.\n"+
		"\n"+
		"If a proof elsewhere covers one of these mechanisms, state its guarantee as `assumed-dp`.\n"+
		"`random-allocation` prices releases of other programs only: dither itself does not sample this way.\n"+
		"\n"+
		"The next table names the accountants that price the event of a row under the neighboring relation of\n"+
		"a column. \"Refused: no proof\" means that no proof covers the event under this relation. Then every\n"+
		"accountant refuses the event.\n"+
		"\n")
	fmt.Fprintf(&b, "| event | %s |\n|---|---|---|---|\n", "add-or-remove-one | replace-one | zero-out")
	for _, s := range samples {
		fmt.Fprintf(&b, "| `%s` |", s.event)
		for _, n := range relations {
			fmt.Fprintf(&b, " %s |", supported(t, s, n))
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func supported(t *testing.T, s sample, n privacy.Neighboring) string {
	t.Helper()
	if mechanism.CheckNeighboring(parsed(t, s.event), n) != nil {
		return "refused: no proof"
	}
	refused := []string{}
	for _, a := range All() {
		if _, ok := answers()[question{a.Name(), s.event, n}]; !ok {
			refused = append(refused, a.Name())
		}
	}
	if len(refused) == 0 {
		return "all"
	}
	return "all but " + strings.Join(refused, ", ")
}

// TestSupportTable holds the committed table against what the accountants answer.
func TestSupportTable(t *testing.T) {
	onlyThorough(t)
	path, want := filepath.Join("..", "docs", "accountants.md"), supportTable(t)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the accountants answer (%v); run the test with -update and look at the difference", path, err)
	}
}

// TestReplaceOneMovesTwoBounds holds that additive noise and scores cost under replace-one what half the
// noise costs under add-or-remove-one.
func TestReplaceOneMovesTwoBounds(t *testing.T) {
	for text, half := range map[string]string{
		"gaussian(3)":                 "gaussian(1.5)",
		"laplace(4)":                  "laplace(2)",
		"discrete-laplace(6, 1)":      "discrete-laplace(6, 2)",
		"discrete-gaussian(9, 1)":     "discrete-gaussian(9, 2)",
		"k-norm(5)":                   "k-norm(2.5)",
		"exponential(0.25)":           "exponential(0.5)",
		"last-iterate(30, 0.95, 50)":  "last-iterate(15, 0.95, 50)",
		"tree-aggregation(12, 100)":   "tree-aggregation(6, 100)",
		"banded-matrix(4, 4, 100, 1)": "banded-matrix(2, 4, 100, 1)",
	} {
		for _, a := range All() {
			v, err := a.Epsilon(parsed(t, text), conformanceDelta, privacy.ReplaceOne)
			w, failed := a.Epsilon(parsed(t, half), conformanceDelta, privacy.AddOrRemoveOne)
			if (err == nil) != (failed == nil) || err == nil && math.Abs(v.Upper/w.Upper-1) > 1e-9 {
				t.Errorf("%s of %s under replace-one: %v (%v), of %s %v (%v)", a.Name(), text, v, err, half, w, failed)
			}
		}
	}
}

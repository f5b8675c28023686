package reproduce

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/public"
)

// laboratory is one with the measuring data, if they are there.
func laboratory() experiment.Environment {
	dir := os.Getenv("DITHER_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	return experiment.Environment{Data: dir}
}

// needs skips a test without a folder of the measuring data.
func needs(t *testing.T, folder string) experiment.Environment {
	t.Helper()
	l := laboratory()
	if !public.Here(l.Data, folder) {
		t.Skipf("the folder %s is absent: set DITHER_DATA to the measuring data", folder)
	}
	return l
}

// check runs an experiment and wants every golden value, every row explained and every curve drawable.
func check(t *testing.T, r experiment.Reproduction, l experiment.Environment) experiment.Outcome {
	t.Helper()
	out, err := r.Run(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	checkOutcome(t, r, out)
	return out
}

// shortRuns are the outcomes of experiments that TestDocs and a test of their own look at, by name.
var shortRuns = map[string]experiment.Outcome{}

// shortRun runs an experiment once for all tests of it.
func shortRun(t *testing.T, r experiment.Reproduction) experiment.Outcome {
	t.Helper()
	out, found := shortRuns[r.Name]
	if !found {
		var err error
		if out, err = r.Run(context.Background(), experiment.Environment{Repeats: 2}); err != nil {
			t.Fatal(err)
		}
		shortRuns[r.Name] = out
	}
	return out
}

// checkOutcome wants of an outcome what check wants.
func checkOutcome(t *testing.T, r experiment.Reproduction, out experiment.Outcome) {
	t.Helper()
	golden := 0
	for _, c := range out.Comparisons {
		if !c.Agrees() {
			t.Errorf("%s: %s: got %v, want %v within %v", r.Name, c.Quantity, c.Value, c.Golden.Value, c.Golden.Tolerance)
		}
		if c.Golden != nil {
			golden++
		}
		if c.Quantity == "" || c.Ours == "" || strings.TrimSpace(c.Why) == "" {
			t.Errorf("%s: a row is not explained: %+v", r.Name, c)
		}
	}
	t.Logf("%s: %d rows, %d of them golden, %d figures", r.Name, len(out.Comparisons), golden, len(out.Figures))
	for _, f := range out.Figures {
		checkFigure(t, f)
	}
}

func checkFigure(t *testing.T, f figure.Figure) {
	t.Helper()
	if f.Name == "" || f.Title == "" || len(f.Panels) == 0 {
		t.Errorf("figure %+v has no name, title or panel", f)
	}
	for _, p := range f.Panels {
		for _, s := range p.Series {
			if len(s.Points) == 0 {
				t.Errorf("%s: series %q has no points", f.Name, s.Name)
			}
			for i, v := range s.Points {
				if i > 0 && v.X < s.Points[i-1].X || v.Low > v.Y || v.Y > v.High || p.X.Log && v.X <= 0 || p.Y.Log && v.Y <= 0 {
					t.Errorf("%s: series %q: point %d is %+v after %+v", f.Name, s.Name, i, v, s.Points[max(0, i-1)])
				}
			}
		}
	}
}

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Reproductions() {
		if r.Name == "" || strings.ToLower(r.Name) != r.Name || seen[r.Name] || r.Title == "" || r.Source == "" || !(r.Minutes > 0) || r.Run == nil {
			t.Errorf("entry %+v has no name of its own in small letters, no title, source, minutes or way to run", r)
		}
		seen[r.Name] = true
	}
	chosen, err := Named("composition")
	if err != nil || len(chosen) != 1 || chosen[0].Name != "composition" {
		t.Errorf("Named(composition): got %v, %v", chosen, err)
	}
	if _, err = Named("nothing"); err == nil || !strings.Contains(err.Error(), "composition") {
		t.Errorf("Named(nothing): got error %v, want one that lists what is known", err)
	}
	for _, r := range Linear() {
		if !r.Linear {
			t.Errorf("Linear() has %s", r.Name)
		}
	}
}

func TestRun(t *testing.T) {
	works := func(name string, data ...string) experiment.Reproduction {
		return experiment.Reproduction{Name: name, Data: data, Run: func(context.Context, experiment.Environment) (experiment.Outcome, error) {
			return experiment.Outcome{Notes: []string{name}}, nil
		}}
	}
	fails := works("b")
	fails.Run = func(context.Context, experiment.Environment) (experiment.Outcome, error) {
		return experiment.Outcome{}, errors.New("no")
	}
	var got []string
	err := Run(context.Background(), []experiment.Reproduction{works("a"), fails, works("c", "no-such-folder"), works("d")}, experiment.Environment{Data: t.TempDir()},
		func(r experiment.Result) error {
			got = append(got, r.Name+strings.Join(r.Notes, "")+strings.Join(r.Missing, ","))
			return nil
		})
	if want := "aa cno-such-folder dd"; strings.Join(got, " ") != want || err == nil || !strings.Contains(err.Error(), "reproduce: b: no") {
		t.Errorf("got %v and error %v, want %s and the error of b", got, err, want)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	got = nil
	if err = Run(ctx, []experiment.Reproduction{fails, works("a")}, experiment.Environment{}, func(r experiment.Result) error { got = append(got, r.Name); return nil }); err == nil || got != nil {
		t.Errorf("after a cancellation: got %v, %v, want an error and nothing run", got, err)
	}
}

func TestWrite(t *testing.T) {
	results := []experiment.Result{
		{Reproduction: experiment.Reproduction{Name: "one", Title: "One", Source: "Somebody"}, Seconds: 2.04, Outcome: experiment.Outcome{
			Comparisons: []experiment.Comparison{
				{Quantity: "a | b", Published: "1", Ours: "1.5", Value: 1.5, Deterministic: true, Why: "so", Golden: &experiment.Golden{Value: 1, Tolerance: 0.25}},
				{Quantity: "c", Ours: "words", Value: math.NaN(), Why: "no number"},
			},
			Figures: []figure.Figure{{Name: "f", Title: "F"}}, Notes: []string{"note"},
		}},
		{Reproduction: experiment.Reproduction{Name: "two", Title: "Two"}, Missing: []string{"mnist"}},
	}
	if got := results[0].Disagreements(); len(got) != 1 || got[0].Quantity != "a | b" {
		t.Errorf("Disagreements: got %+v, want the first row", got)
	}
	var b bytes.Buffer
	if err := WriteJSON(&b, results); err != nil {
		t.Fatal(err)
	}
	var decoded struct {
		Reproductions []struct {
			Name        string
			Comparisons []struct{ Value *float64 }
			Figures     []string
			Missing     []string
		}
	}
	if err := json.Unmarshal(b.Bytes(), &decoded); err != nil {
		t.Fatal(err)
	}
	first := decoded.Reproductions[0]
	if *first.Comparisons[0].Value != 1.5 || first.Comparisons[1].Value != nil || first.Figures[0] != "one-f" || decoded.Reproductions[1].Missing[0] != "mnist" {
		t.Errorf("JSON: got %s", b.Bytes())
	}
	b.Reset()
	if err := WriteCSV(&b, results); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(lines) != 3 || lines[1][4] != "1.5" || lines[1][6] != "1" || lines[2][4] != "" || lines[2][6] != "" {
		t.Errorf("CSV: got %q, %v", lines, err)
	}
	b.Reset()
	if err = WriteMarkdown(&b, results, "figures/"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## One", `| a \| b | 1 | 1.5 | so |`, "| c | – | words (random, one run) | no number |", "(figures/one-f.svg)", "Not run: no folder mnist", "public data sets"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("Markdown lacks %q:\n%s", want, b.String())
		}
	}
}

// TestComposition wants the last points of the curves to be figures of the table as well.
func TestComposition(t *testing.T) {
	out := shortRun(t, composition())
	checkOutcome(t, composition(), out)
	for _, p := range out.Figures[0].Panels {
		for _, s := range p.Series {
			last := s.Points[len(s.Points)-1].Y
			if !slices.ContainsFunc(out.Comparisons, func(c experiment.Comparison) bool { return math.Abs(c.Value/last-1) < 2e-3 }) {
				t.Errorf("%s, %s: the last point is %v, which no row has", p.Title, s.Name, last)
			}
		}
	}
}

// TestSample holds mean and interval against a table of Student's law: 4.303 at 2 degrees of freedom.
func TestSample(t *testing.T) {
	s := sample{1, 2, 3}
	if got, want := s.reach(), 4.3026527/math.Sqrt(3); math.Abs(got-want) > 1e-6 || s.mean() != 2 || s.deviation() != 1 {
		t.Errorf("got mean %v, deviation %v, reach %v, want 2, 1, %v", s.mean(), s.deviation(), got, want)
	}
	for _, c := range []struct {
		s    sample
		want string
	}{{s, "200 ± 248 % (3 runs)"}, {sample{0.5}, "50.00 % (one run)"}, {sample{0.5, 0.5}, "50.00 % (2 runs, all alike)"}, {sample{0.7701, 0.7702, 0.7703}, "77.020 ± 0.025 % (3 runs)"}} {
		if got := c.s.text(100, " %"); got != c.want {
			t.Errorf("%v: got %q, want %q", c.s, got, c.want)
		}
	}
}

func TestDigits(t *testing.T) {
	for v, want := range map[float64]string{30.9838: "30.98", 400: "400.0", 0.0049062: "0.004906", 123456: "123456", 0.00001: "1e-05", math.Inf(1): "+Inf"} {
		if got := digitsOf(v, 4); got != want {
			t.Errorf("digitsOf(%v, 4): got %s, want %s", v, got, want)
		}
	}
}

// TestBookDescent holds the chapter's losses, and its accuracies after one step and ten; the rest of the chapter is
// behind the tag long.
func TestBookDescent(t *testing.T) {
	l := needs(t, "adult-book")
	records, err := readBook(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	b := &bookRun{bookRecords: records, lab: l}
	b.single()
	if err = b.descent(context.Background(), 10); err != nil {
		t.Fatal(err)
	}
	if err = b.cost(); err != nil {
		t.Fatal(err)
	}
	for _, c := range b.rows {
		if !c.Agrees() {
			t.Errorf("%s: got %v, want %v", c.Quantity, c.Value, c.Golden.Value)
		}
	}
	if len(b.rows) < 20 || len(b.figures) != 2 {
		t.Errorf("got %d rows and %d figures, want the losses of five steps, two accuracies and the cost", len(b.rows), len(b.figures))
	}
}

func TestSalary(t *testing.T) {
	check(t, salary(), experiment.Environment{Repeats: 20})
}

func TestTheorems(t *testing.T) {
	check(t, theorems(), experiment.Environment{Repeats: 20})
}

// TestRankSettings wants the theorem's numbers: steps n²ε², and a bound that is ExcessBound of the problem and falls
// like 1/n but for the norm of the minimizer.
func TestRankSettings(t *testing.T) {
	r, err := newRankRun(context.Background(), 40)
	if err != nil {
		t.Fatal(err)
	}
	if r.steps != 400 || r.training.Records() != 40 || r.schema.Records != 40 {
		t.Errorf("got %d steps, %d rows, %d declared, want 400, 40, 40", r.steps, r.training.Records(), r.schema.Records)
	}
	want := r.found.ProjectedNorm * math.Sqrt(1+2*float64(r.found.Rank)*math.Log(1e5)) / 20
	if got := r.found.Bound(rankEpsilon, rankDelta); math.Abs(got/want-1) > 1e-3 {
		t.Errorf("the bound is %v, want %v", got, want)
	}
	averaged, last, err := r.measure(context.Background(), 2)
	if err != nil || len(averaged) != 2 || len(last) != 2 || averaged[0] == averaged[1] || averaged.mean() < 0 || averaged.mean() > r.found.Bound(rankEpsilon, rankDelta) {
		t.Errorf("got excess %v and %v, %v, want two different runs of each below the bound", averaged, last, err)
	}
}

// TestUnbounded wants a lower bound from runs to lie below the exact cost, and that of the clipped twin below its
// guarantee. Each bound fails with probability 0.05 at most by its own account; here it must pass the truth by 0.5,
// which for 10000 runs of each data set is more than six deviations of the counts (false alarm below 1e-8). With clipped
// gradients, one in 100 attacks of 10000 runs proves nothing, and a record without a point in the figure has one of five.
// That all eight records have none happens with probability below 1e-9.
func TestUnbounded(t *testing.T) {
	out := check(t, unbounded(), experiment.Environment{Repeats: 10})
	for _, c := range out.Comparisons {
		if random := strings.Contains(c.Shown(), fmt.Sprintf("in %d attacks", attackRepeats)); random == c.Deterministic {
			t.Errorf("%s: got %s, want random figures marked as such, with their spread, and no others", c.Quantity, c.Shown())
		}
	}
	series := out.Figures[0].Panels[1].Series
	for i, exact := range series[3].Points {
		for _, p := range series[0].Points {
			if !(p.Low <= p.Y && p.Y <= p.High) {
				t.Errorf("outlier %v: %v lies outside of %v to %v", p.X, p.Y, p.Low, p.High)
			}
			if p.X == exact.X && p.Y > series[3].Points[i].Y+0.5 {
				t.Errorf("outlier %v: the runs prove %v, more than the exact %v", p.X, p.Y, exact.Y)
			}
		}
	}
	for _, p := range series[1].Points {
		if p.Y > attackEpsilon+0.5 {
			t.Errorf("outlier %v, clipped: the runs prove %v, more than the guarantee", p.X, p.Y)
		}
	}
	if largest := series[0].Points[len(series[0].Points)-1].Y; largest < 5 {
		t.Errorf("an outlier of 1000 without clipping: the runs prove %v, want at least 5", largest)
	}
}

// TestClopperPearson holds limits against those of the binomial law: 0 of n, and all of n, in closed form.
func TestClopperPearson(t *testing.T) {
	if low, high := clopperPearson(0, 100, 0.025); low != 0 || math.Abs(high-(1-math.Pow(0.025, 0.01))) > 1e-9 {
		t.Errorf("0 of 100: got %v, %v", low, high)
	}
	if low, high := clopperPearson(100, 100, 0.025); high != 1 || math.Abs(low-math.Pow(0.025, 0.01)) > 1e-9 {
		t.Errorf("100 of 100: got %v, %v", low, high)
	}
}

// TestLeastSquares is golden on the data set that comes with the program.
func TestLeastSquares(t *testing.T) {
	checkOutcome(t, leastSquares(), shortRun(t, leastSquares()))
}

// TestSquaresDescend holds one step and the minimizer of a problem that is solved by hand: H = diag(4, 1), c = (4, 2).
func TestSquaresDescend(t *testing.T) {
	s := squares{h: kernel.NewMatrix([]float64{4, 0, 0, 1}, 2, 2), c: []float64{4, 2}, best: []float64{1, 2}, low: 1, high: 4}
	// From zero the loss is (4 + 4)/2; a step of 1/4 solves the first coordinate and leaves 3/4 of the second: 4·9/16/2.
	if path := s.descend(0.25, 0, 0.2); len(path) < 2 || math.Abs(path[1]-9.0/32) > 1e-12 {
		t.Errorf("got %v, want 9/32 after one step", path)
	}
}

// TestGeneralization wants the minimizer of few rows to learn them, and private runs not to pass their bound by more
// than the training rows' own error explains: five of its deviations and half a point (false alarm below 1e-6).
// It takes two numbers of rows, and all with the tag long.
func TestGeneralization(t *testing.T) {
	if all := gapRecords; !thorough {
		gapRecords = []int{50, 400}
		defer func() { gapRecords = all }()
	}
	out := check(t, generalization(), experiment.Environment{Repeats: 4})
	gaps := out.Figures[0].Panels[1].Series
	if first := gaps[0].Points[0].Y; first < 20 {
		t.Errorf("without privacy the gap of %d rows is %v points, want at least 20", gapRecords[0], first)
	}
	for i, p := range gaps[1].Points {
		if limit := gaps[2].Points[0].Y + 5*50/math.Sqrt(float64(gapRecords[i])) + 0.5; p.Y > limit {
			t.Errorf("%d rows: the private gap is %v, want at most %v", gapRecords[i], p.Y, limit)
		}
	}
	// At (1, 1e-6) the exact Gaussian mechanism has μ = 0.23670, whose distance is erf(μ/√8).
	if want := 100 * math.Erf(0.23670/math.Sqrt(8)); math.Abs(gaps[2].Points[0].Y-want) > 0.01 {
		t.Errorf("the bound is %v, want %v", gaps[2].Points[0].Y, want)
	}
}

// TestAggregate wants clipped means to have the noise of their width: with 5 blocks at ε = 1 a scale of 800, so that
// the mean of 15 distances is not from 100 to 2400 with probability 1e-7 (a Gamma law), and the median of many blocks
// to be near.
func TestAggregate(t *testing.T) {
	out := check(t, aggregate(), experiment.Environment{Repeats: 15})
	series := out.Figures[0].Panels[1].Series
	if v := series[1].Points[0].Y; v < 100 || v > 2400 {
		t.Errorf("5 blocks: mean distance of clipped means is %v, want about 800", v)
	}
	if v := series[0].Points[4].Y; v > 200 {
		t.Errorf("100 blocks: mean distance of the private median is %v, want some 10", v)
	}
}

// TestHealthDivides wants persons of the two parts to be distinct, and as many as declared.
func TestHealthDivides(t *testing.T) {
	h, err := readHealth(context.Background(), 100)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for part, d := range map[string]*data.Dataset{"training": h.training, "test": h.test} {
		codes, persons, failed := d.Group("person")
		if failed != nil {
			t.Fatal(failed)
		}
		for _, c := range codes {
			if seen[persons[c]] {
				t.Errorf("%s: person %s occurs twice", part, persons[c])
			}
			seen[persons[c]] = true
		}
	}
	if h.training.Records() != 100 || h.schema.Records != 100 || len(seen) != 100+h.test.Records() {
		t.Errorf("got %d rows for training, %d declared, %d persons in all", h.training.Records(), h.schema.Records, len(seen))
	}
	if _, err = readHealth(context.Background(), 1000000); err == nil {
		t.Error("a million persons: got no error")
	}
}

// TestRandomFiguresAreMarked wants a mark on a random figure that does not tell its spread, and on no other.
func TestRandomFiguresAreMarked(t *testing.T) {
	for _, c := range []struct {
		ours          string
		deterministic bool
		want          string
	}{
		{"0.42", false, "0.42 (random, one run)"}, {"0.42", true, "0.42"}, {"78.0 ± 0.1 % (20 runs)", false, "78.0 ± 0.1 % (20 runs)"},
		{"81.2 (one run)", false, "81.2 (random, one run)"}, {"1 (3 runs, all alike)", false, "1 (3 runs, all alike)"},
	} {
		if got := (experiment.Comparison{Ours: c.ours, Deterministic: c.deterministic}).Shown(); got != c.want {
			t.Errorf("%q, deterministic %v: got %q, want %q", c.ours, c.deterministic, got, c.want)
		}
	}
}

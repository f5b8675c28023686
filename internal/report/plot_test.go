package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
)

func TestBars(t *testing.T) {
	tests := []struct {
		name          string
		value         float64
		class         string
		x, width      string
		labelIsWhole  bool
		feature, want string
	}{
		{"largest", 2, "positive", "50.00%", "49.00%", true, "age", "age"},
		{"negative", -1, "negative", "25.50%", "24.50%", true, "age", "age"},
		{"zero", 0, "positive", "50.00%", "0.00%", true, "age", "age"},
		{"NaN", math.NaN(), "positive", "50.00%", "0.00%", true, "age", "age"},
		{"infinite", math.Inf(-1), "negative", "50.00%", "0.00%", true, "age", "age"},
		{"long name", 1, "positive", "50.00%", "24.50%", false, strings.Repeat("é", 70), strings.Repeat("é", 59) + "…"},
		{"name that fits", 1, "positive", "50.00%", "24.50%", true, strings.Repeat("é", 60), strings.Repeat("é", 60)},
	}
	for _, test := range tests {
		b := newBar(Coefficient{Feature: test.feature, Value: test.value}, 2)
		if b.Class != test.class || b.X != test.x || b.Width != test.width {
			t.Errorf("%s: got %s at %s, width %s; want %s at %s, width %s", test.name, b.Class, b.X, b.Width, test.class, test.x, test.width)
		}
		if b.Label != test.want || (b.Full == b.Label) != test.labelIsWhole {
			t.Errorf("%s: got label %q of %q, want %q", test.name, b.Label, b.Full, test.want)
		}
	}
	if got := newBar(Coefficient{}, 0).Width; got != "0.00%" {
		t.Errorf("got width %s when all weights are 0, want 0.00%%", got)
	}
}

func TestScorePlots(t *testing.T) {
	var coefficients []Coefficient
	for i := range maxBars + maxListedAfter + 5 {
		coefficients = append(coefficients, Coefficient{Feature: "a", Score: "first", Value: float64(-i)})
	}
	for i := range maxScores + 2 {
		coefficients = append(coefficients, Coefficient{Feature: "a", Score: fmt.Sprint("score ", i), Value: 58})
	}
	plots, left := scorePlots(coefficients, 7)
	if len(plots) != maxScores || left != 3 {
		t.Fatalf("got %d plots and %d left, want %d and 3", len(plots), left, maxScores)
	}
	first := plots[0]
	if first.Score != "first" || len(first.Bars) != maxBars || len(first.Others) != maxListedAfter || first.Left != 12 || plots[1].Left != 7 {
		t.Errorf("got score %s, %d bars, %d others, %d left; want first, %d, %d, 12", first.Score, len(first.Bars), len(first.Others), first.Left, maxBars, maxListedAfter)
	}
	// All scores share the scale at which 58 is the largest.
	if first.Bars[29].Width != "24.50%" || plots[1].Bars[0].Width != "49.00%" {
		t.Errorf("got widths %s and %s, want 24.50%% and 49.00%%", first.Bars[29].Width, plots[1].Bars[0].Width)
	}
}

func TestBudget(t *testing.T) {
	tests := []struct {
		name   string
		shares []float64
		widths []string
	}{
		{"whole", []float64{.25, .75}, []string{"25.00%", "75.00%"}},
		{"a part", []float64{.25}, []string{"25.00%"}},
		{"too much", []float64{1, 3}, []string{"25.00%", "75.00%"}},
		{"no numbers", []float64{math.NaN(), -1, math.Inf(1), 0, .5}, []string{"50.00%"}},
		{"none", nil, nil},
	}
	for _, test := range tests {
		var events []Event
		for _, share := range test.shares {
			events = append(events, Event{Share: share})
		}
		rows, segments := budget(events)
		if len(rows) != len(events) || len(segments) != len(test.widths) {
			t.Errorf("%s: got %d rows and %d segments, want %d and %d", test.name, len(rows), len(segments), len(events), len(test.widths))
			continue
		}
		at := 0.0
		for i, s := range segments {
			if s.Width != test.widths[i] || s.X != percentOf(at) {
				t.Errorf("%s: got segment %d at %s, width %s; want %s, %s", test.name, i, s.X, s.Width, percentOf(at), test.widths[i])
			}
			at += parse(strings.TrimSuffix(s.Width, "%"))
		}
	}
}

func TestConfusionCells(t *testing.T) {
	tests := []struct {
		name         string
		count, total int
		right        bool
		want         string
	}{
		{"all right", 10, 10, true, "right shade5"},
		{"all wrong", 10, 10, false, "wrong shade5"},
		{"some", 5, 20, true, "right shade1"},
		{"few", 1, 20, false, ""},
		{"no records", 0, 0, true, ""},
		{"malformed", 5, 3, true, ""},
	}
	for _, test := range tests {
		if got := newConfusionCell(test.count, test.total, test.right).Class; got != test.want {
			t.Errorf("%s: got class %q, want %q", test.name, got, test.want)
		}
	}
}

func TestLargeConfusionIsLeftOut(t *testing.T) {
	p := binaryPage()
	n := maxConfusion + 1
	p.Metrics.Confusion = &Confusion{Levels: make([]string, n), Counts: make([][]int, n)}
	for i := range n {
		p.Metrics.Confusion.Counts[i] = make([]int, n)
	}
	page := written(t, p, 0)
	if strings.Contains(page, `class="confusion"`) || !strings.Contains(page, "too many levels") {
		t.Errorf("got a confusion matrix of %d levels, want a note in its place", n)
	}
}

// TestRiskFigure wants every point of the curve on the bound, for any epsilon, and the marks on theirs. Where
// the curve is next to vertical a float does not tell where it stands, and it must only rise.
func TestRiskFigure(t *testing.T) {
	for _, epsilon := range []float64{0, 1e-9, 1, 20, 1000} {
		g := Guarantee{Epsilon: epsilon, Delta: 1e-6, GroupRows: 2, GroupEpsilon: math.Inf(1)}
		f := riskFigure(g)
		before := 0.0
		for _, p := range f.Panels[0].Series[0].Points {
			want := 100 * account.TradeOff{}.With(epsilon, g.Delta).TruePositives(p.X/100)
			if epsilon < 10 && math.Abs(p.Y-want) > 1e-9*(1+want) || p.Y < before || p.Y > 100 {
				t.Errorf("ε %v: got %v %% recognized at %v %%, behind %v, want %v", epsilon, p.Y, p.X, before, want)
			}
			before = p.Y
		}
		if got := f.Panels[0].Series[1].Points; got[0].Y != 100 {
			t.Errorf("ε %v: got %v for a group without a bound, want 100 %%", epsilon, got[0])
		}
		answers := f.Panels[1].Series[0].Points
		if first, last := answers[0], answers[len(answers)-1]; first.X != 0 || math.Abs(first.Y-50) > 1e-3 || last.X < epsilon || last.Y > 100 {
			t.Errorf("ε %v: got right answers from %v to %v, want from 50 %% at 0 to beyond epsilon", epsilon, first, last)
		}
		if m := f.Panels[1].Marks[0]; m.X != epsilon || m.Y != 100*rightAt(epsilon, g.Delta) {
			t.Errorf("ε %v: got the mark %+v", epsilon, m)
		}
	}
}

func TestEstimateBars(t *testing.T) {
	got := estimateBars([]Interval{{"a", 2, 1, 4}, {"b", -2, -4, -1}, {"c", 1, -2, 4}, {"d", math.NaN(), 1, 2}, {"e", 0, 0, 0}, {"f", 1, math.Inf(-1), 2}})
	want := []estimateBar{
		{"a", "+2.0000", "62.00%", "98.00%", "74.00%", "positive"},
		{"b", "−2.0000", "2.00%", "38.00%", "26.00%", "negative"},
		{"c", "+1.0000", "26.00%", "98.00%", "62.00%", "unsure"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if n := len(estimateBars(slices.Repeat([]Interval{{"a", 1, 1, 1}}, 2*maxEstimateBars))); n != maxEstimateBars {
		t.Errorf("got %d bars, want %d", n, maxEstimateBars)
	}
}

// TestCoefficientIntervals: the line of an interval has its ends at their places on the scale, and a weight whose
// interval has 0 is gray. Without an interval there is neither.
func TestCoefficientIntervals(t *testing.T) {
	plots, _ := scorePlots([]Coefficient{{Feature: "sure", Value: 3, Half: 1}, {Feature: "unsure", Value: -1, Half: 2}, {Feature: "bare", Value: 0.5}}, 0)
	got := plots[0].Bars
	for i, want := range []bar{
		{Class: "positive", Low: "74.50%", High: "99.00%", Half: "± 1"},
		{Class: "unsure", Low: "13.25%", High: "62.25%", Half: "± 2"},
		{Class: "positive"},
	} {
		if b := got[i]; b.Class != want.Class || b.Low != want.Low || b.High != want.High || b.Half != want.Half {
			t.Errorf("%s: got class %s, interval %s to %s, %q; want %+v", b.Label, b.Class, b.Low, b.High, b.Half, want)
		}
	}
}

// TestShapes: the first shapes are drawn, levels by their shares of the records or by evidence where there are many, and
// the others stand in a table.
func TestShapes(t *testing.T) {
	var all []Shape
	for i := range maxShapes + 3 {
		s := Shape{Name: fmt.Sprint("column ", i)}
		for k := range maxStates + 2 {
			s.States = append(s.States, Coefficient{Feature: fmt.Sprint("level ", k), Value: float64(k), Half: 0.5})
		}
		all = append(all, s)
	}
	number := 0
	shown := newShapes(all, &number)
	views, rest := shown.Columns, shown.Rest
	if len(views) != maxShapes || rest == nil || len(rest.Rows) != 3 || rest.Rows[0][1] != "0 ± 0.5" || rest.Rows[0][2] != "+13.0000 ± 0.5" {
		t.Fatalf("got %d shapes and the table %v, want %d and 3 rows from 0 to 13", len(views), rest, maxShapes)
	}
	if p := views[0].Plot; len(p.Bars) != maxStates || len(p.Others) != 2 || p.Bars[0].Label != "level 13" {
		t.Errorf("got %d bars from %v and %d others, want %d from level 13", len(p.Bars), p.Bars[0], len(p.Others), maxStates)
	}
	if shown = newShapes(all[:1], &number); shown.Rest != nil || len(shown.Columns) != 1 || shown.Pairs {
		t.Errorf("of one shape got %v", shown)
	}
	for k := range all[0].States {
		all[0].Shares = append(all[0].Shares, float64(100-k)/1300)
	}
	if p := newShapes(all, &number).Columns[0].Plot; p.Bars[0].Label != "level 0" || p.Others[0].Label != "level 12" {
		t.Errorf("got bars from %v, and others from %v, want the levels with the most records first", p.Bars[0], p.Others[0])
	}
	if got := (Shape{Name: "age", Unit: "years", Score: "a"}).title(); got != "age (years), score of a" {
		t.Errorf("got the title %q, want the unit in it", got)
	}
}

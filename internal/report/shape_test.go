package report

import (
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/figure"
)

// TestShapeWords: the words above the figures speak of intervals, of records and of scales only if these are known.
func TestShapeWords(t *testing.T) {
	bare := Shape{Name: "a", Points: []figure.Point{figure.Value(0, 1), figure.Value(1, 1)}}
	banded := Shape{Name: "b", Weighted: true, Scaled: true, Of: "price", States: []Coefficient{{Value: 1, Half: 1}}}
	const records, alike, interval, noise = "mean over the records", "declared states", "interval. It says how far the noise of privacy may have moved the value, as for the coefficients. It does not cover the chance by which records came into the sample", "About one figure of the page may have an effect by noise alone"
	for name, c := range map[string]struct {
		shapes    []Shape
		want, not []string
	}{
		"non-private":  {[]Shape{bare}, []string{alike, "changes of the score.", "due to chance"}, []string{records, interval, "noise", "over the records"}},
		"frequencies":  {[]Shape{banded}, []string{records, interval, noise, "changes of price for a row of about average norm"}, []string{alike, "due to chance", "uneven"}},
		"both":         {[]Shape{banded, bare}, []string{records, alike, interval, noise}, nil},
		"before scale": {[]Shape{{Name: "c", Unscaled: true}}, []string{"before it is scaled or clipped"}, []string{"average norm"}},
		"uneven":       {[]Shape{{Name: "d", Points: bare.Points, Knots: []float64{0, 1}}}, []string{"Some axes are uneven"}, nil},
	} {
		text := strings.Join(shapeWords(c.shapes), " ")
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: got %q without %q", name, text, w)
			}
		}
		for _, w := range c.not {
			if strings.Contains(text, w) {
				t.Errorf("%s: got %q with %q", name, text, w)
			}
		}
	}
}

// TestPairWords: that no pair has an effect is said of pairs without coordinates alone.
func TestPairWords(t *testing.T) {
	plain := madePair(2, 2, func(int) Coefficient { return Coefficient{Value: 1} })
	point, none := plain, plain
	point.Pair = &Pair{Across: plain.Pair.Across, Up: plain.Pair.Up, Point: true}
	none.Effect = 0
	still := point
	still.Effect = 0
	const no, other = "No pair of columns has an effect", "No other pair of columns has an effect"
	for name, c := range map[string]struct {
		shapes []Shape
		says   string
	}{
		"point alone": {[]Shape{point}, ""}, "one": {[]Shape{plain}, ""}, "none": {[]Shape{none}, no}, "point and none": {[]Shape{point, none}, other}, "no effect at all": {[]Shape{still, none}, no}, "all": {[]Shape{point, none, plain}, ""},
	} {
		number := 0
		text := strings.Join(pairWords(newShapes(c.shapes, &number)), " ")
		for _, w := range []string{no, other} {
			if strings.Contains(text, w) != (w == c.says) {
				t.Errorf("%s: got %q", name, text)
			}
		}
		if strings.Contains(text, "hatched") || strings.Contains(text, "interval") {
			t.Errorf("%s: got %q without intervals", name, text)
		}
	}
}

// TestChanged: changes of a price have four digits, and small ones four decimals.
func TestChanged(t *testing.T) {
	for x, want := range map[float64]string{12433.9075: "+12430", -0.25: "−0.2500", -1234567: "−1235000", 99.5: "+99.5000", 0: "0"} {
		if got := changed(x); got != want && !(x == 0 && got == signed(0)) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestShapesShowTheirEffects wants an effect, or that there is none, below each figure and each map, and no weights.
func TestShapesShowTheirEffects(t *testing.T) {
	number, states := 0, []Coefficient{{Feature: "x", Value: 1, Half: 2}}
	views := newShapes([]Shape{{Name: "a", Effect: 0.5, Of: "price", States: states}, {Name: "b", States: states}}, &number)
	if a, b := views.Columns[0], views.Columns[1]; a.Effect != "effect 0.5" || b.Effect != "no effect" || a.Plot.Of != "change of price" || b.Plot.Of != "change of the score" {
		t.Errorf("got %+v and %+v", a, b)
	}
	var page strings.Builder
	if err := binaryPage().WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	section := text[strings.Index(text, "<h2>What each column does"):strings.Index(text, "<h2>Coefficients")]
	if strings.Contains(strings.ToLower(section), "weight") || !strings.Contains(section, "change of the log-odds of yes") {
		t.Error("the figures speak of weights, or not of log-odds")
	}
}

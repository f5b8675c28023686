package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/figure"
)

// longFigure is a curve of n points that swings widely, with one spike and one wide interval, and a short one beside it.
func longFigure(n int, logarithmic bool) figure.Figure {
	long := figure.Series{Name: "long"}
	for i := range n {
		y := math.Sin(float64(i)) + 3
		long.Points = append(long.Points, figure.Value(float64(i+1), y))
	}
	long.Points[n/3].Y, long.Points[n/3].High = 9, 9
	long.Points[n/2].Low = 1.5
	short := figure.Series{Name: "short", Points: []figure.Point{figure.Value(1, 3), figure.Value(float64(n), 4)}}
	return figure.Figure{Title: "Long", Panels: []figure.Panel{{X: figure.Axis{Label: "x", Log: logarithmic}, Y: figure.Axis{Label: "y"}, Series: []figure.Series{long, short}}}}
}

// TestLongCurvesAreThinned wants few points, in order and all of them of the curve, with its ends and extremes, and none left out further
// than a strip from one that is kept and as low or as high.
func TestLongCurvesAreThinned(t *testing.T) {
	for _, logarithmic := range []bool{false, true} {
		const n = 50_000
		f := longFigure(n, logarithmic)
		all := f.Panels[0].Series[0].Points
		panel := prepare(f).Panels[0]
		got := panel.Series[0].Points
		if len(got) > mostPoints || len(got) < thinStrips || panel.Series[0].Left != n-len(got) || len(panel.Series[1].Points) != 2 {
			t.Errorf("logarithmic %v: got %d points, %d left out, want at most %d", logarithmic, len(got), panel.Series[0].Left, mostPoints)
		}
		if got[0] != all[0] || got[len(got)-1] != all[n-1] || !slices.Contains(got, all[n/3]) || !slices.Contains(got, all[n/2]) {
			t.Errorf("logarithmic %v: an end, the spike or the wide interval is left out", logarithmic)
		}
		k := 0
		for _, p := range all {
			if k < len(got) && got[k] == p {
				k++
			}
			covered := func(by func(figure.Point) bool) bool {
				return slices.ContainsFunc(got, func(q figure.Point) bool {
					return math.Abs(panel.X.place(q.X)-panel.X.place(p.X)) <= 1.0/thinStrips && by(q)
				})
			}
			if p.X < 2000 && !(covered(func(q figure.Point) bool { return q.High >= p.High && q.Y >= p.Y }) && covered(func(q figure.Point) bool { return q.Low <= p.Low })) {
				t.Fatalf("logarithmic %v: %+v is outside of what is drawn", logarithmic, p)
			}
		}
		if k != len(got) {
			t.Errorf("logarithmic %v: %d of %d points are those of the curve, in order", logarithmic, k, len(got))
		}
	}
	f := longFigure(mostPoints, false)
	if got := prepare(f).Panels[0].Series[0]; len(got.Points) != mostPoints || got.Left != 0 {
		t.Errorf("of %d points %d are drawn, want all", mostPoints, len(got.Points))
	}
}

// TestLongCurvesMakeSmallPages wants the size of a page to stop growing with its curves, and every point to be counted.
func TestLongCurvesMakeSmallPages(t *testing.T) {
	page := documented(t, Document{Title: "x", Sections: []Section{{Figures: []figure.Figure{longFigure(200_000, false)}}}})
	if len(page) > 200_000 || !strings.Contains(page, "199702 further points are not listed") {
		t.Errorf("got a page of %d bytes, want less than 200000, with the count of points that are not listed", len(page))
	}
	var b bytes.Buffer
	if err := WriteSVG(&b, longFigure(200_000, false)); err != nil || b.Len() > 200_000 {
		t.Errorf("got a picture of %d bytes, %v, want less than 200000", b.Len(), err)
	}
}

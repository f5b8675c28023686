package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
)

// costPlot is a plot of n points: epsilon grows as the root of the count, and the trade-off
// is that of one number with normal noise.
func costPlot(n int) CostPlot {
	p := CostPlot{Title: "repeat(1000, gaussian(50))", Delta: 1e-6, Counted: "steps"}
	for i := range n {
		v := math.Sqrt(float64(i + 1))
		p.Costs = append(p.Costs, CostPoint{float64(25 * (i + 1)), 0.9 * v, v * (0.99 - 0.08*float64(i)/float64(n)), v})
	}
	for i := range 101 {
		x := float64(i) / 100
		p.Errors = append(p.Errors, ErrorRates{x, (1 - x) * (1 - x)})
	}
	return p
}

func drawn(t *testing.T, p CostPlot) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// svgTexts returns the texts of a picture that must be well-formed XML, and its paths.
func svgTexts(t *testing.T, svg string) (texts, paths []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	inside := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts, paths
		}
		if err != nil {
			t.Fatalf("got no XML: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = token.Name.Local
			for _, a := range token.Attr {
				if inside == "path" && a.Name.Local == "d" {
					paths = append(paths, a.Value)
				}
			}
		case xml.EndElement:
			inside = ""
		case xml.CharData:
			if inside == "text" || inside == "title" || inside == "desc" {
				texts = append(texts, string(token))
			}
		}
	}
}

func TestCostPlotSaysWhatItShows(t *testing.T) {
	svg := drawn(t, costPlot(40))
	texts, _ := svgTexts(t, svg)
	all := strings.Join(texts, "\n")
	for _, want := range []string{
		"repeat(1000, gaussian(50))", "steps", "ε in nats, at δ = 1e-6", "false positives (share)", "false negatives (share)",
		"estimate", "proven band: to 6.32456, 10 % wide, at the end", "a coin toss", "no attacker is below",
		"At 1,000 it is at most 6.3246", "200", "1000", "0.2",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("got texts %q, want %q among them", texts, want)
		}
	}
	if strings.Contains(all, "-0") || strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error("got a minus zero or no number, want numbers")
	}
	if !strings.Contains(svg, `width="675pt" height="315pt"`) {
		t.Error("the picture is not 900 by 420 pixels")
	}
	if strings.Contains(svg, "font-family:Liberation Sans;") || !strings.Contains(svg, "Arial,Helvetica,sans-serif") {
		t.Error("got a font without others to fall back on")
	}
	if svg != drawn(t, costPlot(40)) {
		t.Error("two pictures of the same plot differ")
	}
}

// TestCostPlotScale recovers the estimate from the path that was drawn: the abscissa is linear
// in the count and the ordinate in epsilon.
func TestCostPlotScale(t *testing.T) {
	p := costPlot(40)
	_, paths := svgTexts(t, drawn(t, p))
	for _, path := range paths {
		points := pathPoints(path)
		if len(points) != 40 {
			continue
		}
		first, last := points[0], points[39]
		for i, at := range points {
			x := (at[0] - first[0]) / (last[0] - first[0])
			y := (at[1] - first[1]) / (last[1] - first[1])
			wantX := float64(i) / 39
			wantY := (p.Costs[i].Estimate - p.Costs[0].Estimate) / (p.Costs[39].Estimate - p.Costs[0].Estimate)
			if math.Abs(x-wantX) > 1e-3 || math.Abs(y-wantY) > 1e-3 {
				t.Errorf("point %d is at %.4f, %.4f of the curve, want %.4f, %.4f", i, x, y, wantX, wantY)
			}
		}
		return
	}
	t.Errorf("got %d paths, none with the 40 points of the estimate", len(paths))
}

// pathPoints reads the corners of a path of lines.
func pathPoints(path string) [][2]float64 {
	var points [][2]float64
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return r == 'M' || r == 'L' || r == 'Z' }) {
		x, y, _ := strings.Cut(part, ",")
		u, errX := strconv.ParseFloat(x, 64)
		v, errY := strconv.ParseFloat(y, 64)
		if errX == nil && errY == nil {
			points = append(points, [2]float64{u, v})
		}
	}
	return points
}

func TestCostPlotOddNumbers(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		costs  []CostPoint
		errors []ErrorRates
		want   string
	}{
		"nothing":           {nil, nil, "There is no finite ε"},
		"infinite":          {[]CostPoint{{1, 0, inf, inf}}, nil, "There is no finite ε"},
		"infinite at last":  {[]CostPoint{{1, 1, 1, 1}, {2, 2, 2, 2}, {3, 0, inf, inf}}, nil, "At 2 it is at most 2"},
		"upper bounds only": {[]CostPoint{{1, 0, 1, 1}, {2, 0, 2, 2}}, nil, "proven upper bound: 2 at the end"},
		"free":              {[]CostPoint{{1, 0, 0, 0}, {2, 0, 0, 0}}, []ErrorRates{{0, 1}, {1, 0}}, "proven upper bound: 0 at the end"},
		"one point":         {[]CostPoint{{1, 0.5, 0.5, 0.6}}, nil, "proven band"},
		"tiny":              {[]CostPoint{{1, 1e-300, 1e-300, 1.1e-300}}, nil, "proven band"},
		"huge":              {[]CostPoint{{1e15, 1e300, 1e300, 1.1e300}}, nil, "proven band"},
	} {
		svg := drawn(t, CostPlot{Costs: c.costs, Errors: c.errors, Counted: "times"})
		texts, _ := svgTexts(t, svg)
		if all := strings.Join(texts, "\n"); !strings.Contains(all, c.want) || strings.Contains(svg, "NaN") {
			t.Errorf("%s: got %q, want %q and no NaN", name, texts, c.want)
		}
	}
	if err := (CostPlot{Costs: []CostPoint{{math.NaN(), 1, 1, 1}}}).WriteSVG(io.Discard); err == nil {
		t.Error("a count that is no number is drawn, want an error")
	}
}

func TestCostPlotHostileTitle(t *testing.T) {
	p := costPlot(3)
	p.Title = "<script>alert(1)</script>\x1b[2J\u202e & \"" + strings.Repeat("x", 500)
	p.Counted = "</text><a href='x'>"
	texts, _ := svgTexts(t, drawn(t, p))
	all := strings.Join(texts, "")
	if !strings.Contains(all, "<script>") || strings.ContainsAny(all, "\x1b\u202e") {
		t.Errorf("got %q, want the title as text without control characters", all)
	}
}

func TestEvenTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 1, "[0 0.2 0.4 0.6 0.8 1]"}, {0, 1000, "[0 200 400 600 800 1000]"}, {0, 2.37, "[0 0.5 1 1.5 2]"},
		{0, 7, "[0 2 4 6]"}, {0, 40, "[0 10 20 30 40]"}, {0, 1e-7, "[0 2e-8 4e-8 6e-8 8e-8 1e-7]"}, {0, 1e9, "[0 2e8 4e8 6e8 8e8 1e9]"},
	} {
		var labels []string
		for _, tick := range evenTicks(c.low, c.high, costTicks) {
			if label, err := strconv.ParseFloat(tick.Label, 64); err != nil || label != tick.Value {
				t.Errorf("got label %q at %v", tick.Label, tick.Value)
			}
			labels = append(labels, tick.Label)
		}
		if got := fmt.Sprint(labels); got != c.want {
			t.Errorf("from %v to %v: got %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

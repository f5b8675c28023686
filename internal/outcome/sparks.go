package outcome

import (
	"fmt"
	"strings"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/report"
)

// fewestSparks is the number of points from which a curve is drawn for the terminal.
const fewestSparks = 3

// SparkText returns the first metric over each setting that varies, for readers without a browser.
// Each curve is a line: its name, its first value, its course and its last value. The curves of a
// figure have one scale. Bounds and baselines are left out.
func SparkText(figures []figure.Figure) string {
	var out strings.Builder
	for _, f := range figures {
		if metricOf(f) != metricOf(figures[0]) {
			continue
		}
		rows, low, high := sparkRows(f)
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(&out, "\n%s from %s to %s\n", display.Printable(f.Title), low, high)
		var b strings.Builder
		if display.WriteColumns(&b, rows) == nil { // a Builder takes everything
			out.WriteString(b.String())
		}
	}
	return out.String()
}

// metricOf is the part of a figure's name before what it is drawn over.
func metricOf(f figure.Figure) string {
	metric, _, _ := strings.Cut(f.Name, "-over-")
	return metric
}

// sparkRows are the curves of a figure, and the ends of what they are drawn over.
func sparkRows(f figure.Figure) (rows [][]string, from, to string) {
	var ends []float64
	curves := 0
	for _, p := range f.Panels {
		for _, s := range p.Series {
			if sparked(s) {
				ends, curves = append(ends, heights(s)...), curves+1
			}
		}
	}
	for _, p := range f.Panels {
		for _, s := range p.Series {
			if !sparked(s) {
				continue
			}
			values := heights(s)
			last := len(values) - 1
			// All values of the figure stand after the curve's own, so that the scale is theirs.
			line := []rune(report.Sparkline(append(values, ends...)))[:last+1]
			name := s.Name
			if p.Title != "" {
				name += ", " + p.Title
			}
			if curves == 1 {
				name = ""
			}
			rows = append(rows, []string{display.Printable(name), fmt.Sprintf("%.4g", values[0]), string(line), fmt.Sprintf("%.4g", values[last])})
			from, to = fmt.Sprintf("%.4g", s.Points[0].X), fmt.Sprintf("%.4g", s.Points[last].X)
		}
	}
	return rows, from, to
}

func sparked(s figure.Series) bool {
	return !s.Dashed && !s.Scattered && len(s.Points) >= fewestSparks
}

// heights are the values of a curve.
func heights(s figure.Series) []float64 {
	out := make([]float64, len(s.Points))
	for i, p := range s.Points {
		out[i] = p.Y
	}
	return out
}

package outcome

import (
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/figure"
)

// TestSparkText wants the curves of a figure on one scale, without bounds and without other metrics.
func TestSparkText(t *testing.T) {
	line := func(name string, ys ...float64) figure.Series {
		s := figure.Series{Name: name}
		for i, y := range ys {
			s.Points = append(s.Points, figure.Value(float64(i+1)/10, y))
		}
		return s
	}
	bound := line("bound", 9, 9, 9)
	bound.Dashed = true
	figures := []figure.Figure{
		{Name: "accuracy-over-epsilon", Title: "accuracy over epsilon", Panels: []figure.Panel{{Series: []figure.Series{line("norm 1\x1b", 0, 0.5, 0.7), line("norm 2", 0.3, 0.3, 0.3), bound}}}},
		{Name: "accuracy-over-steps", Title: "accuracy over steps", Panels: []figure.Panel{{Series: []figure.Series{line("a", 1, 2)}}}},
		{Name: "loss-over-epsilon", Title: "loss over epsilon", Panels: []figure.Panel{{Series: []figure.Series{line("b", 1, 2, 3)}}}},
	}
	got := SparkText(figures)
	for _, want := range []string{"accuracy over epsilon from 0.1 to 0.3\n", "▁▆█", "▄▄▄", "0.7"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
	for _, no := range []string{"bound", "loss", "steps", "\x1b", "9"} {
		if strings.Contains(got, no) {
			t.Errorf("got %q, want no %q in it", got, no)
		}
	}
	if got = SparkText(nil); got != "" {
		t.Errorf("got %q for no figures, want nothing", got)
	}
	if got = SparkText(figures[2:]); !strings.Contains(got, "▁▅█") || strings.Contains(got, "b ") {
		t.Errorf("got %q for one curve, want it without a name", got)
	}
}

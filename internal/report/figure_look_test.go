package report

import (
	"fmt"
	"math"
	"testing"

	"github.com/ditherml/dither/internal/figure"
)

// blindness maps linear colors to what people without one kind of cone see. Source: G. Machado, M.
// Oliveira and L. Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency",
// IEEE TVCG 15(6), 2009, table of matrices at severity 1.
var blindness = map[string][3][3]float64{
	"nothing missing": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":      {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia":    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":      {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab is a color in CIELAB under D65, as someone sees it.
func lab(c [3]float64, eye [3][3]float64) [3]float64 {
	var linear, seen, xyz [3]float64
	for i, v := range c {
		if v /= 255; v <= 0.04045 {
			linear[i] = v / 12.92
		} else {
			linear[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	for i, row := range eye {
		seen[i] = min(1, max(0, row[0]*linear[0]+row[1]*linear[1]+row[2]*linear[2]))
	}
	toXYZ := [3][3]float64{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}
	white := [3]float64{0.95047, 1, 1.08883}
	for i, row := range toXYZ {
		v := (row[0]*seen[0] + row[1]*seen[1] + row[2]*seen[2]) / white[i]
		if v > 0.008856 {
			xyz[i] = math.Cbrt(v)
		} else {
			xyz[i] = 7.787*v + 16.0/116
		}
	}
	return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}

// TestCurveColors wants every color to stand out from its paper, by WCAG 2.2 at least 3 to 1, and any two
// of them to differ for everyone: by 10 in CIELAB, several times what is just seen.
func TestCurveColors(t *testing.T) {
	for theme, colors := range themes(t) {
		for i := range curveColors {
			a := colors[fmt.Sprintf("curve%d", i)]
			if got := contrast(a, colors["paper"]); got < 3 {
				t.Errorf("%s: got a contrast of %.2f between color %d and paper, want at least 3", theme, got, i)
			}
			for k := range i {
				b := colors[fmt.Sprintf("curve%d", k)]
				for name, eye := range blindness {
					x, y := lab(a, eye), lab(b, eye)
					if far := math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2]); far < 10 {
						t.Errorf("%s, %s: got colors %d and %d %.1f apart, want at least 10", theme, name, k, i, far)
					}
				}
			}
		}
	}
	for i, want := range curvePalette {
		c := themes(t)["light"][fmt.Sprintf("curve%d", i)]
		if got := fmt.Sprintf("#%02x%02x%02x", int(c[0]), int(c[1]), int(c[2])); got != want {
			t.Errorf("got color %d %s on pages, want %s as in files", i, got, want)
		}
		if ink := (look{Color: i}).ink(); fmt.Sprintf("#%02x%02x%02x", ink.R, ink.G, ink.B) != want {
			t.Errorf("got color %d as %v, want %s", i, ink, want)
		}
	}
}

// TestLooks wants a published series to share the color of its run, and any two of many curves to differ
// in color, shape or dashes.
func TestLooks(t *testing.T) {
	f := accuracyFigure()
	f.Panels[1].Series = append(f.Panels[1].Series, figure.Series{Name: "Spent (published)", Published: true})
	places := looks(f)
	if a, b := places[key("spent")], places[key("Spent (published)")]; a != b {
		t.Errorf("got places %d and %d, want the same for a run and its published values", a, b)
	}
	places = looks(figure.Figure{Panels: []figure.Panel{{Series: []figure.Series{{Name: "A"}, {Name: "B"},
		{Name: "without privacy, B", Dashed: true}, {Name: "a bound, B", Dashed: true}, {Name: "without privacy, C", Dashed: true}, {Name: "measured, A"}}}}})
	for name, want := range map[string]int{"a": 0, "b": 1, "without privacy, b": 1, "a bound, b": 2, "without privacy, c": 3, "measured, a": 4} {
		if places[name] != want {
			t.Errorf("got place %d for %q, want %d", places[name], name, want)
		}
	}
	if got := newLook(0, f.Panels[0].Series[2]); !got.Hollow || got.Joined {
		t.Errorf("got %+v for published points, want hollow marks without a line", got)
	}
	if got := newLook(3, f.Panels[0].Series[3]); got.Marked || len(got.Dashes) == 0 {
		t.Errorf("got %+v for a bound, want dashes without marks", got)
	}
	seen := map[string]int{}
	for i := range 3 * curveColors {
		l := newLook(i, figure.Series{})
		name := fmt.Sprint(l.Color, l.Shape)
		if k, twice := seen[name]; twice {
			t.Errorf("got curves %d and %d of the same look", k, i)
		}
		seen[name] = i
	}
}

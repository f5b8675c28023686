package report

import (
	"math"
	"strings"

	"github.com/ditherml/dither/internal/figure"
)

// look is the appearance of a curve: a color and a shape of its marks. Bounds, and curves beyond
// the last color, also have dashes. Equal names in one figure have equal looks.
type look struct {
	// Color counts from 0 and is below curveColors.
	Color int
	// Shape is an index into markShapes.
	Shape int
	// Dashes are lengths of ink and gaps in points, nil for a whole line.
	Dashes []float64
	// Hollow marks are published values.
	Hollow bool
	// Joined is whether a line goes through the points, Marked whether the points themselves show.
	Joined, Marked bool
}

// curveColors is the number of colors. They go by the palette of M. Okabe and K. Ito, "Color
// Universal Design", 2002, https://jfly.uni-koeln.de/color/, darkened or lightened until each
// stands out from the paper; the tests check the contrast and simulate color blindness.
const curveColors = 8

// curvePalette are the colors on white paper, as the style sheet of the pages has them too.
var curvePalette = [curveColors]string{"#0072b2", "#d55e00", "#009e73", "#c0569b", "#1f1f1f", "#2f97d6", "#7a5c00", "#5a2d91"}

// boundDashes are the dashes of bounds, limits and baselines, in turn.
var boundDashes = [][]float64{{6, 3}, {2, 2}, {9, 3, 2, 3}, {4, 5}}

// corner is a point of a mark of size 1 around the origin; Y grows upward.
type corner struct{ X, Y float64 }

// markShapes are polygons of about equal area.
var markShapes = [][]corner{
	regular(24, 0, 0.95), // a circle
	regular(4, math.Pi/4, 1.2),
	regular(3, math.Pi/2, 1.3),
	regular(4, math.Pi/2, 1.25),
	regular(3, -math.Pi/2, 1.3),
	{{-0.4, 1.2}, {0.4, 1.2}, {0.4, 0.4}, {1.2, 0.4}, {1.2, -0.4}, {0.4, -0.4}, {0.4, -1.2}, {-0.4, -1.2}, {-0.4, -0.4}, {-1.2, -0.4}, {-1.2, 0.4}, {-0.4, 0.4}},
	regular(5, math.Pi/2, 1.1),
	regular(6, 0, 1.05),
}

// regular is a polygon of equal sides whose first corner is at an angle.
func regular(sides int, angle, radius float64) []corner {
	out := make([]corner, sides)
	for i := range out {
		sin, cos := math.Sincos(angle + 2*math.Pi*float64(i)/float64(sides))
		out[i] = corner{radius * cos, radius * sin}
	}
	return out
}

// looks returns the place of every name of a figure, in the order of first occurrence. A published
// series has the place of the run that it is compared with. A dashed series, such as "without
// privacy, A", has the place of the first series whose name it ends in.
func looks(f figure.Figure) map[string]int {
	places, next, lined := map[string]int{}, 0, map[int]bool{}
	for _, p := range f.Panels {
		for _, s := range p.Series {
			name := key(s.Name)
			if _, known := places[name]; known {
				continue
			}
			_, end, divided := strings.Cut(name, ", ")
			if place, known := places[end]; s.Dashed && divided && known && !lined[place] {
				places[name], lined[place] = place, true
				continue
			}
			places[name] = next
			lined[next] = s.Dashed
			next++
		}
	}
	return places
}

// key is the name of a series without the word that it is published.
func key(name string) string {
	lower := strings.ToLower(name)
	for _, part := range []string{"(published)", "published:", ", published", "published"} {
		if before, after, found := strings.Cut(lower, part); found {
			return strings.TrimSpace(before + after)
		}
	}
	return strings.TrimSpace(lower)
}

// newLook is the look of a series at its place.
func newLook(place int, s figure.Series) look {
	round := place / curveColors
	l := look{Color: place % curveColors, Shape: (place + 3*round) % len(markShapes), Joined: !s.Scattered, Marked: true, Hollow: s.Published}
	switch {
	case s.Dashed:
		l.Dashes, l.Marked = boundDashes[place%len(boundDashes)], s.Scattered || s.Published
	case s.Published:
		l.Dashes = []float64{1, 2}
	case round > 0:
		l.Dashes = []float64{12, 2}
	}
	return l
}

// markEvery returns the points that have marks: all points of a short curve, and about eight of a
// long one. Marks of neighboring curves are at different points.
func (l look) markEvery(points int) (first, step int) {
	const most, few = 24, 8
	if points <= most || !l.Joined {
		return 0, 1
	}
	step = points / few
	return l.Shape * step / len(markShapes), step
}

// Package figure holds pictures as numbers: curves and points with their axes. Package report draws them.
package figure

// Figure is a picture as numbers: panels of curves and points with their axes. Package report draws
// it.
type Figure struct {
	// Name is the file name of the figure without ending, such as "accuracy-over-epsilon".
	Name string
	// Title stands above the figure.
	Title string
	// Panels stand side by side, and below each other where the page is narrow.
	Panels []Panel
	// Command is the command that makes the figure, such as "dither reproduce book", or "".
	Command string
}

// Panel is one pair of axes.
type Panel struct {
	Title  string
	X, Y   Axis
	Series []Series
	Marks  []Mark
}

// Axis is the quantity along a side of a panel.
type Axis struct {
	// Label names the quantity and its unit, such as "epsilon" or "accuracy, percent".
	Label string
	// Log reports that equal factors have equal lengths. Then every value on the axis is above 0.
	Log bool
	// Knots, if there are any, are values at equal distances on the axis, from its lower end to its upper end. They
	// grow. The axis is even between two of them.
	Knots []float64
}

// Series is one curve.
type Series struct {
	// Name stands in the legend.
	Name string
	// Points grow in X.
	Points []Point
	// Published reports that the values come from a publication and not from a run. They are drawn
	// differently.
	Published bool
	// Dashed reports that the curve is a bound, a limit or a baseline, and not a measurement.
	Dashed bool
	// Scattered reports that the points are not joined.
	Scattered bool
}

// Point is one value of a series with its interval: Low ≤ Y ≤ High. Where there is no interval, the three are equal.
// A point with a value that is not finite is not drawn.
type Point struct{ X, Y, Low, High float64 }

// Mark is one point that is named in the panel, such as the epsilon that was chosen.
type Mark struct {
	X, Y float64
	Text string
}

// Value returns a point without an interval.
func Value(x, y float64) Point { return Point{x, y, y, y} }

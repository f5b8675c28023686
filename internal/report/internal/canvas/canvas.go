// Package canvas draws lines, areas and texts: as an SVG file, or as an image of dots.
//
// Lengths are in points; 72 are an inch. The origin is the lower left corner, and Y grows upward.
package canvas

import "image/color"

// Point is a place on a canvas.
type Point struct{ X, Y float64 }

// Line is the style of a line. Its ends are flat and its corners round.
type Line struct {
	Color color.NRGBA
	Width float64
	// Dashes are lengths of ink and gaps in turn, nil for a whole line. They begin with ink, are
	// above 0 and even in number.
	Dashes []float64
}

// Align is which part of a text stands at its place.
type Align int

// Parts of a text.
const (
	Start Align = iota
	Middle
	End
)

// Text is a line of text.
type Text struct {
	// At is a place on the line that the letters stand on.
	At    Point
	Align Align
	// Size is the size of the font.
	Size float64
	// Upward is whether the text runs from below to above.
	Upward bool
	Text   string
}

// Canvas is what can be drawn on. Later drawings cover earlier ones.
type Canvas interface {
	// Fill fills a polygon.
	Fill(corners []Point, c color.NRGBA)
	// Stroke draws a line through points, and back to the first if it is closed.
	Stroke(points []Point, closed bool, style Line)
	// Write writes a text in black.
	Write(t Text)
}

// Rectangle returns the corners of a rectangle.
func Rectangle(left, low, right, high float64) []Point {
	return []Point{{left, low}, {right, low}, {right, high}, {left, high}}
}

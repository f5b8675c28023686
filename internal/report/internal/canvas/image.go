package canvas

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/vector"
)

// Image is a canvas of dots.
type Image struct {
	dots   *image.RGBA
	scale  float64 // dots a point
	filler vector.Rasterizer
}

var _ Canvas = (*Image)(nil)

// NewImage returns an empty canvas of some size, with this many dots an inch.
func NewImage(width, height, dots float64) *Image {
	scale := dots / 72
	return &Image{dots: image.NewRGBA(image.Rect(0, 0, int(math.Ceil(width*scale)), int(math.Ceil(height*scale)))), scale: scale}
}

// WritePNG writes the image in the format PNG.
func (m *Image) WritePNG(w io.Writer) error { return png.Encode(w, m.dots) }

// Fill implements Canvas.
func (m *Image) Fill(corners []Point, c color.NRGBA) { m.fill([][]Point{corners}, c) }

// Stroke implements Canvas.
func (m *Image) Stroke(points []Point, closed bool, style Line) {
	m.fill(outline(points, closed, style), style.Color)
}

// Write implements Canvas.
func (m *Image) Write(t Text) {
	scale := t.Size / float64(typeface().UnitsPerEm())
	outlines := letters(t.Text)
	back := [...]float64{Start: 0, Middle: 0.5, End: 1}[t.Align] * Width(t.Text, t.Size)
	for _, o := range outlines {
		for i, p := range o {
			along, up := p.X*scale-back, p.Y*scale
			if t.Upward {
				along, up = -up, along
			}
			o[i] = Point{t.At.X + along, t.At.Y + up}
		}
	}
	m.fill(outlines, color.NRGBA{A: 0xff})
}

// fill fills polygons as one area, in which those that turn the same way add and others cut holes.
func (m *Image) fill(polygons [][]Point, c color.NRGBA) {
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, polygon := range polygons {
		for _, p := range polygon {
			x, y := m.place(p)
			left, right = min(left, x), max(right, x)
			top, bottom = min(top, y), max(bottom, y)
		}
	}
	if !(left < right && top < bottom) {
		return
	}
	area := image.Rectangle{
		Min: image.Pt(int(math.Floor(left)), int(math.Floor(top))),
		Max: image.Pt(int(math.Ceil(right)), int(math.Ceil(bottom))),
	}.Intersect(m.dots.Bounds())
	if area.Empty() {
		return
	}
	m.filler.Reset(area.Dx(), area.Dy())
	for _, polygon := range polygons {
		for i, p := range polygon {
			x, y := m.place(p)
			to := [2]float32{float32(x - float64(area.Min.X)), float32(y - float64(area.Min.Y))}
			if i == 0 {
				m.filler.MoveTo(to[0], to[1])
			} else {
				m.filler.LineTo(to[0], to[1])
			}
		}
		m.filler.ClosePath()
	}
	m.filler.Draw(m.dots, area, image.NewUniform(c), image.Point{})
}

// place is where a point lies among the dots. The first dot is at the upper left.
func (m *Image) place(p Point) (x, y float64) {
	return p.X * m.scale, float64(m.dots.Bounds().Dy()) - p.Y*m.scale
}

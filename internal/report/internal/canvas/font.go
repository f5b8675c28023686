package canvas

import (
	"fmt"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// typeface is Liberation Sans, whose letters are as wide as in Arial and Helvetica.
var typeface = sync.OnceValue(func() *sfnt.Font {
	f, err := sfnt.Parse(liberationsansregular.TTF)
	if err != nil {
		panic(fmt.Sprintf("canvas: the font of the program cannot be read: %v", err))
	}
	return f
})

// glyph is a letter and where it begins, in units of the font.
type glyph struct {
	index sfnt.GlyphIndex
	x     float64
}

// layout sets the letters of a text side by side, with kerning, and returns its width in units of
// the font. A letter that the font lacks is an empty box.
func layout(text string) (glyphs []glyph, width float64) {
	f, units := typeface(), fixed.Int26_6(typeface().UnitsPerEm())
	var buffer sfnt.Buffer
	var before sfnt.GlyphIndex
	for _, r := range text {
		index, err := f.GlyphIndex(&buffer, r)
		if err != nil {
			index = 0
		}
		if len(glyphs) > 0 {
			if kern, err := f.Kern(&buffer, before, index, units, font.HintingNone); err == nil {
				width += float64(kern)
			}
		}
		glyphs = append(glyphs, glyph{index, width})
		if advance, err := f.GlyphAdvance(&buffer, index, units, font.HintingNone); err == nil {
			width += float64(advance)
		}
		before = index
	}
	return glyphs, width
}

// Width returns how long a text is in a font of some size.
func Width(text string, size float64) float64 {
	_, width := layout(text)
	return width * size / float64(typeface().UnitsPerEm())
}

// bend is how many straight pieces stand for a curve of a letter.
const bend = 6

// letters returns the outlines of a text that begins at the origin, in units of the font.
func letters(text string) [][]Point {
	f, units := typeface(), fixed.Int26_6(typeface().UnitsPerEm())
	var buffer sfnt.Buffer
	var out [][]Point
	glyphs, _ := layout(text)
	for _, g := range glyphs {
		segments, err := f.LoadGlyph(&buffer, g.index, units, nil)
		if err != nil {
			continue // a letter of color, which this font has none of
		}
		place := func(p fixed.Point26_6) Point { return Point{g.x + float64(p.X), -float64(p.Y)} }
		for _, s := range segments {
			if s.Op == sfnt.SegmentOpMoveTo {
				out = append(out, []Point{place(s.Args[0])})
				continue
			}
			last := &out[len(out)-1]
			switch s.Op {
			case sfnt.SegmentOpLineTo:
				*last = append(*last, place(s.Args[0]))
			case sfnt.SegmentOpQuadTo: // the only curve of a TrueType font
				*last = append(*last, quadratic((*last)[len(*last)-1], place(s.Args[0]), place(s.Args[1]))...)
			}
		}
	}
	return out
}

// quadratic returns the points of a quadratic curve after its first.
func quadratic(from, control, to Point) []Point {
	out := make([]Point, bend)
	for i := range out {
		t := float64(i+1) / bend
		a, b, c := (1-t)*(1-t), 2*t*(1-t), t*t
		out[i] = Point{a*from.X + b*control.X + c*to.X, a*from.Y + b*control.Y + c*to.Y}
	}
	return out
}

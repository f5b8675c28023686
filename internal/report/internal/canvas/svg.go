package canvas

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
)

// fontFamily names the font by which texts are measured, and those that take its place where it is
// absent.
const fontFamily = "'Liberation Sans',Arial,Helvetica,sans-serif"

// SVG is a canvas that becomes a file in the format SVG 1.1, https://www.w3.org/TR/SVG11/. Equal
// drawings are equal files.
type SVG struct {
	width, height float64
	body          strings.Builder
}

var _ Canvas = (*SVG)(nil)

// NewSVG returns an empty canvas of some size.
func NewSVG(width, height float64) *SVG { return &SVG{width: width, height: height} }

// File returns the file. Title and description are for those who do not see it.
func (s *SVG) File(title, description string) string {
	w, h := number(s.width), number(s.height)
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="0 0 %s %s" font-family="%s" stroke-linejoin="round">`, w, h, w, h, fontFamily) + "\n" +
		"<title>" + escaped(title) + "</title>\n<desc>" + escaped(description) + "</desc>\n" + s.body.String() + "</svg>\n"
}

// Fill implements Canvas.
func (s *SVG) Fill(corners []Point, c color.NRGBA) {
	fmt.Fprintf(&s.body, `<path d="%sZ" fill="%s"%s/>`+"\n", s.path(corners), hex(c), opacity("fill-opacity", c))
}

// Stroke implements Canvas.
func (s *SVG) Stroke(points []Point, closed bool, style Line) {
	d := s.path(points)
	if closed {
		d += "Z"
	}
	dashes := ""
	if len(style.Dashes) > 0 {
		var parts []string
		for _, v := range style.Dashes {
			parts = append(parts, number(v))
		}
		dashes = ` stroke-dasharray="` + strings.Join(parts, ",") + `"`
	}
	fmt.Fprintf(&s.body, `<path d="%s" fill="none" stroke="%s"%s stroke-width="%s"%s/>`+"\n",
		d, hex(style.Color), opacity("stroke-opacity", style.Color), number(style.Width), dashes)
}

// Write implements Canvas.
func (s *SVG) Write(t Text) {
	x, y := number(t.At.X), number(s.height-t.At.Y)
	anchor := [...]string{"", ` text-anchor="middle"`, ` text-anchor="end"`}[t.Align]
	turn := ""
	if t.Upward {
		turn = fmt.Sprintf(` transform="rotate(-90 %s %s)"`, x, y)
	}
	fmt.Fprintf(&s.body, `<text x="%s" y="%s" font-size="%spx"%s%s>%s</text>`+"\n", x, y, number(t.Size), anchor, turn, escaped(t.Text))
}

// path is a path through points.
func (s *SVG) path(points []Point) string {
	var b strings.Builder
	for i, p := range points {
		b.WriteByte("ML"[min(i, 1)])
		b.WriteString(number(p.X))
		b.WriteByte(',')
		b.WriteString(number(s.height - p.Y))
	}
	return b.String()
}

// number is a length with at most three decimals.
func number(v float64) string {
	return strconv.FormatFloat(math.Round(1000*v)/1000+0, 'f', -1, 64) // + 0: not -0
}

// hex is a color without its opacity.
func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// opacity is the attribute of a translucent color, empty for a solid one.
func opacity(attribute string, c color.NRGBA) string {
	if c.A == 0xff {
		return ""
	}
	return fmt.Sprintf(` %s="%s"`, attribute, number(float64(c.A)/0xff))
}

// escaped is a text in XML.
func escaped(text string) string { return markup.Replace(strings.Map(xmlCharacter, text)) }

// markup replaces what has a meaning in XML.
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\"", "&#34;", "'", "&#39;", "\t", "&#x9;", "\n", "&#xA;", "\r", "&#xD;")

// xmlCharacter replaces a character that no document in XML may have,
// https://www.w3.org/TR/xml/#charsets, by a sign that it was there.
func xmlCharacter(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r < 0xd800 || r >= 0xe000 && r < 0xfffe || r > 0xffff:
		return r
	}
	return '\ufffd'
}

package report

import (
	"fmt"
	"io"

	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/report/internal/canvas"
)

// Lengths of a figure in points; three points are four pixels.
const (
	figureWide   = 480.0 // a panel that stands alone
	figureNarrow = 345.0 // one of several
	figureHigh   = 255.0
	figureHead   = 24.0 // what the title takes
	figureMargin = 8.0
	figureTitle  = 11.0 // size of its font
	figureTick   = 5.0  // length of a tick
	pngDots      = 144  // dots an inch: twice as fine as a pixel
)

// WriteSVG writes a figure as an SVG file on white paper. Equal figures give equal bytes. The file
// names common fonts but needs none, fetches nothing and runs nothing. Texts are made safe to look
// at. Points that are not finite, or not above 0 on a logarithmic axis, are left out. Published
// values have hollow marks and bounds dashes. A figure without panels is refused.
func WriteSVG(w io.Writer, f figure.Figure) error {
	p, err := newPicture(f)
	if err != nil {
		return err
	}
	c := canvas.NewSVG(p.width, p.height)
	p.draw(c)
	_, err = io.WriteString(w, c.File(p.Title, p.description()))
	return err
}

// WritePNG draws the picture of WriteSVG as an image of 144 dots an inch.
func WritePNG(w io.Writer, f figure.Figure) error {
	p, err := newPicture(f)
	if err != nil {
		return err
	}
	c := canvas.NewImage(p.width, p.height, pngDots)
	p.draw(c)
	return c.WritePNG(w)
}

// picture is a figure with its measures.
type picture struct {
	drawnFigure
	columns       int
	panel         float64 // width of a panel
	width, height float64
	legend        []legendRow
}

// newPicture measures a figure.
func newPicture(f figure.Figure) (picture, error) {
	if err := checkPanels(f); err != nil {
		return picture{}, err
	}
	p := picture{drawnFigure: prepare(f), columns: columns(len(f.Panels)), panel: figureNarrow}
	if p.columns == 1 {
		p.panel = figureWide
	}
	p.width = p.panel*float64(p.columns) + 2*figureMargin
	p.legend = p.legendRows()
	rows := (len(f.Panels) + p.columns - 1) / p.columns
	p.height = figureHead + float64(rows)*figureHigh + legendHigh*float64(len(p.legend)) + figureMargin
	return p, nil
}

// checkPanels refuses a figure without panels.
func checkPanels(f figure.Figure) error {
	if len(f.Panels) == 0 {
		return fmt.Errorf("report: figure %q has no panel, want at least one; give it axes", clean(f.Name))
	}
	return nil
}

// columns is how many panels stand side by side.
func columns(panels int) int {
	switch panels {
	case 1, 2, 3:
		return panels
	case 4:
		return 2
	}
	return 3
}

// draw draws everything.
func (p picture) draw(c canvas.Canvas) {
	c.Fill(canvas.Rectangle(0, 0, p.width, p.height), white)
	middle := canvas.Point{X: p.width / 2, Y: p.height - figureHead/2 - 2 - figureTitle*lineHalf}
	c.Write(canvas.Text{At: middle, Align: canvas.Middle, Size: figureTitle, Text: fitting(p.Title, figureTitle, p.width-2*figureMargin)})
	for i, panel := range p.Panels {
		left := figureMargin + p.panel*float64(i%p.columns)
		top := p.height - figureHead - figureHigh*float64(i/p.columns)
		panel.draw(c, box{left, top - figureHigh + 4, p.panel - 10, figureHigh - 6})
	}
	p.drawLegend(c)
}

// draw draws a panel within a rectangle.
func (p drawnPanel) draw(c canvas.Canvas, outer box) {
	width := outer.width - 60
	p.X.Room = int(width / 5)
	f := axes{
		title: fitting(p.Title, titleSize, width), xLabel: fitting(p.XLabel, labelSize, width), yLabel: fitting(p.YLabel, labelSize, figureHigh-70),
		x: p.X, y: p.Y, xTicks: p.X.Ticks(p.X.Low, p.X.High), yTicks: p.Y.Ticks(p.Y.Low, p.Y.High), tickLength: figureTick,
	}.draw(c, outer)
	for _, s := range p.Series {
		f.drawCurve(s)
	}
	f.drawMarks(p)
}

// maxLineRunes is more than any line of a picture can hold.
const maxLineRunes = 240

// fitting is as much of a text in a font of some size as a length can hold.
func fitting(text string, size, length float64) string {
	runes := []rune(shorten(text, maxLineRunes))
	text = string(runes)
	for n := len(runes); n > 1 && canvas.Width(text, size) > length; n-- {
		text = string(runes[:n-1]) + "…"
	}
	return text
}

// description says in words what is drawn, for those who do not see it.
func (p picture) description() string {
	text := ""
	for i, panel := range p.Panels {
		if i > 0 {
			text += " "
		}
		text += panel.description(p.Legend)
	}
	return text
}

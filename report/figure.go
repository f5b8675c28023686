package report

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/ditherml/dither/experiment"
)

// Lengths of a figure in points, of which three are four pixels.
const (
	figureWide   = vg.Length(480) // a panel that stands alone
	figureNarrow = vg.Length(345) // one of several
	figureHigh   = vg.Length(255)
	figureHead   = vg.Length(24) // what the title takes
	figureMargin = vg.Length(8)
	pngDots      = 144 // dots an inch: twice as fine as a pixel
)

// WriteSVG draws a figure as a file of its own, on white paper. Equal figures give equal bytes. It
// names common fonts and needs none, fetches nothing and runs nothing. Texts are made safe to look
// at, and points that are not finite, or not above 0 on a logarithmic axis, are left out. Published
// values have hollow marks and bounds dashes. A figure without panels is refused.
func WriteSVG(w io.Writer, f experiment.Figure) error {
	p, err := newPicture(f)
	if err != nil {
		return err
	}
	canvas := vgsvg.New(p.width, p.height)
	if err = p.draw(draw.New(canvas)); err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err = canvas.WriteTo(&b); err != nil {
		return err
	}
	_, err = io.WriteString(w, describedSVG(b.String(), p.Title, p.description()))
	return err
}

// WritePNG draws the picture of WriteSVG as an image of 144 dots an inch.
func WritePNG(w io.Writer, f experiment.Figure) error {
	p, err := newPicture(f)
	if err != nil {
		return err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(pngDots))
	if err = p.draw(draw.New(canvas)); err != nil {
		return err
	}
	_, err = vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// picture is a figure with its measures.
type picture struct {
	drawnFigure
	columns       int
	panel         vg.Length // width of a panel
	width, height vg.Length
	text          draw.TextStyle
	legend        []legendRow
}

// newPicture measures a figure.
func newPicture(f experiment.Figure) (picture, error) {
	if err := checkPanels(f); err != nil {
		return picture{}, err
	}
	p := picture{drawnFigure: prepare(f), columns: columns(len(f.Panels)), panel: figureNarrow}
	if p.columns == 1 {
		p.panel = figureWide
	}
	p.width = p.panel*vg.Length(p.columns) + 2*figureMargin
	p.text = newPanel("", "", "").Legend.TextStyle
	p.legend = p.legendRows()
	rows := (len(f.Panels) + p.columns - 1) / p.columns
	p.height = figureHead + vg.Length(rows)*figureHigh + legendHigh*vg.Length(len(p.legend)) + figureMargin
	return p, nil
}

// checkPanels refuses a figure without panels.
func checkPanels(f experiment.Figure) error {
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
func (p picture) draw(c draw.Canvas) error {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	heading := p.text
	heading.Font.Size, heading.XAlign, heading.YAlign = 11, draw.XCenter, draw.YCenter
	c.FillText(heading, vg.Point{X: p.width / 2, Y: p.height - figureHead/2 - 2}, fitting(heading, p.Title, p.width-2*figureMargin))
	for i, panel := range p.Panels {
		drawn, err := panel.plot(p.panel - 70)
		if err != nil {
			return err
		}
		left := figureMargin + p.panel*vg.Length(i%p.columns)
		top := p.height - figureHead - figureHigh*vg.Length(i/p.columns)
		place := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: left, Y: top - figureHigh + 4}, Max: vg.Point{X: left + p.panel - 10, Y: top - 2}}}
		drawn.Draw(place)
		drawYLabel(place, drawn, panel.YLabel)
	}
	p.drawLegend(c)
	return nil
}

// drawYLabel writes the label of the vertical axis beside its middle, where the plotting library left room for a blank.
// It takes the middle of the values for that of the axis, which on a logarithmic one is far up.
func drawYLabel(c draw.Canvas, panel *plot.Plot, label string) {
	style := panel.Y.Label.TextStyle
	x := c.Min.X + style.Height(label) - style.FontExtents().Descent
	text := fitting(style, label, figureHigh-70)
	style.Rotation = math.Pi / 2
	data := panel.DataCanvas(c)
	c.FillText(style, vg.Point{X: x, Y: data.Center().Y}, text)
}

// plot is the panel for the plotting library.
func (p drawnPanel) plot(width vg.Length) (*plot.Plot, error) {
	out := newPanel(p.Title, p.XLabel, p.YLabel)
	out.Title.Text = fitting(out.Title.TextStyle, p.Title, width)
	out.X.Label.Text = fitting(out.X.Label.TextStyle, p.XLabel, width)
	if out.Y.Label.Text != "" {
		out.Y.Label.Text = " " // drawYLabel writes it
	}
	for _, s := range p.Series {
		if err := addCurve(out, s, p.Y); err != nil {
			return nil, err
		}
	}
	p.X.Room = int(width / 5)
	out.Add(markLabels{p})
	out.X.Tick.Length, out.Y.Tick.Length = 5, 5
	out.X.Min, out.X.Max, out.X.Scale, out.X.Tick.Marker = p.X.Low, p.X.High, p.X, p.X
	out.Y.Min, out.Y.Max, out.Y.Scale, out.Y.Tick.Marker = p.Y.Low, p.Y.High, p.Y, p.Y
	return out, nil
}

// maxLineRunes is more than any line of a picture can hold.
const maxLineRunes = 240

// fitting is as much of a text as a length can hold.
func fitting(style draw.TextStyle, text string, length vg.Length) string {
	runes := []rune(shorten(text, maxLineRunes))
	text = string(runes)
	for n := len(runes); n > 1 && style.Width(text) > length; n-- {
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

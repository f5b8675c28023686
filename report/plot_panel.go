package report

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// newPanel is an empty plot in the fonts of the picture.
func newPanel(title, x, y string) *plot.Plot {
	panel := plot.New()
	panel.Title.Text, panel.X.Label.Text, panel.Y.Label.Text = title, x, y
	sans := font.Font{Typeface: "Liberation", Variant: "Sans"}
	panel.Title.TextStyle.Font = font.From(sans, 10.5)
	panel.Title.Padding = 5
	panel.Legend.TextStyle.Font = font.From(sans, 8.5)
	panel.Legend.ThumbnailWidth = 18
	panel.Legend.Padding = 2
	panel.Legend.YOffs = -4
	for _, axis := range []*plot.Axis{&panel.X, &panel.Y} {
		axis.Label.TextStyle.Font = font.From(sans, 9)
		axis.Tick.Label.Font = font.From(sans, 8.5)
		axis.Padding = 0
		axis.Tick.Marker = roundTicks{}
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = gridColor, gridColor
	panel.Add(grid)
	return panel
}

// roundTicks are marks at multiples of 1, 2 or 5 times a power of ten, about five of them.
type roundTicks struct{}

// Ticks returns the marks between two ends, low being less than high.
func (roundTicks) Ticks(low, high float64) []plot.Tick { return evenTicks(low, high, 5) }

// evenTicks are at most so many marks and one, at multiples of 1, 2 or 5 times a power of ten.
func evenTicks(low, high, most float64) []plot.Tick {
	rough := (high - low) / most
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	step := 10 * power
	for _, multiple := range []float64{1, 2, 5} {
		if multiple*power >= rough*0.999 {
			step = multiple * power
			break
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(low/step - 1e-9); i*step <= high*(1+1e-9); i++ {
		value := parse(strconv.FormatFloat(i*step, 'g', 9, 64)) + 0 // not -0
		ticks = append(ticks, plot.Tick{Value: value, Label: plain(value)})
	}
	return ticks
}

// addLine adds a line and its name.
func addLine(panel *plot.Plot, points plotter.XYs, name string, style draw.LineStyle) error {
	line, err := plotter.NewLine(points)
	if err != nil {
		return fmt.Errorf("report: a curve cannot be drawn: %w", err)
	}
	line.LineStyle = style
	panel.Add(line)
	panel.Legend.Add(name, line)
	return nil
}

// addBand fills what lies between two curves.
func addBand(panel *plot.Plot, upper, lower plotter.XYs, name string) error {
	ring := append(plotter.XYs{}, upper...)
	for i := len(lower) - 1; i >= 0; i-- {
		ring = append(ring, lower[i])
	}
	band, err := plotter.NewPolygon(ring)
	if err != nil {
		return fmt.Errorf("report: a band cannot be drawn: %w", err)
	}
	band.Color = bandColor
	band.LineStyle = draw.LineStyle{Color: bandColor, Width: vg.Points(0.5)}
	panel.Add(band)
	panel.Legend.Add(name, band)
	return nil
}

// describedSVG names fonts to fall back on, and says in words what is drawn, for those who do not
// see it.
func describedSVG(svg, title, description string) string {
	var words strings.Builder
	words.WriteString("<title>")
	_ = xml.EscapeText(&words, []byte(title)) // a Builder takes everything
	words.WriteString("</title>\n<desc>")
	_ = xml.EscapeText(&words, []byte(description))
	words.WriteString("</desc>\n")
	svg = strings.ReplaceAll(svg, "font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")
	const open = `xmlns:xlink="http://www.w3.org/1999/xlink">` + "\n"
	return strings.Replace(svg, open, open+words.String(), 1)
}

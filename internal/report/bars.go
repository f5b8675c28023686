package report

import (
	"fmt"
	"math"
	"strconv"
)

// Limits of the coefficients that a page shows; the rest is in the model file.
const (
	maxBars        = 30  // bars of one score
	maxScores      = 20  // scores with a section of their own
	maxListedAfter = 200 // coefficients of one score listed after its bars
)

// bar is one coefficient as the plot shows it. The geometry is in percent of
// the plot's width, with the zero axis at 50.
type bar struct {
	Label, Full, Value string
	Class              string // positive, negative, or unsure of an interval that has 0
	X, Width           string
	Low, High          string // of the interval, "" for none
	Half               string // half its length, as a text
}

// scorePlot holds the coefficients of one score.
type scorePlot struct {
	Score  string
	Of     string // what the values of a shape are, or "" for weights
	Bars   []bar
	Others []bar // those after the bars, as a table
	Left   int   // those not shown at all
}

// scorePlots returns coefficients grouped by score, in the order of the first occurrence of scores.
// All bars have one scale, so that scores can be compared. It also returns the number of scores
// that are left out. Each score has unlisted more coefficients that are not listed.
func scorePlots(coefficients []Coefficient, unlisted int) (plots []scorePlot, left int) {
	byScore := map[string][]Coefficient{}
	var names []string
	for _, c := range coefficients {
		if _, known := byScore[c.Score]; !known {
			names = append(names, c.Score)
		}
		byScore[c.Score] = append(byScore[c.Score], c)
	}
	if len(names) > maxScores {
		names, left = names[:maxScores], len(names)-maxScores
	}
	largest := 0.0
	for _, name := range names {
		largest = max(largest, largestWeight(byScore[name][:min(len(byScore[name]), maxBars)]))
	}
	for _, name := range names {
		plots = append(plots, newScorePlot(name, byScore[name], unlisted, largest))
	}
	return plots, left
}

func newScorePlot(name string, coefficients []Coefficient, unlisted int, largest float64) scorePlot {
	plot := scorePlot{Score: name, Left: unlisted}
	for i, c := range coefficients {
		switch {
		case i < maxBars:
			plot.Bars = append(plot.Bars, newBar(c, largest))
		case i < maxBars+maxListedAfter:
			plot.Others = append(plot.Others, newBar(c, largest))
		default:
			plot.Left++
		}
	}
	return plot
}

// largestWeight returns the greatest finite absolute value, or end of an interval.
func largestWeight(coefficients []Coefficient) float64 {
	largest := 0.0
	for _, c := range coefficients {
		if size := math.Abs(c.Value) + c.Half; !math.IsNaN(size) && !math.IsInf(size, 0) {
			largest = max(largest, size)
		}
	}
	return largest
}

// newBar draws c to the scale at which largest fills half of the plot.
func newBar(c Coefficient, largest float64) bar {
	b := bar{Full: c.name(), Value: signed(c.Value), Class: "positive"}
	b.Label = shorten(b.Full, maxLabelRunes)
	width := 49 * (math.Abs(c.Value) / largest)
	if !(width > 0 && width <= 49) { // also for 0/0, NaN and infinity
		width = 0
	}
	x := 50.0
	if c.Value < 0 {
		b.Class, x = "negative", 50-width
	}
	b.X, b.Width = percentOf(x), percentOf(width)
	if low, high := 50+49*((c.Value-c.Half)/largest), 50+49*((c.Value+c.Half)/largest); c.Half > 0 && low >= 0 && high <= 100 {
		b.Low, b.High = percentOf(low), percentOf(high)
	}
	if c.Half > 0 {
		b.Half = "± " + digitsUp(c.Half, 3)
		if math.Abs(c.Value) <= c.Half {
			b.Class = "unsure"
		}
	}
	return b
}

// name is the feature, with the level that it indicates.
func (c Coefficient) name() string {
	if c.Level == "" {
		return c.Feature
	}
	return c.Feature + " = " + c.Level
}

// percentOf writes a length of a drawing, already in percent.
func percentOf(length float64) string {
	return strconv.FormatFloat(length, 'f', 2, 64) + "%"
}

// segment is one part of the bar of the budget.
type segment struct {
	Class, Title, X, Width string
}

// eventRow is one line of the table of events.
type eventRow struct {
	Event
	Class, Percent string
}

// eventClasses is the number of colors for events; they are used in turn.
const eventClasses = 6

// budget draws the shares side by side. Shares that sum to more than 1 are
// scaled down; a share that is no positive number takes no room.
func budget(events []Event) (rows []eventRow, segments []segment) {
	total := 1.0
	if sum := shareSum(events); sum > 1 {
		total = sum
	}
	at := 0.0
	for i, e := range events {
		class := fmt.Sprintf("event%d", i%eventClasses)
		rows = append(rows, eventRow{e, class, percent(e.Share)})
		if !usable(e.Share) {
			continue
		}
		width := 100 * e.Share / total
		segments = append(segments, segment{class, e.Purpose + ": " + percent(e.Share), percentOf(at), percentOf(width)})
		at += width
	}
	return rows, segments
}

func shareSum(events []Event) float64 {
	sum := 0.0
	for _, e := range events {
		if usable(e.Share) {
			sum += e.Share
		}
	}
	return sum
}

func usable(share float64) bool { return share > 0 && !math.IsInf(share, 1) }

package report

import "github.com/ditherml/dither/internal/figure"

// Reliability compares the probabilities of a level with its frequencies.
type Reliability struct {
	// Level is the name of the level.
	Level string
	// Bins are groups of records with similar probabilities, in the order of Probability.
	Bins []ReliabilityBin
}

// ReliabilityBin is a group of records with similar probabilities.
type ReliabilityBin struct {
	// Probability is the mean probability of the level.
	Probability float64
	// Share is the share of the level, between Low and High. The three are equal where there is no
	// interval.
	Share, Low, High float64
}

// figures draws the shares over the probabilities, with the line on which both are equal.
func (r *Reliability) figures() []figure.Figure {
	if r == nil || len(r.Bins) == 0 {
		return nil
	}
	points := make([]figure.Point, len(r.Bins))
	for i, b := range r.Bins {
		points[i] = figure.Point{X: b.Probability, Y: b.Share, Low: b.Low, High: b.High}
	}
	return []figure.Figure{{Name: "reliability", Title: "Probability and frequency", Panels: []figure.Panel{{
		X: figure.Axis{Label: "probability of " + r.Level}, Y: figure.Axis{Label: "share of " + r.Level},
		Series: []figure.Series{
			{Name: "share in a bin, with its interval", Points: points, Scattered: true},
			{Name: "equal", Dashed: true, Points: []figure.Point{figure.Value(0, 0), figure.Value(1, 1)}},
		}}}}}
}

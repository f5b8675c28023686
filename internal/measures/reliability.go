package measures

import (
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/report"
)

// reliability returns the bins of a target of two levels for drawing. Bins without a share are left
// out. It is nil for other targets.
func reliability(levels []string, bins []evaluate.Bin) *report.Reliability {
	if len(levels) != 2 {
		return nil
	}
	out := &report.Reliability{Level: levels[1]}
	for _, b := range bins {
		if !b.Rate.Value.Defined() || !b.Prediction.Defined() {
			continue
		}
		at := report.ReliabilityBin{Probability: float64(b.Prediction), Share: float64(b.Rate.Value), Low: float64(b.Rate.Value), High: float64(b.Rate.Value)}
		if b.Rate.Low.Defined() && b.Rate.High.Defined() {
			at.Low, at.High = min(at.Low, float64(b.Rate.Low)), max(at.High, float64(b.Rate.High))
		}
		out.Bins = append(out.Bins, at)
	}
	return out
}

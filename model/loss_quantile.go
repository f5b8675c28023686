package model

import "fmt"

const (
	// defaultQuantile is the median.
	defaultQuantile = 0.5
	// defaultQuantileWidth is the half-width of the smoothing, in units of half the target's range.
	defaultQuantileWidth = 0.05
)

// Quantile returns the smoothed pinball loss. The score z that minimizes the expected loss is the
// given quantile of the target y, which is scaled to [-1, 1]. Let u = z - y. The pinball loss is
// (1-quantile)·u for u ≥ 0, and -quantile·u for u < 0. The smoothed loss is the average of the
// pinball loss over the interval from u - width to u + width. For |u| ≤ width it is (u +
// width)²/(4·width) - quantile·u. For larger |u| it equals the pinball loss. Source: Koenker and
// Bassett, "Regression Quantiles", Econometrica 1978. The smoothing by a uniform kernel is from
// Fernandes, Guerre and Horta, "Smoothing Quantile Regressions", Journal of Business & Economic
// Statistics 2021, https://arxiv.org/abs/1905.08535.
func Quantile(quantile, width float64) Loss { return smoothedQuantile{quantile, width} }

// smoothedQuantile is the loss that Quantile returns.
type smoothedQuantile struct{ Quantile, Width float64 }

var _ Loss = smoothedQuantile{}

// Name returns "quantile".
func (smoothedQuantile) Name() string { return "quantile" }

// Columns returns 1 for a numeric target.
func (smoothedQuantile) Columns(classes int) int { return oneForNumbers(classes) }

// Value returns the loss of one score.
func (q smoothedQuantile) Value(scores []float64, label float64) float64 {
	u := scores[0] - label
	switch {
	case u <= -q.Width:
		return -q.Quantile * u
	case u >= q.Width:
		return (1 - q.Quantile) * u
	}
	return (u+q.Width)*(u+q.Width)/(4*q.Width) - q.Quantile*u
}

// Residuals writes the derivative, between -Quantile and 1 - Quantile.
func (q smoothedQuantile) Residuals(dst, scores []float64, label float64) {
	dst[0] = max(0, min(1, (scores[0]-label+q.Width)/(2*q.Width))) - q.Quantile
}

// Lipschitz returns the larger of Quantile and 1 - Quantile.
func (q smoothedQuantile) Lipschitz(int) float64 { return max(q.Quantile, 1-q.Quantile) }

// Smoothness returns 1/(2·Width).
func (q smoothedQuantile) Smoothness() float64 { return 1 / (2 * q.Width) }

// Predict leaves the score unchanged: it is the prediction.
func (smoothedQuantile) Predict([]float64) {}

func (q smoothedQuantile) with(s LossSpec) (Loss, error) {
	if s.Quantile != 0 {
		q.Quantile = s.Quantile
	}
	if !(q.Quantile > 0 && q.Quantile < 1) {
		return nil, fmt.Errorf("model: quantile of the quantile loss is %v, want between 0 and 1; 0.5 is the median", q.Quantile)
	}
	width, err := widthOf(q.Name(), s.Width, q.Width)
	return smoothedQuantile{q.Quantile, width}, err
}

func (q smoothedQuantile) describe(s *LossSpec) { s.Quantile, s.Width = q.Quantile, q.Width }

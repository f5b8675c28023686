package training

import (
	"fmt"
	"strconv"

	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/model"
)

// Threshold is the probability above which the second of two levels is predicted, as a value of
// --threshold. It is a number, ThresholdBest or ThresholdBalanced, or "" for one half.
type Threshold string

// These thresholds are chosen on held-out records: by accuracy, and by the mean of recalls.
const (
	ThresholdBest     Threshold = "best"
	ThresholdBalanced Threshold = "balanced"
)

// Chooses reports whether the held-out part decides the threshold.
func (h Threshold) Chooses() bool { return h == ThresholdBest || h == ThresholdBalanced }

// Number returns the given threshold.
func (h Threshold) Number() (float64, error) {
	v, err := strconv.ParseFloat(string(h), 64)
	if err != nil || !(v > 0 && v < 1) {
		return 0, fmt.Errorf("--threshold is %q, want a probability above 0 and below 1, or %s or %s with --holdout", string(h), ThresholdBest, ThresholdBalanced)
	}
	return v, nil
}

// Check refuses a threshold that does not apply to a target with this number of levels. It reads no
// file.
func (h Threshold) Check(levels int, holdout bool) error {
	switch {
	case h == "":
		return nil
	case levels != 2:
		return fmt.Errorf("--threshold is given for a target with %d levels, want 2", levels)
	case h.Chooses() && !holdout:
		return fmt.Errorf("--threshold %s is given without --holdout, want a part to choose it on", h)
	case h.Chooses():
		return nil
	}
	_, err := h.Number()
	return err
}

// decide sets the threshold of the model. The evaluation is nil without a held-out part.
func (h Threshold) decide(m *model.Model, file *artefact.Evaluation) (*model.Model, error) {
	if h == "" {
		return m, nil
	}
	if !h.Chooses() {
		v, err := h.Number()
		if err != nil {
			return nil, err
		}
		return m.WithThreshold(v)
	}
	if file == nil || file.Measures.Classification == nil || file.Measures.Classification.BestAccuracy == nil {
		return nil, fmt.Errorf("--threshold %s is given without the measures of two levels, want --holdout", h)
	}
	choice := file.Measures.Classification.BestAccuracy
	if h == ThresholdBalanced {
		choice = file.Measures.Classification.BestBalanced
	}
	return m.WithThreshold(choice.Threshold)
}

package model

import "fmt"

// defaultThreshold is the probability above which the second of two levels is predicted.
const defaultThreshold = 0.5

// Threshold returns the decision threshold of a model for two levels. The second level is predicted
// if its probability is above the threshold. For other targets the threshold has no meaning.
func (m *Model) Threshold() float64 {
	if m.threshold == 0 {
		return defaultThreshold
	}
	return m.threshold
}

// WithThreshold returns a copy of the model with this decision threshold. Encode writes the
// threshold too. Predicted probabilities do not change. It is an error if the target does not have
// two levels, or if the threshold is not above 0 and below 1.
func (m *Model) WithThreshold(threshold float64) (*Model, error) {
	if len(m.schema.Target.Levels) != 2 {
		return nil, fmt.Errorf("model: a threshold is given for a target with %d levels, want 2", len(m.schema.Target.Levels))
	}
	if !(threshold > 0 && threshold < 1) {
		return nil, fmt.Errorf("model: the threshold is %v, want more than 0 and less than 1", threshold)
	}
	changed := *m
	if changed.threshold = threshold; threshold == defaultThreshold {
		changed.threshold = 0
	}
	return &changed, nil
}

package model

import "fmt"

// defaultThreshold is the probability above which the second of two levels is predicted.
const defaultThreshold = 0.5

// Threshold returns the decision threshold for two levels. The second level is predicted if its
// probability is above it. It has no meaning for other targets.
func (m *Model) Threshold() float64 {
	if m.threshold == 0 {
		return defaultThreshold
	}
	return m.threshold
}

// WithThreshold returns a copy of the model with this decision threshold. Encode writes the
// threshold. Probabilities do not change. The target must have two levels, and the threshold must
// be above 0 and below 1.
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

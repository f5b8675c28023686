package train

import (
	"math"
	"testing"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
)

// TestAveraged: the iterates that are said to be averaged are those that training averages.
func TestAveraged(t *testing.T) {
	const steps = 13
	r := Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: steps, Center: No, Whiten: No}
	fit := func(rule string) *Result { return fitted(t, r, Options{LearningRate: 1, Output: rule}) }
	all := fit(option.OutputAllIterates).Iterates
	for _, rule := range option.OutputRules() {
		first, end, count := averaged(rule, steps)
		for j, got := range fit(rule).Model.Weights() {
			want := 0.0
			for _, w := range all[first:end] {
				want += w[j] / count
			}
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("output %s, weight %d: got %v, want %v", rule, j, got, want)
			}
		}
	}
}

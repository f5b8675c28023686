package query

import "testing"

// TestAnswersSayHowOftenTheyHold looks at laws and sums on both sides of each limit.
func TestAnswersSayHowOftenTheyHold(t *testing.T) {
	fine, whole := law{kind: laplaceLaw, scale: 1}, law{kind: discreteLaplaceLaw, scale: 2, unit: 1}
	// Of scale 2 an interval of 6 units to each side holds 1 - 2·r⁷/(1+r) = 0.962, r = exp(-1/2).
	for name, c := range map[string]struct {
		answer  Answer
		atLeast bool
	}{
		"smooth noise":           {fine.linear(5, 0.95), false},
		"whole steps":            {whole.linear(5, 0.95), true},
		"fine steps":             {law{kind: discreteLaplaceLaw, scale: 200, unit: 1}.linear(5, 0.95), false},
		"normal whole steps":     {law{kind: discreteNormalLaw, scale: 0.7, unit: 1}.linear(5, 0.95), true},
		"mean":                   {meanOf(fine, 40, 40, 0.95), false},
		"mean at the upper end":  {meanOf(fine, 1, 400, 0.95), true},
		"mean of a hidden count": {meanOf(fine, 2, 2, 0.95), true},
		"rescaled":               {meanOf(fine, 1, 400, 0.95).rescale(3, 5), true},
		"variance":               {varianceOf(fine, []float64{100, 100, 100}, 0.95), false},
		"variance near 20 times": {varianceOf(fine, []float64{17, 17, 17}, 0.95), true}, // 20.8 times the noise
		"variance of few":        {varianceOf(fine, []float64{4, 4, 4}, 0.95), true},
	} {
		if c.answer.AtLeast != c.atLeast {
			t.Errorf("%s: %+v, want at least %v", name, c.answer, c.atLeast)
		}
	}
}

package shadow

import (
	"testing"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
)

// counting counts the predictions of a loss.
type counting struct {
	model.Loss
	count *float64
}

func (c counting) Predict(scores []float64) {
	*c.count++
	c.Loss.Predict(scores)
}

// exampleOf returns a descent of this number of scores, directions and steps.
func exampleOf(loss model.Loss, scores, directions, steps int) *descent {
	s := &descent{loss: loss, columns: scores, rate: 1.5, momentum: 0.9, ridge: 0.002, clips: 0.5, steps: steps, first: steps * 6 / 10}
	for range steps {
		s.noise = append(s.noise, 0.001)
	}
	s.Constant, s.Vectors = 0.2, identity(directions)
	for i := range directions {
		s.Moments, s.Hidden = append(s.Moments, (0.5+float64(i)/float64(directions))/float64(directions)), append(s.Hidden, i%2 > 0)
	}
	return s
}

// TestWork counts the predictions of a shadow. It also holds for how many steps there is one. The default number of
// steps is among them.
func TestWork(t *testing.T) {
	for _, c := range []struct {
		loss        model.Loss
		scores      int
		few, beyond int // steps of a descent with a shadow, and of one without
	}{{model.Logistic, 1, 1000, 2000}, {model.Poisson(), 1, 1000, 2000}, {model.Softmax, 3, 500, 1000}, {model.Softmax, 10, option.WhitenedSteps, 300}, {model.Squared, 1, 10_000, 100_000}} {
		count := 0.0
		s := exampleOf(counting{c.loss, &count}, c.scores, 4, 10)
		weights := make([]float64, c.scores*5)
		for j := range weights {
			weights[j] = float64(j%7-3) / 3
		}
		s.spread(weights, 0.01, 1)
		want := s.predictions() + turnings*(rounds+2)*madeRows // those of the targets
		switch c.loss.Name() {
		case model.Squared.Name():
			want = 0
		case model.Poisson().Name(): // two for each derivative
			want += 2 * turnings * 2 * madeRows * 10
		}
		if count != want {
			t.Errorf("%s: a shadow of %d scores makes %v predictions, want %v", c.loss.Name(), c.scores, count, want)
		}
		if got := exampleOf(c.loss, c.scores, 4, c.few).work(); got > longest {
			t.Errorf("%s: %d steps of %d scores have the work %v, want at most %v", c.loss.Name(), c.few, c.scores, got, longest)
		}
		if got := exampleOf(c.loss, c.scores, 4, c.beyond).work(); got <= longest {
			t.Errorf("%s: %d steps of %d scores have the work %v, want more than %v", c.loss.Name(), c.beyond, c.scores, got, longest)
		}
	}
}

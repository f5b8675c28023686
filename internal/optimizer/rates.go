package optimizer

import (
	"math"

	"github.com/ditherml/dither/internal/option"
)

// Rates are the learning rates of a run: the largest, LearningRate, times the schedule's factor.
// During the first WarmUp steps the rate rises along a line to LearningRate. The schedule begins
// after these steps and ends at Steps.
type Rates struct {
	LearningRate  float64
	Schedule      string
	WarmUp, Steps int
}

// At returns the learning rate of a step, counted from 0.
func (r Rates) At(step int) float64 {
	if step < r.WarmUp {
		return r.LearningRate * float64(step+1) / float64(r.WarmUp+1)
	}
	t, all := float64(step-r.WarmUp), float64(max(1, r.Steps-r.WarmUp))
	switch r.Schedule {
	case option.ScheduleLinear:
		return r.LearningRate * max(0, 1-t/all)
	case option.ScheduleCosine:
		return r.LearningRate * (1 + math.Cos(math.Pi*min(1, t/all))) / 2
	case option.ScheduleInverseSquareRoot:
		return r.LearningRate / math.Sqrt(t+1)
	}
	return r.LearningRate
}

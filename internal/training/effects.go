package training

import (
	"math"

	"github.com/ditherml/dither/internal/report"
)

// ranked is a shape with its place among those without an effect.
type ranked struct {
	report.Shape
	above float64
}

// effect is the mean square of a shape over records. The interval of a value gives its noise: half its length is
// normalReach standard deviations. All numbers in it are released or public: frequencies, weights, and the plan's
// noise.
type effect struct {
	square float64 // mean square of the values
	noise  float64 // its mean if the values are noise alone
	// shapes is the number of shapes. Direction is the largest share of the noise that is along one direction.
	shapes, direction float64
}

// add adds a value that a part of the records has.
func (e *effect) add(part, value, half float64) {
	e.square += part * value * value
	e.noise += part * half * half / (normalReach * normalReach)
}

// room returns how far above its mean the mean square of noise alone can be. It is farther with a probability of about
// 1 / shapes at most.
//
// The mean square is a quadratic form of normal variables, whose largest eigenvalue is the share direction of its trace.
// It is taken for a multiple of a χ² variable with 1 / direction degrees of freedom. The variance of the form is
// at most that of this multiple. The quantile is by E. B. Wilson and M. M. Hilferty, "The distribution of chi-square",
// Proceedings of the National Academy of Sciences 1931.
func (e *effect) room() float64 {
	part := 2 * e.direction / 9
	return e.noise * max(0, math.Pow(1-part+math.Sqrt2*math.Erfinv(1-2/max(2, e.shapes))*math.Sqrt(part), 3)-1)
}

// size returns the root of the mean square, less the mean of noise alone. It is 0 if noise alone explains the mean
// square. So a value that is large by the luck of its noise counts little, if few records have it or its interval is
// long. Without intervals nothing is taken off.
func (e *effect) size() float64 {
	if above := e.square - e.noise; above > e.room() {
		return math.Sqrt(above)
	}
	return 0
}

// above returns the distance of the mean square above the mean of noise alone, in units of the room of the latter. It
// is 0 without intervals.
func (e *effect) above() float64 {
	if room := e.room(); room > 0 {
		return (e.square - e.noise) / room
	}
	return 0
}

// Rounds of the search for a direction, which takes about searchWork multiplications, but a few rounds.
const mostSearches, fewSearches, searchWork = 30, 3, 1e8

// direction returns the largest share of the noise of rows that is along one direction: the largest eigenvalue of the
// second moment of the rows, as training saw their features, divided by its trace. It is found by power iteration, and
// is 1 if the features were turned. Rows are relative to their mean. Parts are the shares of records, which sum to 1.
func (s *shaper) direction(features []int, parts, mean []float64, states drawing) float64 {
	scales := make([]float64, len(features)) // squares
	for k, j := range features {
		switch w := s.unshrunk.Whitening; {
		case w == nil:
			scales[k] = 1
		case w.Scales == nil:
			return 1
		default:
			scales[k] = w.Scales[j] * w.Scales[j]
		}
	}
	// Let D have the squares of the scales. D^½·M·D^½ has the eigenvalues of M·D, whose vectors are made here.
	x, scaled, next := make([]float64, len(features)), make([]float64, len(features)), make([]float64, len(features))
	times := func(v []float64) {
		for k, d := range scales {
			scaled[k] = d * v[k]
		}
	}
	own, every := make([]float64, len(features)), make([]int, len(features))
	for k := range every {
		every[k] = k
	}
	strongest, trace := 0.0, 0.0
	for i, part := range parts {
		if part == 0 {
			continue
		}
		clear(next)
		states.row(i, next)
		for k, v := range mean {
			next[k] -= v
		}
		times(next)
		square := part * sumOf(scaled, next)
		if trace += square; square > strongest {
			strongest = square
			copy(x, next)
		}
	}
	if !(trace > 0) {
		return 1
	}
	largest := strongest / trace
	for range int(min(mostSearches, max(fewSearches, searchWork/float64(1+states.entries(len(features)))))) {
		times(x)
		length := math.Sqrt(sumOf(scaled, x))
		if !(length > 0) {
			break
		}
		clear(next)
		middle := sumOf(mean, scaled)
		for i, part := range parts {
			if part == 0 {
				continue
			}
			r, along := states.features(i, own, every), 0.0
			for k, at := range r.at {
				along += r.x[k] * scaled[at]
			}
			for k, at := range r.at {
				next[at] += part * along / length * r.x[k]
			}
		}
		for k, v := range mean {
			next[k] -= middle / length * v
		}
		x, next = next, x
		times(x)
		largest = max(largest, math.Sqrt(max(0, sumOf(scaled, x)))/trace)
	}
	return min(1, largest)
}

func sumOf(x, y []float64) (sum float64) {
	for k, v := range x {
		sum += v * y[k]
	}
	return sum
}

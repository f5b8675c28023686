package erm

import (
	"math"
	"slices"

	"github.com/ditherml/dither/internal/kernel"
)

// search is a descent of a smooth function by the L-BFGS method. A step follows the negative
// gradient times a matrix. This matrix is computed from the last steps and the changes of the
// gradient in them (Nocedal & Wright, "Numerical Optimization", 2nd edition 2006, algorithm 7.4).
type search struct {
	evaluate func(gradient, x []float64) (float64, error)
	at       point
	past     []change // the oldest first
	// best is the point where the largest entry of the gradient had the least magnitude.
	best  []float64
	least float64
	idle  int // steps since the last fall of least or lowest
	// lowest is the least value of the function so far.
	lowest float64
}

// point is a point at which the function was evaluated.
type point struct {
	x, gradient []float64
	value       float64
}

// change is a step and the change of the gradient in that step.
type change struct {
	step, turn []float64
	along      float64 // the inner product of step and turn
}

const (
	// searchMemory is the number of steps from which the matrix is computed.
	searchMemory = 15
	// searchSteps is the largest number of steps of a search.
	searchSteps = 100000
	// searchIdle is the number of steps without a gain after which a search ends.
	searchIdle = 100
	// lineEvaluations is the largest number of points that one line search evaluates.
	lineEvaluations = 60
	// lineDescent is the share of the first slope by which the value must fall. lineSlope is the
	// largest share of the first slope that may remain at the end of a line search. These are the
	// strong Wolfe conditions.
	lineDescent, lineSlope = 1e-4, 0.9
	// lineRounding is the largest rise of a value that counts as rounding, relative to the value.
	lineRounding = 1e-12
)

// newSearch returns a search that starts at x.
func newSearch(x []float64, evaluate func(gradient, x []float64) (float64, error)) *search {
	return &search{evaluate: evaluate, at: point{x: x}, least: math.Inf(1), lowest: math.Inf(1)}
}

// run searches until no entry of the gradient exceeds the threshold, until rounding prevents any
// gain, or for many steps. It returns an error only if an evaluation fails.
func (s *search) run(threshold float64) error {
	next, err := s.look(s.at.x)
	for step := 0; err == nil && s.keep(next) > threshold && s.idle < searchIdle && step < searchSteps; step++ {
		next, err = s.line(s.direction())
		if next.x == nil {
			if len(s.past) == 0 {
				break // not even the negative gradient leads down
			}
			s.past, next = nil, s.at
		}
	}
	return err
}

// look evaluates the function at x.
func (s *search) look(x []float64) (point, error) {
	p := point{x: x, gradient: make([]float64, len(x))}
	var err error
	p.value, err = s.evaluate(p.gradient, x)
	return p, err
}

// keep makes p the current point. It returns the magnitude of the largest entry of the gradient at
// the best point.
func (s *search) keep(p point) float64 {
	if s.at.gradient != nil {
		c := change{step: difference(p.x, s.at.x), turn: difference(p.gradient, s.at.gradient)}
		if c.along = kernel.Dot(c.step, c.turn); c.along > 0 {
			s.past = append(s.past, c)
			s.past = s.past[max(0, len(s.past)-searchMemory):]
		}
	}
	largest := 0.0
	for _, g := range p.gradient {
		largest = max(largest, math.Abs(g))
	}
	s.idle++
	if largest < s.least {
		s.best, s.least, s.idle = slices.Clone(p.x), largest, 0
	}
	if p.value < s.lowest {
		s.lowest, s.idle = p.value, 0
	}
	s.at = p
	return s.least
}

// difference returns a - b.
func difference(a, b []float64) []float64 {
	out := slices.Clone(a)
	for j, v := range b {
		out[j] -= v
	}
	return out
}

// direction returns the negative gradient times the matrix.
func (s *search) direction() []float64 {
	d, factors := slices.Clone(s.at.gradient), make([]float64, len(s.past))
	for k, c := range slices.Backward(s.past) {
		factors[k] = kernel.Dot(c.step, d) / c.along
		addTimes(d, -factors[k], c.turn)
	}
	scale := 1 / max(kernel.Norm(s.at.gradient), math.SmallestNonzeroFloat64)
	if n := len(s.past); n > 0 {
		scale = s.past[n-1].along / kernel.Dot(s.past[n-1].turn, s.past[n-1].turn)
	}
	for j := range d {
		d[j] *= -scale
	}
	for k, c := range s.past {
		// The factor belongs to -d, so the sign is reversed.
		addTimes(d, -factors[k]-kernel.Dot(c.turn, d)/c.along, c.step)
	}
	return d
}

// addTimes adds f·x to dst.
func addTimes(dst []float64, f float64, x []float64) {
	for j, v := range x {
		dst[j] += f * v
	}
}

// line returns a point along a direction where the value is lower and the slope is flatter. Both
// are measured by shares of the first slope. Between two evaluated points, it next evaluates the
// point where their slopes predict slope 0. Where rounding hides lower values, slopes alone decide.
// The result has x = nil if no point is found.
func (s *search) line(d []float64) (point, error) {
	slope := kernel.Dot(s.at.gradient, d)
	if !(slope < 0) {
		return point{}, nil
	}
	low, high, length := end{0, slope}, end{math.Inf(1), math.NaN()}, 1.0
	for range lineEvaluations {
		x := slices.Clone(s.at.x)
		addTimes(x, length, d)
		p, err := s.look(x)
		if err != nil {
			return point{}, err
		}
		here := end{length, kernel.Dot(p.gradient, d)}
		switch risen := p.value - s.at.value; {
		case !(risen <= lineDescent*length*slope+lineRounding*math.Abs(s.at.value)) || !(here.slope <= -lineSlope*slope):
			high = here
		case here.slope < lineSlope*slope:
			low = here
		default:
			return p, nil
		}
		if length = between(low, high); length == low.length || length == high.length {
			break
		}
	}
	return point{}, nil
}

// end is one end of the remaining part of a line.
type end struct{ length, slope float64 }

// between returns the next length to evaluate.
func between(low, high end) float64 {
	if math.IsInf(high.length, 1) {
		return 4 * low.length
	}
	share := low.slope / (low.slope - high.slope)
	if !(high.slope > 0) || math.IsInf(high.slope, 1) {
		share = 0.5
	}
	return low.length + min(max(share, 0.1), 0.9)*(high.length-low.length)
}

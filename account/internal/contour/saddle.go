package contour

import (
	"fmt"
	"math"
	"runtime"

	"github.com/ditherml/dither/internal/parallel"
)

// largest and smallest bound the saddle points that are searched.
const largest, smallest = 1e15, 1e-15

// each calls f once for every term, with the number of a goroutine and the number of the term. It
// uses as many goroutines as the number of terms deserves.
func (i *Integral) each(f func(worker, k int)) {
	workers := i.workers()
	parallel.Each(workers, func(w int) {
		for k := w; k < len(i.terms); k += workers {
			f(w, k)
		}
	})
}

// workers returns the number of goroutines that each uses.
func (i *Integral) workers() int {
	return max(1, min(runtime.GOMAXPROCS(0), len(i.terms)/8))
}

// cumulants returns the cumulants of the composition at t.
func (i *Integral) cumulants(t float64) cumulants {
	parts := make([]cumulants, i.workers())
	i.each(func(worker, k int) { parts[worker].add(i.terms[k].count, i.terms[k].cumulants(t)) })
	for _, p := range parts[1:] {
		parts[0].add(1, p)
	}
	return parts[0]
}

// with returns the cumulants with the kernel 1/(t(t+1)): the exponent of the integrand at t for ε =
// 0, and its first two derivatives.
func (c cumulants) with(t float64) cumulants {
	return cumulants{
		c.value - math.Log(t) - math.Log1p(t),
		c.mean - 1/t - 1/(t+1),
		c.variance + 1/(t*t) + 1/((t+1)*(t+1)),
	}
}

// saddle returns the solution of mean(t) = ε, where mean is the derivative of the exponent with the
// kernel and rises from -Inf. It uses Newton's method within a bracket, in log t.
func (i *Integral) saddle(epsilon float64) (float64, error) {
	return i.climb(i.start(), func(t float64, c cumulants) (value, slope float64) {
		return c.mean - epsilon, c.variance * t
	})
}

// start returns the point at which a search begins: the last saddle point, or 1.
func (i *Integral) start() float64 {
	if i.line != nil {
		return i.line.made.saddle
	}
	return 1
}

// climb returns the zero of a function that rises in log t, to 1e-6 of t. f returns the function
// and its derivative in log t, or 0 where the derivative is unknown.
func (i *Integral) climb(t float64, f func(t float64, c cumulants) (value, slope float64)) (float64, error) {
	low, high := 0.0, math.Inf(1)
	for range 200 {
		value, slope := f(t, i.cumulants(t).with(t))
		switch {
		case value == 0:
			return t, nil
		case value < 0:
			low = t
		default:
			high = t
		}
		next := t * math.Exp(min(2, max(-2, -value/slope)))
		if math.IsNaN(next) || next <= low || next >= high {
			next = between(low, high)
		}
		if math.Abs(next-t) < 1e-6*t {
			return next, nil
		}
		if t = next; t > largest || t < smallest {
			break
		}
	}
	return 0, fmt.Errorf("%w: no saddle point from %v to %v", ErrUnsuited, low, high)
}

// between returns a point inside a bracket. One end of the bracket may be missing.
func between(low, high float64) float64 {
	switch {
	case low == 0:
		return high / 4
	case math.IsInf(high, 1):
		return low * 4
	}
	return math.Sqrt(low * high)
}

// approximate returns the saddle-point approximation of log δ at the ε for which t is the saddle
// point. It is K - ½·log(2π·K”), where K is the exponent with the kernel (Daniels, "Saddlepoint
// Approximations in Statistics", Annals of Mathematical Statistics 1954).
func (c cumulants) approximate(t, epsilon float64) float64 {
	return c.value - t*epsilon - 0.5*math.Log(2*math.Pi*c.variance)
}

// guess returns the point at which the approximation of log δ is the target. It starts a search and
// decides no result.
func (i *Integral) guess(target float64) (point, error) {
	saddle, err := i.climb(i.start(), func(t float64, c cumulants) (value, slope float64) {
		// The derivative of the exponent in t is -t·K''; the derivative of the width is left out.
		return target - c.approximate(t, c.mean), t * t * c.variance
	})
	if err != nil {
		return point{}, err
	}
	return point{i.cumulants(saddle).with(saddle).mean, saddle, target}, nil
}

// evaluate returns log δ(ε) for the finite losses. If the approximation of log δ was too far off to
// choose a step by, it makes the line again.
func (i *Integral) evaluate(epsilon float64) (float64, error) {
	saddle, err := i.saddle(epsilon)
	if err != nil {
		return 0, err
	}
	p := point{epsilon, saddle, i.cumulants(saddle).with(saddle).approximate(saddle, epsilon)}
	for range 4 {
		var l *line
		var v value
		if l, err = i.lineAt(p); err != nil {
			return 0, err
		}
		if v, err = l.integrate(epsilon); err == nil {
			if err = l.suits(v); err == nil {
				return v.logDelta, nil
			}
			p.logDelta = v.logDelta
		} else if !coarse(err) {
			return 0, err
		}
		i.line = nil
	}
	return 0, fmt.Errorf("%w: the step does not come to rest at ε = %v", ErrUnsuited, epsilon)
}

// solve returns ε with log δ(ε) = target on a line through the guess. It moves a line that proves
// unsuited to the result.
func (i *Integral) solve(target float64) (float64, error) {
	p, err := i.guess(target)
	if err != nil {
		return 0, err
	}
	for range 6 {
		var l *line
		var v value
		if l, v, err = i.newton(p); err == nil {
			if l.suits(v) == nil {
				return math.Max(0, v.epsilon), nil
			}
			p.epsilon = v.epsilon
			if p.saddle, err = i.saddle(p.epsilon); err != nil {
				return 0, err
			}
		} else if !coarse(err) {
			return 0, err
		}
		i.line = nil
	}
	return 0, fmt.Errorf("%w: the line does not come to rest", ErrUnsuited)
}

// newton returns ε on the line for p, improved until log δ(ε) is the target to the last places. It
// keeps a bracket, and halves the bracket where Newton's method would leave it.
func (i *Integral) newton(p point) (l *line, v value, err error) {
	if l, err = i.lineAt(p); err != nil {
		return nil, value{}, err
	}
	low, high := math.Inf(-1), math.Inf(1)
	for epsilon, round := p.epsilon, 0; round < 100 && !math.IsInf(epsilon, 0) && !math.IsNaN(epsilon); round++ {
		if v, err = l.integrate(epsilon); err != nil {
			return nil, value{}, err
		}
		if v.logDelta > p.logDelta {
			low = epsilon
		} else {
			high = epsilon
		}
		move := min(l.period/8, max(-l.period/8, (p.logDelta-v.logDelta)/v.slope))
		if math.Abs(move*v.slope) < max(1e-11, v.rounding) || math.Abs(move) < 1e-15*math.Abs(epsilon) {
			v.epsilon, v.logDelta = epsilon+move, p.logDelta
			return l, v, nil
		}
		if epsilon += move; !(epsilon > low && epsilon < high) {
			epsilon = (low + high) / 2
		}
	}
	return nil, value{}, fmt.Errorf("%w: no ε on the line at λ = %v", ErrUnsuited, l.lambda)
}

package contour

import (
	"fmt"
	"math"
	"runtime"
	"sync"
)

// largest bounds the saddle points that are looked for, smallest likewise.
const largest, smallest = 1e15, 1e-15

// each calls f for the number of every term, on as many goroutines as the number of terms
// deserves, each with its own number.
func (i *Integral) each(f func(worker, k int)) {
	workers := i.workers()
	if workers == 1 {
		for k := range i.terms {
			f(0, k)
		}
		return
	}
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for k := w; k < len(i.terms); k += workers {
				f(w, k)
			}
		})
	}
	group.Wait()
}

// workers returns the number of goroutines that each uses.
func (i *Integral) workers() int {
	return max(1, min(runtime.GOMAXPROCS(0), len(i.terms)/8))
}

// cumulants returns those of the composition at t.
func (i *Integral) cumulants(t float64) cumulants {
	parts := make([]cumulants, i.workers())
	i.each(func(worker, k int) { parts[worker].add(i.terms[k].count, i.terms[k].cumulants(t)) })
	for _, p := range parts[1:] {
		parts[0].add(1, p)
	}
	return parts[0]
}

// with adds the kernel 1/(t(t+1)): the exponent of the integrand at t for ε = 0, and its
// first two derivatives.
func (c cumulants) with(t float64) cumulants {
	return cumulants{
		c.value - math.Log(t) - math.Log1p(t),
		c.mean - 1/t - 1/(t+1),
		c.variance + 1/(t*t) + 1/((t+1)*(t+1)),
	}
}

// saddle solves mean(t) = ε, where mean is the derivative of the exponent with the kernel
// and rises from -Inf: Newton's method within a bracket, in log t.
func (i *Integral) saddle(epsilon float64) (float64, error) {
	return i.climb(i.start(), func(t float64, c cumulants) (value, slope float64) {
		return c.mean - epsilon, c.variance * t
	})
}

// start returns the point at which a search begins: the last saddle point, or 1.
func (i *Integral) start() float64 {
	if i.line != nil {
		return i.line.lambda
	}
	return 1
}

// climb finds the zero of a rising function of log t, given with its derivative in log t
// (0 where unknown), to 1e-6 of t.
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

// between returns a point inside a bracket of which one end may be missing.
func between(low, high float64) float64 {
	switch {
	case low == 0:
		return high / 4
	case math.IsInf(high, 1):
		return low * 4
	}
	return math.Sqrt(low * high)
}

// guess returns λ and ε at which the saddle-point approximation of log δ is the target:
//
//	log δ ≈ log M(λ) - λε - log(λ(λ+1)) - ½·log(2π·K''), where K' = ε.
//
// It is a starting point and decides no result.
func (i *Integral) guess(target float64) (lambda, epsilon float64, err error) {
	lambda, err = i.climb(i.start(), func(t float64, c cumulants) (value, slope float64) {
		// The derivative of the exponent in t is -t·K''; that of the width is left out.
		return target - c.value + t*c.mean + 0.5*math.Log(2*math.Pi*c.variance), t * t * c.variance
	})
	if err != nil {
		return 0, 0, err
	}
	return lambda, i.cumulants(lambda).with(lambda).mean, nil
}

// solve finds ε with log δ(ε) = target, by Newton's method on a line through the guess; a
// line that proves unsuited to the result is moved there.
func (i *Integral) solve(target float64) (float64, error) {
	lambda, epsilon, err := i.guess(target)
	if err != nil {
		return 0, err
	}
	for range 6 {
		l, v, err := i.newton(lambda, epsilon, target)
		if err != nil {
			return 0, err
		}
		if epsilon = v.epsilon; l.suits(v) == nil {
			return math.Max(0, epsilon), nil
		}
		if lambda, err = i.saddle(epsilon); err != nil {
			return 0, err
		}
	}
	return 0, fmt.Errorf("%w: the line does not come to rest", ErrUnsuited)
}

// newton improves ε on the line at lambda until log δ(ε) is the target to the last places.
func (i *Integral) newton(lambda, epsilon, target float64) (*line, value, error) {
	l, err := i.lineAt(lambda, epsilon)
	if err != nil {
		return nil, value{}, err
	}
	for range 40 {
		v, err := l.integrate(epsilon)
		if err != nil {
			return nil, value{}, err
		}
		move := (target - v.logDelta) / v.slope
		if !(math.Abs(move) < l.period/4) {
			move = math.Copysign(l.period/4, move)
		}
		epsilon += move
		if math.Abs(move*v.slope) < 1e-11 || math.Abs(move) < 1e-15*math.Abs(epsilon) {
			v.epsilon, v.logDelta = epsilon, target
			return l, v, nil
		}
	}
	return nil, value{}, fmt.Errorf("%w: Newton's method does not come to rest", ErrUnsuited)
}

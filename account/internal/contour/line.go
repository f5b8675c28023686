package contour

import (
	"errors"
	"fmt"
	"math"
)

// The accuracy that a line is made for, as parts of δ.
const (
	aliasing = 1e-12 // what the trapezoid rule on the line adds
	accepted = 1e-9  // the largest estimate of the whole error that is let pass
	silence  = 1e-13 // a summand this small, relative to the sum, is silent
	quiet    = 128   // so many silent summands end the sum
)

// maxWork bounds the multiplications of phases of one line: about half a second.
const maxWork = 2e8

// probe is a real order s with the exponent κ(s) + log M(s) of the bound
// log δ(x) ≤ κ(s) + log M(s) - s·x, where κ(s) = s·log s - (s+1)·log(s+1).
type probe struct{ order, exponent float64 }

// line is the vertical line through λ with the values of log M on it at the steps
// k·step, relative to those at λ. They do not depend on ε.
type line struct {
	*Integral
	lambda, step float64
	period       float64 // 2π/step
	center       cumulants
	probes       []probe
	laws, checks []*law
	walkers      []*walker
	re, im       []float64 // log M(λ+iku) - log M(λ) - i·u·mean at k = 1, 2, …
	scale        float64   // what the sum comes to, about
	atoms        float64   // log of the weight of the compositions of atoms alone
	work         float64
}

// lineAt returns a line at λ that suits ε: the last one, or a new one with quadrature
// rules as fine as it needs.
func (i *Integral) lineAt(lambda, epsilon float64) (*line, error) {
	if l := i.line; l != nil && math.Abs(l.lambda-lambda) < 0.1*lambda && l.reaches(epsilon) {
		return l, nil
	}
	for {
		l, err := i.newLine(lambda, epsilon)
		if err != nil {
			return nil, err
		}
		if _, err = l.integrate(epsilon); err == nil {
			i.line = l
			return l, nil
		} else if !errors.Is(err, errCoarse) || errors.Is(err, ErrUnsuited) {
			return nil, err
		}
	}
}

// newLine settles the tilted laws at λ and chooses the step.
func (i *Integral) newLine(lambda, epsilon float64) (*line, error) {
	l := &line{Integral: i, lambda: lambda}
	l.laws, l.checks = make([]*law, len(i.terms)), make([]*law, len(i.terms))
	failures := make([]error, i.workers())
	l.each(func(worker, k int) {
		var err error
		if l.laws[k], l.checks[k], err = i.terms[k].settled(lambda); err != nil {
			failures[worker] = err
		}
	})
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	for _, w := range l.laws {
		l.center.add(w.count, w.cumulant)
		l.atoms += w.count * math.Log(w.atoms)
	}
	l.probe()
	l.period = l.wanted(epsilon)
	if !(l.period > 0) || math.IsInf(l.period, 0) {
		return nil, fmt.Errorf("%w: no step is small enough at λ = %v", ErrUnsuited, lambda)
	}
	l.step = 2 * math.Pi / l.period
	l.scale = math.Sqrt(math.Pi/2/l.center.with(lambda).variance) / l.step / l.kernel(0)
	for _, w := range l.laws {
		l.walkers = append(l.walkers, &walker{law: w, step: l.step, next: 1})
	}
	return l, nil
}

// probe evaluates the bound on δ at orders on both sides of λ.
func (l *line) probe() {
	width := 1 / math.Sqrt(l.center.with(l.lambda).variance)
	for _, c := range [...]float64{-8, -4, -2, -0.9, -0.6, -0.3, 0.3, 0.6, 1, 2, 4, 8} {
		s := l.lambda + c*width
		if s <= 0 {
			continue
		}
		bound := s*math.Log(s/(s+1)) - math.Log1p(s)
		l.probes = append(l.probes, probe{s, bound + l.cumulants(s).value})
	}
	l.probes = append(l.probes, probe{0, 0})
}

// guessed returns the saddle-point approximation of log δ(ε), where λ is the saddle point.
func (l *line) guessed(epsilon float64) float64 {
	c := l.center.with(l.lambda)
	return c.value - l.lambda*epsilon - 0.5*math.Log(2*math.Pi*c.variance)
}

// wanted returns the period at which aliasing is as small as it should be.
//
// The sum of step/(2π) times the integrand over all multiples of the step is, by Poisson's
// summation formula, the sum of δ(ε + m·period)·e^{λ·m·period} over all whole m; the error
// is what m ≠ 0 adds. Each probe bounds the summand m = 1 or m = -1.
func (l *line) wanted(epsilon float64) float64 {
	need := math.Log(1/aliasing) + 2 - l.guessed(epsilon)
	left, right := math.Inf(1), math.Inf(1)
	for _, p := range l.probes {
		period := (p.exponent - p.order*epsilon + need) / math.Abs(p.order-l.lambda)
		if p.order < l.lambda {
			left = min(left, period)
		} else {
			right = min(right, period)
		}
	}
	return max(left, right)
}

// aliased returns a bound on the relative error that the period leaves at ε.
func (l *line) aliased(epsilon, logDelta float64) float64 {
	left, right := math.Inf(1), math.Inf(1)
	for _, p := range l.probes {
		e := p.exponent - p.order*epsilon - logDelta - math.Abs(p.order-l.lambda)*l.period
		if p.order < l.lambda {
			left = min(left, e)
		} else {
			right = min(right, e)
		}
	}
	return math.Exp(left) + math.Exp(right)
}

// reaches reports whether the step of the line is small enough for ε, by approximation.
func (l *line) reaches(epsilon float64) bool { return l.wanted(epsilon) < 1.1*l.period }

// extend evaluates log M at the next block of steps.
func (l *line) extend() error {
	from := len(l.re)
	count := min(max(16, from), 256)
	if from+count > l.nodes {
		return fmt.Errorf("%w: more than %d points at λ = %v", ErrUnsuited, l.nodes, l.lambda)
	}
	workers := l.workers()
	re, im, far := make([][]float64, workers), make([][]float64, workers), make([]int, workers)
	for w := range workers {
		re[w], im[w] = make([]float64, count), make([]float64, count)
	}
	l.each(func(worker, k int) { far[worker] += l.walkers[k].block(from+count, re[worker], im[worker]) })
	for w := range workers {
		l.work += float64(far[w] * count)
		for k := range count {
			if w > 0 {
				re[0][k] += re[w][k]
				im[0][k] += im[w][k]
			}
		}
	}
	l.re, l.im = append(l.re, re[0]...), append(l.im, im[0]...)
	if l.work > maxWork {
		return fmt.Errorf("%w: too much work at λ = %v", ErrUnsuited, l.lambda)
	}
	for quarter := 1; quarter <= 4; quarter++ {
		if err := l.check(from + quarter*count/4 - 1); err != nil {
			return err
		}
	}
	return nil
}

// kernel returns |t(t+1)| at t = λ + iu.
func (l *line) kernel(u float64) float64 {
	return math.Hypot(l.lambda, u) * math.Hypot(l.lambda+1, u)
}

// value is the integral at one ε with what is known of its error.
type value struct {
	epsilon, logDelta float64
	slope             float64 // the derivative of log δ
	rounding          float64 // estimate of the relative rounding error
}

// integrate sums the trapezoid rule at ε until silence.
func (l *line) integrate(epsilon float64) (value, error) {
	a, b := l.lambda, l.lambda+1
	sum, slope := 0.5/(a*b), 0.5/b
	size, silent := sum, 0
	drift := l.center.mean - epsilon
	for k := 0; ; k++ {
		if k == len(l.re) {
			if err := l.extend(); err != nil {
				return value{}, err
			}
		}
		u := float64(k+1) * l.step
		s, c := math.Sincos(l.im[k] + u*drift)
		height := math.Exp(l.re[k])
		// 1/(t(t+1)) = (a - iu)(b - iu)/(|t|²·|t+1|²).
		p, q := a*a+u*u, b*b+u*u
		x, y := (a*b-u*u)/p/q, -u*(a+b)/p/q
		sum += height * (c*x - s*y)
		slope += height * (c*b + s*u) / q
		size += height / math.Sqrt(p*q)
		if height/math.Sqrt(p*q) > silence*math.Abs(sum) {
			silent = 0
		} else if silent++; silent >= quiet && l.ended(u, sum) {
			break
		}
	}
	if !(sum > 0) {
		return value{}, fmt.Errorf("%w: the sum cancels at λ = %v", ErrUnsuited, l.lambda)
	}
	exponent := l.center.value - l.lambda*epsilon
	return value{
		epsilon:  epsilon,
		logDelta: exponent + math.Log(sum*l.step/math.Pi),
		slope:    -slope / sum,
		rounding: 0x1p-50 * (size/sum*(1+math.Abs(drift)*l.step) + math.Abs(l.center.value) + math.Abs(l.lambda*epsilon)),
	}, nil
}

// ended reports whether what lies beyond u is small. Atoms do not decay: the integrand
// comes back to their weight again and again.
func (l *line) ended(u, sum float64) bool {
	return math.Exp(l.atoms)/u <= 1e-12*sum*l.step
}

// suits returns an error where the value may be wrong by more than is accepted.
func (l *line) suits(v value) error {
	alias := l.aliased(v.epsilon, v.logDelta)
	if estimate := alias + v.rounding; !(estimate < accepted) {
		return fmt.Errorf("%w: the error may be %.1e of the value", ErrUnsuited, estimate)
	}
	return nil
}

// check compares both quadrature rules of every pair at step k, counted from 0, where they
// still count: a rule that is too coarse for the phases there is refined, and the line is
// given up with errCoarse.
func (l *line) check(k int) error {
	u := float64(k+1) * l.step
	weight := float64(k+1) * math.Exp(l.re[k]) / l.kernel(u) / l.scale
	if weight < 1e-13 {
		return nil
	}
	coarse := make([]error, l.workers())
	tolerance := 1e-10 / weight / math.Sqrt(float64(len(l.laws)))
	l.each(func(worker, k int) {
		w, check := l.laws[k], l.checks[k]
		if check == nil || w.count*w.distance(check, u) <= tolerance {
			return
		}
		if coarse[worker] == nil {
			coarse[worker] = errCoarse
		}
		if err := l.terms[k].refine(); err != nil {
			coarse[worker] = err
		}
	})
	return errors.Join(coarse...)
}

// errCoarse says that a line has to be made again on finer rules.
var errCoarse = errors.New("contour: the quadrature is too coarse")

// distance returns how far two forms of one law disagree in log E e^{iuL}.
func (l *law) distance(o *law, u float64) float64 {
	a, b := l.characteristic(u)
	c, d := o.characteristic(u)
	return math.Hypot(a-c, b-d) / math.Hypot(1+a, b)
}

package contour

import (
	"fmt"
	"math"
)

// accepted is the largest estimate of the relative error of δ that is let pass.
const accepted = 1e-9

// silent is the size of a summand, relative to the sum, that no longer counts.
const silent = 1e-13

// value is the integral at one ε with what is known of its error.
type value struct {
	epsilon, logDelta float64
	slope             float64 // the derivative of log δ
	rounding          float64 // estimate of the relative rounding error
	sum               float64 // of the integrand, where it is 1/(λ(λ+1)) at λ
}

// integrate sums the trapezoid rule at ε until it has been silent for long enough.
func (l *line) integrate(epsilon float64) (value, error) {
	a, b := l.lambda, l.lambda+1
	sum, slope := 0.5/(a*b), 0.5/b
	size, run := sum, 0
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
		here := height / math.Sqrt(p*q)
		size += here
		if run++; here > silent*math.Abs(sum) {
			if run > 16 {
				if err := l.check(k, k+1); err != nil { // a return may be the rule's fault
					return value{}, err
				}
			}
			run = 0
		}
		if l.ended(k+1, run, sum) {
			break
		}
	}
	if !(sum > 0) {
		return value{}, fmt.Errorf("%w: the sum cancels at λ = %v", ErrUnsuited, l.lambda)
	}
	exponent := l.center.value - l.lambda*epsilon
	return value{
		sum:      sum,
		epsilon:  epsilon,
		logDelta: exponent + math.Log(sum*l.step/math.Pi),
		slope:    -slope / sum,
		rounding: 0x1p-52 * (size/sum*(1+math.Abs(drift)*l.step) + math.Abs(l.center.value) + math.Abs(l.lambda*epsilon)),
	}, nil
}

// ended reports whether the sum may stop after n points of which the last run were silent.
//
// Silence has to last, because losses that lie near a lattice bring the integrand back when
// the phases of its points meet again: at u = 2π over the spacing. The fewer releases there
// are, the sooner that would be seen, counted in steps: the spacing is at most a standard
// deviation of the total loss, which the step follows.
func (l *line) ended(n, run int, sum float64) bool {
	if l.end > 0 && n >= l.end && run >= 16 {
		return true
	}
	releases := 0.0
	for _, w := range l.laws {
		releases += w.count
	}
	if float64(run) < min(1024, max(128, 16*math.Sqrt(releases))) || !l.passed(float64(n)*l.step, sum) {
		return false
	}
	l.end = n - run + 16
	return true
}

// passed reports whether what lies beyond u is small although atoms never fall silent:
// again and again the integrand comes back to the weight that they have in every release.
func (l *line) passed(u, sum float64) bool {
	weight := 0.0
	for _, w := range l.laws {
		weight += w.count * math.Log(w.atoms)
	}
	return math.Exp(weight)/u <= 1e-12*sum
}

// suits returns an error where the value may be wrong by more than is accepted.
func (l *line) suits(v value) error {
	if v.sum < l.scale/4 {
		return fmt.Errorf("%w: the quadrature was chosen for a larger value", ErrUnsuited)
	}
	left, right := aliases(l.probes, l.lambda, l.period, point{v.epsilon, 0, v.logDelta})
	if estimate := math.Exp(left) + math.Exp(right) + v.rounding; !(estimate < accepted) {
		return fmt.Errorf("%w: the error may be %.1e of the value", ErrUnsuited, estimate)
	}
	return nil
}

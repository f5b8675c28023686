package contour

import (
	"fmt"
	"math"
)

// accepted is the largest accepted estimate of the relative error of δ.
const accepted = 1e-9

// silent is the size of a summand, relative to the sum, that no longer counts.
const silent = 1e-13

// value is the integral at one ε and estimates of its error.
type value struct {
	epsilon, logDelta float64
	slope             float64 // the derivative of log δ
	rounding          float64 // estimate of the relative rounding error
	sum               float64 // of the integrand, where it is 1/(λ(λ+1)) at λ
}

// summand is the integrand at one point of the line: its share in the integral for δ, its share in
// the integral for -δ', and its modulus.
type summand struct{ value, slope, size float64 }

// summand returns the integrand at step k, counted from 0. drift is the mean of the tilted loss
// less ε.
func (l *line) summand(k int, drift float64) summand {
	a, b, u := l.lambda, l.lambda+1, float64(k+1)*l.step
	s, c := math.Sincos(l.im[k] + u*drift)
	height := math.Exp(l.re[k])
	re, im := height*c, height*s
	if l.lattice != nil {
		s, c = math.Sincos(l.atomIm[k] + u*drift)
		height = math.Exp(l.atomRe[k])
		re, im = re-height*c, im-height*s
	}
	// 1/(t(t+1)) = (a - iu)(b - iu)/(|t|²·|t+1|²).
	p, q := a*a+u*u, b*b+u*u
	return summand{
		value: (re*(a*b-u*u) + im*u*(a+b)) / p / q,
		slope: (re*b + im*u) / q,
		size:  math.Hypot(re, im) / math.Sqrt(p*q),
	}
}

// integrate returns the sum of the trapezoid rule at ε, until the rest is small, plus the lattice.
func (l *line) integrate(epsilon float64) (value, error) {
	a, b := l.lambda, l.lambda+1
	base := l.center.value - a*epsilon
	drift := l.center.mean - epsilon
	sum, slope := l.lattice.delta(epsilon, base)
	sum, slope = sum*math.Pi/l.step, slope*math.Pi/l.step
	first := (1 - l.atomShare()) / (a * b) / 2
	sum, slope = sum+first, slope+first*a
	size := sum
	for k, run := 0, 0; !l.ended(k, run, sum); k++ {
		if k == len(l.re) {
			if err := l.extend(); err != nil {
				return value{}, err
			}
		}
		v := l.summand(k, drift)
		sum, slope, size = sum+v.value, slope+v.slope, size+v.size
		if run++; v.size > silent*math.Abs(sum) {
			run = 0
		}
	}
	if !(sum > 0) {
		return value{}, fmt.Errorf("%w: the sum cancels at λ = %v", ErrUnsuited, l.lambda)
	}
	return value{
		sum:      sum,
		epsilon:  epsilon,
		logDelta: base + math.Log(sum*l.step/math.Pi),
		slope:    -slope / sum,
		rounding: 0x1p-52 * (size/sum*(1+math.Abs(drift)*l.step) + math.Abs(l.center.value) + math.Abs(a*epsilon)),
	}, nil
}

// atomShare returns the weight of the lattice under the tilted distribution, 0 without one.
func (l *line) atomShare() float64 {
	if l.lattice == nil {
		return 0
	}
	return math.Exp(l.atomWeight())
}

// atomWeight returns the logarithm of the probability under the tilted distribution that every
// release falls on an atom.
func (l *line) atomWeight() float64 {
	sum := 0.0
	for _, w := range l.laws {
		sum += w.count * math.Log(w.atoms)
	}
	return sum
}

// ended reports whether the sum may stop after n points, the last run of them silent.
//
// Silence has to last, because losses that lie near a lattice bring the integrand back when the
// phases of its points meet again: at u = 2π over the spacing. The fewer releases there are, the
// sooner that would be seen, counted in steps. The reason is that the spacing is at most a standard
// deviation of the total loss, and the step follows that standard deviation.
func (l *line) ended(n, run int, sum float64) bool {
	if l.end > 0 && n >= l.end && (run >= 16 || l.lattice != nil) {
		return true
	}
	releases := 0.0
	for _, w := range l.laws {
		releases += w.count
	}
	long := float64(run) >= min(1024, max(128, 16*math.Sqrt(releases)))
	if weight := l.atomWeight(); !math.IsInf(weight, -1) {
		if n < 128 || n%max(64, n/8) != 0 || !long && l.lattice == nil || !l.passed(weight, float64(n)*l.step, sum) {
			return false
		}
	} else if !long {
		return false
	}
	if l.end = n; long {
		l.end = n - run + 16
	}
	return true
}

// resting is the part of δ that may lie beyond the end of a line where atoms are. It is a loose
// bound: the signs of the summands take off much of it.
const resting = 5e-10

// passed reports whether the part beyond u is small although atoms never fall silent. Again and
// again the integrand comes back to the weight e^weight that the atoms have in every release. Where
// the lattice is taken out, each summand that is left has a factor without atoms, which falls like
// 1/u.
func (l *line) passed(weight, u, sum float64) bool {
	share, full := 0.0, 0.0
	for _, w := range l.laws {
		l.work += smoothWork * float64(len(w.weight))
		rest := w.smooth(u) / u
		share += w.count * math.Log1p(rest/w.atoms)
		full += w.count * math.Log(min(1, w.atoms+rest))
	}
	if l.lattice == nil {
		return math.Exp(full)/u <= resting*sum*l.step
	}
	return math.Exp(weight)*math.Expm1(share)/(2*u) <= resting*sum*l.step
}

// suits returns an error where the value may be wrong by more than the accepted error.
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

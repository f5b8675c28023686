// Package contour computes the privacy profile δ(ε) of a composition of dominating pairs, in one
// direction. The profile is a line integral of the exact moment generating function M(t) = Π
// E_P[e^{tL}]^count of the privacy loss L:
//
//	δ(ε) = 1/(2πi) ∫ M(t)·e^{-tε}/(t·(t+1)) dt over the line Re t = λ > 0.
//
// The line passes through the saddle point of the integrand, where the integrand does not
// oscillate. So δ has the same relative accuracy at 1e-40 as at 1e-1, and the work does not depend
// on the number of releases. Nothing is rounded to a grid of losses.
//
// The result is an estimate: it may err to either side, by about 1e-9 of δ. Where the integral
// converges slowly, or its convergence is not shown, the answer is ErrUnsuited.
//
// Source: Alghamdi, Gómez, Asoodeh, Calmon, Kosut & Sankar, "The Saddle-Point Method in
// Differential Privacy", ICML 2023, https://arxiv.org/abs/2208.09595. There the integral is
// approximated at the saddle point. Here it is summed along the whole line.
package contour

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
)

// ErrUnsuited is the error for a composition that the integral cannot price at a point. Callers use
// another engine there.
var ErrUnsuited = errors.New("contour: the integral does not converge here")

// DefaultNodes is the number of points on the line of integration to which New limits an integral.
const DefaultNodes = 1 << 16

// Term is a number of releases that the same pair dominates. Count is an integer, 0 or more.
type Term struct {
	Pair  pair.Pair
	Count float64
}

// Integral is a composition of independent releases in one direction, for which it computes prices.
// It keeps the quadrature rules of its pairs between calls. It is safe for concurrent use. Its
// methods run one after another, and each method uses several processors if that saves time.
type Integral struct {
	mutex    sync.Mutex
	terms    []*term
	nodes    int
	infinity float64 // the probability under P of a loss of +Inf
	lattice  *lattice
	line     *line   // the line used last
	work     float64 // the cost of the present call
}

// New returns the integral of the composition of terms, in any order. If it does not know the kind
// of a pair, the error wraps ErrUnsuited. An invalid pair or count is another error. Examples are
// weights that do not sum to 1, a scale of 0, and a fractional count.
func New(terms []Term) (*Integral, error) { return NewLimited(terms, DefaultNodes) }

// NewLimited returns the same integral as New, with a limit on the points at which the integrand is
// evaluated. A method that reaches the limit returns ErrUnsuited.
func NewLimited(terms []Term, nodes int) (*Integral, error) {
	i := &Integral{nodes: nodes}
	logFinite := 0.0
	for k, t := range terms {
		r, err := newTerm(t)
		if err != nil {
			return nil, fmt.Errorf("contour: term %d: %w", k, err)
		}
		if r.count == 0 {
			continue
		}
		logFinite += r.count * math.Log1p(-r.infinP)
		empty := false
		if empty, err = r.empty(); err != nil {
			return nil, err
		}
		if !empty {
			i.terms = append(i.terms, r)
		}
	}
	i.infinity = -math.Expm1(logFinite)
	i.lattice = newLattice(i.terms)
	return i, nil
}

// empty reports whether the loss of a term is always 0.
func (r *term) empty() (bool, error) {
	if r.source.top() != 0 || r.infinP > 0 {
		return false, nil
	}
	first, _, err := r.rules(0)
	if err != nil {
		return false, err
	}
	for _, loss := range first.loss {
		if loss != 0 {
			return false, nil
		}
	}
	return true, nil
}

// forget drops all computed values, so that a failed call leaves no over-fine rules to the next.
func (i *Integral) forget() {
	i.line = nil
	for _, r := range i.terms {
		r.level, r.first, r.second = 0, nil, nil
	}
}

// top returns the least upper bound of the finite losses of the composition.
func (i *Integral) top() float64 {
	sum := 0.0
	for _, r := range i.terms {
		sum += r.count * r.source.top()
	}
	return sum
}

// Delta returns δ(ε) = E_P[max(0, 1 - e^{ε-L})] for any real ε, with a relative error of about
// 1e-9. At -Inf δ is 1. At +Inf, and at every ε that no finite loss exceeds, δ is the probability
// of an infinite loss.
func (i *Integral) Delta(epsilon float64) (float64, error) {
	if math.IsNaN(epsilon) {
		return 0, errors.New("contour: epsilon is not a number")
	}
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.work = 0
	switch {
	case math.IsInf(epsilon, -1):
		return 1, nil
	case epsilon >= i.top():
		return i.infinity, nil
	case len(i.terms) == 0:
		return -math.Expm1(epsilon), nil
	}
	logDelta, err := i.evaluate(epsilon)
	if err != nil {
		i.forget()
		return 0, err
	}
	return i.infinity + math.Exp(logDelta), nil
}

// Epsilon returns the least ε ≥ 0 with δ(ε) ≤ delta. Its error corresponds to a relative error of
// 1e-9 in delta. The result is +Inf if an infinite loss is more likely than delta, and 0 if δ(0) ≤
// delta.
func (i *Integral) Epsilon(delta float64) (float64, error) {
	if !(delta >= 0) {
		return 0, fmt.Errorf("contour: delta is %v, want at least 0", delta)
	}
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.work = 0
	switch target := delta - i.infinity; {
	case delta >= 1:
		return 0, nil
	case target < 0:
		return math.Inf(1), nil
	case len(i.terms) == 0:
		return 0, nil
	case target == 0:
		return math.Max(0, i.top()), nil
	case target >= 1.1*i.distance():
		return 0, nil
	default:
		epsilon, err := i.solve(special.Log(target))
		if err != nil {
			i.forget()
		}
		return epsilon, err
	}
}

// distance returns a bound on δ(0) for the finite losses, to a few percent. It is the smaller of
// the sum over the releases and half the root of the χ² divergence E_Q[r²] - 1.
func (i *Integral) distance() float64 {
	var sum, square special.Total
	for _, r := range i.terms {
		first, _, err := r.rules(1)
		if err != nil {
			return math.Inf(1)
		}
		for j, loss := range first.loss {
			if loss > 0 {
				sum.Add(r.count * math.Exp(first.logMass[j]) * -math.Expm1(-loss))
			}
		}
		square.Add(r.count * r.expect(first, 1).value)
		if r.infinP > 0 || r.infinQ > 0 {
			square.Add(math.Inf(1))
		}
	}
	return min(sum.Value(), 0.5*math.Sqrt(math.Expm1(square.Value())))
}

// LogMoment returns Σ count·log E_P[e^{tL}; L finite] for real t. The relative error is about
// 1e-13, even for tiny results. At t = α-1 the result is (α-1) times the Rényi divergence of order
// α. The result is +Inf if t is so large that the pair would need too many nodes. It is +Inf for t
// < -1 too, because a loss of -Inf has an infinite moment there.
func (i *Integral) LogMoment(t float64) float64 {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	var sum special.Total
	for _, r := range i.terms {
		if t < -1 && r.infinQ > 0 {
			return math.Inf(1)
		}
		c, _, err := r.agreed(t)
		if err != nil {
			i.forget()
			return math.Inf(1)
		}
		sum.Add(r.count * c.value)
	}
	return sum.Value()
}

// Mean returns the expectation under P of the finite part of the total loss, given that no
// loss is infinite.
func (i *Integral) Mean() float64 { return i.tiltedAt(0).mean }

// Variance returns the variance under P of the total loss, given that no loss is infinite.
func (i *Integral) Variance() float64 { return i.tiltedAt(0).variance }

// Tilted returns the mean and the variance of the total loss under the distribution tilted by
// e^{tL}. They are the first two derivatives of LogMoment at t.
func (i *Integral) Tilted(t float64) (mean, variance float64) {
	c := i.tiltedAt(t)
	return c.mean, c.variance
}

func (i *Integral) tiltedAt(t float64) cumulants {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return i.cumulants(t)
}

// Saddle returns the λ > 0 at which log M(t) - t·ε - log t - log(t+1) is least on the real axis.
// The relative error is about 1e-6. Saddle returns ErrUnsuited if no finite loss exceeds ε, since
// there is no saddle point.
func (i *Integral) Saddle(epsilon float64) (float64, error) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if len(i.terms) == 0 || epsilon >= i.top() || math.IsNaN(epsilon) {
		return 0, fmt.Errorf("%w: no loss exceeds %v", ErrUnsuited, epsilon)
	}
	return i.saddle(epsilon)
}

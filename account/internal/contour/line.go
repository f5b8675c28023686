package contour

import (
	"errors"
	"fmt"
	"math"
)

// maxWork bounds the work of one call, in units of about two nanoseconds.
const maxWork = 3e8

// Costs for each node in these units. seriesWork is for a series and a logarithm, checkWork for
// comparing two distributions, smoothWork for the part of a distribution without atoms.
const seriesWork, checkWork, smoothWork = 50, 60, 200

// tolerated is the part of δ by which the quadrature rules may be wrong.
const tolerated = 1e-10

// errCoarse is the error of a line that has to be made again on finer rules.
var errCoarse = errors.New("contour: the quadrature is too coarse")

// coarse reports whether a line on refined rules is the remedy for an error.
func coarse(err error) bool { return errors.Is(err, errCoarse) && !errors.Is(err, ErrUnsuited) }

// line is the vertical line through λ. It holds the values of log M at the steps k·step, relative
// to the value at λ. They do not depend on ε.
type line struct {
	*Integral
	lambda, step float64
	period       float64 // 2π/step
	made         point   // what it was made for
	probes       []probe
	center       cumulants
	laws, checks []*law
	walkers      []*walker
	re, im       []float64 // log M(λ+iku) - log M(λ) - i·u·mean at k = 1, 2, …
	atomRe       []float64 // the same for the atoms alone, where the lattice is known
	atomIm       []float64
	scale        float64 // the approximate sum of the integrand
	end          int     // the number of points that count, once known
}

// lineAt returns a line for p: the last one where it serves, or a new one with quadrature rules as
// fine as it needs.
func (i *Integral) lineAt(p point) (*line, error) {
	if l := i.line; l != nil && math.Abs(l.made.saddle-p.saddle) < 0.1*p.saddle {
		if periodFor(l.probes, l.lambda, p) <= l.period {
			return l, nil
		}
	}
	lambda, period, list, err := i.place(p)
	if err != nil {
		return nil, err
	}
	for {
		l := &line{Integral: i, lambda: lambda, period: period, step: 2 * math.Pi / period, made: p, probes: list}
		if err = l.settle(); err != nil {
			return nil, err
		}
		l.scale = math.Exp(p.logDelta-l.center.value+lambda*p.epsilon) * math.Pi / l.step
		if _, err = l.integrate(p.epsilon); err == nil {
			i.line = l
			return l, nil
		} else if !coarse(err) {
			return nil, err
		}
	}
}

// settle makes the tilted distributions at λ.
func (l *line) settle() error {
	l.laws, l.checks = make([]*law, len(l.terms)), make([]*law, len(l.terms))
	failures := make([]error, l.workers())
	l.each(func(worker, k int) {
		var err error
		if l.laws[k], l.checks[k], err = l.terms[k].settled(l.lambda); err != nil {
			failures[worker] = err
		}
	})
	for _, w := range l.laws {
		if w != nil {
			l.center.add(w.count, w.cumulant)
			l.walkers = append(l.walkers, &walker{law: w, step: l.step, next: 1})
		}
	}
	return errors.Join(failures...)
}

// kernel returns |t(t+1)| at t = λ + iu.
func (l *line) kernel(u float64) float64 {
	return math.Hypot(l.lambda, u) * math.Hypot(l.lambda+1, u)
}

// size returns the modulus of the integrand at step k, counted from 0. It is 1/(λ(λ+1)) at λ
// itself.
func (l *line) size(k int) float64 {
	return math.Exp(l.re[k]) / l.kernel(float64(k+1)*l.step)
}

// extend evaluates log M at the next block of steps.
func (l *line) extend() error {
	from := len(l.re)
	count := min(max(16, from), 256)
	if from+count > l.nodes || l.hopeless() {
		return fmt.Errorf("%w: more than %d points at λ = %v", ErrUnsuited, l.nodes, l.lambda)
	}
	workers := l.workers()
	re, im, far := make([][]float64, workers), make([][]float64, workers), make([]int, workers)
	for w := range workers {
		re[w], im[w] = make([]float64, count), make([]float64, count)
	}
	l.each(func(worker, k int) {
		far[worker] += seriesWork + l.walkers[k].block(from+count, re[worker], im[worker])
	})
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
	l.extendAtoms()
	for quarter := range 4 {
		if err := l.check(from+quarter*count/4, from+(quarter+1)*count/4); err != nil {
			return err
		}
	}
	return nil
}

// extendAtoms brings the values for the atoms alone to the length of the others.
func (l *line) extendAtoms() {
	if l.lattice == nil {
		return
	}
	for k := len(l.atomRe); k < len(l.re); k++ {
		var re, im float64
		for _, w := range l.laws {
			a, b := w.atomic(float64(k+1) * l.step)
			re += w.count * a
			im += w.count * b
		}
		l.atomRe, l.atomIm = append(l.atomRe, re), append(l.atomIm, im)
	}
}

// hopeless reports whether the integrand falls too slowly to end before the limits of nodes and of
// work. Its slope in logarithms is taken to grow with every doubling, as it does for smooth losses.
// The rules trusted up to here grow with the height of the line. Where atoms are taken out, the
// integrand comes and goes, and nothing is foretold.
func (l *line) hopeless() bool {
	n := len(l.re)
	if n < 512 || l.lattice != nil {
		return false
	}
	now, before, far := math.Log(l.size(n-1)), math.Log(l.size(n/2-1)), 0
	for _, w := range l.walkers {
		far += seriesWork + len(w.re)
	}
	goal := math.Log(1e-10 * l.scale)
	for doublings := 0.0; now+(now-before)*doublings*(1+0.3*doublings) > goal; doublings += 0.25 {
		more := float64(n) * math.Exp2(doublings)
		if more > float64(l.nodes) || l.work+more*float64(far)*math.Exp2(doublings) > maxWork {
			return true
		}
	}
	return false
}

// check tests whether the rules of every pair are fine enough for the steps from from to to, as far
// as these count. A rule is too coarse where the phase turns too far between nodes with enough
// weight, or where both rules disagree. A rule that is too coarse is refined, and the line is given
// up with errCoarse.
func (l *line) check(from, to int) error {
	largest := 0.0
	for k := from; k < to; k++ {
		largest = max(largest, l.size(k))
	}
	share := float64(to) / l.scale / tolerated * math.Sqrt(float64(len(l.laws)))
	if share*largest < 1e-3 {
		return nil
	}
	u, last := float64(to)*l.step, l.size(to-1)
	failures, work := make([]error, l.workers()), make([]int, l.workers())
	l.each(func(worker, k int) {
		w, check := l.laws[k], l.checks[k]
		if check == nil || w.closed.serves(float64(from)*l.step) {
			return
		}
		work[worker] += checkWork * len(w.weight)
		if share*max(largest*w.beyond(u), last*w.distance(check, u)) <= 1 {
			return
		}
		if failures[worker] == nil {
			failures[worker] = errCoarse
		}
		if err := l.terms[k].refine(); err != nil {
			failures[worker] = err
		}
	})
	for _, w := range work {
		l.work += float64(w)
	}
	if l.work > maxWork {
		return fmt.Errorf("%w: too much work at λ = %v", ErrUnsuited, l.lambda)
	}
	return errors.Join(failures...)
}

// rounded is the error in the logarithm of the integrand that is attributed to rounding.
const rounded = 0x1p-50

// distance returns the difference of two forms of one distribution in count·log E e^{iuL}, less
// what rounding may do.
func (l *law) distance(o *law, u float64) float64 {
	a, b := l.characteristic(u)
	c, d := o.characteristic(u)
	apart := math.Hypot(a-c, b-d) - rounded*math.Hypot(a, b)
	return max(0, l.count*apart/math.Hypot(1+a, b)-rounded)
}

// beyond returns the weight of the nodes that cannot be trusted at u, times count and less the
// effect of rounding. At these nodes the phase turns too far from one node to the next.
func (l *law) beyond(u float64) float64 {
	sum := 0.0
	for j, limit := range l.limit {
		if u > limit {
			sum += l.weight[j]
		}
	}
	return max(0, l.count*sum-rounded)
}

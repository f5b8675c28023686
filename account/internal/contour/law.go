package contour

import "math"

// law is the distribution of the loss of one release under P tilted by e^{λL}. It is given as
// weights on quadrature nodes, with losses measured from their mean.
type law struct {
	count    float64
	weight   []float64
	loss     []float64
	limit    []float64 // the largest u at which each node can be trusted
	points   []int     // the nodes that are true atoms
	atoms    float64   // their weight
	closed   closedForm
	cumulant cumulants
}

// closedForm is E e^{iuL} - 1 of a distribution in closed form, with L measured from its mean. It
// is for u of at least from; below, the quadrature rules keep more digits. A nil value means none.
type closedForm struct {
	value func(u float64) (re, im float64)
	from  float64
}

func (c closedForm) serves(u float64) bool { return c.value != nil && u >= c.from }

// closer is a source of distributions that have a closed form.
type closer interface {
	closed(lambda float64, c cumulants) closedForm
}

// tilted returns the distribution by one rule whose cumulants are c.
func (r *term) tilted(q *rule, lambda float64, c cumulants) *law {
	l := &law{count: r.count, cumulant: c}
	if s, ok := r.source.(closer); ok {
		l.closed = s.closed(lambda, c)
	}
	for j, loss := range q.loss {
		e := q.logMass[j] + lambda*loss - c.value
		if e < -reach {
			continue
		}
		w := math.Exp(e)
		l.weight = append(l.weight, w)
		l.loss = append(l.loss, loss-c.mean)
		l.limit = append(l.limit, q.turn/q.spacing(j))
		if q.point[j] {
			l.points = append(l.points, len(l.weight)-1)
			l.atoms += w
		}
	}
	return l
}

// spacing returns the distance of the loss at node j from the nearer one of its neighbors; 0 for an
// atom.
func (r *rule) spacing(j int) float64 {
	if r.point[j] {
		return 0
	}
	nearer := math.Inf(1)
	for _, k := range [2]int{j - 1, j + 1} {
		if k >= 0 && k < len(r.loss) && !r.point[k] {
			nearer = min(nearer, math.Abs(r.loss[k]-r.loss[j]))
		}
	}
	return nearer
}

// settled returns the tilted distributions by two rules that agree, refining the rules until they
// do. The second is nil where the first is exact.
func (r *term) settled(lambda float64) (first, second *law, err error) {
	a, b, err := r.agreed(lambda)
	if err != nil {
		return nil, nil, err
	}
	first = r.tilted(r.first, lambda, a)
	if r.second != nil {
		second = r.tilted(r.second, lambda, b)
	}
	return first, second, nil
}

// agreed returns the cumulants of two rules after making the rules agree. The second has none where
// the first is exact.
func (r *term) agreed(lambda float64) (a, b cumulants, err error) {
	for {
		first, second, failed := r.rules(lambda)
		if failed != nil {
			return a, b, failed
		}
		if a = r.expect(first, lambda); second == nil {
			return a, cumulants{}, nil
		}
		if b = r.expect(second, lambda); r.agree(a, b, lambda) {
			return a, b, nil
		}
		if err = r.refine(); err != nil {
			return a, b, err
		}
	}
}

// agree reports whether two values of the cumulants agree. They agree within a relative 1e-13, or
// where their difference moves the exponent of δ by less than 1e-11.
func (r *term) agree(a, b cumulants, lambda float64) bool {
	within := func(x, y, scale float64) bool { return math.Abs(x-y) <= scale }
	slack := 1e-12 / max(1, r.count)
	return within(a.value, b.value, max(1e-13*math.Abs(a.value), slack)) &&
		within(a.mean, b.mean, max(1e-13*math.Abs(a.mean), slack/max(lambda, 1))) &&
		within(a.variance, b.variance, 1e-9*a.variance)
}

// characteristic returns E e^{iuL} - 1 under the distribution, with L measured from its mean. It is
// the slow form of walker, which computes it for many u.
func (l *law) characteristic(u float64) (re, im float64) {
	for j, w := range l.weight {
		y := u * l.loss[j]
		if math.Abs(y) < 0.25 {
			half := math.Sin(y / 2)
			re -= 2 * w * half * half
			im += w * sineExcess(y)
			continue
		}
		s, c := math.Sincos(y)
		re += w * (c - 1)
		im += w * (s - y)
	}
	return re, im
}

// sineExcess returns sin y - y for |y| below 1/4, to the last places.
func sineExcess(y float64) float64 {
	s := y * y
	return -y * s * (1.0/6 - s*(1.0/120-s*(1.0/5040-s*(1.0/362880-s*(1.0/39916800-s/6227020800)))))
}

// moments is the number of powers of the loss in the series that serves nodes with |u·L| ≤ 1. The
// first power left out is 1/19!.
const moments = 19

// walker evaluates log E e^{iuL} of one distribution at u = step, 2·step, 3·step, … in blocks.
type walker struct {
	law  *law
	step float64
	next int // the multiple of step that comes next

	// Far nodes rotate: weight·e^{iuL} and the rotation of one step.
	re, im, turnRe, turnIm []float64
	farWeight, farFirst    float64
	series                 [moments]float64 // of the near nodes: Σ w·L^k/k!
}

// prepare sorts the nodes for the block that ends at the multiple last. Near nodes, whose phase
// stays within 1, are summed by their moments; far nodes are summed by rotation.
func (w *walker) prepare(last int) {
	start, limit := float64(w.next)*w.step, 1/(float64(last)*w.step)
	w.re, w.im, w.turnRe, w.turnIm = w.re[:0], w.im[:0], w.turnRe[:0], w.turnIm[:0]
	w.farWeight, w.farFirst, w.series = 0, 0, [moments]float64{}
	for j, x := range w.law.loss {
		weight := w.law.weight[j]
		if math.Abs(x) <= limit {
			power := weight * x
			for k := 2; k < moments; k++ {
				power *= x
				w.series[k] += power
			}
			continue
		}
		s, c := math.Sincos(start * x)
		w.re, w.im = append(w.re, weight*c), append(w.im, weight*s)
		s, c = math.Sincos(w.step * x)
		w.turnRe, w.turnIm = append(w.turnRe, c), append(w.turnIm, s)
		w.farWeight += weight
		w.farFirst += weight * x
	}
	factorial := 1.0
	for k := 2; k < moments; k++ {
		factorial *= float64(k)
		w.series[k] /= factorial
	}
}

// block adds count·log E e^{iuL} at the multiples from next to last to re and im. It returns the
// number of far nodes.
func (w *walker) block(last int, re, im []float64) int {
	if w.law.closed.serves(float64(w.next) * w.step) {
		return w.blockClosed(re, im)
	}
	w.prepare(last)
	for k := range re {
		u := float64(w.next) * w.step
		a, b := w.near(u)
		c, d := w.far()
		logModulus, phase := logOnePlus(a+(c-w.farWeight), b+(d-u*w.farFirst))
		re[k] += w.law.count * logModulus
		im[k] += w.law.count * phase
		w.next++
	}
	return len(w.re)
}

// blockClosed does the work of block by the closed form.
func (w *walker) blockClosed(re, im []float64) int {
	for k := range re {
		logModulus, phase := logOnePlus(w.law.closed.value(float64(w.next) * w.step))
		re[k] += w.law.count * logModulus
		im[k] += w.law.count * phase
		w.next++
	}
	return 0
}

// near returns the series of the near nodes from the second power of iuL on.
func (w *walker) near(u float64) (re, im float64) {
	square := u * u
	for k := moments - 1; k >= 2; k -= 2 {
		re = w.series[k] - square*re
	}
	for k := moments - 2; k >= 3; k -= 2 {
		im = w.series[k] - square*im
	}
	return -square * re, -square * u * im
}

// far returns the sum of the rotating nodes, and turns each by one step.
func (w *walker) far() (re, im float64) {
	a, b, c, d := w.re, w.im, w.turnRe, w.turnIm
	n := len(a)
	b, c, d = b[:n], c[:n], d[:n]
	for j := range a {
		x, y := a[j], b[j]
		re += x
		im += y
		a[j] = x*c[j] - y*d[j]
		b[j] = x*d[j] + y*c[j]
	}
	return re, im
}

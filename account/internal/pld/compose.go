package pld

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account/internal/pair"
)

// Compose composes terms, each pair in its own direction. Bounds are closest at the aim;
// they hold everywhere, and get wide where delta is many powers of ten away.
func Compose(terms []Term, aim Aim, o Options) (*Composed, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := aim.check(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	j := &job{aim: aim, options: o}
	if err := j.take(terms); err != nil {
		return nil, err
	}
	c := &Composed{infinite: j.infinite(), top: j.top}
	c.beyond = c.infinite
	switch {
	case len(j.terms) == 0 || aim.beyond(c):
		return c, nil
	case len(j.terms) == 1 && j.terms[0].Count == 1 && !o.direct:
		c.exact = j.enclosing()
		return c, nil
	}
	return j.compose()
}

// beyond reports whether what is asked needs no lattice.
func (a Aim) beyond(c *Composed) bool {
	if a.atEpsilon {
		return a.value >= c.top
	}
	return a.value <= c.infinite || a.value >= 1
}

// job is a composition on its way.
type job struct {
	terms    []Term
	aim      Aim
	options  Options
	top      float64 // largest finite loss of the composition
	logAlive float64 // logarithm of the probability that no loss is infinite
	merged   float64 // relative rounding of the scale of merged normal pairs
	sketch   *sketch
	saddle   saddle
	tilt     float64 // what masses are tilted by; at most that of the saddle
}

func (j *job) infinite() float64 { return -math.Expm1(j.logAlive) }

// take checks the terms, drops those that are empty, and merges shifted normal pairs:
// their composition is one of them, of which the squared ratios of shift and standard
// deviation are the sum (Dong, Roth & Su, "Gaussian Differential Privacy", JRSS B 2022,
// corollary 3.3, https://arxiv.org/abs/1905.02383).
func (j *job) take(terms []Term) error {
	square, merged := 0.0, 0
	for _, v := range terms {
		if v.Count < 0 {
			return fmt.Errorf("pld: count is %d, want at least 0", v.Count)
		}
		top, logAlive, err := limits(v.Pair)
		if err != nil {
			return err
		}
		if v.Count == 0 {
			continue
		}
		count := float64(v.Count)
		if r, ok := ratio(v.Pair); ok && !j.options.direct {
			square += count * r * r
			merged++
			continue
		}
		j.terms = append(j.terms, v)
		j.top += count * top
		j.logAlive += count * logAlive
	}
	if square > 0 {
		j.terms = append(j.terms, Term{pair.Shift(pair.Normal, 1/math.Sqrt(square)), 1})
		j.top = math.Inf(1)
		j.merged = unit * float64(4*merged+8)
	}
	return nil
}

// ratio returns shift/scale of a shifted normal pair.
func ratio(p pair.Pair) (float64, bool) {
	m, ok := p.(pair.Mixture)
	if !ok || m.Law != pair.Normal || len(m.P) != 1 || len(m.Q) != 1 {
		return 0, false
	}
	return (m.P[0].Mean - m.Q[0].Mean) / m.Scale, true
}

// limits returns the largest loss of a pair and the logarithm of the probability that
// its loss is finite.
func limits(p pair.Pair) (top, logAlive float64, err error) {
	switch p := p.(type) {
	case pair.Mixture:
		c, err := pair.NewCurve(p)
		if err != nil {
			return 0, 0, err
		}
		return c.High, 0, nil
	case pair.Atoms:
		top, infinite := math.Inf(-1), 0.0
		for _, a := range p {
			if a.P > 0 && a.Q > 0 {
				top = math.Max(top, math.Log(a.P/a.Q))
			} else if a.P > 0 {
				infinite += a.P
			}
		}
		return top, math.Log1p(-math.Min(infinite, 1)), checkAtoms(p)
	case pair.Glued:
		top, logAlive, err := limits(p.Above)
		return math.Max(top, 0), logAlive, err
	}
	return 0, 0, errPair
}

// enclosing returns the pair of a single release, or two that enclose it if its scale
// has been rounded.
func (j *job) enclosing() []pair.Pair {
	m, ok := j.terms[0].Pair.(pair.Mixture)
	if !ok || j.merged == 0 {
		return []pair.Pair{j.terms[0].Pair}
	}
	less, more := m, m
	less.Scale *= 1 - 2*j.merged
	more.Scale *= 1 + 2*j.merged
	return []pair.Pair{less, more}
}

// compose plans, composes, and does it again on a finer lattice while the bounds are
// wider than wanted and lattices may grow.
func (j *job) compose() (*Composed, error) {
	if err := j.look(); err != nil {
		return nil, err
	}
	var best *Composed
	least := math.Inf(1)
	planner, wanted := j.planner()
	noise := 1.75 * wanted / (j.saddle.tilt + 1)
	for tries := 0; tries < 5; {
		p := planner.choose(noise)
		if p == nil { // settle for more noise, once
			tries, noise = 4, 2*noise
			if best != nil && noise > best.noise/1.5 || noise > 1e30 {
				break
			}
			continue
		}
		tries++
		c, err := j.run(p)
		if err != nil {
			return nil, err
		}
		if c == nil { // larger than planned
			noise *= 4
			if best != nil {
				noise = math.Sqrt(noise / 4 * best.noise)
			}
			continue
		}
		width := j.measure(c)
		if best == nil || width < least {
			best, least = c, width
		}
		if wanted = j.wanted(); width <= 1.15*wanted || c.noise == 0 {
			break
		}
		planner, wanted = j.planner()
		noise = math.Min(noise/2, c.noise*math.Max(0.9*wanted/width, 1.0/256))
	}
	if best == nil {
		return nil, fmt.Errorf("pld: no lattice of %d nodes holds the composition; allow more", j.options.MaxNodes)
	}
	return best, nil
}

// planner returns the planner at the saddle, and the wanted width.
func (j *job) planner() (*planner, float64) {
	s := &j.saddle
	j.tilt = j.sketch.tiltFor(s.epsilon, s.logDelta, s.tilt)
	p := newPlanner(j.sketch, j.tilt, j.options.MaxNodes)
	p.noisy, p.base = j.lattices()
	return p, j.wanted()
}

// wanted returns the wanted width of the bounds on the axis of epsilon.
func (j *job) wanted() float64 { return j.options.width(math.Max(j.saddle.epsilon, 0)) }

// measure returns the width of the bounds on the axis of epsilon at the aim, and corrects
// the saddle by what has been found.
func (j *job) measure(c *Composed) float64 {
	if !j.aim.atEpsilon {
		b := c.Epsilon(j.aim.value)
		if !math.IsInf(b.Upper, 1) {
			j.saddle.epsilon = b.Upper
		}
		return b.Upper - b.Lower
	}
	b := c.Delta(j.aim.value)
	j.saddle.logDelta = math.Log(math.Max(b.Upper-c.infinite, 1e-300))
	if b.Lower <= 0 {
		return math.Inf(1)
	}
	return math.Log(b.Upper/b.Lower) / j.saddle.tilt
}

// look pictures the composition and finds its saddle: first without what is rare, then
// without what is rare beside delta.
func (j *job) look() error {
	delta := j.aim.value - j.infinite()
	if j.aim.atEpsilon {
		s, err := newSketch(j.terms, 1e-30)
		if err != nil {
			return err
		}
		found := s.find(func(v saddle) bool { return v.epsilon >= j.aim.value })
		delta = math.Exp(math.Min(found.logDelta, -0.1))
	}
	s, err := newSketch(j.terms, j.omitted(delta, j.steps()))
	if err != nil {
		return err
	}
	j.sketch = s
	goal := math.Log(math.Max(delta, 1e-300))
	j.saddle = s.find(func(v saddle) bool {
		if j.aim.atEpsilon {
			return v.epsilon >= j.aim.value
		}
		return v.logDelta <= goal && v.epsilon >= 0
	})
	// Near the largest loss the tilt would grow without end.
	if limit := 10 / j.wanted(); j.saddle.tilt > limit {
		j.saddle = s.saddleAt(limit)
	}
	return nil
}

// omitted returns the mass that each release may have cut off at large losses.
func (j *job) omitted(delta, steps float64) float64 {
	return math.Max(3e-6*delta/steps, 1e-290)
}

func (j *job) steps() float64 {
	steps := 0.0
	for _, v := range j.terms {
		steps += float64(v.Count)
	}
	return steps
}

// run composes by a plan. It returns nil if a window turns out too large.
func (j *job) run(p *plan) (*Composed, error) {
	delta := math.Exp(j.saddle.logDelta)
	if !j.aim.atEpsilon {
		delta = j.aim.value - j.infinite()
	}
	steps := j.steps()
	g := grid{step: p.step, tilt: j.tilt, top: j.omitted(delta, steps), bottom: 1e-10 / steps, faint: 1e-16 / steps}
	items := make([]item, len(j.terms))
	logAlive, logInside := 0.0, 0.0
	for i, v := range j.terms {
		rough := &j.sketch.terms[i]
		g.scale = rough.at(g.tilt).value
		g.floor, _ = rough.floor(g.tilt, steps)
		r, err := discretize(v.Pair, g)
		if err != nil {
			return nil, err
		}
		items[i] = item{r.lattice, v.Count}
		logAlive += float64(v.Count) * math.Log1p(-r.infinite)
		logInside += float64(v.Count) * math.Log1p(-math.Min(r.beyond, 1))
	}
	l := stages(items, p)
	if l == nil {
		return nil, nil
	}
	if j.merged > 0 {
		m := j.terms[len(j.terms)-1].Pair.(pair.Mixture)
		l.shift += 8 * j.merged * (1 + 50/(m.Scale*m.Scale))
	}
	c := &Composed{infinite: -math.Expm1(logAlive), beyond: -math.Expm1(logInside), top: j.top, lattice: l}
	c.finish()
	return c, nil
}

// stages carries out a plan.
func stages(items []item, p *plan) *lattice {
	if p.blocks == 1 {
		return fold(items, p.outer)
	}
	var blocks []item
	for _, v := range split(items, p.blocks) {
		l := fold(v.items, p.inner)
		if l == nil {
			return nil
		}
		blocks = append(blocks, item{l.coarsen(p.ratio), v.count})
	}
	return fold(blocks, p.outer)
}

// block is a list of items that is composed with itself count times.
type block struct {
	items []item
	count int64
}

// split divides counts into n equal blocks, and what is left into blocks of about the
// same size.
func split(items []item, n int64) []block {
	var even []item
	var odd []block
	total, size := int64(0), int64(0)
	for _, v := range items {
		total += v.count
		if v.count >= n {
			even = append(even, item{v.lattice, v.count / n})
		}
	}
	size = max((total+n-1)/n, 1)
	room := int64(0)
	for _, v := range items {
		for rest := v.count % n; rest > 0; {
			if room == 0 {
				odd, room = append(odd, block{count: 1}), size
			}
			take := min(rest, room)
			last := &odd[len(odd)-1]
			last.items = append(last.items, item{v.lattice, take})
			rest, room = rest-take, room-take
		}
	}
	if even == nil {
		return odd
	}
	return append(odd, block{even, n})
}

// lattices returns how many releases do not lie on a lattice, and the step of one that
// holds every atom, 0 if there is none.
func (j *job) lattices() (noisy, base float64) {
	var losses []float64
	continuous := 0.0
	for _, v := range j.terms {
		l, exact := atomLosses(v.Pair)
		losses = append(losses, l...)
		if !exact {
			continuous += float64(v.Count)
		}
	}
	base = commonStep(losses)
	if base == 0 {
		return j.steps(), 0
	}
	return continuous, base
}

// atomLosses returns the losses that have positive probability, as far as they matter,
// and whether there are no others.
func atomLosses(p pair.Pair) (losses []float64, all bool) {
	switch p := p.(type) {
	case pair.Atoms:
		for _, a := range p {
			if a.P > 0 && a.Q > 0 {
				losses = append(losses, math.Log(a.P/a.Q))
			}
		}
		return losses, true
	case pair.Mixture:
		if c, err := pair.NewCurve(p); err == nil && c.Law == pair.Laplace {
			return []float64{c.Low, c.High}, false
		}
	case pair.Glued:
		above, exact := atomLosses(p.Above)
		below, also := atomLosses(p.Below)
		return append(above, below...), exact && also
	}
	return nil, false
}

// commonStep returns the largest step among the smallest loss over 1 to 64 that all
// losses are multiples of; 0 if there is none, or no loss other than 0.
func commonStep(losses []float64) float64 {
	least := math.Inf(1)
	for _, l := range losses {
		if a := math.Abs(l); a > 1e-12 {
			least = math.Min(least, a)
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	for k := 1.0; k <= 64; k++ {
		if allMultiples(losses, least/k) {
			return least / k
		}
	}
	return 0
}

func allMultiples(losses []float64, step float64) bool {
	for _, l := range losses {
		if math.Abs(l-math.Round(l/step)*step) > aligned(l)/2 {
			return false
		}
	}
	return true
}

package pld

import (
	"errors"
	"fmt"
	"math"

	"github.com/ditherml/dither/account/internal/pair"
)

// Compose returns the composition of terms, with each pair in its own direction. The bounds hold
// everywhere. They are closest at the aim, and wide at values of delta that differ by many powers
// of ten.
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
	c := j.plain()
	switch {
	case len(j.terms) == 0 || aim.beyond(c):
		return c, nil
	case len(j.terms) == 1 && j.terms[0].Count == 1 && !o.direct:
		c.exact = j.enclosing()
		return c, nil
	case j.top < tiny:
		return c, nil
	}
	return j.compose()
}

// tiny is the largest loss that needs no lattice: δ is at most that loss.
const tiny = 1e-12

// beyond reports whether the question needs no lattice.
func (a Aim) beyond(c *Composed) bool {
	if a.atEpsilon {
		return a.value >= c.top
	}
	return a.value <= c.infinite || a.value >= 1
}

// job is a composition in progress.
type job struct {
	terms     []Term
	aim       Aim
	options   Options
	top       float64         // largest finite loss of the composition, from above
	loose     float64         // how far top is above the truth at most
	disclosed pair.Disclosure // probability of an infinite loss
	merged    float64         // relative rounding of the scale of merged normal pairs
	sketch    *sketch
	saddle    saddle
	tilt      float64 // the tilt of the masses; at most that of the saddle
}

// infinite returns the probability of an infinite loss, rounded up.
func (j *job) infinite() float64 {
	_, upper := j.disclosed.Bounds()
	return upper
}

// plain returns the composition without a lattice.
func (j *job) plain() *Composed {
	lower, upper := j.disclosed.Bounds()
	return &Composed{infinite: upper, sure: max(0, lower-j.options.Large), beyond: upper, top: j.top, loose: j.loose}
}

// compose plans and composes. It repeats that on a finer lattice while the bounds are wider than
// wanted and lattices may grow.
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
		if p == nil { // accept more noise, once
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
		return nil, fmt.Errorf("%w: %d nodes do not hold the composition", ErrLarge, j.options.MaxNodes)
	}
	return j.other(best, least)
}

// other composes on lattices of one stage where the bounds are wide. Plans assume the most that a
// cell can add to a loss. Where nearly every loss is far smaller than a cell, as with rare large
// losses, a lattice adds much less. Then one stage has the least rounding.
func (j *job) other(best *Composed, width float64) (*Composed, error) {
	if width <= 1.15*j.wanted() || best.noise == 0 {
		return best, nil
	}
	j.tilt = j.sketch.quietest(j.saddle.epsilon, 1.3*j.saddle.tilt)
	planner := newPlanner(j.sketch, j.tilt, j.options.MaxNodes)
	planner.noisy, planner.base = j.lattices()
	for _, nodes := range otherNodes {
		_, width := planner.window(1, tails/4)
		h := 1.03 * width / float64(min(nodes, j.options.MaxNodes))
		p, _ := planner.single(h * h * planner.noisy)
		if p == nil {
			continue
		}
		c, err := j.run(p)
		if err != nil {
			return nil, err
		}
		if c != nil {
			c.other, best = best, c
		}
	}
	return best, nil
}

// otherNodes are the sizes of the lattices that other tries.
var otherNodes = [...]int{1 << 16, 1 << 18, 1 << 20}

// planner returns the planner at the saddle, and the wanted width.
func (j *job) planner() (*planner, float64) {
	s := &j.saddle
	j.tilt = j.sketch.tiltFor(s.epsilon, s.logDelta, s.tilt)
	p := newPlanner(j.sketch, j.tilt, j.options.MaxNodes)
	p.noisy, p.base = j.lattices()
	return p, j.wanted()
}

// wanted returns the wanted width of the bounds on the axis of epsilon. Where the aim is δ, the
// same relative width of δ serves.
func (j *job) wanted() float64 {
	width := j.options.width(math.Max(j.saddle.epsilon, 0))
	if j.aim.atEpsilon {
		width = math.Max(width, j.options.Relative/j.saddle.tilt)
	}
	return width
}

// measure returns the width of the bounds on the axis of epsilon at the aim. It corrects the saddle
// by that result.
func (j *job) measure(c *Composed) float64 {
	if !j.aim.atEpsilon {
		b := c.Epsilon(j.aim.value)
		if !math.IsInf(b.Upper, 1) {
			j.saddle.epsilon = b.Upper
		}
		return b.Upper - b.Lower
	}
	b := c.Delta(j.aim.value)
	if b.Upper <= 2*j.steps()*leastOmitted { // only the mass that was cut off is left: no lattice says more
		return 0
	}
	j.saddle.logDelta = math.Log(math.Max(b.Upper-c.infinite, 1e-300))
	if b.Lower <= 0 {
		return math.Inf(1)
	}
	return math.Log(b.Upper/b.Lower) / j.saddle.tilt
}

// look sketches the composition and finds its saddle: first without rare losses, then without
// losses that are rare compared to delta.
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

// leastOmitted is the least mass that each release may have cut off, for every delta.
const leastOmitted = 1e-290

// omitted returns the mass that each release may have cut off at large losses.
func (j *job) omitted(delta, steps float64) float64 {
	return math.Max(3e-6*delta/steps, leastOmitted)
}

func (j *job) steps() float64 {
	steps := 0.0
	for _, v := range j.terms {
		steps += float64(v.Count)
	}
	return steps
}

// run composes by a plan. It returns nil if a window is too large.
func (j *job) run(p *plan) (*Composed, error) {
	delta := math.Exp(j.saddle.logDelta)
	if !j.aim.atEpsilon {
		delta = j.aim.value - j.infinite()
	}
	steps := j.steps()
	g := grid{step: p.step, tilt: j.tilt, top: j.omitted(delta, steps), bottom: 1e-10 / steps, faint: 1e-16 / steps, most: 4 * j.options.MaxNodes}
	items, releases, err := j.releases(g)
	if errors.Is(err, ErrLarge) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l := stages(items, p)
	if l == nil {
		return nil, nil
	}
	var beyond pair.Disclosure
	for i, r := range releases {
		low, high := pair.Infinite(j.terms[i].Pair)
		if r.beyond > r.infinite { // a sum of few numbers
			high = max(high, r.beyond) * (1 + 1e-14)
		}
		beyond.AddBetween(low, high, float64(j.terms[i].Count))
	}
	if j.merged > 0 {
		m := j.terms[len(j.terms)-1].Pair.(pair.Mixture)
		l.shift += 8 * j.merged * (1 + 50/(m.Scale*m.Scale))
	}
	c := j.plain()
	_, c.beyond = beyond.Bounds()
	c.lattice = l
	c.finish()
	return c, nil
}

// plenty is the number of nodes of lattices that may be kept in memory at the same time.
const plenty = 1 << 22

// releases returns the terms as items, and the releases that hold the masses of infinite loss.
// Lattices are kept if they are small; larger ones are built where they are needed.
func (j *job) releases(g grid) ([]item, []release, error) {
	items, releases := make([]item, len(j.terms)), make([]release, len(j.terms))
	nodes := 0
	for i, v := range j.terms {
		rough, own := &j.sketch.terms[i], g
		own.scale = rough.at(g.tilt).value
		own.floor, _ = rough.floor(g.tilt, j.steps())
		build := func() *lattice {
			r, err := discretize(v.Pair, own)
			if err != nil {
				return nil
			}
			releases[i] = r
			releases[i].lattice = nil
			return r.lattice
		}
		if nodes > plenty || j.options.forget {
			items[i] = item{count: v.Count, lazy: &lazy{rough, g.tilt, build}}
			continue
		}
		r, err := discretize(v.Pair, own)
		if err != nil {
			return nil, nil, err
		}
		releases[i] = release{nil, r.infinite, r.beyond}
		nodes += len(r.mass)
		items[i] = item{lattice: r.lattice, count: v.Count}
	}
	return items, releases, nil
}

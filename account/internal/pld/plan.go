package pld

import "math"

// planner chooses lattices from the sketch of a composition and its tilt.
type planner struct {
	sketch *sketch
	tilt   float64
	noisy  float64 // releases that do not lie on a lattice
	base   float64 // a step that divides every atom; 0 if there is none
	most   int
	growth []growthAt
	span   float64 // from the smallest to the largest loss of one release
	items  float64
	parts  float64 // mixtures that are cut into cells
}

// growthAt is log E e^{(t+s)L} - log E e^{tL} of the whole composition at one s.
type growthAt struct{ s, value float64 }

// plan is the way to compute a composition: blocks equal blocks on a lattice of step step. Each
// block is moved to a lattice whose step is ratio times as large, and composed there. With one
// block there is one stage.
type plan struct {
	step         float64
	blocks       int64
	ratio        int
	inner, outer window
}

// tails is the total tilted mass that windows may leave outside.
const tails = 1e-10

// newPlanner returns a planner with a table of the growth of the moments.
func newPlanner(s *sketch, tilt float64, most int) *planner {
	p := &planner{sketch: s, tilt: tilt, most: most, items: float64(len(s.terms))}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range s.terms {
		p.parts += max(1, s.terms[i].parts)
		_, least := s.terms[i].floor(tilt, s.steps)
		low = math.Min(low, least)
		for _, l := range s.terms[i].loss {
			high = math.Max(high, l)
		}
	}
	p.span = high - low
	at := s.at(tilt)
	deviation := math.Max(math.Sqrt(at.variance), math.Max(1e-9*p.span, 1e-300))
	limit := math.Min(500/math.Max(p.span, 1e-300), 20*math.Sqrt(s.steps)/deviation)
	for e := math.Min(0.5/deviation, limit); ; e = math.Min(1.4*e, limit) {
		for _, v := range [2]float64{e, -e} {
			p.growth = append(p.growth, growthAt{v, s.at(tilt+v).value - at.value})
		}
		if e >= limit {
			return p
		}
	}
}

// window returns the exponents of the closest Chernoff bounds for a share of the
// composition, and the width that they give.
func (p *planner) window(share, tail float64) (w window, width float64) {
	goal := math.Log(tail)
	high, low := math.Inf(1), math.Inf(-1)
	for _, g := range p.growth {
		b := (g.value*share - goal) / g.s
		switch {
		case g.s > 0 && b < high:
			high, w.up = b, g.s
		case g.s < 0 && b > low:
			low, w.down = b, g.s
		}
	}
	w.tail, w.most = tail, p.most
	return w, high - low
}

// fitted returns a step of at most h that divides the base, where there is one.
func (p *planner) fitted(h float64) float64 {
	if p.base == 0 {
		return h
	}
	return p.base / math.Ceil(p.base/h-1e-9)
}

// powerOfTwo returns the smallest power of two that is at least x.
func powerOfTwo(x float64) float64 { return math.Exp2(math.Ceil(math.Log2(math.Max(x, 16)))) }

// transforms returns the rough cost in nanoseconds of n transforms of this many nodes.
func transforms(n, nodes float64) float64 { return n * nodes * (8 + 0.35*math.Log2(nodes)) }

// perCell is the rough cost in nanoseconds of a cell of the lattice.
const perCell = 50

// choose returns the cheapest plan whose noise, the variance Σh² of lower.go, is at most noise. It
// returns nil if no lattice is small enough.
func (p *planner) choose(noise float64) *plan {
	var best *plan
	least := math.Inf(1)
	consider := func(q *plan, cost float64) {
		if q != nil && cost < least {
			best, least = q, cost
		}
	}
	consider(p.single(noise))
	for blocks := int64(2); float64(blocks) <= p.sketch.steps/2 && blocks <= 1<<17; blocks *= 2 {
		for nodes := 256.0; nodes <= float64(p.most); nodes *= 2 {
			consider(p.double(noise, blocks, nodes))
		}
	}
	return best
}

// widest is the largest step of a lattice that is not exact.
const widest = 0.5

// single returns the plan of one stage and its cost.
func (p *planner) single(noise float64) (*plan, float64) {
	outer, width := p.window(1, tails/4)
	h := widest
	if p.noisy > 0 {
		h = math.Min(h, math.Sqrt(noise/p.noisy))
	} else if p.base > 0 {
		h = p.base
	}
	nodes := powerOfTwo(1.03 * width / h)
	if p.noisy > 0 {
		h = math.Min(h, 1.03*width/nodes)
	}
	h = p.fitted(h)
	if nodes = powerOfTwo(1.03 * width / h); nodes > float64(p.most) || p.span/h > 2*float64(p.most) {
		return nil, 0
	}
	cost := transforms(p.items+1, nodes) + p.parts*p.span/h*perCell
	return &plan{step: h, blocks: 1, ratio: 1, inner: outer, outer: outer}, cost
}

// double returns the plan of two stages, the first on this many nodes, and its cost.
func (p *planner) double(noise float64, blocks int64, nodes float64) (*plan, float64) {
	left, groups, distinct := p.groups(blocks)
	inner, width := p.window(1/float64(blocks), tails/8/groups)
	h := math.Min(p.fitted(1.03*width/nodes), widest/2)
	room := noise - p.noisy*h*h
	if !(room > 0.1*noise) || nodes > float64(p.most) {
		return nil, 0
	}
	ratio := math.Floor(math.Min(math.Sqrt(room/groups), widest) / h)
	if ratio < 2 {
		return nil, 0
	}
	outer, total := p.window(1, tails/4)
	large := powerOfTwo(1.03 * total / (h * ratio))
	if large > float64(p.most) || p.span/h > 2*float64(p.most) {
		return nil, 0
	}
	cost := transforms(p.items+left+2*distinct, nodes) + transforms(distinct+1, large) + p.parts*p.span/h*perCell
	return &plan{step: h, blocks: blocks, ratio: int(ratio), inner: inner, outer: outer}, cost
}

// groups returns the number of items that the odd releases make, the number of blocks, and the
// number of different blocks.
func (p *planner) groups(blocks int64) (left, groups, distinct float64) {
	odd, even := 0.0, 0.0
	for _, r := range p.sketch.terms {
		rest := math.Mod(r.count, float64(blocks))
		odd += rest
		if rest > 0 {
			left++
		}
		if r.count >= float64(blocks) {
			even = 1
		}
	}
	size := math.Ceil(p.sketch.steps / float64(blocks))
	more := math.Ceil(odd / size)
	return left + more, float64(blocks)*even + more, even + more
}

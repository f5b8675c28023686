package pld

import (
	"errors"
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
)

// grid is the rule by which a release is put on a lattice.
type grid struct {
	step, tilt float64
	// scale is roughly the logarithm of E e^{tilt·L}; it keeps numbers in range.
	scale float64
	// top and bottom are the masses under P that may be cut off. Large losses that are cut off
	// count as infinite, and small ones are rounded up.
	top, bottom float64
	// faint is a tilted mass so small that all of it counts as rounding.
	faint float64
	// most is the largest number of nodes of the lattice; 0 means no limit.
	most int
	// floor is a loss below which there is so little tilted mass that it may be rounded up.
	floor float64
}

// release is one release on a lattice, and two masses of infinite loss under P: that of the pair,
// and that of the pair together with the losses that were cut off.
type release struct {
	*lattice
	infinite, beyond float64
}

// builder collects the nodes of a release. Tilted masses are divided by e^scale.
type builder struct {
	grid
	low      int
	mass     []float64
	total    float64 // P-mass of finite loss collected so far
	infinite float64
	cut      float64
	err      float64
	distance float64 // how far out outputs are, in standard units
	shift    float64 // of atoms, and of cells that matter
	inexact  float64 // the largest relative error that account noted
	noisy    bool
	whole    bool          // whether node 0 gets the mass that all others leave of 1
	parts    int           // pairs of choices so far, after the first
	away     special.Total // P-mass of all other nodes, and the mass that was cut off
}

// discretize returns one release of p on the lattice. The result dominates p, up to the recorded
// errors. p was spread to it by at most the recorded noise.
func discretize(p pair.Pair, g grid) (release, error) {
	b := &builder{grid: g, whole: smooth(p)}
	if err := b.pair(p, 1, everywhere); err != nil {
		return release{}, err
	}
	b.complete()
	l := &lattice{step: g.step, tilt: g.tilt, log: g.scale, low: b.low, mass: b.mass}
	l.shift = b.shift + b.inexact
	reach := math.Max(math.Abs(float64(l.low)), math.Abs(float64(l.low+len(l.mass)))) * g.step
	l.shift += (96 + 8*reach) * unit // odds, a product of 16 factors at most, in two places
	l.err = b.err + 6*unit
	if !b.whole {
		l.err += unit*(80+4*g.tilt*reach) + pair.MassError(b.distance)
	}
	if b.noisy {
		l.noise = g.step * g.step
	}
	l.normalize()
	l.trim(g.faint)
	return release{l, b.infinite, b.infinite + b.cut}, nil
}

// smooth reports whether a pair is a mixture or a choice of mixtures. Nearly all mass of such a
// pair can lie at the loss 0, where its error counts once for every release.
func smooth(p pair.Pair) bool {
	switch p := p.(type) {
	case pair.Mixture:
		return true
	case pair.Choice:
		for _, v := range p {
			if !smooth(v.Pair) {
				return false
			}
		}
		return true
	}
	return false
}

// complete gives node 0 the mass that the other nodes leave of 1. So the error of node 0 is that of
// all others together, not a share of its own mass.
func (b *builder) complete() {
	if b.whole = b.whole && b.low <= 0 && b.low+len(b.mass) > 0; b.whole {
		b.away.Add(b.cut)
		b.away.Add(b.infinite)
		b.mass[-b.low] = b.tilted(0, math.Max(0, 1-(b.away.Value())))
	}
}

// apart notes for complete that a node has P-mass, known to a relative error e. The error counts at
// that node and at node 0.
func (b *builder) apart(node int, mass, tilted, e float64) {
	if node != 0 {
		b.away.Add(mass)
		b.err += e * (tilted + b.tilted(0, mass))
	}
}

// put adds P-mass to a node.
func (b *builder) put(node int, mass float64) {
	if !(mass > 0) {
		return
	}
	b.reserve(node, node)
	b.mass[node-b.low] += b.tilted(node, mass)
}

// tilted returns a P-mass at a node in the tilted scale.
func (b *builder) tilted(node int, mass float64) float64 {
	return mass * math.Exp(b.tilt*b.step*float64(node)-b.scale)
}

// reserve makes space for nodes first to last.
func (b *builder) reserve(first, last int) {
	if len(b.mass) == 0 {
		b.low, b.mass = first, make([]float64, last-first+1)
		return
	}
	if first < b.low {
		b.mass = append(make([]float64, b.low-first), b.mass...)
		b.low = first
	}
	if more := last + 1 - b.low - len(b.mass); more > 0 {
		b.mass = append(b.mass, make([]float64, more)...)
	}
}

// pair adds the losses of p on one side, with masses times a weight.
func (b *builder) pair(p pair.Pair, weight float64, s side) error {
	switch p := p.(type) {
	case pair.Mixture:
		c, err := pair.NewCurve(p)
		if err != nil {
			return err
		}
		return b.mixture(c, weight, s)
	case pair.Atoms:
		if err := checkAtoms(p); err != nil {
			return err
		}
		for _, a := range p {
			if a.P > 0 && a.Q > 0 && !(math.Abs(a.Loss()) <= maxLoss) {
				return ErrLarge
			}
			b.atom(a, weight, s)
		}
	case pair.BoundedRange:
		if err := checkRange(p); err != nil {
			return err
		}
		if p.Epsilon > maxLoss {
			return ErrLarge
		}
		b.bounded(p.Epsilon, weight, s)
	case pair.Choice:
		if err := checkChoice(p); err != nil {
			return err
		}
		b.parts += len(p) - 1
		for _, v := range p {
			if err := b.pair(v.Pair, weight*v.Weight, s); err != nil {
				return err
			}
		}
		b.err += 8 * unit
	case pair.Glued:
		return b.glued(p, weight, s)
	default:
		return errPair
	}
	return nil
}

// glued adds both sides and the remaining weight.
func (b *builder) glued(p pair.Glued, weight float64, s side) error {
	before := b.total + b.infinite + b.cut
	if err := b.pair(p.Above, weight, above); err != nil {
		return err
	}
	if err := b.pair(p.Below, weight, below); err != nil {
		return err
	}
	if s == everywhere {
		rest := weight - (b.total + b.infinite + b.cut - before)
		b.put(0, rest)
		b.total += rest
		b.err += 64 * unit
	}
	return nil
}

// bounded adds the losses of a pair of bounded range e. Masses are known to ten units.
func (b *builder) bounded(e, weight float64, s side) {
	b.noisy = true
	low, high := -e, e
	if s == above {
		low = 0
	}
	if s == below {
		high = 0
	}
	whole := -math.Expm1(-b.step)
	for i := int(math.Floor(low / b.step)); b.step*float64(i) < high; i++ {
		node := b.step * float64(i)
		p, q := rangeMasses(e, max(node, low), min(node+b.step, high))
		up := min(max((p-math.Exp(node)*q)/whole, 0), p)
		b.put(i, weight*(p-up))
		b.put(i+1, weight*up)
		b.total += weight * p
	}
	b.shift = max(b.shift, (64+8*e)*unit)
}

// atom adds one outcome, on its node or split between two.
func (b *builder) atom(a pair.Atom, weight float64, s side) {
	if a.P == 0 {
		return
	}
	mass := weight * a.P
	if a.Q == 0 {
		if s != below {
			b.infinite += mass
		}
		return
	}
	loss := a.Loss()
	if !s.has(loss) {
		return
	}
	b.total += mass
	node := math.Round(loss / b.step)
	if gap := math.Abs(loss - node*b.step); gap <= aligned(loss) {
		b.shift = max(b.shift, gap+4*unit*(1+math.Abs(loss)))
		b.put(int(node), mass)
		return
	}
	b.noisy = true
	b.shift = max(b.shift, 8*unit*(1+math.Abs(loss)))
	node = math.Floor(loss / b.step)
	share := math.Expm1(node*b.step-loss) / math.Expm1(-b.step)
	share = min(max(share, 0), 1)
	b.put(int(node)+1, mass*share)
	b.put(int(node), mass*(1-share))
}

// aligned returns the distance from a node within which an atom is moved to the node.
func aligned(loss float64) float64 { return 1e-13 * math.Abs(loss) }

// mixture adds the losses of c on one side, cell by cell, with masses times a share.
func (b *builder) mixture(c *pair.Curve, share float64, s side) error {
	b.noisy = true
	first, last, err := b.ends(c, share, s)
	if err != nil {
		return err
	}
	b.reserve(first, last)
	node := b.output(c, first, 0, first, last, s, c.First)
	if s != below {
		b.cut += share * b.beyond(c, last, first, s)
	}
	if s != above {
		b.under(c, first, node.X, share)
	}
	far := math.Exp(b.step) // factor of e^loss from node to node
	whole := 1 / -math.Expm1(-b.step)
	growth := math.Exp(b.tilt * b.step)
	var odds, weight float64
	mass := b.mass[first-b.low:]
	for i := range last - first {
		if i&15 == 0 { // products of many factors drift
			odds, weight = math.Exp(b.step*float64(first+i)), b.tilted(first+i, share)
		}
		next := b.output(c, first+i+1, odds*far, first, last, s, node.X)
		p, q := c.Between(node, next)
		up := min(max((p-odds*q)*whole, 0), p)
		mass[i] += (p - up) * weight
		mass[i+1] += up * weight * growth
		b.total += share * p
		z := b.account(c, node, next, p*weight, growth)
		if b.whole {
			e := pair.MassError(z) + unit*(80+4*b.tilt*b.step*(1+math.Abs(float64(first+i))))
			b.apart(first+i, share*(p-up), (p-up)*weight, e)
			b.apart(first+i+1, share*up, up*weight*growth, e)
		}
		node = next
		odds *= far
		weight *= growth
	}
	return nil
}

// account notes the effect of the rounding of a cell. Its losses are known to e, so at most the
// share 2e/step of its mass is put one node too low or too high. This counts in the masses where it
// is next to nothing, and as a shift of all losses elsewhere. It returns how far out the cell is.
func (b *builder) account(c *pair.Curve, node, next pair.Node, mass, growth float64) (z float64) {
	for _, v := range [2]float64{node.X, next.X} {
		if d := c.Distance(v); d > z && d <= math.MaxFloat64 {
			z = d
		}
	}
	e := 3*c.LossError(z) + 2*pair.MassError(z) + max(node.Residual, next.Residual)
	if moved := mass * min(1, 2*e/b.step); moved < b.faint {
		b.err += 2*moved*(1+growth) + mass*pair.MassError(z)
		return z
	}
	b.distance = max(b.distance, z)
	b.inexact = max(b.inexact, e)
	return z
}

// ends returns the nodes of the smallest and the largest loss that are kept. If an end of the range
// of losses is within reach, the node is at that end or beyond it.
func (b *builder) ends(c *pair.Curve, share float64, s side) (first, last int, err error) {
	low, high := c.Low, c.High
	if s == above {
		low = 0
	} else if c.Law == pair.Normal {
		low = math.Max(low, math.Max(b.floor, c.Loss(quantile(c, allowed(b.bottom, share, b.parts), c.Rising))))
	}
	if s == below {
		high = 0
	} else if c.Law == pair.Normal {
		high = math.Min(high, c.Loss(quantile(c, allowed(b.top, share, b.parts), !c.Rising)))
	}
	if !(math.Max(-low, high) <= maxLoss) {
		return 0, 0, ErrLarge
	}
	if b.most > 0 && !((high-low)/b.step < float64(b.most)) || !(math.Max(-low, high)/b.step < 1<<52) {
		return 0, 0, ErrLarge
	}
	first = int(math.Floor(low/b.step + 1e-9))
	last = int(math.Ceil(high/b.step - 1e-9))
	return min(first, last-1), last, nil
}

// allowed returns the mass that a mixture with this share of a pair may have cut off. All further
// parts together have about as much as is allowed: a rare part needs less of its tails.
func allowed(mass, share float64, parts int) float64 {
	return math.Min(mass/share/float64(1+parts), 0.25)
}

// maxLoss bounds the losses that a lattice holds. Below it e^loss, and probabilities that differ by
// that factor, are normal float64 numbers.
const maxLoss = 690

// ErrLarge is the error for a composition that needs a larger lattice than the options allow.
var ErrLarge = errors.New("pld: a lattice is too large")

// output returns the output whose loss is that of a node, given its e^loss, or 0 where that is
// unknown. For a node that stands for the end of the range it is the end of the line.
func (b *builder) output(c *pair.Curve, node int, odds float64, first, last int, s side, hint float64) pair.Node {
	loss := b.step * float64(node)
	switch {
	case node == first && s != above && loss <= c.Low+1e-8*b.step:
		b.shift = max(b.shift, loss-c.Low)
		loss, odds = math.Inf(-1), 0
	case node == last && s != below && loss >= c.High-1e-8*b.step:
		b.shift = max(b.shift, c.High-loss)
		loss, odds = math.Inf(1), 0
	}
	if odds == 0 {
		x, residual := c.Inverse(loss, hint)
		return pair.Node{X: x, Residual: residual}
	}
	return c.NodeAt(loss, odds, hint)
}

// beyond returns the mass under P above the last node.
func (b *builder) beyond(c *pair.Curve, last, first int, s side) float64 {
	node := b.output(c, last, 0, first, last, s, c.Last)
	if math.IsInf(node.X, 0) {
		return 0
	}
	logP, _ := c.LogTails(node.X, !c.Rising)
	b.inexact = max(b.inexact, node.Residual)
	return math.Exp(logP) * (1 + 4*pair.MassError(c.Distance(node.X)))
}

// under puts the mass below the first node, whose output is x, on that node.
func (b *builder) under(c *pair.Curve, first int, x, share float64) {
	if math.IsInf(x, 0) {
		return
	}
	logP, _ := c.LogTails(x, c.Rising)
	p := share * math.Exp(logP)
	b.put(first, p)
	b.total += p
	b.err += 2 * b.tilted(first, p)
	if b.whole {
		b.apart(first, p, b.tilted(first, p), 64*unit)
	}
}

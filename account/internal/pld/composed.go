package pld

import (
	"math"

	"github.com/ditherml/dither/account/internal/pair"
)

// Composed is the curve δ(ε) of a composition, bounded from both sides. It is immutable
// and safe for concurrent use.
type Composed struct {
	// Without exact and lattice, only the next three numbers are known. The probability of an
	// infinite loss is at most infinite and at least sure. beyond includes the mass that was cut
	// off.
	infinite, sure, beyond float64
	// top is an upper bound on the largest loss, at most loose above it, or +Inf if there is none.
	top, loose float64
	// exact, if not nil, replaces everything else: one release, at the pair or at two pairs that
	// enclose it.
	exact []pair.Pair
	*lattice
	// head[i] is Σ mass[j]·e^{-tilt·(l_j-l_i)} over j ≥ i. gain[i] is the same sum with a factor
	// 1-e^{-(l_j-l_i)}.
	head, gain []float64
	kernel     float64 // the largest e^{-tilt·x}(1-e^{-x}) over x > 0
	spread     float64 // s of lower.go
	lines      [len(widths)]broken
	relative   float64   // rounding in the sums
	other      *Composed // the same composition on another lattice, or nil
}

// finish computes the sums over the lattice.
func (c *Composed) finish() {
	l := c.lattice
	n := len(l.mass)
	c.head, c.gain = make([]float64, n), make([]float64, n)
	fade, loss := math.Exp(-l.tilt*l.step), -math.Expm1(-l.step)
	keep := math.Exp(-(l.tilt + 1) * l.step)
	var head, gain float64
	for i := n - 1; i >= 0; i-- {
		gain = keep*gain + fade*loss*head
		head = fade*head + l.mass[i]
		c.head[i], c.gain[i] = head, gain
	}
	c.kernel = math.Exp(-l.tilt*math.Log1p(1/l.tilt) - math.Log1p(l.tilt))
	c.spread = math.Sqrt(math.Pi/8*l.noise) * (1 + 1e-12)
	if c.spread > 0 {
		for i, w := range widths {
			c.lines[i] = newBroken(w, c.spread)
		}
	}
	reach := l.tilt * l.step * (math.Abs(float64(l.low)) + float64(n))
	c.relative = unit * (8*float64(n) + 64 + 8*math.Abs(l.log) + 8*reach)
}

// finite returns δ of the lattice at any epsilon, without infinite losses and errors.
func (c *Composed) finite(epsilon float64) float64 {
	n := len(c.mass)
	i := int(math.Ceil(epsilon/c.step)) - c.low
	if i >= n {
		return 0
	}
	i = max(i, 0)
	loss := c.step * float64(c.low+i)
	y := math.Max(loss-epsilon, 0)
	return math.Exp(c.log-c.tilt*loss) * (math.Exp(-y)*c.gain[i] - math.Expm1(-y)*c.head[i])
}

// slack returns the most that the errors of the masses can change δ.
func (c *Composed) slack(epsilon float64) float64 {
	return math.Exp(c.log-c.tilt*epsilon) * c.kernel * c.err
}

// over returns an upper bound of the finite part of δ, of the lattice and of the truth.
func (c *Composed) over(epsilon float64) float64 {
	at := epsilon - c.shift
	return (c.finite(at) + c.slack(at)) * (1 + c.relative)
}

// under returns a lower bound of the finite part of δ of the lattice.
func (c *Composed) under(epsilon float64) float64 {
	at := epsilon + c.shift
	return c.finite(at)*(1-c.relative) - c.slack(at)
}

// Delta returns bounds on δ at an epsilon ≥ 0, in nats.
func (c *Composed) Delta(epsilon float64) Bounds {
	if c.other != nil {
		return both(c.delta(epsilon), c.other.Delta(epsilon))
	}
	return c.delta(epsilon)
}

// both returns the bounds that follow from two pairs of bounds on one number.
func both(a, b Bounds) Bounds {
	upper := math.Min(a.Upper, b.Upper)
	return Bounds{math.Min(upper, math.Max(a.Lower, b.Lower)), upper}
}

// delta returns Delta on one lattice.
func (c *Composed) delta(epsilon float64) Bounds {
	switch {
	case c.exact != nil:
		return c.exactDelta(epsilon)
	case epsilon >= c.top:
		return Bounds{c.sure, c.infinite}
	case c.lattice == nil: // δ is at most P(L > ε), and at most 1-e^(ε-top) where losses are finite
		return Bounds{c.sure, min(1, c.infinite+(c.top-epsilon)*(1+1e-13))}
	}
	return Bounds{c.least(epsilon), c.most(epsilon)}
}

// least returns the lower bound of Delta on the lattice.
func (c *Composed) least(epsilon float64) float64 {
	return math.Min(c.sure+c.lower(epsilon), 1)
}

// most returns the upper bound of Delta on the lattice. It adds a few of the least numbers where
// float64 has few digits: four operations round there.
func (c *Composed) most(epsilon float64) float64 {
	v := c.beyond + c.over(epsilon)
	if v < faint {
		v += 8 * math.SmallestNonzeroFloat64
	}
	return math.Min(v*(1+2*unit), 1)
}

// faint is a probability below which float64 loses digits.
const faint = 1e-290

// exactDelta returns Delta for one release: the least and the greatest of the enclosing pairs.
func (c *Composed) exactDelta(epsilon float64) Bounds {
	b := Bounds{1, 0}
	for _, p := range c.exact {
		delta, bound, err := pair.Profile(p, epsilon)
		if err != nil {
			return Bounds{0, 1}
		}
		b.Lower = math.Min(b.Lower, delta-bound-(c.infinite-c.sure))
		b.Upper = math.Max(b.Upper, delta+bound)
	}
	if epsilon < c.top && b.Upper < faint { // some loss exceeds epsilon, however rare
		b.Upper += 2 * math.SmallestNonzeroFloat64
	}
	return Bounds{math.Max(b.Lower, 0), math.Min(b.Upper, 1)}
}

// Epsilon returns bounds on the smallest epsilon ≥ 0 at which the composition has delta, in nats.
// The bounds have the meaning of the function Epsilon.
func (c *Composed) Epsilon(delta float64) Bounds {
	if c.other != nil {
		return both(c.epsilon(delta), c.other.Epsilon(delta))
	}
	return c.epsilon(delta)
}

// epsilon returns Epsilon on one lattice.
func (c *Composed) epsilon(delta float64) Bounds {
	switch {
	case math.IsNaN(delta) || delta < c.infinite || delta == c.infinite && math.IsInf(c.top, 1):
		return Bounds{c.lost(delta), math.Inf(1)}
	case delta >= 1:
		return Bounds{}
	case delta == c.infinite && c.sure == c.infinite:
		return Bounds{math.Max(0, c.top*(1-1e-13)-2*c.loose), math.Max(0, c.top*(1+1e-13))}
	case c.exact == nil && c.lattice == nil:
		return Bounds{0, math.Max(0, c.top*(1+1e-13))}
	}
	least, most := c.least, c.most
	if c.exact != nil {
		least = func(epsilon float64) float64 { return c.exactDelta(epsilon).Lower }
		most = func(epsilon float64) float64 { return c.exactDelta(epsilon).Upper }
	}
	upper := c.smallest(func(epsilon float64) bool { return epsilon >= c.top || most(epsilon) <= delta })
	lower := c.largest(upper, func(epsilon float64) bool { return epsilon < c.top && least(epsilon) > delta })
	return Bounds{lower, upper}
}

// lost returns the lower bound of Epsilon at a delta without an upper bound, because losses of more
// than delta may be infinite.
func (c *Composed) lost(delta float64) float64 {
	switch {
	case math.IsNaN(delta) || delta < c.sure || delta == c.sure && c.sure == c.infinite:
		return math.Inf(1)
	case c.exact != nil:
		return c.largest(c.top, func(epsilon float64) bool { return epsilon < c.top && c.exactDelta(epsilon).Lower > delta })
	case c.lattice != nil:
		return c.largest(c.top, func(epsilon float64) bool { return epsilon < c.top && c.least(epsilon) > delta })
	}
	return 0
}

// smallest returns an epsilon where ok holds; just below it ok fails.
func (c *Composed) smallest(ok func(float64) bool) float64 {
	if ok(0) {
		return 0
	}
	low, high := 0.0, 1e-9
	for !ok(high) {
		low, high = high, 2*high
		if high >= c.top {
			high = math.Max(c.top, 0) * (1 + 1e-13)
			break
		}
		if high > 1e9 {
			return math.Inf(1)
		}
	}
	for high-low > 1e-13*high {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			break
		}
		if ok(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// largest returns an epsilon up to limit where ok holds; just above it ok fails. It returns 0 if
// there is none. It searches down from the limit, since far from the aim of the composition ok may
// fail again.
func (c *Composed) largest(limit float64, ok func(float64) bool) float64 {
	high := math.Min(limit, 1e9)
	low, width := high, 1e-13*high
	for {
		low = high - width
		if low <= 0 {
			low = 0
			break
		}
		if ok(low) {
			break
		}
		high, width = low, 2*width
	}
	for high-low > 1e-13*high {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			break
		}
		if ok(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

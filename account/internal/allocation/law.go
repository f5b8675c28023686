// Package allocation bounds the privacy of random allocation: a record takes part in one of several
// steps with normal noise, drawn uniformly.
//
// Let z be the noise multiplier and T the number of steps. The ratio of the output's likelihood
// with the record to that without it is S = (W_1 + … + W_T)/T, W_t = e^((2x_t-1)/2z²) with
// independent x_t ~ N(0, z²) (Chua and others, "Balls-and-Bins Sampling for DP-SGD", AISTATS 2025,
// https://arxiv.org/abs/2412.16802). Removing the record has δ(ε) = E(S-e^ε)⁺, and adding it has
// E(1-e^ε·S)⁺. Both are means of convex functions of S. So a distribution that is larger in the
// convex order bounds them from above, and a smaller one from below.
//
// Convex order survives sums of independent terms. So each W_t may be replaced alone: spreading its
// mass over nodes with its mean kept makes it larger, joining the mass in a cell makes it smaller.
// Then terms are added, and their sum is replaced again. Nothing is drawn at random.
package allocation

import (
	"math"

	"github.com/ditherml/dither/account/internal/pair"
)

// Kind is the side on which distributions bound the exact distribution in the convex order: above
// or below.
type Kind uint8

const (
	// Upper is the kind of distributions that move the mass of a cell to the ends of the cell.
	Upper Kind = iota + 1
	// Lower is the kind of distributions that move the mass of a cell to the mean of the cell.
	Lower
)

// law is the distribution of a sum of count terms of mean 1, on nodes count+d of mass q, d rising.
// Mass at infinity has probability 0 and a share of the mean.
type law struct {
	kind     Kind
	count    float64
	d, q     []float64
	infinite float64
}

// unit is the rounding of one operation; longest bounds the number of nodes of a distribution.
const (
	unit    = 0x1p-53
	longest = 4096
)

// reach is the distance of the outermost nodes, in standard deviations. The normal distribution has
// less than 1e-50 beyond.
const reach = 15.0

// smallest is the least ratio of likelihoods above 0. It is large enough that 1-smallest differs
// from 1.
const smallest = 1e-14

// fine is the number of cells that a distribution is first put into.
const fine = 4096

// single returns the distribution of one term.
func single(noise float64, kind Kind) (law, error) {
	curve, err := pair.NewCurve(pair.Shift(pair.Normal, noise))
	if err != nil {
		return law{}, err
	}
	// The curve measures outputs from the mean of Q, at 0.
	low, high := max(-reach*noise, 0.5+noise*noise*math.Log(smallest)), 1+reach*noise
	at := func(i int) float64 { return low + (high-low)*float64(i)/fine }
	value := func(x float64) float64 { return math.Expm1((2*x - 1) / (2 * noise * noise)) }
	c := cells{count: 1, edge: []float64{-1, value(low)}}
	_, q := curve.Masses(math.Inf(-1), low)
	p, _ := curve.Masses(math.Inf(-1), low)
	c.q, c.up, c.down = []float64{q}, []float64{p}, []float64{max(0, q*(1+value(low))-p)}
	for i := range fine {
		a, b := at(i), at(i+1)
		p, q = curve.Masses(a, b)
		from, to := value(a), value(b)
		// The rounding of a difference moves the mean of the cell by a few units.
		up := min(max((p-q)-from*q, 0), (to-from)*q)
		c.edge = append(c.edge, to)
		c.q, c.up, c.down = append(c.q, q), append(c.up, up), append(c.down, (to-from)*q-up)
	}
	p, q = curve.Masses(high, math.Inf(1))
	c.beyond, c.beyondUp = q, max(0, p-q*(1+value(high)))
	return c.law(kind), nil
}

// plus returns the distribution of the sum of two independent numbers.
func (l law) plus(o law, same bool) law {
	c := newCells(l, o)
	c.infinite = l.infinite + o.infinite
	for i, a := range l.d {
		first := 0
		if same {
			first = i
		}
		c.row(a, l.q[i], o, first, same)
	}
	return c.law(l.kind)
}

// row adds the sums of one node with all nodes of a distribution from the first on. If both
// distributions are the same, the other nodes count twice.
func (c *cells) row(a, mass float64, o law, first int, same bool) {
	at := c.find(a + o.d[first])
	low, high := c.edge[at], c.edge[at+1]
	var q, up, down float64
	flush := func() {
		c.q[at] += q
		c.up[at] += up
		c.down[at] += down
		q, up, down = 0, 0, 0
	}
	for j := first; j < len(o.d); j++ {
		d, m := a+o.d[j], mass*o.q[j]
		if same && j > first {
			m *= 2
		}
		if d > high {
			flush()
			for at++; at+2 < len(c.edge) && d > c.edge[at+1]; at++ {
			}
			low, high = c.edge[at], c.edge[at+1]
		}
		q += m
		up += m * (d - low)
		down += m * (high - d)
	}
	flush()
}

// sum returns the distribution of the sum of this many independent terms.
func sum(steps int, noise float64, kind Kind) (law, error) {
	power, err := single(noise, kind)
	if err != nil {
		return law{}, err
	}
	var total law
	for n := steps; ; {
		if n&1 == 1 {
			if total.count == 0 {
				total = power
			} else {
				total = power.plus(total, false)
			}
		}
		if n >>= 1; n == 0 {
			return total, nil
		}
		power = power.plus(power, true)
	}
}

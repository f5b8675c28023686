package pair

import (
	"math"

	"github.com/ditherml/dither/internal/special"
)

// Node is an output at which a lattice of losses has a node.
type Node struct {
	X        float64 // the output; -Inf or +Inf at the ends of the range
	Residual float64 // bound on the distance of the loss of X from the loss of the node, without LossError
	ratio    float64 // density of the second copy over that of the first; 0 if not known
}

// NodeAt returns the node whose output has loss l, given odds = e^l. An error of odds counts as an
// error of l. NodeAt gives the same output as Inverse, and is faster for pairs on two means. A hint
// near X saves time.
func (c *Curve) NodeAt(l, odds, hint float64) Node {
	if c.Law == Normal && len(c.shifts) == 2 {
		if r := c.ratioAt(odds); r > 1e-150 && r < 1e150 {
			x := c.Last/2 + math.Log(r)*c.Scale*c.Scale/c.Last
			return Node{X: x, ratio: r}
		}
	}
	x, residual := c.Inverse(l, hint)
	return Node{X: x, Residual: residual}
}

// ratioAt returns the ratio of the two densities at an output where P/Q is odds. A difference of
// nearly equal numbers loses digits, which counts as an error of one unit in odds.
func (c *Curve) ratioAt(odds float64) float64 {
	a, b := c.shifts[0], c.shifts[1]
	switch {
	case c.form == shifted && a.p == 0:
		return odds
	case c.form == shifted:
		return 1 / odds
	case c.form == mixed && a.q > 0:
		return (odds - a.p) / b.p
	case c.form == mixed:
		return a.p / (odds - b.p)
	case a.p > 0:
		return (1/odds - a.q) / b.q
	}
	return a.q / (1/odds - b.q)
}

// Between returns the masses under P and Q of the interval between two nodes, in either order. The
// error of the masses is at most MassError plus LossError.
//
// Between is faster than Masses under two conditions. The interval is narrow, and the ratio of the
// densities in its middle is the geometric mean of the ratios at its ends. Two normal copies meet
// the second condition.
func (c *Curve) Between(m, n Node) (p, q float64) {
	a, b := min(m.X, n.X), max(m.X, n.X)
	width := (b - a) / c.Scale
	middle := (a + b) / (2 * c.Scale)
	far := max(math.Abs(middle), math.Abs(middle-c.Last/c.Scale))
	if m.ratio == 0 || n.ratio == 0 || !(width*(far+6) <= 0.5) {
		return c.Masses(a, b)
	}
	first := special.NormalDensity(middle) * width
	second := first * math.Sqrt(m.ratio*n.ratio)
	v := width * width / 4
	first *= hermiteSum(middle, v)
	second *= hermiteSum(middle-c.Last/c.Scale, v)
	s, t := c.shifts[0], c.shifts[1]
	return s.p*first + t.p*second, s.q*first + t.q*second
}

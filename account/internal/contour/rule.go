package contour

import (
	"fmt"
	"math"
)

// reach is how far below its largest value an integrand may fall, in nats, before its node is
// dropped: e^-62 is 1e-27.
const reach = 62

// maxRule is the largest number of quadrature nodes of one pair.
const maxRule = 1 << 15

// rule is a quadrature rule for expectations over the finite losses of P. Node j has the
// probability e^logMass[j] and the loss loss[j]. point marks the nodes that are true atoms.
type rule struct {
	loss, logMass []float64
	point         []bool
	// turn is the largest phase, in radians from node to node, at which the rule still integrates
	// e^{iuL} times its own integrand.
	turn float64
}

func (r *rule) add(loss, logMass float64, point bool) {
	r.loss = append(r.loss, loss)
	r.logMass = append(r.logMass, logMass)
	r.point = append(r.point, point)
}

// append adds the nodes of another rule. The smaller turn counts; a rule of atoms has none.
func (r *rule) append(o rule) {
	r.loss = append(r.loss, o.loss...)
	r.logMass = append(r.logMass, o.logMass...)
	r.point = append(r.point, o.point...)
	if r.turn == 0 || o.turn > 0 {
		r.turn = o.turn
	}
}

// side is the set of losses of a pair that a rule holds.
type side int

const (
	whole side = iota
	positive
	negative
)

func (s side) holds(loss float64) bool {
	return s == whole || s == positive && loss > 0 || s == negative && loss < 0
}

// source makes quadrature rules for one pair.
type source interface {
	// rules returns two independent rules for the losses of one side. They serve every tilt e^{tL}
	// with t from low to high, where low ≤ -1 and high ≥ 0. Each level halves the spacing. The
	// second is nil where the first is exact.
	rules(level int, low, high float64, s side) (first, second *rule, err error)
	// infinite returns the probability of the loss +Inf under P and of -Inf under Q.
	infinite() (p, q float64)
	// top returns the least upper bound of the losses that are not +Inf.
	top() float64
}

// tooFine returns the error of a pair that needs too many nodes.
func tooFine(n float64) error {
	return fmt.Errorf("%w: one pair needs %.0f quadrature nodes, the limit is %d", ErrUnsuited, n, maxRule)
}

// panelTurn is the turn of a Gauss-Legendre panel. In its middle a node is π/32 of its width from
// the next. That makes ten radians on the panel, which 16 points integrate to 1e-13.
const panelTurn = 1

// legendrePoints is the number of points of one Gauss-Legendre panel.
const legendrePoints = 16

// legendreRule holds the nodes and weights on [-1, 1].
type legendreRule struct{ node, weight [legendrePoints]float64 }

var legendre = newLegendre()

// newLegendre returns the zeros of the Legendre polynomial, by Newton's method, and the weights
// 2/((1-x²)·P'(x)²) (Abramowitz & Stegun, formula 25.4.29).
func newLegendre() legendreRule {
	var r legendreRule
	const n = legendrePoints
	for i := range n {
		x := math.Cos(math.Pi * (float64(i) + 0.75) / (n + 0.5))
		slope := 0.0
		for range 8 {
			before, value := 1.0, x
			for k := 2.0; k <= n; k++ {
				before, value = value, ((2*k-1)*x*value-(k-1)*before)/k
			}
			slope = n * (before - x*value) / (1 - x*x)
			x -= value / slope
		}
		r.node[i], r.weight[i] = x, 2/((1-x*x)*slope*slope)
	}
	return r
}

// panels calls f with each node and the logarithm of its weight, for the integral from a to b in n
// panels.
func panels(a, b float64, n int, f func(x, logWeight float64)) {
	half := (b - a) / float64(2*n)
	for k := range n {
		middle := a + half*float64(2*k+1)
		for i, x := range legendre.node {
			f(middle+half*x, math.Log(half*legendre.weight[i]))
		}
	}
}

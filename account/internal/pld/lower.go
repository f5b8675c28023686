package pld

import (
	"math"

	"github.com/ditherml/dither/internal/special"
)

// The lower bound.
//
// Let r be the likelihood ratio dQ/dP of all releases together, drawn from P. Let g(α) = E(1-αr)⁺
// be the true δ at α = e^ε, and U the δ of the lattice. Each time a loss is spread over two nodes,
// its ratio is multiplied by a random factor R with mean 1. R has two values whose logarithms
// differ by the width h of the cell.
//
//   1. For c ≥ 1 the largest E(R-c)⁺ of any such R is (e^{h/2}-√c)²/(e^h-1). With values e^u and
//      e^{u-h} it is (1+ce^{-h}-e^{u-h}-ce^{-u})/(1-e^{-h}), largest at e^{2u} = c·e^h. For c < 1
//      put-call symmetry gives the same R its largest value.
//   2. These are the values of E(e^N-c)⁺ for N with density proportional to e^{-n/2} on [-h, h]. So
//      N dominates every R in the convex order.
//   3. Let Y be normal with mean -s²/2 and variance s². The densities of N and Y are both e^{-n/2}
//      times a symmetric function. So E(e^Y-c)⁺ - E(e^N-c)⁺ as a function of c ≥ 1 starts with no
//      downward slope, is convex, then concave, then convex, and ends at zero.
//   4. So Y dominates N if the difference starts at zero or above: E(e^Y-1)⁺ ≥ E(e^N-1)⁺ =
//      tanh(h/4), that is, erf(s/√8) ≥ tanh(h/4).
//   5. With s = h·√(2π)/4 that holds for h ≤ 1: the series are h/4 - 0.0041h³ + … and h/4 -
//      0.0052h³ + …. A larger s only dominates more.
//   6. Convex order survives products of independent factors. So U(α) ≤ E g(αe^Y), where Y is
//      normal with mean -s²/2 and variance s² = (π/8)·Σh² over all spreads.
//   7. g is convex, decreasing, and below every upper bound of U. Let v be its unknown value at α.
//      A chord from v to an upper bound at another point lies above g, and so does the chord
//      between two upper bounds.
//   8. The mean of that broken line is linear in v and at least U(α). That bounds v from below.

// knots are the ends of chords, in standard deviations s; the first is varied.
var knots = [...]float64{0, 0.3, 0.7, 1.2, 1.9, 2.9, 4.4, 7}

// widths are the values tried for the first knot. About 1.6 is best where g is smooth.
var widths = [...]float64{1.3, 1.6, 2}

// broken is a broken line as weights of its mean over Y. One weight is for the value at α itself.
// Another is for the value at each other end of a chord, with its distance on the axis of epsilon.
type broken struct {
	own  float64
	ends []end
	last float64 // how far to the left, in s, the line goes
}

type end struct{ distance, weight float64 }

// newBroken returns the line whose first chords end at ±w standard deviations s. Let a broken line
// go through values v_k at y_k = e^{x_k}. Its mean is Σ v_k times the mean of the hat function that
// is 1 at y_k.
func newBroken(w, s float64) broken {
	b := broken{last: w + knots[len(knots)-1]}
	for _, sign := range [2]float64{-1, 1} {
		x := 0.0
		for i, k := range knots {
			next := sign * (w + k) * s
			near, far := hats(x, next, s)
			if i == 0 {
				b.own += near
			} else {
				b.ends[len(b.ends)-1].weight += near
			}
			b.ends = append(b.ends, end{next, far})
			x = next
		}
		if sign > 0 { // g falls, so that its last value bounds the rest
			b.ends[len(b.ends)-1].weight += special.NormalCDF(-x/s - s/2)
		}
	}
	return b
}

// lower returns a lower bound of the finite part of δ at an epsilon.
func (c *Composed) lower(epsilon float64) float64 {
	value := c.under(epsilon)
	if c.noise == 0 || value <= 0 {
		return math.Max(value, 0)
	}
	best := 0.0
	for _, b := range c.lines {
		rest := c.leftTail(epsilon, c.spread, b.last)
		for _, e := range b.ends {
			rest += e.weight * c.over(epsilon+e.distance)
		}
		best = math.Max(best, (value-rest*(1+1e-9))/(b.own*(1+1e-9)))
	}
	return best
}

// hats returns the weights of the two ends of a line between y_a = e^a and y_b = e^b. They are
// means over Y between a and b.
func hats(a, b, s float64) (atA, atB float64) {
	low, high := math.Min(a, b), math.Max(a, b)
	p := mass(low/s+s/2, high/s+s/2) // of Y
	q := mass(low/s-s/2, high/s-s/2) // of Y under the distribution tilted by e^Y
	// E(e^Y - e^a)/(e^b - e^a) on the interval. The difference q - e^a·p keeps about 1e-16/s of its
	// digits; the factors in lower cover that.
	atB = (q - math.Exp(a)*p) / (math.Exp(a) * math.Expm1(b-a))
	return p - atB, atB
}

// mass is the probability of an interval under the standard normal distribution.
func mass(a, b float64) float64 {
	if a > 0 {
		a, b = -b, -a
	}
	return special.NormalCDF(b) - special.NormalCDF(a)
}

// leftTail returns a bound on E g(αe^Y) over Y below -w·s, where g(α) ≤ K·α^{-tilt}.
func (c *Composed) leftTail(epsilon, s, w float64) float64 {
	t := c.tilt
	z := -w + s/2 + t*s
	logTail := math.Log(special.NormalCDF(z))
	if z < -30 {
		logTail = -z * z / 2
	}
	return math.Exp(c.log-t*epsilon+t*(t+1)*s*s/2+logTail) * c.kernel * (1 + c.err) * (1 + 1e-9) * math.Exp(t*c.shift)
}

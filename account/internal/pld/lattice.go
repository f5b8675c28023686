package pld

import "math"

// lattice is a sub-probability under P on the losses step·(low+i), tilted: the mass at loss l is
// mass[i]·e^{log - tilt·l}, and mass sums to 1. It stands for a pair (P, Q), where Q has e^{-l}
// times the mass of P.
//
// Let every loss of the pair be moved by at most shift. Then the true tilted masses differ from
// mass by at most err in the sum of absolute differences. Spreading puts a likelihood ratio on
// neighboring nodes by a two-point distribution. noise is the sum of the squared widths of these
// distributions (see lower.go).
type lattice struct {
	step, tilt, log   float64
	low               int
	mass              []float64
	err, shift, noise float64
}

// unit is the rounding unit of float64.
const unit = 0x1p-53

// sum returns the sum of numbers, compensated for rounding (Neumaier, 1974). So the relative error
// of a sum of positive numbers is below 3 units.
func sum(x []float64) float64 {
	var s, lost float64
	for _, v := range x {
		t := s + v
		if math.Abs(s) >= math.Abs(v) {
			lost += (s - t) + v
		} else {
			lost += (v - t) + s
		}
		s = t
	}
	return s + lost
}

// normalize scales the masses to sum to 1 and keeps their meaning.
func (l *lattice) normalize() {
	total := sum(l.mass)
	if !(total > 0) {
		return
	}
	for i := range l.mass {
		l.mass[i] /= total
	}
	l.log += math.Log(total)
	l.err = l.err/total + (6+4*math.Abs(l.log))*unit
}

// trim drops nodes at each end whose mass together is less than drop.
func (l *lattice) trim(drop float64) {
	first, last := 0, len(l.mass)
	lost := 0.0
	for first < last-1 && lost+l.mass[first] < drop {
		lost += l.mass[first]
		first++
	}
	for last > first+1 && lost+l.mass[last-1] < 2*drop {
		lost += l.mass[last-1]
		last--
	}
	l.mass = l.mass[first:last]
	l.low += first
	l.err += lost
}

// logMoment returns the logarithm of E e^{sL} under the tilted distribution, +Inf where the sum
// leaves the range of numbers. It includes the relative error of the sum, a few units a node.
func (l *lattice) logMoment(s float64) float64 {
	ratio := math.Exp(-math.Abs(s) * l.step)
	total, n := 0.0, len(l.mass)
	end := float64(l.low + n - 1)
	if s > 0 {
		for _, v := range l.mass {
			total = total*ratio + v
		}
	} else {
		end = float64(l.low)
		for i := n - 1; i >= 0; i-- {
			total = total*ratio + l.mass[i]
		}
	}
	if total < 1e-280 {
		return math.Inf(1)
	}
	return math.Log(total) + s*l.step*end + (4+math.Abs(s)*l.step)*unit*float64(n)
}

// coarsen returns the masses on the nodes of a lattice whose step is k times as large. A mass at
// loss l between nodes a and b = a+h is split so that the likelihood ratio e^{-l} keeps its mean:
// the share (1-e^{a-l})/(1-e^{-h}) goes to b. By Jensen's inequality the new pair dominates the old
// one.
//
// Source: Doroshenko, Ghazi, Kamath, Kumar & Manurangsi, "Connect the Dots", PETS 2022,
// https://arxiv.org/abs/2207.04380, in the form of a split of masses.
func (l *lattice) coarsen(k int) *lattice {
	h := l.step * float64(k)
	first := floorDiv(l.low, k)
	last := floorDiv(l.low+len(l.mass)-1, k) + 1
	c := &lattice{step: h, tilt: l.tilt, log: l.log, low: first, mass: make([]float64, last-first+1),
		err: l.err, shift: l.shift, noise: l.noise}
	up, down := shares(l.step, l.tilt, k)
	at, r := 0, l.low-first*k
	for _, v := range l.mass {
		c.mass[at] += v * down[r]
		c.mass[at+1] += v * up[r]
		if r++; r == k {
			at, r = at+1, 0
		}
	}
	if k > 1 {
		c.noise += h * h
	}
	c.shift += 2 * unit * h * math.Max(math.Abs(float64(first)), math.Abs(float64(last)))
	// The old error is stretched by the largest factor. The two shares have a relative rounding
	// error of at most 20 units each.
	c.err = c.err*stretch(l.tilt, h) + 40*unit*(1+l.tilt*h)
	c.normalize()
	return c
}

// stretch returns a bound on the factor by which a split over a cell of width h changes tilted
// mass. The factor is the moment of order -tilt of a two-point likelihood ratio, which is convex.
// So the dominating distribution of lower.go bounds it: sinh((t+½)h)/((2t+1)·sinh(h/2)).
func stretch(tilt, h float64) float64 {
	return math.Sinh((tilt+0.5)*h) / ((2*tilt + 1) * math.Sinh(h/2))
}

// shares returns two shares of a mass r fine steps above a coarse node, for r = 0 to k-1, in the
// tilted scale. up goes to the next coarse node, and down to the coarse node itself.
func shares(step, tilt float64, k int) (up, down []float64) {
	up, down = make([]float64, k), make([]float64, k)
	whole := -math.Expm1(-step * float64(k))
	for r := range k {
		left, right := step*float64(r), step*float64(k-r)
		up[r] = -math.Expm1(-left) / whole * math.Exp(tilt*right)
		down[r] = -math.Expm1(-right) / whole * math.Exp(-left-tilt*left)
	}
	return up, down
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

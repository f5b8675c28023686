package evaluate

import (
	"math"
	"slices"

	"github.com/ditherml/dither/internal/special"
)

// quad is a polynomial of degree 2 in θ, the lowest power first.
type quad [3]float64

// on returns c² times the polynomial at θ = d/c.
func (q quad) on(c, d float64) float64 { return c*c*q[0] + c*d*q[1] + d*d*q[2] }

func (q *quad) add(o quad, times float64) {
	for k := range q {
		q[k] += times * o[k]
	}
}

// quart is a polynomial of degree 4 in θ, the lowest power first.
type quart [5]float64

// on returns c⁴ times the polynomial at θ = d/c.
func (q quart) on(c, d float64) float64 {
	cc, cd, dd := c*c, c*d, d*d
	return cc*(cc*q[0]+cd*q[1]+dd*q[2]) + dd*(cd*q[3]+dd*q[4])
}

// cubic is a polynomial of degree 3 in θ, the lowest power first.
type cubic [4]float64

// on returns c³ times the polynomial at θ = d/c.
func (q cubic) on(c, d float64) float64 { return c*c*(c*q[0]+d*q[1]) + d*d*(c*q[2]+d*q[3]) }

// product adds times times the product of v - θ·w and a polynomial.
func (q *cubic) product(v, w float64, o quad, times float64) {
	for k, u := range o {
		q[k] += times * v * u
		q[k+1] -= times * w * u
	}
}

// square adds times times the square of a polynomial.
func (q *quart) square(o quad, times float64) {
	for i, v := range o {
		for j, w := range o {
			q[i+j] += times * v * w
		}
	}
}

// piece is a part of a set: θ from low to high.
type piece struct{ low, high float64 }

const (
	// coarse is the number of points of a range that are evaluated. Around the value, distances of
	// points grow by the factor growth, from the part fine of the reach on.
	coarse, fine, growth = 32, 0.25, 1.5
	// narrow is the part of the way between two points to which an end of a piece is known.
	narrow = 0x1p-40
)

// set returns the pieces of [0, most] in which excess is at most 0, ascending; most may be
// infinite. The search goes over the angle whose tangent is θ, which is bounded. Its points are
// dense where the set may be short. Nil means that there is no such θ.
func (s spread) set(of ratio, most float64) []piece {
	end := math.Atan(most)
	r := s.folded(of)
	excess := func(angle float64) float64 { d, c := math.Sincos(angle); return s.excess(r, c, d) }
	points := s.points(r, end)
	var pieces []piece
	last := 0.0
	for i, at := range points {
		v := excess(at)
		switch {
		case i == 0 && v <= 0:
			pieces = append(pieces, piece{at, at})
		case i > 0 && last > 0 && v <= 0:
			pieces = append(pieces, piece{crossing(excess, at, points[i-1]), at})
		case i > 0 && last <= 0 && v > 0:
			pieces[len(pieces)-1].high = crossing(excess, points[i-1], at)
		}
		if v <= 0 && i == len(points)-1 {
			pieces[len(pieces)-1].high = at
		}
		last = v
	}
	for i, p := range pieces {
		pieces[i] = piece{tangent(p.low, end, most), tangent(p.high, end, most)}
	}
	return pieces
}

// tangent returns tan(angle), and most at the end.
func tangent(angle, end, most float64) float64 {
	if angle >= end {
		return most
	}
	return math.Tan(angle)
}

// points returns ascending angles from 0 to end.
func (s spread) points(r *ratio, end float64) []float64 {
	out := []float64{0, end}
	for k := 1; k < coarse; k++ {
		out = append(out, end*float64(k)/coarse)
	}
	value := max(0, min(end, math.Atan2(math.Copysign(r.a, r.a*r.w), math.Abs(r.w)))) // of a/w, both may be negative
	d, c := math.Sincos(value)
	out = append(out, value)
	if v := s.variances(r, c, d); v.most > 0 {
		for step := fine * math.Sqrt(v.apart) / math.Hypot(r.a, r.w); step > 0 && step < end; step *= growth {
			out = append(out, max(0, value-step), min(end, value+step))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// crossing returns the last angle from inside to outside with an excess of at most 0.
func crossing(excess func(angle float64) float64, inside, outside float64) float64 {
	return special.Crossing(inside, outside, narrow*math.Abs(outside-inside), excess)
}

// leastWhole is the multiple of its noise that the denominator of a ratio must reach for a set of
// one number.
const leastWhole = 3

// estimate returns a ratio between 0 and most with its set. Sometimes no such number agrees with
// the release, as when noise has made a few wrong predictions fewer than none. Then the set is the
// end next to the ratio. It is the whole range where noise hides the denominator.
func (s spread) estimate(r ratio, most float64) Estimate {
	value := Measure(max(0, min(most, r.value())))
	e := Estimate{Value: value, Low: 0, High: Measure(most), Rate: s.rate(r)}
	pieces := s.set(r, most)
	if len(pieces) == 0 {
		if r.w > leastWhole*math.Sqrt(r.noise[2]) {
			e.Low, e.High = value, value
		}
		return e
	}
	e.Low, e.High = Measure(pieces[0].low), Measure(pieces[len(pieces)-1].high)
	for i := 1; i < len(pieces); i++ {
		from, to := Measure(pieces[i-1].high), Measure(pieces[i].low)
		if len(e.Gap) == 0 || to-from > e.Gap[1]-e.Gap[0] {
			e.Gap = []Measure{from, to}
		}
	}
	return e
}

package sample

import (
	"math/big"
	"math/bits"
)

// The sampler draws a normal number on a lattice far finer than the grid, by integers
// alone, and rounds it. The lattice has the points ±(k+½)·h, h = 2^-fineBits standard
// deviations, below tailUnits standard deviations; the probability of a point is
// proportional to exp(-x²/2). A grid cell holds exactly 2^(fineBits-b) points, the midpoints
// of as many equal parts of it.
//
// It is a ziggurat (Marsaglia & Tsang, "The Ziggurat Method for Generating Random Variables",
// Journal of Statistical Software 2000) made exact: layers are rectangles of one area that cover
// the region under the curve, the lowest as wide as the whole range. So there is no tail of its
// own. A layer is drawn uniformly, then a point of its first width points, exactly uniformly
// (Lemire 2019). Below inside the whole layer is under the curve. Else a height decides, against
// the curve in 64-bit arithmetic and, if that is too close to call, in 320 bits.
const (
	fineBits     = 54
	tailUnits    = 16
	layerBits    = 9
	layerCount   = 1 << layerBits
	densityCount = 64 * tailUnits
	// MinGridBits and MaxGridBits bound the standard deviation 2^b of the grid.
	MinGridBits, MaxGridBits = 10, 50
	// SlackBits: with a = 2^-SlackBits and t = 2^-TailBits, two distributions are close: the
	// executed one and that of the rounded continuous Gaussian. Every set of grid values has under
	// one at most exp(a) times its probability under the other, plus t. The midpoint rule's
	// relative error on a part of width h is at most h²·(x²+1)/24·exp(16·h) < 2^-104 for |x| ≤ 16.
	// The areas of the layers agree within 2^-113, their heights being cut to 128 bits. The
	// normalizers agree within their sum and the truncated mass.
	SlackBits = 100
	// TailBits: either distribution gives magnitudes beyond 15.9 standard deviations a probability
	// below 2^-183 (2·(1-Φ(15.9)) < 2^-184; cells are at most 2^-MinGridBits wide). A height has
	// 192 bits. So a point is kept with its probability up to 2^-192, and up to as much again where
	// 320 bits decide wrongly: below 2^-189 for any set of values. Far out that is more than the
	// share exp(a): beyond 12 standard deviations it counts as a part of t.
	TailBits = 180
)

// layer is one rectangle: its number of points, the number of points that surely lie under
// the curve at all its heights, and 2^64 modulo the number of points.
type layer struct{ width, inside, remainder uint64 }

// metaPerWord is how many layer numbers and signs one random word gives.
const metaPerWord = 64 / (layerBits + 1)

// RoundedGaussian fills dst with independent draws of round(Z), up to the slack that SlackBits and
// TailBits state. Z is normal with mean 0 and standard deviation 2^gridBits, MinGridBits ≤ gridBits
// ≤ MaxGridBits. Rounding is an arithmetic shift, which commutes with adding an integer; no point
// of the lattice lies between two cells.
func (s *Stream) RoundedGaussian(dst []int64, gridBits uint) {
	if gridBits < MinGridBits || gridBits > MaxGridBits {
		panic("sample: the grid's standard deviation is outside its range")
	}
	for len(dst) > 0 {
		n := min(metaPerWord, len(dst))
		s.group(dst[:n], gridBits)
		dst = dst[n:]
	}
	s.forget()
}

// group draws at most metaPerWord numbers; one word gives their layers and signs.
func (s *Stream) group(dst []int64, gridBits uint) {
	shift := (fineBits + 1 - gridBits) % 64 // below 64 already, but the compiler cannot know
	half := int64(1) << (shift - 1)
	meta := s.Word()
	for i := range dst {
		l, negative := meta&(layerCount-1), -int64(meta>>layerBits&1)
		meta >>= layerBits + 1
		box := &layers[l]
		point, rest := bits.Mul64(s.Word(), box.width)
		if point >= box.inside || rest < box.remainder {
			point, negative = s.edge(l, negative, point, rest)
		}
		// The odd number 2k+1 stands for the point (k+½)·h.
		v := (int64(2*point+1) ^ negative) - negative
		dst[i] = (v + half) >> shift
	}
}

// edge settles a draw that is not surely under the curve. A point drawn from an incomplete
// interval is drawn again in the same layer; a height above the curve starts over.
func (s *Stream) edge(l uint64, negative int64, point, rest uint64) (uint64, int64) {
	for {
		box := &layers[l]
		if rest >= box.remainder {
			if point < box.inside || s.under(l, point) {
				return point, negative
			}
			meta := s.Word()
			l, negative = meta&(layerCount-1), -int64(meta>>layerBits&1)
			box = &layers[l]
		}
		point, rest = bits.Mul64(s.Word(), box.width)
	}
}

// closeCall is the distance, in units of 2^-64, within which 64-bit arithmetic does not
// decide: curve errs by less than 16 units, the height by less than 2.
const closeCall = 256

// under draws a height uniformly within the layer and reports whether it lies under the
// curve at the point.
func (s *Stream) under(l, point uint64) bool {
	u := s.Word()
	low, span := heights[l], spans[l]
	up, down := bits.Mul64(u, span[0])
	fromLow, _ := bits.Mul64(u, span[1])
	down, carry := bits.Add64(down, fromLow, 0)
	_, carryLow := bits.Add64(down, low[1], 0)
	height, over := bits.Add64(low[0], up, carry+carryLow)
	if over == 1 { // the highest layer ends just above 1
		return false
	}
	if f := curve(point); height > f+closeCall && f+closeCall >= f {
		return false
	} else if f > closeCall && height < f-closeCall {
		return true
	}
	return exactUnder(l, point, u, s.Word(), s.Word())
}

// curve returns exp(-x²/2) in units of 2^-64 at x = (point+½)·h, within 16 units. With x = j/64 +
// y, 0 ≤ y < 1/64, it is density[j]·exp(-u), u = j/64·y + y²/2 < 0.2502, with the Taylor series of
// the exponential to degree 14: r_0 = 1 - u·(1 - u/2·(1 - u/3·(…))). The errors, in units of 2^-64:
// the cut of the series is below 0.25^15/15!, less than 0.02. A step cuts two products and takes a
// reciprocal that is below 1/n by at most 2^-64. So it errs by less than 3 units of 2^-63; later
// steps multiply an error by u/n. So all of them together err by less than 6/(1-0.2502) < 8.1. The
// cut of u counts less than 1, and so does that of density[j], but for density[0] = 1 - 2^-64, at
// most 1. The last product counts less than 2.
func curve(point uint64) uint64 {
	odd := 2*point + 1 // x in units of 2^-(fineBits+1)
	j, y := odd>>(fineBits-5), odd&(1<<(fineBits-5)-1)
	squareHigh, squareLow := bits.Mul64(y, y) // y² in units of 2^-(2·fineBits+2)
	const cut = 2*fineBits + 3 - 64           // y²/2 from units of 2^-(2·fineBits+3) to 2^-64
	u := j*y<<(57-fineBits) + (squareHigh<<(64-cut) | squareLow>>cut)
	const one = 1 << 63
	r := uint64(one)
	for n := len(reciprocals) - 1; n >= 0; n-- {
		product, _ := bits.Mul64(u, r)
		part, _ := bits.Mul64(product, reciprocals[n])
		r = one - part
	}
	f, down := bits.Mul64(density[j], r)
	return f<<1 | down>>63
}

// reciprocals are 1/n for n from 1 on, in units of 2^-64, rounded down, the first being cut to just below 1.
var reciprocals = [14]uint64{
	(1<<64 - 1) / 1, (1<<64 - 1) / 2, (1<<64 - 1) / 3, (1<<64 - 1) / 4, (1<<64 - 1) / 5, (1<<64 - 1) / 6, (1<<64 - 1) / 7,
	(1<<64 - 1) / 8, (1<<64 - 1) / 9, (1<<64 - 1) / 10, (1<<64 - 1) / 11, (1<<64 - 1) / 12, (1<<64 - 1) / 13, (1<<64 - 1) / 14,
}

// exactUnder compares the height low + span·U, U of 192 bits, with the curve in 320-bit
// arithmetic. It is reached with a probability below 2^-50 a draw.
func exactUnder(l, point, u0, u1, u2 uint64) bool {
	const prec = 320
	float := func() *big.Float { return new(big.Float).SetPrec(prec) }
	join := func(words ...uint64) *big.Float {
		n := new(big.Int)
		for _, w := range words {
			n.Add(n.Lsh(n, 64), new(big.Int).SetUint64(w))
		}
		return float().SetMantExp(float().SetInt(n), -64*len(words))
	}
	height := float().Mul(join(spans[l][0], spans[l][1]), join(u0, u1, u2))
	height.Add(height, join(heights[l][0], heights[l][1]))
	x := float().SetMantExp(float().SetUint64(2*point+1), -(fineBits + 1))
	exponent := float().Quo(x.Mul(x, x), float().SetInt64(-2))
	return height.Cmp(bigExp(exponent)) < 0
}

// bigExp is exp(t), t ≤ 0, in the precision of t: the Taylor series of t/2^32, squared 32
// times. Squaring multiplies the relative error of 2^-(prec+64) by 2^32.
func bigExp(t *big.Float) *big.Float {
	const halvings = 32
	prec := t.Prec() + 64
	small := new(big.Float).SetPrec(prec).SetMantExp(t, -halvings)
	sum, term := new(big.Float).SetPrec(prec).SetInt64(1), new(big.Float).SetPrec(prec).SetInt64(1)
	for n := int64(1); n < 24; n++ {
		term.Mul(term, small)
		term.Quo(term, new(big.Float).SetInt64(n))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

package network

import "math"

// generator is a pseudorandom stream for first values, which depend on nothing private. It is the
// generator splitmix64 of G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014, section 5.
type generator struct{ state uint64 }

func (g *generator) word() uint64 {
	g.state += 0x9e3779b97f4a7c15
	z := g.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// uniform returns a number from -limit up to limit.
func (g *generator) uniform(limit float64) float64 {
	return limit * (math.Ldexp(float64(g.word()>>11), -52) - 1)
}

// fillUniform fills a matrix of rows × width numbers with uniform numbers of the given variance. If
// there is a bias, the last number of each row is zero.
func (g *generator) fillUniform(dst []float32, b Block, variance float64) {
	limit := math.Sqrt(3 * variance)
	for i := range dst {
		dst[i] = 0
		if !b.Bias || i%b.Width() < b.Left {
			dst[i] = float32(g.uniform(limit))
		}
	}
}

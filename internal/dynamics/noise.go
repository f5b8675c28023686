package dynamics

import "math"

// unsafeNormals is a stream of standard normal numbers that anyone can compute, so that an
// experiment can be repeated. It protects nothing. The words come from splitmix64 (G. Steele, D.
// Lea and C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, section 5).
type unsafeNormals struct{ state uint64 }

// next returns √(-2·ln u)·cos(2πv) for u and v uniform (G. E. P. Box and M. E. Muller, "A note on
// the generation of random normal deviates", Annals of Mathematical Statistics 29, 1958).
func (g *unsafeNormals) next() float64 {
	u, v := g.uniform(), g.uniform()
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
}

// uniform returns a number strictly between 0 and 1.
func (g *unsafeNormals) uniform() float64 {
	g.state += 0x9e3779b97f4a7c15
	z := g.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return (float64((z^z>>31)>>12) + 0.5) / (1 << 52)
}

package evaluate

// polynomial is the coefficients of aⁱ·tʲ, shape [5][5]. a is the magnitude of a residual and t the
// target, as Plan scales them.
type polynomial [5][5]float64

// fourth is the degree of the released polynomials in each of a and t under Laplace noise.
const fourth = 4

// crossWeight is the factor of the sums of a²t and a²t² in the release under Gaussian noise.
// targetWeight is the factor of the sums of t³ and t⁴. Only R² needs these sums, so they may have
// more noise.
const crossWeight, targetWeight = 0.5, 0.28

// momentPowers are the powers of a and t in the sums that are released under Gaussian noise. Each
// has the number that is subtracted from a row's product, and the factor of the rest. A row's
// vector has an L2 norm of at most √(3 + 5/4·(crossWeight²+targetWeight²)):
//
//  1. With u = t² the squares of the first six are at most 1 + 3/4 + 5/4, as u+(u-1/2)² is convex.
//  2. The squares of a²t and a²t²-1/2 are at most w+(w-1/2)² ≤ 5/4 with w = a²u ≤ 1.
//  3. For the last two, t⁶ ≤ 1 and (t⁴-1/2)² ≤ 1/4.
//  4. All are reached at a = |t| = 1.
var momentPowers = [...]struct {
	a, t          int
	shift, weight float64
}{
	{0, 0, 0, 1}, {1, 0, 0.5, 1}, {2, 0, 0.5, 1}, {4, 0, 0.5, 1}, {0, 1, 0, 1}, {0, 2, 0.5, 1},
	{2, 1, 0, crossWeight}, {2, 2, 0.5, crossWeight}, {0, 3, 0, targetWeight}, {0, 4, 0.5, targetWeight},
}

// momentNumbers returns the number of sums over rows of a group where the target is a number.
func (p Plan) momentNumbers() int {
	if p.Noise == noiseGaussian {
		return len(momentPowers)
	}
	return (fourth + 1) * (fourth + 1)
}

// addMoments adds the numbers of a row that Plan describes.
func (p Plan) addMoments(dst []float64, a, t float64) {
	if p.Noise != noiseGaussian {
		var products [(fourth + 1) * (fourth + 1)]float64
		bernsteinProducts(products[:], fourth, a, t)
		for j, v := range products {
			dst[j] += v
		}
		return
	}
	powers, of := [fourth + 1]float64{1, a, a * a, a * a * a, a * a * a * a}, [fourth + 1]float64{1, t, t * t, t * t * t, t * t * t * t}
	for j, m := range momentPowers {
		dst[j] += m.weight * (powers[m.a]*of[m.t] - m.shift)
	}
}

// coefficients returns the c with Σ q(a, t) = Σ c_j·released_j, for a polynomial of the powers in
// momentPowers.
func (p Plan) coefficients(q polynomial) []float64 {
	if p.Noise != noiseGaussian {
		return bernsteinCoefficients(fourth, q)
	}
	out := make([]float64, len(momentPowers))
	for j, m := range momentPowers {
		out[j] += q[m.a][m.t] / m.weight
		out[0] += q[m.a][m.t] * m.shift
	}
	return out
}

// bernsteinProducts writes B_i(a)·B_j((1+t)/2) for the Bernstein polynomials of a degree, shape
// [degree+1][degree+1]. They are not negative and have the sum 1.
func bernsteinProducts(dst []float64, degree int, a, t float64) {
	var first, second [fourth + 1]float64
	bernstein(first[:degree+1], a)
	bernstein(second[:degree+1], (1+t)/2)
	for i, v := range first[:degree+1] {
		for j, w := range second[:degree+1] {
			dst[i*(degree+1)+j] = v * w
		}
	}
}

// bernstein writes C(n, i)·xⁱ·(1-x)ⁿ⁻ⁱ for i = 0 … n, by de Casteljau's recursion, in which nothing
// cancels.
func bernstein(dst []float64, x float64) {
	clear(dst)
	dst[0] = 1
	for n := 1; n < len(dst); n++ {
		for i := n; i > 0; i-- {
			dst[i] = dst[i]*(1-x) + dst[i-1]*x
		}
		dst[0] *= 1 - x
	}
}

// bernsteinCoefficients returns a polynomial in the products of bernsteinProducts, by the blossom
// of each power. At B_i, xᵖ has the mean of products of p of n numbers. Of these n numbers i are 1,
// and the others are the value of x at the lower end (Farouki, "The Bernstein polynomial basis: a
// centennial retrospective", Computer Aided Geometric Design 2012, section 5).
func bernsteinCoefficients(degree int, q polynomial) []float64 {
	out := make([]float64, (degree+1)*(degree+1))
	for x := range degree + 1 {
		for y := range degree + 1 {
			if q[x][y] == 0 {
				continue
			}
			for i := range out {
				out[i] += q[x][y] * blossom(degree, i/(degree+1), x, 0) * blossom(degree, i%(degree+1), y, -1)
			}
		}
	}
	return out
}

// blossom returns the mean product of power of n numbers: ones of them are 1 and the others are
// low.
func blossom(n, ones, power int, low float64) float64 {
	sum := 0.0
	for k := 0; k <= power; k++ {
		v := choose(ones, k) * choose(n-ones, power-k)
		for range power - k {
			v *= low
		}
		sum += v
	}
	return sum / choose(n, power)
}

// choose returns the binomial coefficient, 0 outside of 0 ≤ k ≤ n.
func choose(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	v := 1.0
	for i := range k {
		v = v * float64(n-i) / float64(i+1)
	}
	return v
}

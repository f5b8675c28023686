package account

import (
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Poisson samples of one number with noise of a density or mass function f that is symmetric and
// falls away from 0: normal, Laplace, and both on the integers. Write f_u for f moved by u.
//
// Given the other records' sample, the number is a constant plus noise. The hockey-stick divergence
// H_a is jointly convex and does not depend on the constant. Let a record move the number by u, and
// a replacement by w, |u|, |w| ≤ s. Then the distributions to compare are
//
//	M_u = (1-q)·f_0 + q·f_u  and  M_w,  or M_u and f_0 where the record is removed.
//
// Claim: no u and w are farther apart than s and -s, respectively s and 0.
//
// Proof for a ≥ 1.
//
//   1. Let u < w; else mirror the line. M_u - a·M_w = q(f_u - a·f_w) - (a-1)(1-q)·f_0 is positive
//      only on a set S where f_u > f_w, so where x < (u+w)/2.
//   2. Let S* be the image of S under x → s+u-x, which maps integers to integers. Then f_s(S*) =
//      f_u(S).
//   3. f_-s(S*) = f_(u+2s)(S) ≤ f_w(S), because a point of S is nearer to w than to u+2s.
//   4. f_0(S*) = f_(u+s)(S) ≤ f_0(S), because x < (u+w)/2 ≤ (u+s)/2 is nearer to 0 than to u+s.
//   5. Hence H_a(M_u ‖ M_w) = M_u(S) - a·M_w(S) ≤ M_s(S*) - a·M_-s(S*) ≤ H_a(M_s ‖ M_-s).
//   6. With f_0 in place of M_w the same S* shows H_a(f_u ‖ f_0) ≤ H_a(f_s ‖ f_0). H_a(M_u ‖ f_0)
//      is q times H_a'(f_u ‖ f_0) at a' = 1+(a-1)/q, so the claim follows for it.
//
// Below 1 all follows from H_a(P ‖ Q) = 1-a + a·H_1/a(Q ‖ P). ∎

// triple is three probabilities of an outcome. In the first the record is out of the sample. In the
// others it is in the sample, and moves the number up or down by the sensitivity.
type triple struct{ out, up, down float64 }

// sampledAtoms returns the pairs of a Poisson sample with probability q.
func sampledAtoms(laws []triple, q float64, n privacy.Neighboring) directions {
	remove, add := make(pair.Atoms, 0, len(laws)), make(pair.Atoms, 0, len(laws))
	for _, l := range laws {
		up, out := (1-q)*l.out+q*l.up, l.out
		if n == privacy.ReplaceOne {
			out = (1-q)*l.out + q*l.down
		}
		if up > 0 || out > 0 {
			remove, add = append(remove, pair.Atom{P: up, Q: out}), append(add, pair.Atom{P: out, Q: up})
		}
	}
	return directions{remove, add, n == privacy.ReplaceOne}
}

// poissonDiscreteGaussian returns the lattice as atoms, as discreteGaussian does.
func poissonDiscreteGaussian(e mechanism.PoissonSampled, inner mechanism.DiscreteGaussian, n privacy.Neighboring) (directions, error) {
	s := float64(inner.Sensitivity)
	mass, reach := normalMasses(inner.StandardDeviation)
	if reach+s > maxAtoms/2 {
		return directions{}, unsupported("pld", e)
	}
	laws := make([]triple, 0, int(2*(reach+s))+3)
	for x := -reach - s; x <= reach+s; x++ {
		laws = append(laws, triple{mass(x), mass(x - s), mass(x + s)})
	}
	// The probability outside the list is below this, and counts as disclosed.
	const tail = 1e-300
	return sampledAtoms(append(laws, triple{0, tail, 0}, triple{tail, 0, tail}), e.Probability, n), nil
}

// poissonDiscreteLaplace returns the outcomes by their losses: all x ≥ s have one, all x ≤ -s
// another. A sensitivity beyond maxAtoms is priced as pure differential privacy.
func poissonDiscreteLaplace(e mechanism.PoissonSampled, inner mechanism.DiscreteLaplace, n privacy.Neighboring) (directions, error) {
	s, q := inner.Sensitivity, e.Probability
	if s > maxAtoms/2 {
		if n == privacy.ReplaceOne {
			return directions{}, unsupported("pld", e)
		}
		var laws []triple
		for _, a := range approximate(float64(s)/inner.Scale, 0) {
			laws = append(laws, triple{out: a.Q, up: a.P})
		}
		return sampledAtoms(laws, q, n), nil
	}
	// (1-ρ)/(1+ρ) and 1/(1+ρ) for ρ = e^(-1/scale).
	unit, end := math.Tanh(1/(2*inner.Scale)), 1/(1+math.Exp(-1/inner.Scale))
	power := func(k int64) float64 { return decay(float64(k), inner.Scale, 0) }
	laws := []triple{{end * power(s), end, end * power(2*s)}, {end * power(s), end * power(2*s), end}}
	for x := 1 - s; x < s; x++ {
		laws = append(laws, triple{unit * power(max(x, -x)), unit * power(s-x), unit * power(s+x)})
	}
	return sampledAtoms(laws, q, n), nil
}

// sampledDiscreteGaussian returns the Rényi divergence of a Poisson sample with discrete normal
// noise.
//
// Let r be the likelihood ratio of the noise moved by the integer s. E r^k = e^((k²-k)s²/2σ²) for
// every integer k, as for continuous noise, because Σ exp(-(x-ks)²/2σ²) over the integers does not
// depend on ks. So at integer orders the divergence of the mixture is that of the sampled Gaussian
// of multiplier σ/s. Between them its moment is convex in the order, and a chord bounds it.
//
// The other direction is no larger:
//
//  1. Reflection x → s-x swaps P and Q. Put r = e^2t, A = 1-q+q·r, and B(t) = A·e^-t. Then
//     B(t)·B(-t) = c² with B(±t) = c·e^±u, 0 ≤ |u| ≤ t for t ≥ 0.
//  2. Take √(PQ) as measure. Averaged over ±t, A^α is c^α·cosh((α-1)t+αu), and A^(1-α) is
//     c^(1-α)·cosh(αt+(α-1)u).
//  3. Put v = 2α-1, x = t+u and y = t-u. The claim is
//     v·log c ≥ R(v) = log cosh((vx+y)/2) - log cosh((vx-y)/2).
//  4. It is an equality at v = 1, since B(t)+B(-t) = 2·cosh t. R(0) = 0, and R is concave in v ≥ 0
//     because sech² falls. ∎
//
// Mironov, Talwar & Zhang 2019, https://arxiv.org/abs/1908.10530, state it for pairs with such a
// reflection.
//
// Under replace-one the sample is not counted. Given the sample, neighbors are at most 2s apart,
// and Rényi divergences are jointly quasi-convex (proved at ZCDP).
func sampledDiscreteGaussian(q float64, e mechanism.DiscreteGaussian, n privacy.Neighboring) func(order float64) float64 {
	z := e.StandardDeviation / float64(e.Sensitivity)
	if n == privacy.ReplaceOne {
		return func(order float64) float64 { return 2 * order / z / z }
	}
	moment := func(order float64) float64 {
		if order < 2 {
			return 0
		}
		return (order - 1) * sampledInteger(q, z, int(order))
	}
	return func(order float64) float64 {
		low := math.Floor(order)
		at := moment(low)
		if share := order - low; share > 0 {
			at += share * (moment(low+1) - at)
		}
		return at / (order - 1)
	}
}

// largestLoss returns a bound on the losses of two mixtures, +Inf where they have no largest one.
func largestLoss(d directions) float64 {
	most := 0.0
	for _, p := range []pair.Pair{d.remove, d.add} {
		m, ok := p.(pair.Mixture)
		if !ok {
			return math.Inf(1)
		}
		c, err := pair.NewCurve(m)
		if err != nil {
			return math.Inf(1)
		}
		most = max(most, c.High*(1+1e-12))
	}
	return most
}

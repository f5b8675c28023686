package erm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// linearProblem is rows of features, the last a constant, with targets that are linear up to an error.
type linearProblem struct {
	rows      [][]float64
	targets   []float64
	truth     []float64
	intercept float64
}

func newLinearProblem(r *rand.Rand, records, features int, deviation float64) linearProblem {
	p := linearProblem{intercept: 0.5, truth: make([]float64, features)}
	for j := range p.truth {
		p.truth[j] = r.NormFloat64() / 2
	}
	for range records {
		x := make([]float64, features)
		for j := range x[:features-1] {
			x[j] = r.Float64() - 0.5
		}
		x[features-1] = p.intercept
		y := deviation * r.NormFloat64()
		for j, v := range x {
			y += v * p.truth[j]
		}
		p.rows, p.targets = append(p.rows, x), append(p.targets, y)
	}
	return p
}

// moments are the sums of products with noise of a deviation; scale is that of the target.
func (p linearProblem) moments(t testing.TB, r *rand.Rand, noise, scale float64, equal bool) *Moments {
	t.Helper()
	d := len(p.truth)
	side := d + 1
	sums := make([]float64, side*side)
	for i, x := range p.rows {
		z := append(append([]float64(nil), x...), scale*p.targets[i])
		for a, u := range z {
			for b, v := range z {
				sums[a*side+b] += u * v
			}
		}
	}
	for a := range side {
		for b := range side {
			if noisy := noise * r.NormFloat64(); !equal {
				sums[a*side+b] += noisy
			} else if b <= a {
				sums[a*side+b] += noisy
				if a != b {
					sums[b*side+a] += noisy
				}
			}
		}
	}
	m, err := newMoments(sums, momentsOptions{Features: d, Targets: 1, Deviation: noise, Equal: equal, Scale: scale, Intercept: p.intercept})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// byGradient solves ridge regression by coordinate descent, without matrices.
func (p linearProblem) byCoordinates(penalty float64) []float64 {
	d := len(p.truth)
	w, rest := make([]float64, d), append([]float64(nil), p.targets...)
	for range 4000 {
		for j := range d {
			dot, square := 0.0, 0.0
			for i, x := range p.rows {
				dot += x[j] * rest[i]
				square += x[j] * x[j]
			}
			own := penalty
			if j == d-1 {
				own = 0
			}
			next := (dot + square*w[j]) / (square + own)
			for i, x := range p.rows {
				rest[i] -= x[j] * (next - w[j])
			}
			w[j] = next
		}
	}
	return w
}

func TestSolveIsRidgeRegression(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p := newLinearProblem(r, 60, 4, 0.1)
	m := p.moments(t, r, 0, 3, false)
	path, err := m.Path([]float64{0, 0.1, 5})
	if err != nil {
		t.Fatal(err)
	}
	for i, penalty := range []float64{0, 0.1, 5} {
		want := p.byCoordinates(penalty)
		for j, w := range path[i] {
			if math.Abs(w-want[j]) > 1e-9 {
				t.Errorf("penalty %v, weight %d: got %v, coordinate descent %v", penalty, j, w, want[j])
			}
		}
	}
	sum, total, mean := 0.0, 0.0, 0.0
	for _, y := range p.targets {
		mean += y / float64(len(p.targets))
	}
	for i, x := range p.rows {
		e := p.targets[i]
		for j, v := range x {
			e -= v * path[1][j]
		}
		sum, total = sum+e*e, total+(p.targets[i]-mean)*(p.targets[i]-mean)
	}
	if got := m.sumOfSquares(0, path[1]); math.Abs(got-sum) > 1e-9 {
		t.Errorf("sum of squares: got %v, of the rows %v", got, sum)
	}
	if got, want := m.Determination(0, path[1]), 1-sum/total; math.Abs(got-want) > 1e-10 {
		t.Errorf("R²: got %v, of the rows %v", got, want)
	}
	if got := m.records(); math.Abs(got-60) > 1e-9 {
		t.Errorf("records: got %v, want 60", got)
	}
}

// TestNegativeEigenvaluesCountAsZero solves with a matrix that noise made indefinite: the result is that of
// its positive part.
func TestNegativeEigenvaluesCountAsZero(t *testing.T) {
	c, s := math.Cos(0.3), math.Sin(0.3)
	// Eigenvalues 2 and -1 with eigenvectors (c, s) and (-s, c); cross moments (1, 1).
	a, b, e := 2*c*c-s*s, 3*c*s, 2*s*s-c*c
	m, err := newMoments([]float64{a, b, 1, b, e, 1, 1, 1, 9}, momentsOptions{Features: 2, Targets: 1})
	if err != nil {
		t.Fatal(err)
	}
	w, err := m.solve(ridge{})
	if err != nil {
		t.Fatal(err)
	}
	along := (c + s) / 2
	if math.Abs(w[0]-along*c) > 1e-12 || math.Abs(w[1]-along*s) > 1e-12 {
		t.Errorf("got %v, want the solution in the direction of the positive eigenvalue, %v, %v", w, along*c, along*s)
	}
	if w, err = m.solve(ridge{penalty: 1}); err != nil || math.Abs(w[0]-((c+s)/3*c-(c-s)*s)) > 1e-12 {
		t.Errorf("with a penalty: got %v, %v, want the eigenvalues 3 and 1", w, err)
	}
}

// TestNoiseNorm holds the stated norm to that of drawn noise. Its spectral norm for 60 features deviates from
// the limit by less than 10 % but for a probability far below 1e-6 (it concentrates with deviation ν/√2 by the
// Gaussian inequality for Lipschitz functions: 10 % are 1.1ν, and the limit overshoots by a few percent).
func TestNoiseNorm(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, equal := range []bool{false, true} {
		p := linearProblem{truth: make([]float64, 60)}
		m := p.moments(t, r, 2, 1, equal)
		var eigen mat.EigenSym
		second := m.secondMoment()
		eigen.Factorize(mat.NewSymDense(60, second.Data), false)
		values := eigen.Values(nil)
		got := max(-values[0], values[59])
		if got > m.noiseNorm()*1.15 || got < m.noiseNorm()*0.85 {
			t.Errorf("equal %v: noise has norm %v, stated %v", equal, got, m.noiseNorm())
		}
	}
}

func TestAdaptiveRidge(t *testing.T) {
	m, err := newMoments(make([]float64, 9), momentsOptions{Features: 2, Targets: 1, Deviation: 1})
	if err != nil {
		t.Fatal(err)
	}
	b := 1.05 * 2.0
	for _, c := range []struct{ least, want float64 }{{-5, b}, {b, b}, {1.5 * b, 0.5 * b}, {2 * b, 0}, {100, 0}} {
		if got := (ridge{adaptive: true}).penalties(m, c.least)[0]; math.Abs(got-c.want) > 1e-12 {
			t.Errorf("least eigenvalue %v: got ridge %v, want %v", c.least, got, c.want)
		}
	}
}

// TestNearlySingularSystem wants the solution of least norm of a system that has a factor, but no direction along
// (1, -1) beyond rounding.
func TestNearlySingularSystem(t *testing.T) {
	system, right := kernel.NewMatrix([]float64{1, 1, 1, 1 + 1e-12}, 2, 2), kernel.NewMatrix([]float64{1, 1}, 2, 1)
	x, err := solvePositive(system, right)
	if err != nil || math.Abs(x.Data[0]-0.5) > 1e-9 || math.Abs(x.Data[1]-0.5) > 1e-9 {
		t.Errorf("got %v and %v, want ½ and ½", x.Data, err)
	}
}

// TestInferenceByLibrary computes weights and both covariances with gonum, in the order in which Infer's comment has them.
func TestInferenceByLibrary(t *testing.T) {
	const noise, scale, d = 0.05, 3.0, 4
	for _, equal := range []bool{false, true} {
		m := newLinearProblem(rand.New(rand.NewPCG(5, 6)), 400, d, 0.1).moments(t, rand.New(rand.NewPCG(6, 6)), noise, scale, equal)
		got, err := m.Infer(0)
		if err != nil {
			t.Fatal(err)
		}
		second, variance := m.secondMoment(), noise*noise/2
		if equal {
			variance = noise * noise
		}
		var inverse, w, middle, sandwich, shift mat.Dense
		if err = inverse.Inverse(mat.NewDense(d, d, second.Data)); err != nil {
			t.Fatal(err)
		}
		w.Mul(&inverse, mat.NewDense(d, 1, m.cross(0)))
		norm := 1 / (scale * scale)
		for i := range d {
			norm += w.At(i, 0) * w.At(i, 0)
		}
		middle.Mul(&w, w.T())
		inner := mat.NewDense(d, 1, nil)
		inner.Mul(&inverse, &w)
		for i := range d {
			v := mat.Trace(&inverse) * w.At(i, 0)
			if equal {
				middle.Set(i, i, norm)
				v -= inverse.At(i, i) * w.At(i, 0)
			} else {
				middle.Set(i, i, middle.At(i, i)+norm)
			}
			inner.Set(i, 0, inner.At(i, 0)+v)
		}
		sandwich.Product(&inverse, &middle, &inverse)
		shift.Mul(&inverse, inner)
		residual := max(0, m.sumOfSquares(0, w.RawMatrix().Data)) / (m.records() - d)
		for i := range d {
			if want := w.At(i, 0) - variance*shift.At(i, 0); math.Abs(got.Weights[i]-want) > 1e-9 {
				t.Errorf("equal %v: weight %d is %v, want %v", equal, i, got.Weights[i], want)
			}
			for j := range d {
				if want := variance * sandwich.At(i, j); math.Abs(got.noise.At(i, j)-want) > 1e-9*variance*mat.Norm(&sandwich, 2) {
					t.Errorf("equal %v: covariance %d, %d of the noise is %v, want %v", equal, i, j, got.noise.At(i, j), want)
				}
				if want := residual * inverse.At(i, j); math.Abs(got.sampling.At(i, j)-want) > 1e-9*residual*mat.Norm(&inverse, 2) {
					t.Errorf("equal %v: covariance %d, %d of the sample is %v, want %v", equal, i, j, got.sampling.At(i, j), want)
				}
			}
		}
	}
}

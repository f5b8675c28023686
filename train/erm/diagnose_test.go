package erm

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"gonum.org/v1/gonum/mat"
)

// spanned draws rows in a subspace of this rank, and their second moment.
func spanned(r *rand.Rand, d, rank, rows int) (x [][]float64, second kernel.Matrix[float64]) {
	basis := make([][]float64, rank)
	for k := range basis {
		basis[k] = make([]float64, d)
		for j := range basis[k] {
			basis[k][j] = r.NormFloat64()
		}
	}
	sum := mat.NewSymDense(d, nil)
	for range rows {
		row := make([]float64, d)
		for _, b := range basis {
			c := r.NormFloat64()
			for j, v := range b {
				row[j] += c * v
			}
		}
		x = append(x, row)
		sum.SymRankOne(sum, 1, mat.NewVecDense(d, row))
	}
	return x, kernel.NewMatrix(mat.DenseCopyOf(sum).RawMatrix().Data, d, d)
}

// TestProjector holds what the lecture says of M: M·v = Σ 1[λ_i > 0]·c_i·u_i for v = Σ c_i·u_i, M is a projector
// of trace rank(M) on the span of the rows, and ‖·‖_M is a semi-norm, 0 on what is orthogonal to the rows.
func TestProjector(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	for range 50 {
		d := 2 + r.IntN(7)
		rank := 1 + r.IntN(d)
		x, second := spanned(r, d, rank, 20)
		s, err := newSpectrum(second)
		if err != nil {
			t.Fatal(err)
		}
		tolerance := 1e-9 * s.values[0]
		if got := s.rank(tolerance); got != rank {
			t.Fatalf("rank of rows from %d of %d directions: got %d; eigenvalues %v", rank, d, got, s.values)
		}
		v, w := make([]float64, d), make([]float64, d)
		for j := range v {
			v[j], w[j] = r.NormFloat64(), r.NormFloat64()
		}
		want := make([]float64, d)
		for i := range s.values {
			u, c := dense.Row(s.vectors, i), 0.0
			for j := range v {
				c += v[j] * u[j]
			}
			if s.values[i] > tolerance {
				for j := range want {
					want[j] += c * u[j]
				}
			}
		}
		projector := s.projector(tolerance)
		m := mat.NewDense(d, d, projector.Data)
		var mv, mm mat.Dense
		mv.Mul(m, mat.NewVecDense(d, v))
		mm.Mul(m, m)
		projected := s.project(v, tolerance)
		for j := range want {
			if math.Abs(mv.At(j, 0)-want[j]) > 1e-10 || math.Abs(projected[j]-want[j]) > 1e-10 {
				t.Fatalf("M·v at %d: got %v by the matrix and %v, want %v", j, mv.At(j, 0), projected[j], want[j])
			}
		}
		if !mat.EqualApprox(&mm, m, 1e-10) || math.Abs(mat.Trace(m)-float64(rank)) > 1e-9 {
			t.Fatalf("M is no projector of rank %d", rank)
		}
		for _, row := range x {
			if kept := s.semiNorm(row, tolerance); math.Abs(kept/mat.Norm(mat.NewVecDense(d, row), 2)-1) > 1e-9 {
				t.Fatalf("a row keeps %v of its norm, want all", kept)
			}
		}
		sum, rest := make([]float64, d), make([]float64, d)
		for j := range v {
			sum[j], rest[j] = v[j]+w[j], v[j]-projected[j]
		}
		if s.semiNorm(sum, tolerance) > s.semiNorm(v, tolerance)+s.semiNorm(w, tolerance)+1e-12 || s.semiNorm(rest, tolerance) > 1e-9 {
			t.Fatal("‖·‖_M is no semi-norm that is 0 off the rows")
		}
	}
}

func TestEffectiveRankAndBound(t *testing.T) {
	s, err := newSpectrum(kernel.NewMatrix([]float64{4, 0, 0, 0, 2, 0, 0, 0, -1}, 3, 3))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.effectiveRank(); math.Abs(got-1.5) > 1e-12 {
		t.Errorf("effective rank of 4, 2, -1: got %v, want 1.5", got)
	}
	// 2·3·√(1 + 2·5·ln(1e5))/(0.5·1000).
	if got, want := excessBound(2, 3, 5, 0.5, 1e-5, 1000), 2*3*math.Sqrt(1+10*5*math.Ln10)/500; math.Abs(got-want) > 1e-12 {
		t.Errorf("bound: got %v, want %v", got, want)
	}
}

// TestDiagnosisIsOfTheProblem compares with finite differences of the mean loss, computed apart.
func TestDiagnosisIsOfTheProblem(t *testing.T) {
	schema := twoSchema()
	d := twoHouses(t, rand.New(rand.NewPCG(53, 54)), schema, 600)
	request := Request{Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Normalization: feature.NormNone}
	n, err := DiagnoseNonPrivate(context.Background(), request, schema, d)
	if err != nil {
		t.Fatal(err)
	}
	// size, age, age missing, town, land, constant: levels are never missing, so that their indicators add up
	// to a multiple of the constant.
	if n.Features != 6 || n.Rank != 5 || n.Records != 600 {
		t.Errorf("got %d features of rank %d over %d records, want 6, 5, 600", n.Features, n.Rank, n.Records)
	}
	request.Method, request.Epsilon, request.SumRidge = option.MethodLBFGS, math.Inf(1), option.DiagnosisRidge
	m := fitted(t, request, schema, d)
	excess, err := n.Excess(m)
	if err != nil || math.Abs(excess) > 1e-9 {
		t.Errorf("excess of the minimizer: got %v, %v, want 0", excess, err)
	}
	norm := 0.0
	for _, w := range m.Weights() {
		norm = math.Hypot(norm, w)
	}
	if math.Abs(n.MinimizerNorm-norm) > 1e-6 || n.ProjectedNorm > norm*(1+1e-9) || !(n.ProjectedNorm < 0.99*norm) || n.ProjectedNorm < 0.5*norm { // the constant is not penalized, so it is not the shortest
		t.Errorf("norms are %v and %v in the span, want %v and less", n.MinimizerNorm, n.ProjectedNorm, norm)
	}
	if math.Abs(n.Start-math.Ln2) > 1e-12 || n.Minimum >= n.Start-0.01 {
		t.Errorf("mean loss is %v at 0 and %v at the minimum, want ln 2 and less", n.Start, n.Minimum)
	}
	r, least := rand.New(rand.NewPCG(55, 56)), math.Inf(1)
	for range 200 {
		least = min(least, curvatureAlong(t, n, m.Weights(), r))
	}
	if least < n.StrongConvexity-1e-4 {
		t.Errorf("the second derivative is %v somewhere, below the strong convexity %v", least, n.StrongConvexity)
	}
	if n.Smoothness > n.PublicSmoothness || math.Abs(n.PublicSmoothness-n.RowBound*n.RowBound/4) > 1e-9 || math.Abs(n.Smoothness-n.Largest/4) > 1e-9 || n.Lipschitz != n.RowBound {
		t.Errorf("smoothness %v (public %v), largest eigenvalue %v, Lipschitz %v, want those of logistic loss", n.Smoothness, n.PublicSmoothness, n.Largest, n.Lipschitz)
	}
	if bound := n.Bound(1, 1e-6); !(bound > 0) || math.Abs(bound/n.Bound(2, 1e-6)-2) > 1e-9 {
		t.Errorf("bound at epsilon 1 is %v, want twice that at 2", bound)
	}
}

// curvatureAlong is the second difference of the mean loss along a random direction; it is at most the
// smoothness.
func curvatureAlong(t *testing.T, n *NonPrivateDiagnosis, weights []float64, r *rand.Rand) float64 {
	t.Helper()
	const h = 1e-3
	direction, norm := make([]float64, len(weights)), 0.0
	for j := range direction {
		direction[j] = r.NormFloat64()
		norm = math.Hypot(norm, direction[j])
	}
	at := func(step float64) float64 {
		moved := make([]float64, len(weights))
		for j, w := range weights {
			moved[j] = w + step*direction[j]/norm
		}
		loss, err := n.meanLoss(moved)
		if err != nil {
			t.Fatal(err)
		}
		return loss
	}
	second := (at(h) - 2*at(0) + at(-h)) / (h * h)
	if second > n.Smoothness+1e-4 {
		t.Errorf("the second derivative is %v somewhere, above the smoothness %v", second, n.Smoothness)
	}
	return second
}

// TestReleasedSpectrum releases sums of products and compares their spectrum with the exact one, which noise moves
// by at most its norm (Weyl's inequality); 1.5 times the stated norm is passed with a probability far below 1e-6
// for 7 features only in the tail beyond 4 deviations of the largest entry; so 3 times is allowed.
func TestReleasedSpectrum(t *testing.T) {
	schema := housesSchema(0)
	d := houses(t, rand.New(rand.NewPCG(57, 58)), schema, 5000)
	s, err := NewSetup(Request{Method: "sufficient-statistics", Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, schema)
	if err != nil {
		t.Fatal(err)
	}
	l := newLedger(t, s.Plan)
	m, err := Release(l, s, d)
	if err != nil || len(l.Event()) != 1 {
		t.Fatalf("got %v and %d reservations, want one", err, len(l.Event()))
	}
	got, err := m.Spectrum()
	if err != nil {
		t.Fatal(err)
	}
	want, err := exactSums(t, s, d).Spectrum()
	if err != nil {
		t.Fatal(err)
	}
	differ := false
	for j, v := range got {
		differ = differ || v != want[j]
		if math.Abs(v-want[j]) > 3*m.noiseNorm() {
			t.Errorf("eigenvalue %d: released %v, exact %v, noise has norm %v", j, v, want[j], m.noiseNorm())
		}
	}
	if !differ {
		t.Error("the released spectrum is the exact one")
	}
	if _, err = Release(l, s, d); err == nil {
		t.Error("a second release was paid from a ledger for one")
	}
	var other model.Loss = model.Logistic
	s.Plan.Linear, s.Plan.Loss = nil, specOf(other)
	if _, err = Release(l, s, d); err == nil {
		t.Error("a plan without sums of products was taken")
	}
}

// TestDiagnosisPaysForNothing wants that what pays for exact numbers pays for no release with noise.
func TestDiagnosisPaysForNothing(t *testing.T) {
	if err := (exactPayer{}).Pay(mechanism.NonPrivate{}); err != nil {
		t.Error(err)
	}
	if (exactPayer{}).Pay(mechanism.Gaussian{NoiseMultiplier: 1}) == nil {
		t.Error("a diagnosis pays for noise")
	}
}

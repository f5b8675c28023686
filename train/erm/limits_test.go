package erm

import (
	"context"
	"math"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// limitTable is a table of 240 records that any program can make: for i from 0, u = (i mod 12)/11, v = (i/12 mod 10)/9,
// t = (5i mod 7)/6 and y = 0.6u - 0.4v + 0.02t + 0.3((7i mod 13)/6 - 1), or with levels whether that is above 0.05. The
// least eigenvalue of its mean second moment, with a constant of 1/2, is 0.0238. Copies of it have the same minimizers.
func limitTable(t *testing.T, levels bool, copies int) (*data.Schema, *data.Dataset) {
	t.Helper()
	column := func(name string) data.Column {
		return data.Column{Name: name, Kind: data.Numeric, Lower: 0, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero}
	}
	s := &data.Schema{Name: "limit", Row: "one record", Records: 240 * copies, MaxRecords: 240 * copies, Columns: []data.Column{column("u"), column("v"), column("t")}, Target: data.Target{Column: "y", Lower: -1, Upper: 1}}
	columns, y := make([][]float32, 3), []float32(nil)
	for k := range 240 * copies {
		i := k % 240
		x := []float64{float64(i%12) / 11, float64(i/12%10) / 9, float64(5*i%7) / 6}
		at := 0.6*x[0] - 0.4*x[1] + 0.02*x[2] + 0.3*(float64(7*i%13)/6-1)
		for j, v := range x {
			columns[j] = append(columns[j], float32(v))
		}
		if levels {
			s.Target = data.Target{Column: "y", Levels: []string{"no", "yes"}}
			at = map[bool]float64{true: 1}[at > 0.05]
		}
		y = append(y, float32(at))
	}
	d, err := data.New(s, columns, y)
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// TestMethodsReachScikitLearn holds every method with a minimizer for a limit, but those of sums of products, to
// coefficients: without noise, or at an epsilon at which noise does not show. The references are coefficients of
// scikit-learn 1.9.1 on limitTable: of X = [u, v, t], Z = [u, v, t, 1/2] and b = y > 0.05
//
//	squared: LinearRegression().fit(X, y)
//	logistic: LogisticRegression(C=np.inf, tol=1e-12, max_iter=10**5, solver='newton-cholesky').fit(X, b)
//	ridge: LogisticRegression(C=2, fit_intercept=False, tol=1e-12, max_iter=10**5, solver='newton-cholesky').fit(Z, b)
//	edge, vertex: Lasso(alpha=a, fit_intercept=False, tol=1e-14, max_iter=10**6).fit(X, y) for a = 0.03 and 0.05
//
// where the weight of the constant coordinate of 1/2 is twice an intercept. A minimum with an L1 penalty is, in the
// ball of its own L1 norm, the minimum without: one a vertex, the other within an edge, which steps of
// 2/(t+2) near as 1/t (Wirth, Kerdreux & Pokutta, "Acceleration of Frank-Wolfe Algorithms with Open-Loop
// Step-Sizes", AISTATS 2023, https://arxiv.org/abs/2205.12838).
//
// Rows on a grid of 16 bits leave 4e-5. False alarms: noise of output perturbation in the norm L-infinity is, in its largest coordinate, a
// Gamma variable of shape 5 and scale 3.1e-6, beyond 8e-5 with a probability of 2e-7 (rows leave 2e-5 there); that of
// objective perturbation is smaller. A step of Frank-Wolfe at the end moves a coefficient by at most 6e-5, and without noise ends
// within 4e-5; the step that leads further away from there has a sum of gradients that is 960·1.2·3e-5 less, and so a
// probability below exp(-20), 495 being half of its epsilon and 0.8 the clipping norm.
func TestMethodsReachScikitLearn(t *testing.T) {
	if !thorough {
		t.Skip("thousands of steps: run with -tags long")
	}
	squared := []float64{0.6087795718122115, -0.4018192063312762, 0.030251561566551344, 2 * -0.010473844383766737}
	logistic := []float64{4.8093747078227596, -2.955521667158611, 0.3468805933896875, 2 * -0.69609261}
	ridge := []float64{3.84478906689233, -2.439596504017523, 0.19314713259951158, -0.8424414646329488}
	vertex, edge := []float64{0.18365942028985502, 0, 0}, []float64{0.312443018280822, -0.09951653053286479, 0}
	exact := math.Inf(1)
	for name, c := range map[string]struct {
		levels  bool
		copies  int
		request Request
		want    []float64
	}{
		"zeroth-order, squared":  {false, 1, Request{Method: option.MethodZeroth, Epsilon: exact, Loss: model.Squared, Steps: 3000, ClippingNorm: 1000}, squared},
		"zeroth-order, logistic": {true, 1, Request{Method: option.MethodZeroth, Epsilon: exact, Steps: 6000, ClippingNorm: 1000, Smoothing: 1e-3}, logistic},
		"newton":                 {true, 1, Request{Method: "newton", Epsilon: exact}, logistic},
		"output":                 {true, 1, Request{Method: option.MethodOutput, Epsilon: exact, SumRidge: 0.5}, ridge},
		"output, epsilon 700":    {true, 2000, Request{Method: option.MethodOutput, Epsilon: 700, Noise: option.NoiseLInfinity, SumRidge: 1000}, ridge},
		"objective, epsilon 100": {true, 2000, Request{Method: option.MethodObjective, Epsilon: 100, Delta: 1e-6, SumRidge: 1000}, ridge},
		"frank-wolfe, vertex":    {false, 4, Request{Method: option.MethodFrankWolfe, Epsilon: 1e5, Loss: model.Squared, Steps: 100, L1Radius: vertex[0], ClippingNorm: 0.8}, vertex},
		"frank-wolfe, edge":      {false, 4, Request{Method: option.MethodFrankWolfe, Epsilon: 1e7, Loss: model.Squared, Steps: 10000, L1Radius: edge[0] - edge[1], ClippingNorm: 0.8}, edge},
	} {
		t.Run(name, func(t *testing.T) {
			s, d := limitTable(t, c.levels, c.copies)
			r := c.request
			r.Neighboring, r.Normalization, r.Radius, r.Center = privacy.AddOrRemoveOne, feature.NormClip, 2.1, train.No
			setup, err := NewSetup(r, s)
			if err != nil {
				t.Fatal(err)
			}
			result, err := Fit(context.Background(), newLedger(t, setup.Plan), setup, d, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := result.Model.Weights(); len(got) != len(c.want) {
				t.Fatalf("got the weights %v, want %d", got, len(c.want))
			}
			for j, want := range c.want {
				if got := result.Model.Weights()[j]; math.Abs(got-want) > 1e-4 {
					t.Errorf("coefficient %d: got %v, scikit-learn %v", j, got, want)
				}
			}
		})
	}
}

// TestLeastSquaresReachScikitLearn holds linear regression at δ = 0 and ε = 700, with the ridge that each method takes by
// itself, to LinearRegression().fit(X, y) of TestMethodsReachScikitLearn. Laplace noise on one sum has a deviation of 0.01 there, and
// the least eigenvalue of 1000 copies of the table is above 1000: 1e-4 is 40 deviations of a coefficient away.
func TestLeastSquaresReachScikitLearn(t *testing.T) {
	s, d := limitTable(t, false, 1000)
	for _, method := range []string{option.MethodSufficientStatistics, "adassp"} {
		setup, err := NewSetup(Request{Method: method, Epsilon: 700, Neighboring: privacy.AddOrRemoveOne}, s)
		if err != nil {
			t.Fatal(err)
		}
		result, err := Fit(context.Background(), newLedger(t, setup.Plan), setup, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := result.Model.Weights() // of columns less 1/2, and a constant
		got := []float64{w[0], w[1], w[2], setup.Features.Intercept*w[3] - (w[0]+w[1]+w[2])/2}
		for j, want := range []float64{0.6087795718122115, -0.4018192063312762, 0.030251561566551344, -0.010473844383766737} {
			if math.Abs(got[j]-want) > 1e-4 {
				t.Errorf("%s, coefficient %d: got %v, scikit-learn %v", method, j, got[j], want)
			}
		}
	}
}

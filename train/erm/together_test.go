package erm

import (
	"context"
	"math"
	"testing"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/together/togethertest"
	"github.com/ditherml/dither/privacy"
)

// TestRanksSolveLeastSquares is TestLeastSquaresReachScikitLearn for three ranks with a third of the
// records each. TestRanksTrainAsOneProcess of package train has the bits.
func TestRanksSolveLeastSquares(t *testing.T) {
	s, d := limitTable(t, false, 1000)
	setup, err := NewSetup(Request{Method: option.MethodSufficientStatistics, Epsilon: 700, Neighboring: privacy.AddOrRemoveOne}, s)
	if err != nil {
		t.Fatal(err)
	}
	for rank, err := range togethertest.Run(3, "plan", func(ctx context.Context, rank int) error {
		var own []int
		for i := rank; i < d.Records(); i += 3 {
			own = append(own, i)
		}
		result, err := Fit(ctx, newLedger(t, setup.Plan), setup, d.Take(own), Options{})
		if err != nil {
			return err
		}
		w := result.Model.Weights()
		for j, want := range []float64{0.6087795718122115, -0.4018192063312762, 0.030251561566551344} {
			if math.Abs(w[j]-want) > 1e-4 {
				t.Errorf("rank %d, coefficient %d: got %v, scikit-learn %v", rank, j, w[j], want)
			}
		}
		return nil
	}) {
		if err != nil {
			t.Fatalf("rank %d: %v", rank, err)
		}
	}
}

// TestMethodsOfOneProcessAreRefused wants methods without sums over records to be refused before
// anything is spent.
func TestMethodsOfOneProcessAreRefused(t *testing.T) {
	s, d := builtinSet(t)
	for _, method := range []string{option.MethodOutput, "newton", option.MethodZeroth} {
		setup, err := NewSetup(Request{Method: method, Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, s)
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		togethertest.Run(2, method, func(ctx context.Context, _ int) error {
			l := newLedger(t, setup.Plan)
			_, err := Fit(ctx, l, setup, d, Options{})
			if err == nil || len(l.Event()) != 0 {
				t.Errorf("%s: got error %v and %v, want a refusal before anything is spent", method, err, l.Event())
			}
			return nil
		})
	}
}

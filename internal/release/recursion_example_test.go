package release_test

import (
	"fmt"

	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// paying pays for everything and says so.
type paying struct{}

func (paying) Pay(e mechanism.Event) error {
	fmt.Println("pays", e)
	return nil
}

// One payment is for all steps, because nothing but the last iterate leaves.
func ExampleRunRecursion() {
	const step = 1.0 / 1024
	rows, err := release.NewRows(2, release.RowsOptions{Dim: 2, Step: step, Labels: []float32{0, 1}}, func(dst []float64, _, _ int) {
		copy(dst, []float64{0.6, 0.7, -0.5, 0.3})
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	o := release.RecursionOptions{Derivative: release.LogisticDerivative{}, Columns: 1, Dim: 2, RowStep: step, RowBound: 1, ClippingNorm: 1,
		LearningRate: 0.5, Ridge: 0.25, Divisor: 2, Reach: 100, MaxRecords: 10}
	contraction, err := o.Contraction()
	if err != nil {
		fmt.Println(err)
		return
	}
	event := mechanism.LastIterate{NoiseMultiplier: 20, Contraction: contraction, Steps: 50}
	weights, err := release.RunRecursion(paying{}, event, release.Recursion{Rows: rows, RecursionOptions: o})
	fmt.Println(len(weights.Values()), "weights", err)
	// Output:
	// pays last-iterate(20, 0.875, 50)
	// 2 weights <nil>
}

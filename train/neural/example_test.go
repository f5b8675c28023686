package neural_test

import (
	"context"
	"fmt"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train/neural"
)

// A network with one hidden layer is trained under a budget: the plan follows from public numbers, and its event is
// reserved before a record is looked at.
func ExampleFit() {
	schema := &data.Schema{Name: "points", Row: "one person", Records: 4, MaxRecords: 4, Target: data.Target{Column: "inside", Levels: []string{"no", "yes"}},
		Columns: []data.Column{{Name: "east", Kind: data.Numeric, Lower: -1, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero}}}
	people, err := data.New(schema, [][]float32{{-0.9, -0.1, 0.2, 0.8}}, []float32{0, 1, 1, 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	setup, err := neural.NewSetup(neural.Request{
		Epsilon: 2, Delta: 1e-5, Neighboring: privacy.AddOrRemoveOne,
		Layers:   network.MLP(1, 8),
		Sampling: neural.Sampling{Kind: "full"}, Steps: 10,
		Clipping: neural.ClippingRequest{Rule: "auto-s", Norm: 1},
	}, schema)
	if err != nil {
		fmt.Println(err)
		return
	}
	limit, err := privacy.NewGuarantee(2, 1e-5, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		fmt.Println(err)
		return
	}
	budget, err := ledger.New(limit)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := neural.Fit(context.Background(), budget, setup, people, neural.Options{Optimizer: "adam"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(result.Weights), "weights")
	fmt.Printf("noise multiplier %.2f\n", setup.Plan.NoiseMultiplier)
	// Output:
	// 25 weights
	// noise multiplier 6.30
}

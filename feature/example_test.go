package feature_test

import (
	"fmt"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
)

// A cross of two columns gives a linear model one weight for each pair of levels.
func ExampleNewPipeline() {
	schema := &data.Schema{Columns: []data.Column{
		{Name: "sex", Kind: data.Categorical, Levels: []string{"f", "m"}, Unknown: data.Zero, Missing: data.Zero},
		{Name: "age", Kind: data.Numeric, Lower: 0, Upper: 100, OutOfRange: data.Clamp, Missing: data.Zero},
	}}
	spec, err := feature.ParseSpec("crosses:columns=sex*age")
	if err != nil {
		fmt.Println(err)
		return
	}
	chain, err := feature.NewPipeline(nil, schema, spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := make([]float64, chain.Dim())
	chain.FeaturesOf(x, 1, chain.NewScratch(), func(int) []float32 { return []float32{1, 40} }) // m, 40
	for j, name := range chain.Names() {
		fmt.Printf("%s: %v\n", name, x[j])
	}
	// Output:
	// sex = f: 0
	// sex = m: 1
	// age: 0.4
	// sex × age = f: 0
	// sex × age = m: 0.4
}

// Random Fourier features follow from a public seed.
func ExampleNewPipeline_fourier() {
	schema := &data.Schema{Columns: []data.Column{
		{Name: "age", Kind: data.Numeric, Lower: 0, Upper: 100, OutOfRange: data.Clamp, Missing: data.Zero}}}
	spec, err := feature.ParseSpec("fourier:features=3,bandwidth=0.2,seed=1")
	if err != nil {
		fmt.Println(err)
		return
	}
	chain, err := feature.NewPipeline(nil, schema, spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := make([]float64, chain.Dim())
	chain.FeaturesOf(x, 1, chain.NewScratch(), func(int) []float32 { return []float32{40} })
	fmt.Printf("%.4f\n", x)
	// Output: [0.7933 -0.6024 0.5796]
}

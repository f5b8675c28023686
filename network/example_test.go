package network_test

import (
	"fmt"

	"github.com/ditherml/dither/network"
)

// A network in a few lines of YAML, with a residual part.
func ExampleParseLayers() {
	layers, err := network.ParseLayers([]byte(`
- conv: {channels: 16, kernel: 8, stride: 2, padding: 3}
- activation: tanh
- residual:
  - group-norm: {groups: 4}
  - conv: {channels: 16, kernel: 3, padding: 1, bias: false}
- flatten
- linear: {outputs: 10}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := network.New(network.Shape{28, 28, 1}, layers...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range n.Blocks() {
		fmt.Println(b.Name, b.Right, "×", b.Width())
	}
	text, err := layers.Encode()
	fmt.Print(string(text), err)
	// Output:
	// 0.conv.weights 16 × 65
	// 2.residual.0.group-norm.scale 16 × 1
	// 2.residual.0.group-norm.offset 16 × 1
	// 2.residual.1.conv.weights 16 × 144
	// 4.linear.weights 10 × 3137
	// - conv: {channels: 16, kernel: 8, stride: 2, padding: 3}
	// - activation: tanh
	// - residual:
	//     - group-norm: {groups: 4}
	//     - conv: {channels: 16, kernel: 3, padding: 1, bias: false}
	// - flatten: {}
	// - linear: {outputs: 10}
	// <nil>
}

// One pass over three records: outputs, then the factors of what each adds to each block, their norms, and a
// weighted sum of them.
func ExampleTape() {
	n, err := network.New(network.Shape{2}, network.MLP(1, 2)...)
	if err != nil {
		fmt.Println(err)
		return
	}
	weights := []float32{1, 0, 0, 0, 1, 0, 1, -1, 0.5}
	tape := network.NewTape[float32](n, 3)
	outputs := tape.Forward([]float32{0, 0, 1, 1, 0, 1}, 3, weights)
	fmt.Printf("%.4f\n", outputs)
	var workspace network.Workspace[float32]
	squares := make([]float64, 3)
	for i, f := range tape.Backward([]float32{1, 1, 1}) {
		workspace.SquaredNorms(squares, f)
		sum := make([]float32, f.Numbers())
		workspace.AddSum(sum, f, []float32{1, 1, 1})
		fmt.Printf("%s %.4f\n", n.Blocks()[i].Name, sum)
	}
	fmt.Printf("%.4f\n", squares)
	// Output:
	// [0.5000 0.5000 -0.2616]
	// 1.linear.weights [0.4200 1.4200 2.4200 -0.4200 -0.8399 -1.8399]
	// 3.linear.weights [0.7616 1.5232 3.0000]
	// [3.0000 3.2183 3.9328]
}

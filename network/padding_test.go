package network_test

import (
	"math"
	"testing"

	"github.com/ditherml/dither/network"
)

// TestPaddingIsLeftOut gives networks texts with padding before, between and after their tokens.
// The results equal those of networks with only the positions of the tokens, with the same
// parameters.
func TestPaddingIsLeftOut(t *testing.T) {
	table := network.Embedding{Vocabulary: 5, Features: 4}
	for name, layers := range map[string]network.Layers{
		"mean":             {table, network.GlobalAveragePool{}},
		"attention":        {table, network.Residual{Layers: network.Layers{network.Attention{Heads: 2}}}, network.GlobalAveragePool{}},
		"causal attention": {table, network.Attention{Causal: true}, network.Linear{Outputs: 3}, network.GlobalAveragePool{}},
		"last state":       {table, network.Recurrent{Units: 3}},
		"states":           {table, network.Recurrent{Units: 3, ReturnSequences: true}, network.Recurrent{Units: 3, ReturnSequences: true}, network.GlobalAveragePool{}},
		"frozen":           {network.Frozen{Layers: network.Layers{table}}, network.Recurrent{Units: 3}},
	} {
		short, long := must(network.New(network.Shape{3}, layers...)), must(network.New(network.Shape{6}, layers...))
		weights := make([]float32, short.Weights())
		short.Init(weights, 4)
		exact := make([]float64, len(weights))
		for i, v := range weights {
			exact[i] = float64(v) + 0.1*math.Sin(float64(i))
		}
		want := network.NewTape[float64](short, 2).Forward([]float64{4, 0, 2, 1, 1, 3}, 2, exact)
		got := network.NewTape[float64](long, 3).Forward([]float64{4, 0, 2, -1, -1, -1, -1, -1, -1, 5, 0.5, -1, -1, 1, -1, 1, 9, 3}, 3, exact)
		each := short.Output().Size()
		for j, w := range want {
			g := got[j]
			if j >= each {
				g = got[j+each]
			}
			if !close64(g, w, 1e-12, 1e-3) {
				t.Errorf("%s: output %d is %v, want %v", name, j, g, w)
			}
		}
		for j, g := range got[each : 2*each] {
			if g != 0 {
				t.Errorf("%s: output %d of nothing but padding is %v, want 0", name, j, g)
			}
		}
	}
}

// TestPaddingEndsWithThePositions wants a layer behind one that changes positions to look at all of them.
func TestPaddingEndsWithThePositions(t *testing.T) {
	layers := network.Layers{network.Embedding{Vocabulary: 2, Features: 1}, network.MaxPool{Kernel: 2}, network.GlobalAveragePool{}}
	n := must(network.New(network.Shape{4}, layers...))
	got := network.NewTape[float64](n, 1).Forward([]float64{1, 1, -1, -1}, 1, []float64{5, 3})
	if want := 1.5; got[0] != want { // windows of 3 and of 0
		t.Errorf("the mean is %v, want %v", got[0], want)
	}
}

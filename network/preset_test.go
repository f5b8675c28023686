package network_test

import (
	"testing"

	"github.com/ditherml/dither/network"
)

// TestPresetsHaveTheirSizes counts parameters by hand: for the CNN 16·(8·8+1) + 32·(4·4·16+1) + 32·(4·4·32+1) +
// 10·(32+1), of table 1 of the paper.
func TestPresetsHaveTheirSizes(t *testing.T) {
	for _, c := range []struct {
		name   string
		in     network.Shape
		layers network.Layers
		want   int
	}{
		{"MLP", network.Shape{28, 28, 1}, network.MLP(10, 1000), 785*1000 + 1001*10},
		{"linear", network.Shape{784}, network.MLP(10), 785 * 10},
		{"CNN", network.Shape{28, 28, 1}, network.CNN(10), 26010},
		{"text", network.Shape{200}, append(network.Layers{network.EmbeddingBag{Vocabulary: 1000, Features: 16}}, network.MLP(2, 8)[1:]...), 1000*16 + 17*8 + 9*2},
	} {
		n, err := network.New(c.in, c.layers...)
		if err != nil || n.Weights() != c.want || n.Trained() != c.want {
			t.Errorf("%s has %d parameters, %v, want %d", c.name, n.Weights(), err, c.want)
		}
	}
}

// TestPassesAllocateNothing runs every network of the table with everything that a step calls.
func TestPassesAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector drops memory that products of matrices keep")
	}
	for _, c := range conformants() {
		s := newSubject[float32](t, c, 8)
		tape := network.NewTape[float32](s.network, 8)
		tape.Serial(true)
		tape.Training(true)
		w := network.Workspace[float32]{Serial: true}
		norms, sum, weights := make([]float64, 8), make([]float32, s.network.Weights()), []float32{1, 1, 0, 1, 1, 1, 1, 1}
		got := testing.AllocsPerRun(10, func() {
			tape.Forward(s.x, 8, s.weights)
			for _, f := range tape.Backward(s.outs) {
				w.SquaredNorms(norms, f)
				w.AddSum(sum[:f.Numbers()], f, weights)
			}
		})
		if got >= 1 {
			t.Errorf("%s: a step makes %v allocations, want none", c.name, got)
		}
	}
}

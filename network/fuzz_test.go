package network_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/ditherml/dither/network"
)

// drawn returns a random network, small enough that everything about it is checked at once.
func drawn(seed uint64) conformant {
	r := rand.New(rand.NewPCG(seed, 11))
	c := conformant{name: "drawn", in: network.Shape{1 + r.IntN(6), 1 + r.IntN(6), 1 + r.IntN(4)}[r.IntN(3):]}
	shape := c.in
	if len(shape) == 1 && r.IntN(2) == 0 {
		c.input = token
		c.layers = network.Layers{network.Embedding{Vocabulary: 1 + r.IntN(5), Features: 1 + r.IntN(6)}}
		if r.IntN(2) == 0 {
			c.layers = network.Layers{network.EmbeddingBag{Vocabulary: 1 + r.IntN(5), Features: 1 + r.IntN(6), Mode: []string{"", "sum"}[r.IntN(2)]}}
		}
	}
	for range 1 + r.IntN(5) {
		c.layers = append(c.layers, drawnLayer(r, 2))
	}
	for len(c.layers) > 0 { // leave out what does not fit
		n, err := network.New(c.in, c.layers...)
		if err == nil && n.Output().Size() <= 200 && n.Weights() <= 2000 {
			break
		}
		c.layers = c.layers[:len(c.layers)-1]
	}
	return c
}

func drawnLayer(r *rand.Rand, depth int) network.Layer {
	small := func(n int) int { return r.IntN(n) }
	switch r.IntN(15) {
	case 0, 1:
		return network.Linear{Outputs: 1 + small(6), NoBias: small(3) == 0}
	case 2, 3:
		return network.Conv{Channels: 1 + small(6), Kernel: 1 + small(3), Stride: small(3), Padding: small(3), Dilation: small(3), Groups: small(3), NoBias: small(3) == 0}
	case 4, 5:
		return network.Activation{Function: []string{"relu", "tanh", "gelu", "sigmoid", "silu", "gelu-tanh"}[small(6)]}
	case 6:
		return network.MaxPool{Kernel: 1 + small(3), Stride: small(3), Padding: small(2)}
	case 7:
		return network.AveragePool{Kernel: 1 + small(3), Stride: small(3), Padding: small(2)}
	case 8:
		return []network.Layer{network.GroupNorm{Groups: 1 + small(3)}, network.LayerNorm{}, network.RMSNorm{}}[small(3)]
	case 9:
		return []network.Layer{network.Flatten{}, network.ChannelsLast{}, network.GlobalAveragePool{}, network.PositionEmbedding{}}[small(4)]
	case 10:
		return network.Recurrent{Units: 1 + small(4), ReturnSequences: small(2) == 0}
	case 11:
		return network.Attention{Heads: small(3), Causal: small(2) == 0}
	case 12:
		return network.Dropout{Probability: 0.5}
	}
	if depth == 0 {
		return network.Linear{Outputs: 3}
	}
	inner := network.Layers{}
	for range small(3) {
		inner = append(inner, drawnLayer(r, depth-1))
	}
	if small(3) == 0 {
		return network.Frozen{Layers: inner}
	}
	return network.Residual{Layers: inner}
}

// checkDrawn checks all laws of one network.
func checkDrawn(t *testing.T, c conformant) {
	t.Helper()
	normsAndSums[float64](t, c, 1e-10)
	standAlone[float32](t, c)
	text, err := c.layers.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := network.ParseLayers(text)
	if err != nil || !reflect.DeepEqual(append(network.Layers{}, again...), append(network.Layers{}, c.layers...)) {
		t.Errorf("%s is read as %+v, %v", text, again, err)
	}
	if got, want := directional(t, c); !close64(got, want, 1e-5, 1) {
		t.Errorf("derivative in a direction is %v, want the difference %v", got, want)
	}
	if t.Failed() {
		t.Logf("network over %v:\n%s", c.in, text)
	}
}

// directional returns what factors say of the change of the loss in a random direction, and the difference. Near a
// kink of ReLU or of a largest number the difference is wrong, so that up to three steps of different sizes may
// speak for the factors; a kink within 1e-6 of three points that are drawn apart does not occur.
func directional(t *testing.T, c conformant) (got, want float64) {
	s := newSubject[float64](t, c, 2)
	tape := network.NewTape[float64](s.network, 2)
	r := rand.New(rand.NewPCG(12, 13))
	for range 3 {
		direction := normals(r, s.network.Trained())
		_, factors := s.run(tape, 0, 2)
		got = 0
		for i := range 2 {
			for j, v := range gradient(factors, i) {
				got += v * direction[j]
			}
		}
		const step = 1e-6
		total := func(scale float64) float64 {
			for j, v := range direction {
				s.weights[j] += scale * v
			}
			var sum float64
			for _, v := range s.losses(tape) {
				sum += v
			}
			return sum
		}
		up := total(step)
		want = (up - total(-2*step)) / (2 * step)
		if close64(got, want, 1e-5, 1) || math.IsNaN(got) {
			return got, want
		}
		total(0.01) // elsewhere
	}
	return got, want
}

// TestDrawnNetworks checks a few hundred networks, and that what is drawn varies.
func TestDrawnNetworks(t *testing.T) {
	layers := 0
	for seed := range uint64(300) {
		c := drawn(seed)
		layers += len(c.layers)
		checkDrawn(t, c)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if layers < 300 {
		t.Errorf("300 networks have %d layers, want more", layers)
	}
}

func FuzzDrawnNetworks(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkDrawn(t, drawn(seed)) })
}

// FuzzParseLayers checks that what is read is written so that it is read again, to equal layers.
func FuzzParseLayers(f *testing.F) {
	for _, c := range conformants() {
		text, err := c.layers.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("- flatten\n- dropout: 0.1\n")
	f.Fuzz(func(t *testing.T, text string) {
		layers, err := network.ParseLayers([]byte(text))
		if err != nil {
			return
		}
		for _, in := range []network.Shape{{9}, {9, 4}, {9, 8, 4}} {
			if n, refusal := network.New(in, layers...); refusal == nil && (n.Trained() > n.Weights() || n.Output().Size() < 1) {
				t.Errorf("%q over %v trains %d of %d parameters for %v", text, in, n.Trained(), n.Weights(), n.Output())
			}
		}
		again, err := layers.Encode()
		if err != nil {
			t.Fatalf("%q is read and not written: %v", text, err)
		}
		got, err := network.ParseLayers(again)
		if err != nil || !reflect.DeepEqual(got, layers) {
			t.Errorf("%q is read as %+v, then as %+v, %v", text, layers, got, err)
		}
	})
}

package network_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/network"
)

// TestDropoutDrawsForEachNumber checks masks of ones. It counts zeros, wants different masks for
// passes and records, and checks the scale of the rest. The backward pass and the factors use the
// mask of the forward pass.
func TestDropoutDrawsForEachNumber(t *testing.T) {
	const records, size, p = 50, 400, 0.25
	n := must(network.New(network.Shape{size}, network.Dropout{Probability: p}, network.Linear{Outputs: size, NoBias: true}))
	weights := make([]float32, n.Weights())
	for i := range size {
		weights[i*size+i] = 1
	}
	ones := make([]float32, records*size)
	for i := range ones {
		ones[i] = 1
	}
	tape := network.NewTape[float32](n, records)
	if got := tape.Forward(ones, records, weights); !slices.Equal(got, ones) {
		t.Error("dropout changes numbers in a pass that does not train")
	}
	tape.Training(true)
	before := slices.Clone(tape.Forward(ones, records, weights))
	mask := slices.Clone(tape.Forward(ones, records, weights))
	if slices.Equal(before, mask) || slices.Equal(mask[:size], mask[size:2*size]) {
		t.Error("two passes or two records have one mask")
	}
	kept, alike := 0, 0
	for i, v := range mask {
		if i%2 == 1 && v == mask[i-1] {
			alike++
		}
		if v != 0 && v != 4.0/3 {
			t.Fatalf("a number becomes %v, want 0 or 4/3", v)
		}
		if v != 0 {
			kept++
		}
	}
	// 20000 draws, and 10000 pairs that are alike with probability p² + (1-p)²: six standard deviations of a
	// binomial number are passed for 2e-9 of the keys.
	if want := records * size / 2 * (p*p + (1-p)*(1-p)); math.Abs(float64(alike)-want) > 6*math.Sqrt(want) {
		t.Errorf("%d of %d pairs are alike, want %v ± %v", alike, records*size/2, want, 6*math.Sqrt(want))
	}
	if want, deviation := records*size*(1-p), math.Sqrt(records*size*p*(1-p)); math.Abs(float64(kept)-want) > 6*deviation {
		t.Errorf("%d numbers are kept, want %v ± %v", kept, want, 6*deviation)
	}
	if f := tape.Backward(ones)[0]; !slices.Equal(f.Lefts, mask) {
		t.Error("the left factors do not have the mask")
	}
	if got := tape.InputGradients(ones); !slices.Equal(got, mask) {
		t.Error("the pass backward does not have the mask of the pass forward")
	}
	if other := network.NewTape[float32](n, records); slices.Equal(other.Forward(ones, records, weights), mask) {
		t.Error("two tapes have one mask")
	}
}

// TestDropoutInFrozenLayers checks that what is frozen drops nothing, and that a mask does not fall on what an
// activation before it keeps.
func TestDropoutInFrozenLayers(t *testing.T) {
	drop := network.Dropout{Probability: 0.5}
	x := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	tape := network.NewTape[float32](must(network.New(network.Shape{8}, network.Frozen{Layers: network.Layers{drop}})), 1)
	tape.Training(true)
	for range 4 {
		if got := tape.Forward(x, 1, nil); !slices.Equal(got, x) {
			t.Fatalf("frozen dropout gives %v, want %v", got, x)
		}
	}
	tape = network.NewTape[float32](must(network.New(network.Shape{8}, network.Residual{Layers: network.Layers{
		network.Activation{Function: "relu"}, network.Flatten{}, drop}})), 1)
	tape.Training(true)
	for range 4 {
		got := slices.Clone(tape.Forward(x, 1, nil))
		back := tape.InputGradients([]float32{1, 1, 1, 1, 1, 1, 1, 1})
		for i, v := range x {
			if got[i] != v*back[i] { // 1 for what is dropped and 3 for the rest, in both directions
				t.Fatalf("number %v becomes %v with derivative %v", v, got[i], back[i])
			}
		}
	}
}

func TestDropoutRefuses(t *testing.T) {
	for _, p := range []float64{-0.1, 1, math.NaN()} {
		if _, err := network.New(network.Shape{3}, network.Dropout{Probability: p}); err == nil {
			t.Errorf("probability %v gives no error", p)
		}
	}
}

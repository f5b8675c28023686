package network_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/network"
)

// run returns what a network of the layers gives for one record.
func run(t *testing.T, in network.Shape, weights, x []float64, layers ...network.Layer) []float64 {
	t.Helper()
	n, err := network.New(in, layers...)
	if err != nil {
		t.Fatal(err)
	}
	if len(weights) != n.Weights() {
		t.Fatalf("%v has %d parameters, want %d", layers, n.Weights(), len(weights))
	}
	return append([]float64(nil), network.NewTape[float64](n, 2).Forward(x, 1, weights)...)
}

func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func compare(t *testing.T, what any, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%+v gives %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !close64(got[i], want[i], 1e-12, 1) {
			t.Fatalf("%+v gives %v at %d, want %v", what, got[i], i, want[i])
		}
	}
}

// TestWindowsAreTheirDefinition compares convolutions and pools with their definitions: sums,
// largest numbers and means, formed output by output. Inputs outside the image are left out.
func TestWindowsAreTheirDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []network.Conv{
		{Channels: 3, Kernel: 2},
		{Channels: 3, Kernel: 3, Stride: 2, Padding: 1},
		{Channels: 4, Kernel: 2, Dilation: 2, Padding: 2, Groups: 2},
		{Channels: 2, Kernel: 3, Stride: 3, Padding: 2, Dilation: 2, NoBias: true},
	} {
		for _, in := range []network.Shape{{5, 7, 4}, {6, 4}} {
			x := normals(r, in.Size())
			n, err := network.New(in, c)
			if err != nil {
				t.Fatal(err)
			}
			weights := normals(r, n.Weights())
			compare(t, c, run(t, in, weights, x, c), convolved(c, in, weights, x))
		}
	}
	for _, c := range []network.MaxPool{{Kernel: 2}, {Kernel: 3, Stride: 2, Padding: 1}, {Kernel: 3, Stride: 1, Padding: 2}} {
		for _, in := range []network.Shape{{5, 7, 2}, {6, 4}} {
			x := normals(r, in.Size())
			largest := pooled(c, in, x, func(seen []float64) float64 {
				most := math.Inf(-1)
				for _, v := range seen {
					most = max(most, v)
				}
				return most
			})
			compare(t, c, run(t, in, nil, x, c), largest)
			single := network.NewTape[float32](must(network.New(in, c)), 1)
			x32, want32 := make([]float32, len(x)), make([]float64, len(largest))
			for i, v := range x {
				x32[i] = float32(v)
			}
			for i, v := range largest {
				want32[i] = float64(float32(v))
			}
			var got []float64
			for _, v := range single.Forward(x32, 1, nil) {
				got = append(got, float64(v))
			}
			compare(t, c, got, want32)
			compare(t, network.AveragePool(c), run(t, in, nil, x, network.AveragePool(c)), pooled(c, in, x, mean))
		}
	}
	x := normals(r, 24)
	compare(t, "global average", run(t, network.Shape{2, 3, 4}, nil, x, network.GlobalAveragePool{}),
		pooled(network.MaxPool{Kernel: 6}, network.Shape{6, 4}, x, mean))
	compare(t, "channels last", run(t, network.Shape{2, 1, 3}, nil, []float64{1, 2, 3, 4, 5, 6}, network.ChannelsLast{}), []float64{1, 4, 2, 5, 3, 6})
}

func must(n *network.Network, err error) *network.Network {
	if err != nil {
		panic(err)
	}
	return n
}

func mean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// image returns x as an image: a text has height 1.
func image(in network.Shape, x []float64) (height, width, channels int, at func(row, column, channel int) float64) {
	height, width, channels = 1, in[len(in)-2], in[len(in)-1]
	if len(in) == 3 {
		height = in[0]
	}
	return height, width, channels, func(row, column, channel int) float64 {
		if row < 0 || row >= height || column < 0 || column >= width {
			return math.NaN()
		}
		return x[(row*width+column)*channels+channel]
	}
}

func convolved(c network.Conv, in network.Shape, weights, x []float64) []float64 {
	height, width, channels, at := image(in, x)
	groups, stride, dilation := max(c.Groups, 1), max(c.Stride, 1), max(c.Dilation, 1)
	kernelRows, paddingRows := c.Kernel, c.Padding
	if len(in) == 2 {
		kernelRows, paddingRows = 1, 0
	}
	each := channels / groups
	row := kernelRows * c.Kernel * each
	if !c.NoBias {
		row++
	}
	var out []float64
	for top := -paddingRows; top+dilation*(kernelRows-1) < height+paddingRows; top += stride {
		for left := -c.Padding; left+dilation*(c.Kernel-1) < width+c.Padding; left += stride {
			for o := range c.Channels {
				own := weights[o*row:][:row]
				var sum float64
				for k := range kernelRows * c.Kernel * each {
					v := at(top+dilation*(k/each/c.Kernel), left+dilation*(k/each%c.Kernel), o/(c.Channels/groups)*each+k%each)
					if !math.IsNaN(v) {
						sum += own[k] * v
					}
				}
				if !c.NoBias {
					sum += own[row-1]
				}
				out = append(out, sum)
			}
		}
	}
	return out
}

func pooled(c network.MaxPool, in network.Shape, x []float64, of func([]float64) float64) []float64 {
	height, width, channels, at := image(in, x)
	stride, kernelRows, paddingRows := c.Stride, c.Kernel, c.Padding
	if stride == 0 {
		stride = c.Kernel
	}
	if len(in) == 2 {
		kernelRows, paddingRows = 1, 0
	}
	var out []float64
	for top := -paddingRows; top+kernelRows <= height+paddingRows; top += stride {
		for left := -c.Padding; left+c.Kernel <= width+c.Padding; left += stride {
			for channel := range channels {
				var seen []float64
				for k := range kernelRows * c.Kernel {
					if v := at(top+k/c.Kernel, left+k%c.Kernel, channel); !math.IsNaN(v) {
						seen = append(seen, v)
					}
				}
				out = append(out, of(seen))
			}
		}
	}
	return out
}

// TestActivationsAreTheirFunctions compares with package math; the last is compared with the exact GELU, from which
// it is promised to differ by less than 5e-4.
func TestActivationsAreTheirFunctions(t *testing.T) {
	x := []float64{-40, -3, -1, -0.25, 0, 0.5, 1, 2, 40}
	for _, c := range []struct {
		layer     network.Activation
		want      func(x float64) float64
		tolerance float64
	}{
		{network.Activation{Function: "relu"}, func(x float64) float64 { return max(x, 0) }, 0},
		{network.Activation{Function: "tanh"}, math.Tanh, 1e-15},
		{network.Activation{Function: "sigmoid"}, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 1e-15},
		{network.Activation{Function: "tempered-sigmoid", Scale: 2, Temperature: 2, Offset: 1}, math.Tanh, 1e-15},
		{network.Activation{Function: "tempered-sigmoid", Scale: 1.5, Temperature: 3, Offset: 0.5},
			func(x float64) float64 { return 1.5/(1+math.Exp(-3*x)) - 0.5 }, 1e-15},
		{network.Activation{Function: "silu"}, func(x float64) float64 { return x / (1 + math.Exp(-x)) }, 1e-15},
		{network.Activation{Function: "gelu"}, func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }, 1e-14},
		{network.Activation{Function: "gelu-tanh"}, func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }, 5e-4},
	} {
		for i, got := range run(t, network.Shape{len(x)}, nil, x, c.layer) {
			if want := c.want(x[i]); !(math.Abs(got-want) <= c.tolerance) {
				t.Errorf("%+v gives %v for %v, want %v", c.layer, got, x[i], want)
			}
		}
	}
}

// TestNormsAreTheirDefinition checks means, variances and mean squares of what is normalized.
func TestNormsAreTheirDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const eps = 0.01
	x, weights := normals(r, 3*8), normals(r, 16)
	// normalized returns what numbers become, with or without their mean.
	normalized := func(x []float64, center bool) []float64 {
		m, squares := 0.0, make([]float64, len(x))
		if center {
			m = mean(x)
		}
		for i, v := range x {
			squares[i] = (v - m) * (v - m)
		}
		out := make([]float64, len(x))
		for i, v := range x {
			out[i] = (v - m) / math.Sqrt(mean(squares)+eps)
		}
		return out
	}
	var layer, rms, group []float64
	for position := range 3 {
		for j, v := range normalized(x[position*8:][:8], true) {
			layer = append(layer, weights[j]*v+weights[8+j])
		}
		for j, v := range normalized(x[position*8:][:8], false) {
			rms = append(rms, weights[j]*v)
		}
	}
	group = make([]float64, len(x))
	for g := range 2 {
		var own []float64
		for i, v := range x {
			if i%8/4 == g {
				own = append(own, v)
			}
		}
		for k, v := range normalized(own, true) {
			j := g*4 + k%4
			group[k/4*8+j] = weights[j]*v + weights[8+j]
		}
	}
	compare(t, "layer norm", run(t, network.Shape{3, 8}, weights, x, network.LayerNorm{Stabilizer: eps}), layer)
	compare(t, "RMS norm", run(t, network.Shape{3, 8}, weights[:8], x, network.RMSNorm{Stabilizer: eps}), rms)
	compare(t, "group norm", run(t, network.Shape{3, 8}, weights, x, network.GroupNorm{Groups: 2, Stabilizer: eps}), group)
}

func TestTextsAreTheirDefinition(t *testing.T) {
	table := []float64{1, 2, 10, 20, 100, 200}
	embedding := network.Embedding{Vocabulary: 3, Features: 2}
	compare(t, embedding, run(t, network.Shape{5}, table, []float64{2, 0, -1, 3, 2}, embedding), []float64{100, 200, 1, 2, 0, 0, 0, 0, 100, 200})
	sum := network.EmbeddingBag{Vocabulary: 3, Features: 2, Mode: "sum"}
	compare(t, sum, run(t, network.Shape{5}, table, []float64{2, 0, math.NaN(), 0.5, 2}, sum), []float64{201, 402})
	average := network.EmbeddingBag{Vocabulary: 3, Features: 2}
	compare(t, average, run(t, network.Shape{5}, table, []float64{2, 0, -1, 3, 2}, average), []float64{67, 134})
	compare(t, "padding", run(t, network.Shape{2}, table, []float64{-1, 3}, average), []float64{0, 0})
	compare(t, "positions", run(t, network.Shape{2, 2}, []float64{1, 2, 3, 4}, []float64{5, 5, 5, 5}, network.PositionEmbedding{}), []float64{6, 7, 8, 9})
	compare(t, "residual", run(t, network.Shape{1}, []float64{3, 1}, []float64{5}, network.Residual{Layers: network.Layers{network.Linear{Outputs: 1}}}), []float64{21})

	// h1 = tanh(2·1 + 3·0 + 0.5), h2 = tanh(2·(-1) + 3·h1 + 0.5).
	first := math.Tanh(2.5)
	second := math.Tanh(-1.5 + 3*first)
	compare(t, "last state", run(t, network.Shape{2, 1}, []float64{2, 3, 0.5}, []float64{1, -1}, network.Recurrent{Units: 1}), []float64{second})
	compare(t, "all states", run(t, network.Shape{2, 1}, []float64{2, 3, 0.5}, []float64{1, -1}, network.Recurrent{Units: 1, ReturnSequences: true}), []float64{first, second})
}

// TestAttentionIsItsDefinition goes through the formula position by position.
func TestAttentionIsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const positions, features, heads = 5, 6, 2
	x, weights := normals(r, positions*features), normals(r, 4*features*(features+1))
	for _, causal := range []bool{false, true} {
		var linear [3][]float64
		width := features * (features + 1)
		for i := range linear {
			linear[i] = run(t, network.Shape{positions, features}, weights[i*width:][:width], x, network.Linear{Outputs: features})
		}
		taken := make([]float64, positions*features)
		for at := range positions * heads {
			position, head := at/heads, at%heads*features/heads
			var total float64
			sums := make([]float64, features/heads)
			for other := range positions {
				if causal && other > position {
					break
				}
				var product float64
				for k := range features / heads {
					product += linear[0][position*features+head+k] * linear[1][other*features+head+k]
				}
				weight := math.Exp(product / math.Sqrt(features/heads))
				total += weight
				for k := range sums {
					sums[k] += weight * linear[2][other*features+head+k]
				}
			}
			for k, v := range sums {
				taken[position*features+head+k] = v / total
			}
		}
		want := run(t, network.Shape{positions, features}, weights[3*width:], taken, network.Linear{Outputs: features})
		layer := network.Attention{Heads: heads, Causal: causal}
		compare(t, layer, run(t, network.Shape{positions, features}, weights, x, layer), want)
	}
}

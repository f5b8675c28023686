package network_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/network"
)

// conformant is a small network for the laws that all layers obey.
type conformant struct {
	name   string
	in     network.Shape
	layers network.Layers
	// input draws a number of an input, nil for a normal one.
	input func(r *rand.Rand) float64
}

// conformants is the table in which every layer has its entries.
func conformants() []conformant {
	list := func(l ...network.Layer) network.Layers { return l }
	return []conformant{
		{name: "linear", in: network.Shape{3}, layers: list(network.Linear{Outputs: 2})},
		{name: "linear without bias", in: network.Shape{3}, layers: list(network.Linear{Outputs: 2, NoBias: true})},
		{name: "linear at positions", in: network.Shape{3, 20}, layers: list(network.Linear{Outputs: 4})},
		{name: "linear at many positions", in: network.Shape{2, 5, 3}, layers: list(network.Linear{Outputs: 2})},
		{name: "sparse linear", in: network.Shape{6}, input: mostlyZero, layers: list(network.SparseLinear{Outputs: 3}, network.Activation{Function: "tanh"}, network.Linear{Outputs: 2})},
		{name: "frozen sparse linear", in: network.Shape{6}, input: mostlyZero, layers: list(network.Frozen{Layers: list(network.SparseLinear{Outputs: 3})}, network.SparseLinear{Outputs: 2})},
		{name: "relu", in: network.Shape{4}, layers: list(network.Linear{Outputs: 5}, network.Activation{Function: "relu"}, network.Linear{Outputs: 2})},
		{name: "tanh", in: network.Shape{4}, layers: list(network.Linear{Outputs: 5}, network.Activation{Function: "tanh"}, network.Linear{Outputs: 2})},
		{name: "gelu", in: network.Shape{4}, layers: list(network.Linear{Outputs: 5}, network.Activation{Function: "gelu"}, network.Linear{Outputs: 2})},
		{name: "GELU with tanh", in: network.Shape{4}, layers: list(network.Linear{Outputs: 5}, network.Activation{Function: "gelu-tanh"}, network.Linear{Outputs: 2})},
		{name: "SiLU", in: network.Shape{4}, layers: list(network.Linear{Outputs: 5}, network.Activation{Function: "silu"}, network.Linear{Outputs: 2})},
		{name: "sigmoid", in: network.Shape{4}, layers: list(network.Linear{Outputs: 5}, network.Activation{Function: "sigmoid"}, network.Linear{Outputs: 2})},
		{name: "tempered sigmoid", in: network.Shape{4}, layers: list(network.Linear{Outputs: 5},
			network.Activation{Function: "tempered-sigmoid", Scale: 1.5, Temperature: 3, Offset: 0.7}, network.Linear{Outputs: 2})},
		{name: "activations in a row", in: network.Shape{4}, layers: list(network.Activation{Function: "gelu"}, network.Linear{Outputs: 5},
			network.Activation{Function: "tanh"}, network.Activation{Function: "sigmoid"}, network.Activation{Function: "relu"}, network.Activation{Function: "gelu"},
			network.Linear{Outputs: 3}, network.Activation{Function: "tanh"})},
		{name: "relu below sigmoid", in: network.Shape{4}, layers: list(network.Linear{Outputs: 5}, network.Activation{Function: "relu"}, network.Activation{Function: "sigmoid"})},
		{name: "frozen below", in: network.Shape{4}, layers: list(
			network.Frozen{Layers: list(network.Linear{Outputs: 5}, network.Activation{Function: "tanh"})}, network.Linear{Outputs: 2})},
		{name: "frozen between", in: network.Shape{4}, layers: list(network.Linear{Outputs: 3},
			network.Frozen{Layers: list(network.Activation{Function: "tanh"}, network.Linear{Outputs: 5})}, network.Activation{Function: "tanh"}, network.Linear{Outputs: 2})},
		{name: "frozen last", in: network.Shape{4}, layers: list(network.Linear{Outputs: 3}, network.Frozen{Layers: list(network.Linear{Outputs: 2})})},
		{name: "convolution", in: network.Shape{5, 6, 2}, layers: list(network.Conv{Channels: 3, Kernel: 3}, network.Activation{Function: "tanh"}, network.Conv{Channels: 2, Kernel: 2})},
		{name: "convolution with stride and padding", in: network.Shape{6, 7, 2}, layers: list(network.Linear{Outputs: 2}, network.Conv{Channels: 3, Kernel: 3, Stride: 2, Padding: 1})},
		{name: "dilated convolution", in: network.Shape{6, 7, 1}, layers: list(network.Linear{Outputs: 2}, network.Conv{Channels: 3, Kernel: 2, Dilation: 3, Padding: 2})},
		{name: "convolution in groups", in: network.Shape{4, 4, 4}, layers: list(network.Linear{Outputs: 4}, network.Conv{Channels: 6, Kernel: 3, Groups: 2, Padding: 2, Dilation: 2, Stride: 2})},
		{name: "convolution by channel", in: network.Shape{4, 4, 3}, layers: list(network.Linear{Outputs: 3}, network.Conv{Channels: 3, Kernel: 3, Groups: 3, Padding: 1, NoBias: true})},
		{name: "convolution of a text", in: network.Shape{9, 3}, layers: list(network.Linear{Outputs: 3}, network.Conv{Channels: 4, Kernel: 3, Stride: 2, Padding: 1})},
		{name: "frozen convolution", in: network.Shape{5, 6, 2}, layers: list(network.Linear{Outputs: 2}, network.Frozen{Layers: list(network.Conv{Channels: 4, Kernel: 3, Groups: 2})}, network.Flatten{}, network.Linear{Outputs: 2})},
		{name: "max pool", in: network.Shape{5, 6, 2}, layers: list(network.Linear{Outputs: 2}, network.MaxPool{Kernel: 2, Stride: 1}, network.MaxPool{Kernel: 3, Padding: 2})},
		{name: "max pool of a text", in: network.Shape{6, 2}, layers: list(network.Linear{Outputs: 2}, network.MaxPool{Kernel: 3, Stride: 2, Padding: 1})},
		{name: "average pool", in: network.Shape{5, 6, 2}, layers: list(network.Linear{Outputs: 2}, network.AveragePool{Kernel: 2, Stride: 1}, network.AveragePool{Kernel: 3, Padding: 2})},
		{name: "average pool of a text", in: network.Shape{6, 2}, layers: list(network.Linear{Outputs: 2}, network.AveragePool{Kernel: 3, Stride: 2, Padding: 1})},
		{name: "global average pool", in: network.Shape{3, 2, 2}, layers: list(network.Linear{Outputs: 2}, network.GlobalAveragePool{}, network.Linear{Outputs: 2})},
		{name: "flatten", in: network.Shape{3, 2}, layers: list(network.Flatten{}, network.Dropout{Probability: 0.5}, network.Linear{Outputs: 3}, network.Activation{Function: "tanh"}, network.Flatten{},
			network.Dropout{Probability: 0.5}, network.Linear{Outputs: 2}, network.Flatten{})},
		{name: "channels last", in: network.Shape{3, 4, 5}, layers: list(network.ChannelsLast{}, network.Linear{Outputs: 2}, network.ChannelsLast{}, network.Linear{Outputs: 2})},
		{name: "residual", in: network.Shape{4}, layers: list(network.Linear{Outputs: 3}, network.Residual{Layers: list(network.Activation{Function: "tanh"}, network.Linear{Outputs: 5},
			network.Activation{Function: "relu"}, network.Linear{Outputs: 3})}, network.Residual{Layers: list(network.Linear{Outputs: 3})}, network.Residual{Layers: network.Layers{}}, network.Activation{Function: "tanh"})},
		{name: "residual in residual", in: network.Shape{2, 2}, layers: list(network.Residual{Layers: list(network.Residual{Layers: list(network.Activation{Function: "sigmoid"})}, network.Linear{Outputs: 2})},
			network.Frozen{Layers: list(network.Residual{Layers: list(network.Linear{Outputs: 2})})})},
		{name: "group norm", in: network.Shape{3, 2, 4}, layers: list(network.Linear{Outputs: 4}, network.GroupNorm{Groups: 2}, network.Linear{Outputs: 6}, network.GroupNorm{Groups: 3, Stabilizer: 0.5})},
		{name: "layer norm", in: network.Shape{3, 4}, layers: list(network.LayerNorm{}, network.Linear{Outputs: 4}, network.LayerNorm{Stabilizer: 0.1}, network.Activation{Function: "tanh"})},
		{name: "RMS norm", in: network.Shape{3, 4}, layers: list(network.RMSNorm{}, network.Linear{Outputs: 4}, network.RMSNorm{Stabilizer: 0.1}, network.Activation{Function: "tanh"})},
		{name: "embedding", in: network.Shape{7}, input: token, layers: list(network.Embedding{Vocabulary: 4, Features: 3}, network.Activation{Function: "tanh"}, network.Flatten{}, network.Linear{Outputs: 2})},
		{name: "embedding last", in: network.Shape{7}, input: token, layers: list(network.Embedding{Vocabulary: 4, Features: 3})},
		{name: "frozen embedding", in: network.Shape{7}, input: token, layers: list(network.Frozen{Layers: list(network.Embedding{Vocabulary: 4, Features: 3})}, network.PositionEmbedding{}, network.Linear{Outputs: 2})},
		{name: "mean of a bag", in: network.Shape{7}, input: token, layers: list(network.EmbeddingBag{Vocabulary: 4, Features: 3}, network.Linear{Outputs: 5}, network.Activation{Function: "tanh"}, network.Linear{Outputs: 2})},
		{name: "sum of a bag", in: network.Shape{7}, input: token, layers: list(network.EmbeddingBag{Vocabulary: 4, Features: 3, Mode: "sum"}, network.Activation{Function: "tanh"})},
		{name: "bag of one", in: network.Shape{1}, input: token, layers: list(network.Embedding{Vocabulary: 4, Features: 3}, network.Flatten{}, network.Residual{Layers: network.MLP(3, 2)})},
		{name: "positions", in: network.Shape{3, 2}, layers: list(network.Linear{Outputs: 2}, network.PositionEmbedding{}, network.Activation{Function: "tanh"}, network.PositionEmbedding{}, network.PositionEmbedding{})},
		{name: "recurrent", in: network.Shape{5, 2}, layers: list(network.Linear{Outputs: 2}, network.Recurrent{Units: 3, ReturnSequences: true}, network.Recurrent{Units: 2})},
		{name: "recurrent at one position", in: network.Shape{1, 2}, layers: list(network.Recurrent{Units: 3}, network.Linear{Outputs: 2})},
		{name: "attention", in: network.Shape{4, 6}, layers: list(network.Linear{Outputs: 6}, network.Attention{Heads: 2}, network.Activation{Function: "tanh"}, network.Attention{})},
		{name: "causal attention", in: network.Shape{5, 2}, layers: list(network.Attention{Causal: true}, network.Frozen{Layers: list(network.Attention{}, network.Recurrent{Units: 2})})},
		{name: "attention over tokens", in: network.Shape{5}, input: token, layers: list(network.Embedding{Vocabulary: 4, Features: 2}, network.PositionEmbedding{}, network.Residual{Layers: list(network.Attention{Heads: 2})},
			network.Activation{Function: "tanh"}, network.Attention{Causal: true}, network.GlobalAveragePool{}, network.Linear{Outputs: 2})},
		{name: "recurrent over tokens", in: network.Shape{6}, input: token, layers: list(network.Embedding{Vocabulary: 4, Features: 3}, network.Linear{Outputs: 3}, network.Recurrent{Units: 3, ReturnSequences: true},
			network.Recurrent{Units: 2}, network.Linear{Outputs: 2})},
		{name: "frozen tokens", in: network.Shape{5}, input: token, layers: list(network.Frozen{Layers: list(network.Embedding{Vocabulary: 4, Features: 3})}, network.PositionEmbedding{}, network.Recurrent{Units: 3, ReturnSequences: true}, network.GlobalAveragePool{})},
		{name: "frozen norm", in: network.Shape{4}, layers: list(network.Linear{Outputs: 4}, network.Frozen{Layers: list(network.GroupNorm{Groups: 1}, network.Dropout{Probability: 0.5})}, network.Linear{Outputs: 1})},
	}
}

// token draws a token of a small vocabulary, often again, or padding of one of several kinds.
func token(r *rand.Rand) float64 {
	return []float64{0, 1, 2, 3, 1, 1, -1, 4, 0.5}[r.IntN(9)]
}

// mostlyZero draws a number of a sparse row.
func mostlyZero(r *rand.Rand) float64 { return []float64{0, 0, 1, r.NormFloat64()}[r.IntN(4)] }

// subject is a network of the table with parameters, records and derivatives.
type subject[T kernel.Float] struct {
	network          *network.Network
	weights, x, outs []T
	records          int
}

func newSubject[T kernel.Float](t *testing.T, c conformant, records int) *subject[T] {
	t.Helper()
	n, err := network.New(c.in, c.layers...)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	first := make([]float32, n.Weights())
	n.Init(first, 3)
	s := &subject[T]{network: n, weights: make([]T, n.Weights()), records: records,
		x: make([]T, records*n.Input().Size()), outs: make([]T, records*n.Output().Size())}
	for i, v := range first {
		s.weights[i] = T(v) + T(0.1*r.NormFloat64()) // biases are 0 at first
	}
	for i := range s.x {
		switch {
		case c.input == nil:
			s.x[i] = T(r.NormFloat64())
		case records > 1 && i < len(s.x)/records:
			s.x[i] = -1 // a first record of nothing but padding
		default:
			s.x[i] = T(c.input(r))
		}
	}
	for i := range s.outs {
		s.outs[i] = T(r.NormFloat64())
	}
	return s
}

// run does both passes over records from ≤ i < to on a tape.
func (s *subject[T]) run(tape *network.Tape[T], from, to int) ([]T, []kernel.Factors[T]) {
	in, out := s.network.Input().Size(), s.network.Output().Size()
	outputs := tape.Forward(s.x[from*in:to*in], to-from, s.weights)
	return outputs, tape.Backward(s.outs[from*out : to*out])
}

// losses returns Σ_j outs[i][j]·outputs[i][j] of each record: what the factors are the derivatives of.
func (s *subject[T]) losses(tape *network.Tape[T]) []float64 {
	outputs := tape.Forward(s.x, s.records, s.weights)
	losses := make([]float64, s.records)
	each := len(outputs) / max(1, s.records)
	for i, v := range outputs {
		losses[i/each] += float64(v) * float64(s.outs[i])
	}
	return losses
}

// explicit is what a record proposes to add to the block of f, formed term by term.
func explicit[T kernel.Float](f kernel.Factors[T], record int) []float64 {
	dst := make([]float64, f.Numbers())
	for t := range f.Positions {
		p := record*f.Positions + t
		left := make([]float64, f.Width())
		if f.Bias {
			left[f.Left] = 1
		}
		if f.Index == nil {
			for k, v := range f.Lefts[p*f.Left:][:f.Left] {
				left[k] = float64(v)
			}
		}
		for e := p * f.Entries; e < (p+1)*f.Entries; e++ {
			value := 1.0
			if f.Values != nil {
				value = float64(f.Values[e])
			}
			if f.Index[e] != kernel.NoIndex {
				left[f.Index[e]] += value
			}
		}
		for j, right := range f.Rights[p*f.Right:][:f.Right] {
			for k, v := range left {
				if f.Index != nil {
					dst[k*f.Right+j] += float64(right) * v
				} else {
					dst[j*f.Width()+k] += float64(right) * v
				}
			}
		}
	}
	return dst
}

// gradient is what a record proposes to add to all blocks.
func gradient[T kernel.Float](factors []kernel.Factors[T], record int) []float64 {
	var g []float64
	for _, f := range factors {
		g = append(g, explicit(f, record)...)
	}
	return g
}

func close64(got, want, relative, scale float64) bool {
	return math.Abs(got-want) <= relative*max(scale, math.Abs(want))
}

// TestGradientsAreDifferences compares factors and derivatives by the inputs with central differences of the
// losses.
func TestGradientsAreDifferences(t *testing.T) {
	for _, c := range conformants() {
		t.Run(c.name, func(t *testing.T) {
			s := newSubject[float64](t, c, 3)
			tape := network.NewTape[float64](s.network, 3)
			_, factors := s.run(tape, 0, 3)
			checkShapes(t, s, factors)
			var want [][]float64
			for i := range s.records {
				want = append(want, gradient(factors, i))
			}
			inputs := append([]float64(nil), tape.InputGradients(s.outs)...)
			compareDifferences(t, "parameter", s, tape, s.weights[:s.network.Trained()], func(record, at int) float64 { return want[record][at] })
			if c.input != nil {
				return // indices have no derivatives
			}
			in := s.network.Input().Size()
			compareDifferences(t, "input", s, tape, s.x, func(record, at int) float64 {
				if at/in != record {
					return 0
				}
				return inputs[at]
			})
		})
	}
}

// checkShapes checks that the factors are those of the blocks and that the blocks are what there is.
func checkShapes(t *testing.T, s *subject[float64], factors []kernel.Factors[float64]) {
	t.Helper()
	blocks := s.network.Blocks()
	numbers := 0
	if len(factors) != len(blocks) {
		t.Fatalf("got factors of %d blocks, want %d", len(factors), len(blocks))
	}
	for i, f := range factors {
		b := blocks[i]
		if f.Right != b.Right || f.Left != b.Left || f.Bias != b.Bias || (f.Index != nil) != b.Sparse || f.Records != s.records {
			t.Errorf("factors of %s are %d × %d, bias %v, of %d records, want those of %+v and %d", b.Name, f.Right, f.Left, f.Bias, f.Records, b, s.records)
		}
		numbers += f.Numbers()
	}
	if numbers != s.network.Trained() {
		t.Errorf("blocks have %d numbers, want %d", numbers, s.network.Trained())
	}
}

// compareDifferences moves every number of a slice up and down and compares the change of each record's loss
// with the derivative that is claimed. With a step of 1e-5 the error of a central difference is of the order
// 1e-10 for smooth functions of this size.
func compareDifferences(t *testing.T, what string, s *subject[float64], tape *network.Tape[float64], numbers []float64, claimed func(record, at int) float64) {
	t.Helper()
	const step = 1e-5
	for at, v := range numbers {
		numbers[at] = v + step
		up := s.losses(tape)
		numbers[at] = v - step
		down := s.losses(tape)
		numbers[at] = v
		for record := range up {
			want := (up[record] - down[record]) / (2 * step)
			if got := claimed(record, at); !close64(got, want, 1e-6, 1e-2) {
				t.Fatalf("derivative of record %d by %s %d is %v, want the difference %v", record, what, at, got, want)
			}
		}
	}
}

// TestNormsAndSumsAreExplicit compares SquaredNorms and AddSum with gradients formed record by record.
func TestNormsAndSumsAreExplicit(t *testing.T) {
	for _, c := range conformants() {
		t.Run(c.name, func(t *testing.T) {
			t.Run("float64", func(t *testing.T) { normsAndSums[float64](t, c, 1e-10) })
			t.Run("float32", func(t *testing.T) { normsAndSums[float32](t, c, 1e-3) })
		})
	}
}

func normsAndSums[T kernel.Float](t *testing.T, c conformant, tolerance float64) {
	for _, records := range []int{0, 1, 5} {
		s := newSubject[T](t, c, records)
		_, factors := s.run(network.NewTape[T](s.network, max(1, records)), 0, records)
		for b, f := range factors {
			checkNorms(t, f, tolerance)
			checkSum(t, f, tolerance)
			if f.Records != records || len(f.Rights) != records*f.Positions*f.Right {
				t.Errorf("block %d has factors of %d records and %d right numbers, want %d records", b, f.Records, len(f.Rights), records)
			}
		}
	}
}

func checkNorms[T kernel.Float](t *testing.T, f kernel.Factors[T], tolerance float64) {
	t.Helper()
	norms := make([]float64, f.Records)
	for i := range norms {
		norms[i] = 7 // to be added to
	}
	network.SquaredNorms(norms, f)
	for i, got := range norms {
		var want float64
		for _, v := range explicit(f, i) {
			want += v * v
		}
		if !close64(got-7, want, tolerance, 1e-4) {
			t.Errorf("squared norm of record %d is %v, want %v", i, got-7, want)
		}
	}
}

func checkSum[T kernel.Float](t *testing.T, f kernel.Factors[T], tolerance float64) {
	t.Helper()
	sum, weights := make([]T, f.Numbers()), make([]T, f.Records)
	want := make([]float64, len(sum))
	for j := range sum {
		sum[j], want[j] = T(j%3), float64(j%3)
	}
	for i := range weights {
		weights[i] = T(i%3) * 0.5
		for j, v := range explicit(f, i) {
			want[j] += float64(weights[i]) * v
		}
	}
	network.AddSum(sum, f, weights)
	for j, got := range sum {
		if !close64(float64(got), want[j], tolerance, 1) {
			t.Fatalf("sum of number %d is %v, want %v", j, got, want[j])
		}
	}
}

// TestRecordsStandAlone checks that outputs and factors of a record are bit for bit independent of
// other things. These are the other records of a chunk, their number, and the earlier content of
// the tape.
func TestRecordsStandAlone(t *testing.T) {
	for _, c := range conformants() {
		t.Run(c.name, func(t *testing.T) {
			t.Run("float64", func(t *testing.T) { standAlone[float64](t, c) })
			t.Run("float32", func(t *testing.T) { standAlone[float32](t, c) })
		})
	}
}

func standAlone[T kernel.Float](t *testing.T, c conformant) {
	const records = 7
	s := newSubject[T](t, c, records)
	tape := network.NewTape[T](s.network, records)
	want := make([]string, records)
	together := func(what string, except int) {
		outputs, factors := s.run(tape, 0, records)
		for i := range records {
			switch got := bitsOf(outputs, factors, records, i); {
			case want[i] == "":
				want[i] = got
			case i != except && got != want[i]:
				t.Errorf("%s: record %d gives other bits than before", what, i)
			}
		}
	}
	together("first", -1)
	for i := range records {
		outputs, factors := s.run(tape, i, i+1)
		if bitsOf(outputs, factors, 1, 0) != want[i] {
			t.Errorf("record %d gives other bits alone than among %d", i, records)
		}
	}
	in := len(s.x) / records
	for _, bad := range []float64{math.NaN(), math.Inf(1), -1e30} {
		kept := append([]T(nil), s.x[2*in:3*in]...)
		for j := range kept {
			s.x[2*in+j] = T(bad)
		}
		together(fmt.Sprintf("beside %v", bad), 2)
		copy(s.x[2*in:], kept)
		together(fmt.Sprintf("after %v", bad), -1)
	}
	tape.Serial(true)
	together("on one processor", -1)
}

// bitsOf returns what stands for a record in outputs and factors.
func bitsOf[T kernel.Float](outputs []T, factors []kernel.Factors[T], records, i int) string {
	part := func(s []T) []T { return s[i*len(s)/records : (i+1)*len(s)/records] }
	text := fmt.Sprintf("%x", kernel.Bytes(part(outputs)))
	for _, f := range factors {
		text += fmt.Sprintf(" %x %x", kernel.Bytes(part(f.Lefts)), kernel.Bytes(part(f.Rights)))
		values := part(f.Values)
		for e, index := range f.Index[i*len(f.Index)/records : (i+1)*len(f.Index)/records] {
			if index == kernel.NoIndex {
				continue // how many there are may depend on other records, and adds nothing
			}
			if text += fmt.Sprint(" ", index); values != nil {
				text += fmt.Sprintf(" %x", kernel.Bytes(values[e:e+1]))
			}
		}
	}
	return text
}

// TestEveryKindIsTested checks that the table of this file has every layer that there is.
func TestEveryKindIsTested(t *testing.T) {
	text := ""
	for _, c := range conformants() {
		encoded, err := c.layers.Encode()
		if err != nil {
			t.Fatal(err)
		}
		text += string(encoded)
	}
	for _, kind := range network.Kinds() {
		if !strings.Contains(text, "- "+kind+":") {
			t.Errorf("no network of the table has a layer %s", kind)
		}
	}
}

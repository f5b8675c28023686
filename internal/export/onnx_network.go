package export

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/ditherml/dither/internal/safetensors"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
)

// networkScores appends the layers of a network, in single precision, and returns the scores. The features x have the
// shape [rows, features].
func (f *onnxFile) networkScores(x string) (string, error) {
	arrays, err := safetensors.Parse(f.o.model.Files()[model.WeightsFileName])
	if err != nil {
		return "", err
	}
	n := f.o.model.Network()
	w := &onnxLayers{onnxFile: f, arrays: arrays}
	if x, _, err = w.layers(f.cast(x, onnxFloat), n.Input(), n.Layers(), ""); err != nil {
		return "", err
	}
	return f.cast(x, onnxDouble), nil
}

// onnxLayers appends layers. Between layers the numbers of a record are a row, in the order of package network.
type onnxLayers struct {
	*onnxFile
	arrays map[string]safetensors.Tensor
}

// layers appends layers one after the other. Their arrays have names that begin with path.
func (w *onnxLayers) layers(x string, in network.Shape, layers network.Layers, path string) (string, network.Shape, error) {
	for i, l := range layers {
		alone, err := network.New(in, l)
		if err != nil {
			return "", nil, err
		}
		if x, err = w.layer(x, in, alone.Output(), l, path+strconv.Itoa(i)); err != nil {
			return "", nil, err
		}
		in = alone.Output()
	}
	return x, in, nil
}

// layer appends a layer.
func (w *onnxLayers) layer(x string, in, out network.Shape, layer network.Layer, place string) (string, error) {
	switch l := layer.(type) {
	case network.Flatten, network.Dropout:
		return x, nil
	case network.Linear:
		return w.linear(x, in, out, place)
	case network.Activation:
		return w.activation(x, l), nil
	case network.ChannelsLast:
		rows := w.of("Reshape", x, w.list(-1, in[0], in.Size()/in[0]))
		return w.flat(w.node("Transpose", []string{rows}, integersAttribute("perm", []int64{0, 2, 1})), out), nil
	case network.GlobalAveragePool:
		rows := w.of("Reshape", x, w.list(-1, in.Positions(), in[len(in)-1]))
		return w.node("ReduceMean", []string{rows}, integersAttribute("axes", []int64{1}), integerAttribute("keepdims", 0)), nil
	case network.Conv:
		if l.Groups <= 1 && len(in) == 3 {
			return w.conv(x, in, out, l, place)
		}
	case network.MaxPool:
		if len(in) == 3 {
			return w.pool("MaxPool", x, in, out, l), nil
		}
	case network.AveragePool:
		if len(in) == 3 {
			return w.pool("AveragePool", x, in, out, network.MaxPool(l)), nil
		}
	case network.Frozen:
		y, _, err := w.layers(x, in, l.Layers, place+".")
		return y, err
	case network.Residual:
		y, _, err := w.layers(x, in, l.Layers, place+".")
		return w.of("Add", x, y), err
	}
	return "", fmt.Errorf("layer %s of kind %s with an input of %v has no ONNX graph here, want fully connected layers, activations, and convolutions and pools of images; export --to safetensors", place, network.Kind(layer), in)
}

// flat gives every record one row.
func (w *onnxLayers) flat(x string, shape network.Shape) string {
	return w.of("Reshape", x, w.list(-1, shape.Size()))
}

// array returns the numbers of an array of the model.
func (w *onnxLayers) array(name string) ([]float64, bool, error) {
	a, found := w.arrays[name]
	if !found {
		return nil, false, nil
	}
	x, err := a.Floats(name)
	return x, true, err
}

// weights returns the weights and biases of a layer. Without biases they are zeros.
func (w *onnxLayers) weights(place string, outputs int) (weights, biases []float64, err error) {
	weights, found, err := w.array(place + ".weight")
	if err == nil && !found {
		err = fmt.Errorf("layer %s has no array %s.weight, want one; export --to safetensors", place, place)
	}
	if err != nil {
		return nil, nil, err
	}
	if biases, found, err = w.array(place + ".bias"); !found {
		biases = make([]float64, outputs)
	}
	return weights, biases, err
}

func (w *onnxLayers) linear(x string, in, out network.Shape, place string) (string, error) {
	left, right := in[len(in)-1], out[len(out)-1]
	weights, biases, err := w.weights(place, right)
	if err != nil {
		return "", err
	}
	turned := make([]float64, len(weights))
	for i := range right {
		for j := range left {
			turned[j*right+i] = weights[i*left+j]
		}
	}
	if len(in) > 1 {
		x = w.of("Reshape", x, w.list(-1, left))
	}
	y := w.of("Add", w.of("MatMul", x, w.singles(turned, left, right)), w.singles(biases, 1, right))
	if len(in) > 1 {
		y = w.flat(y, out)
	}
	return y, nil
}

func (w *onnxLayers) conv(x string, in, out network.Shape, l network.Conv, place string) (string, error) {
	weights, biases, err := w.weights(place, l.Channels)
	if err != nil {
		return "", err
	}
	k, channels := l.Kernel, in[2]
	turned := make([]float64, len(weights)) // from row, column, channel to channel, row, column
	for o := range l.Channels {
		for at := range k * k {
			for c := range channels {
				turned[(o*channels+c)*k*k+at] = weights[(o*k*k+at)*channels+c]
			}
		}
	}
	step, gap := int64(max(1, l.Stride)), int64(max(1, l.Dilation))
	y := w.node("Conv", []string{w.image(x, in), w.singles(turned, l.Channels, channels, k, k), w.singles(biases, l.Channels)}, integersAttribute("kernel_shape", []int64{int64(k), int64(k)}),
		integersAttribute("strides", []int64{step, step}), integersAttribute("dilations", []int64{gap, gap}), padsAttribute(l.Padding))
	return w.record(y, out), nil
}

func (w *onnxLayers) pool(operator, x string, in, out network.Shape, l network.MaxPool) string {
	k, step := int64(l.Kernel), int64(l.Stride)
	if step == 0 {
		step = k
	}
	y := w.node(operator, []string{w.image(x, in)}, integersAttribute("kernel_shape", []int64{k, k}), integersAttribute("strides", []int64{step, step}), padsAttribute(l.Padding))
	return w.record(y, out)
}

// padsAttribute returns the padding of all sides.
func padsAttribute(n int) message {
	return integersAttribute("pads", []int64{int64(n), int64(n), int64(n), int64(n)})
}

// image turns rows into images with channels first, and record turns them back.
func (w *onnxLayers) image(x string, in network.Shape) string {
	return w.node("Transpose", []string{w.of("Reshape", x, w.list(-1, in[0], in[1], in[2]))}, integersAttribute("perm", []int64{0, 3, 1, 2}))
}

func (w *onnxLayers) record(x string, out network.Shape) string {
	return w.flat(w.node("Transpose", []string{x}, integersAttribute("perm", []int64{0, 2, 3, 1})), out)
}

func (w *onnxLayers) activation(x string, a network.Activation) string {
	one := func(v float64) string { return w.singles([]float64{v}, 1) }
	switch a.Function {
	case "relu":
		return w.of("Relu", x)
	case "tanh":
		return w.of("Tanh", x)
	case "sigmoid":
		return w.of("Sigmoid", x)
	case "silu":
		return w.of("Mul", x, w.of("Sigmoid", x))
	case "gelu":
		return w.of("Mul", w.of("Mul", x, one(0.5)), w.of("Add", one(1), w.of("Erf", w.of("Mul", x, one(math.Sqrt(0.5))))))
	case "gelu-tanh":
		inner := w.of("Add", x, w.of("Mul", one(0.044715), w.of("Mul", x, w.of("Mul", x, x))))
		return w.of("Mul", w.of("Mul", x, one(0.5)), w.of("Add", one(1), w.of("Tanh", w.of("Mul", one(math.Sqrt(2/math.Pi)), inner))))
	}
	y := w.of("Sigmoid", w.of("Mul", x, one(a.Temperature)))
	return w.of("Sub", w.of("Mul", y, one(a.Scale)), one(a.Offset))
}

// singles returns a constant of numbers in single precision.
func (g *graph) singles(x []float64, dims ...int) string {
	raw := make([]byte, 0, 4*len(x))
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
	}
	return g.tensor(onnxFloat, raw, nil, dims...)
}

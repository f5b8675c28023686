package export

import (
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
)

// transposedBy is the operator Transpose.
func transposedBy(a array, order []any) array {
	out, strides := array{numbers: make([]float64, len(a.numbers))}, []int{}
	for _, from := range order {
		out.dims = append(out.dims, a.dims[from.(int64)])
		strides = append(strides, size(a.dims[from.(int64)+1:]))
	}
	for n := range out.numbers {
		at, rest := 0, n
		for i := len(out.dims) - 1; i >= 0; i-- {
			at += rest % out.dims[i] * strides[i]
			rest /= out.dims[i]
		}
		out.numbers[n] = a.numbers[at]
	}
	return out
}

// windowed is a convolution or a pool of images [rows, channels, height, width] with equal numbers for both dimensions.
func windowed(operator string, attributes map[string]fields, in []array) array {
	attribute := func(name string, otherwise int) int {
		if attributes[name] == nil {
			return otherwise
		}
		return int(attributes[name][8][0].(int64))
	}
	k, step, gap, pad := attribute("kernel_shape", 0), attribute("strides", 1), attribute("dilations", 1), attribute("pads", 0)
	x := in[0]
	rows, channels, height, width := x.dims[0], x.dims[1], x.dims[2], x.dims[3]
	high, wide := (height+2*pad-gap*(k-1)-1)/step+1, (width+2*pad-gap*(k-1)-1)/step+1
	outputs := channels
	if operator == "Conv" {
		outputs = in[1].dims[0]
	}
	out := array{dims: []int{rows, outputs, high, wide}}
	for r := range rows {
		for o := range outputs {
			for at := range high * wide {
				sum, most, count := 0.0, math.Inf(-1), 0.0
				for c := range channels {
					for j := range k * k {
						y, z := at/wide*step-pad+j/k*gap, at%wide*step-pad+j%k*gap
						if y < 0 || y >= height || z < 0 || z >= width || operator != "Conv" && c != o {
							continue
						}
						v := x.numbers[((r*channels+c)*height+y)*width+z]
						if most, count = max(most, v), count+1; operator == "Conv" {
							v *= in[1].numbers[(o*channels+c)*k*k+j]
						}
						sum += v
					}
				}
				switch operator {
				case "Conv":
					sum += in[2].numbers[o]
				case "MaxPool":
					sum = most
				default:
					sum /= count
				}
				out.numbers = append(out.numbers, sum)
			}
		}
	}
	return out
}

// networkTolerance bounds differences of probabilities of networks, which are computed with 32-bit numbers.
const networkTolerance = 1e-5

const pixelColumns = "  \"p[0:32]\": {numeric: [0, 255], missing: zero, fill: 7, out-of-range: clamp}\n"

// TestONNXPredictsNetworks interprets the graphs of networks.
func TestONNXPredictsNetworks(t *testing.T) {
	image := network.Shape{2, 4, 4}
	for _, c := range []struct {
		name, target, columns string
		in                    network.Shape
		layers                network.Layers
		intercept             float64
	}{
		{"mlp", threeLevels, mixedColumns, nil, network.Layers{network.Flatten{}, network.Linear{Outputs: 8}, network.Activation{Function: "gelu"}, network.Residual{Layers: network.Layers{network.Linear{Outputs: 8, NoBias: true}, network.Activation{Function: "tanh"}}},
			network.Dropout{Probability: 0.5}, network.Linear{Outputs: 3}}, 0},
		{"functions", measured, mixedColumns, nil, network.Layers{network.Linear{Outputs: 8}, network.Activation{Function: "relu"}, network.Linear{Outputs: 8}, network.Activation{Function: "silu"}, network.Linear{Outputs: 8}, network.Activation{Function: "gelu-tanh"},
			network.Linear{Outputs: 6}, network.Activation{Function: "sigmoid"}, network.Linear{Outputs: 6}, network.Activation{Function: "tempered-sigmoid", Scale: 2, Temperature: 1.5, Offset: 0.7}, network.Linear{Outputs: 1}}, 0.5},
		{"cnn", twoLevels, pixelColumns, image, network.Layers{network.Frozen{Layers: network.Layers{network.ChannelsLast{}, network.Conv{Channels: 3, Kernel: 2, Padding: 1}}}, network.Activation{Function: "tanh"}, network.MaxPool{Kernel: 2, Stride: 1, Padding: 1},
			network.Conv{Channels: 4, Kernel: 2, Stride: 2, Dilation: 2}, network.AveragePool{Kernel: 2, Stride: 1, Padding: 1}, network.Linear{Outputs: 5}, network.Activation{Function: "tanh"}, network.GlobalAveragePool{}, network.Linear{Outputs: 1}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := schemaOf(t, c.target, c.columns)
			chain, err := feature.NewPipeline(nil, s)
			if err != nil {
				t.Fatal(err)
			}
			features := &feature.Map{Pipeline: chain, Norm: feature.NormNone, Intercept: c.intercept}
			if c.intercept > 0 {
				features.Norm = feature.NormUnit
			}
			if c.in == nil {
				c.in = network.Shape{features.Dim()}
			}
			n, err := network.New(c.in, c.layers...)
			if err != nil {
				t.Fatal(err)
			}
			random, weights := generator(9), make([]float32, n.Weights())
			for i := range weights {
				weights[i] = float32(random.normal() / 2)
			}
			loss, _ := model.LossFor(s.Target, nil)
			m, err := model.NewNetwork(s, features, loss, n, weights)
			if err != nil {
				t.Fatal(err)
			}
			file, err := writeONNX(m, testStatement, Request{})
			if err != nil {
				t.Fatal(err)
			}
			rows := cells(t, m, 200)
			values, levels := run(t, decoded(t, decoded(t, file)[7][0].([]byte)), m, rows), max(1, len(s.Target.Levels))
			p, got := values["probabilities"], make([][]float64, len(rows))
			if levels == 1 {
				p = values["prediction"]
			}
			for i := range got {
				if own := p.numbers[i*levels : (i+1)*levels]; !math.IsNaN(own[0]) {
					got[i] = own
				}
			}
			largest, err := compare(m, got, want(t, m, rows))
			if t.Logf("difference at most %.2g", largest); err != nil || largest > networkTolerance {
				t.Errorf("got a difference of %g and %v, want at most %g", largest, err, networkTolerance)
			}
			for format, write := range map[string]writer{"go": writeGo, "sql": writeSQL, "sklearn": writePython} {
				if _, err = write(m, testStatement, Request{}); err == nil || !strings.Contains(err.Error(), "export --to onnx") {
					t.Errorf("got %v for a network to %s, want a refusal with a remedy", err, format)
				}
			}
		})
	}
}

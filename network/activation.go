package network

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// Activation is a layer that applies the same function to each number.
type Activation struct {
	// Function is one of:
	//
	//	relu              max(x, 0)
	//	tanh              the hyperbolic tangent
	//	sigmoid           σ(x) = 1/(1+e^-x)
	//	tempered-sigmoid  Scale·σ(Temperature·x) - Offset
	//	silu              x·σ(x)
	//	gelu              x·Φ(x), where Φ is the distribution function of the normal distribution
	//	gelu-tanh         x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))
	//
	// The tempered sigmoid is from N. Papernot, A. Thakurta, S. Song, S. Chien and Ú. Erlingsson,
	// "Tempered sigmoid activations for deep learning with differential privacy", AAAI 2021,
	// section 3. With Scale 2, Temperature 2 and Offset 1 it is tanh. The function gelu-tanh is
	// faster than gelu and differs from it by at most 5e-4. The functions silu, gelu and gelu-tanh
	// are from D. Hendrycks and K. Gimpel, "Gaussian error linear units", arXiv:1606.08415, section
	// 2.
	Function string `json:"function"`
	// Scale is a parameter of the tempered sigmoid. It is 0 for every other function.
	Scale float64 `json:"scale,omitempty"`
	// Temperature is a parameter of the tempered sigmoid. It is 0 for every other function.
	Temperature float64 `json:"temperature,omitempty"`
	// Offset is a parameter of the tempered sigmoid. It is 0 for every other function.
	Offset float64 `json:"offset,omitempty"`
}

var _ Layer = Activation{}

// kind returns "activation".
func (Activation) kind() string { return "activation" }

// output returns in.
func (a Activation) output(in Shape) (Shape, error) {
	switch a.Function {
	case "relu", "tanh", "sigmoid", "silu", "gelu", "gelu-tanh":
		if a.Scale != 0 || a.Temperature != 0 || a.Offset != 0 {
			return nil, fmt.Errorf("scale, temperature and offset are given for %s, want them for tempered-sigmoid only", a.Function)
		}
	case "tempered-sigmoid":
		if !(a.Scale > 0 && a.Temperature > 0 && a.Scale+a.Temperature < math.Inf(1) && math.Abs(a.Offset) < math.Inf(1)) {
			return nil, fmt.Errorf("scale is %v, temperature %v and offset %v, want the first two positive and all finite", a.Scale, a.Temperature, a.Offset)
		}
	default:
		return nil, fmt.Errorf("function is %q, want relu, tanh, sigmoid, tempered-sigmoid, silu, gelu or gelu-tanh", a.Function)
	}
	return in, nil
}

// blocks returns nil.
func (Activation) blocks(Shape) []Block { return nil }

// readDescription accepts the name of a function alone, or the fields.
func (a *Activation) readDescription(text []byte) error {
	if json.Unmarshal(text, &a.Function) == nil {
		return nil
	}
	type fields Activation
	return unmarshalStrictly(text, (*fields)(a))
}

// described returns the name alone if there are no other fields.
func (a Activation) described() any {
	if a == (Activation{Function: a.Function}) {
		return a.Function
	}
	return a
}

func (Activation) initial(Shape, [][]float32, float64, *generator) {}

// gain returns the factor that keeps the variance after the activation. It is √2 if half of the
// numbers become 0.
func (a Activation) gain() float64 {
	switch a.Function {
	case "relu", "silu", "gelu", "gelu-tanh":
		return math.Sqrt2
	}
	return 1
}

func (a Activation) worker32(in Shape, s *space) worker[float32] {
	return newActivation[float32](a, in, s)
}
func (a Activation) worker64(in Shape, s *space) worker[float64] {
	return newActivation[float64](a, in, s)
}

func newActivation[T kernel.Float](a Activation, in Shape, s *space) worker[T] {
	switch a.Function {
	case "relu":
		return &relu[T]{}
	case "tanh":
		return &tanh[T]{}
	case "silu", "gelu", "gelu-tanh":
		return newGated[T](a.Function, s.records*in.Size())
	case "sigmoid":
		return &sigmoid[T]{scale: 1, temperature: 1}
	default:
		return &sigmoid[T]{scale: T(a.Scale), temperature: T(a.Temperature), offset: T(a.Offset)}
	}
}

// relu is the ReLU at work. NaN stays NaN in both directions.
type relu[T kernel.Float] struct {
	plain[T]
	y []T
}

func (w *relu[T]) forward(y, x []T, _ int) {
	w.y = y
	for i, v := range x {
		if v <= 0 {
			v = 0
		}
		y[i] = v
	}
}

func (w *relu[T]) backward(dx, dy []T, _ int) {
	if dx == nil {
		return
	}
	y := w.y[:len(dx)]
	dy = dy[:len(dx)]
	for i, v := range y {
		d := dy[i]
		if v == 0 {
			d = 0
		}
		dx[i] = d
	}
}

func (w *relu[T]) habits() habits { return habits{inPlace: true, needsOutput: true} }

// tanh is the hyperbolic tangent at work: dx = dy·(1 - y²).
type tanh[T kernel.Float] struct {
	plain[T]
	y []T
}

func (w *tanh[T]) forward(y, x []T, _ int) {
	w.y = y
	tanhOf(y, x)
}

func (w *tanh[T]) backward(dx, dy []T, _ int) {
	if dx == nil {
		return
	}
	y := w.y[:len(dx)]
	dy = dy[:len(dx)]
	for i, v := range y {
		dx[i] = dy[i] * (1 - v*v)
	}
}

func (w *tanh[T]) habits() habits { return habits{inPlace: true, needsOutput: true} }

// sigmoid is a tempered or plain sigmoid at work. With σ = (y + offset)/scale, dx =
// dy·temperature·(y + offset)·(1 - σ).
type sigmoid[T kernel.Float] struct {
	plain[T]
	scale, temperature, offset T
	y                          []T
}

func (w *sigmoid[T]) forward(y, x []T, _ int) {
	w.y = y
	for i, v := range x {
		y[i] = w.temperature * v
	}
	sigmoidOf(y, y)
	for i, v := range y {
		y[i] = w.scale*v - w.offset
	}
}

func (w *sigmoid[T]) backward(dx, dy []T, _ int) {
	if dx == nil {
		return
	}
	y := w.y[:len(dx)]
	dy = dy[:len(dx)]
	inverse := 1 / w.scale
	for i, v := range y {
		v += w.offset
		dx[i] = dy[i] * w.temperature * v * (1 - v*inverse)
	}
}

func (w *sigmoid[T]) habits() habits { return habits{inPlace: true, needsOutput: true} }

// tanhOf is kernel.Tanh, or math.Tanh of each number. dst may be x.
func tanhOf[T kernel.Float](dst, x []T) {
	if single, is := any(x).([]float32); is {
		kernel.Tanh(any(dst).([]float32), single)
		return
	}
	for i, v := range x {
		dst[i] = T(math.Tanh(float64(v)))
	}
}

// sigmoidOf is kernel.Sigmoid or kernel.Sigmoid64. dst may be x.
func sigmoidOf[T kernel.Float](dst, x []T) {
	if single, is := any(x).([]float32); is {
		kernel.Sigmoid(any(dst).([]float32), single)
		return
	}
	kernel.Sigmoid64(any(dst).([]float64), any(x).([]float64))
}

package safetensors

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Tensor is an array of a file.
type Tensor struct {
	// Type is the type of the entries in the spelling of files: "F32".
	Type string
	// Shape is the length of each dimension; the last varies fastest. Without dimensions there is
	// one entry.
	Shape []int
	// Raw holds the bytes of the entries, each with the lowest byte first.
	Raw []byte
}

// NewFloat32 returns the array of numbers of a shape. It panics unless x has the shape's number of
// entries.
func NewFloat32(x []float32, shape ...int) Tensor {
	checkShape("NewFloat32", len(x), shape)
	raw := make([]byte, 0, 4*len(x))
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return Tensor{"F32", shape, raw}
}

// NewFloat64 is NewFloat32 for numbers of 64 bits.
func NewFloat64(x []float64, shape ...int) Tensor {
	checkShape("NewFloat64", len(x), shape)
	raw := make([]byte, 0, 8*len(x))
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return Tensor{"F64", shape, raw}
}

// checkShape panics unless there are as many numbers as a shape has entries.
func checkShape(function string, numbers int, shape []int) {
	entries := 1
	for _, n := range shape {
		entries *= n
	}
	if entries != numbers {
		panic(fmt.Sprintf("safetensors: %s: there are %d numbers of shape %v", function, numbers, shape))
	}
}

// Floats returns the entries of an array of floating-point numbers of any type. For other types,
// and for NaN or infinite entries, it returns an error that names the array.
func (t Tensor) Floats(name string) ([]float64, error) {
	width := sizes[t.Type]
	var number func(b []byte) float64
	switch t.Type {
	case "F64":
		number = func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
	case "F32":
		number = func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }
	case "BF16":
		number = func(b []byte) float64 {
			return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
		}
	case "F16":
		number = func(b []byte) float64 { return half(binary.LittleEndian.Uint16(b)) }
	default:
		return nil, fmt.Errorf("array %q has the type %s, want F16, BF16, F32 or F64", name, t.Type)
	}
	out := make([]float64, len(t.Raw)/width)
	for i := range out {
		out[i] = number(t.Raw[i*width:])
		if out[i]-out[i] != 0 {
			return nil, fmt.Errorf("array %q holds a number that is not finite, want finite weights", name)
		}
	}
	return out, nil
}

// half returns the value of 16 bits of the form binary16 (IEEE 754-2019, section 3.4).
func half(bits uint16) float64 {
	sign, exponent, fraction := 1-2*float64(bits>>15), int(bits>>10&31), float64(bits&1023)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction == 0 {
			return math.Inf(int(sign))
		}
		return math.NaN()
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

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
	entries := 1
	for _, n := range shape {
		entries *= n
	}
	if entries != len(x) {
		panic(fmt.Sprintf("safetensors: NewFloat32: there are %d numbers of shape %v", len(x), shape))
	}
	raw := make([]byte, 0, 4*len(x))
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return Tensor{"F32", shape, raw}
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

package feature

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// tensor is an array of a safetensors file: its type, its shape and its bytes, row after row.
type tensor struct {
	kind  string
	shape []int
	raw   []byte
}

// tensorSizes are the bytes of an entry of each type that a file may have.
var tensorSizes = map[string]int{"BOOL": 1, "U8": 1, "I8": 1, "F8_E5M2": 1, "F8_E4M3": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
	"U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8}

// maxTensorHeader bounds the header of a file, as the format does.
const maxTensorHeader = 100_000_000

// tensorEntry is one line of the header of a file.
type tensorEntry struct {
	Kind    string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets []int  `json:"data_offsets"`
}

// parseTensors reads a safetensors file: 8 bytes with the length of the header, little end first; the
// header, a JSON object of arrays by name; and their bytes, without gaps and none twice (Hugging Face,
// "Safetensors", section "Format", https://github.com/huggingface/safetensors#format). The arrays share
// memory with the file.
func parseTensors(file []byte) (map[string]tensor, error) {
	if len(file) < 8 {
		return nil, fmt.Errorf("the file has %d bytes, want a safetensors file, which has 8 and more", len(file))
	}
	length := binary.LittleEndian.Uint64(file)
	if length > maxTensorHeader || length > uint64(len(file)-8) {
		return nil, fmt.Errorf("the length of the header is beyond the file, want a whole safetensors file; copy it again")
	}
	entries, err := tensorEntries(file[8 : 8+length])
	if err != nil {
		return nil, err
	}
	return cutTensors(entries, file[8+length:])
}

// tensorEntries reads a header. No name may stand in it twice.
func tensorEntries(header []byte) (map[string]tensorEntry, error) {
	d := json.NewDecoder(bytes.NewReader(header))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, fmt.Errorf("the header is no JSON object, want a safetensors file")
	}
	entries := map[string]tensorEntry{}
	metadata := false
	for d.More() {
		key, err := d.Token()
		name, isText := key.(string)
		if err != nil || !isText {
			return nil, fmt.Errorf("the header is broken, want a JSON object of arrays; write the file again")
		}
		if _, twice := entries[name]; twice || name == "__metadata__" && metadata {
			return nil, fmt.Errorf("the header names %q twice, want each array once", name)
		}
		if name == "__metadata__" {
			metadata = true
			err = d.Decode(&map[string]string{})
		} else {
			var e tensorEntry
			err = d.Decode(&e)
			entries[name] = e
		}
		if err != nil {
			return nil, fmt.Errorf("the header entry %q is broken, want dtype, shape and data_offsets; write the file again", name)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("the header does not end, want a JSON object; write the file again")
	}
	rest := header[d.InputOffset():]
	if len(bytes.Trim(rest, " ")) > 0 {
		return nil, fmt.Errorf("text follows the header, want spaces only; write the file again")
	}
	return entries, nil
}

// cutTensors finds the bytes of the arrays.
func cutTensors(entries map[string]tensorEntry, data []byte) (map[string]tensor, error) {
	tensors, names := map[string]tensor{}, sortedKeys(entries)
	for _, name := range names {
		e := entries[name]
		size, known := tensorSizes[e.Kind]
		if !known {
			return nil, fmt.Errorf("array %q has the type %q, want one of %v", name, e.Kind, sortedKeys(tensorSizes))
		}
		for _, n := range e.Shape {
			if n < 0 || n > 0 && size > math.MaxInt/n {
				return nil, fmt.Errorf("array %q has an impossible shape, want lengths that fit the file", name)
			}
			size *= n
		}
		if len(e.Offsets) != 2 || e.Offsets[0] < 0 || e.Offsets[1] < e.Offsets[0] || e.Offsets[1] > len(data) || e.Offsets[1]-e.Offsets[0] != size {
			return nil, fmt.Errorf("array %q has not the bytes of its shape and type, want a whole file; copy it again", name)
		}
		tensors[name] = tensor{e.Kind, e.Shape, data[e.Offsets[0]:e.Offsets[1]]}
	}
	slices.SortFunc(names, func(a, b string) int {
		x, y := entries[a].Offsets, entries[b].Offsets
		return slices.Compare(x, y)
	})
	end := 0
	for _, name := range names {
		if entries[name].Offsets[0] != end {
			return nil, fmt.Errorf("the bytes of array %q overlap with others or leave a gap, want arrays side by side; write the file again", name)
		}
		end = entries[name].Offsets[1]
	}
	if end != len(data) {
		return nil, fmt.Errorf("bytes follow the last array, want a file that ends with it; write it again")
	}
	return tensors, nil
}

// floats returns the entries of an array of floating-point numbers, all of them finite.
func (t tensor) floats(name string) ([]float64, error) {
	width := tensorSizes[t.kind]
	var number func(b []byte) float64
	switch t.kind {
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
		return nil, fmt.Errorf("array %q has the type %s, want F16, BF16, F32 or F64", name, t.kind)
	}
	out := make([]float64, len(t.raw)/width)
	for i := range out {
		out[i] = number(t.raw[i*width:])
	}
	if !finite(out) {
		return nil, fmt.Errorf("array %q holds a number that is not finite, want weights of a trained encoder", name)
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

package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// sizes are the bytes of an entry of each type that a file may have.
var sizes = map[string]int{"BOOL": 1, "U8": 1, "I8": 1, "F8_E5M2": 1, "F8_E4M3": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
	"U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8}

// maxHeader bounds the header of a file, as the format does.
const maxHeader = 100_000_000

// metadataName is the entry of a header that is no array: texts by name.
const metadataName = "__metadata__"

// entry is one line of the header of a file.
type entry struct {
	Kind    string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets []int  `json:"data_offsets"`
}

// Parse reads a safetensors file: 8 bytes with the length of the header, lowest byte first, then
// the header, then the bytes. The header is a JSON object of arrays by name. The arrays' bytes have
// no gaps and do not overlap. Metadata is ignored. The arrays share memory with the file.
func Parse(file []byte) (map[string]Tensor, error) {
	if len(file) < 8 {
		return nil, fmt.Errorf("the file has %d bytes, want a safetensors file, which has 8 and more", len(file))
	}
	length := binary.LittleEndian.Uint64(file)
	if length > maxHeader || length > uint64(len(file)-8) {
		return nil, fmt.Errorf("the length of the header is beyond the file, want a whole safetensors file; copy it again")
	}
	entries, err := parseHeader(file[8 : 8+length])
	if err != nil {
		return nil, err
	}
	return cut(entries, file[8+length:])
}

// parseHeader reads a header. No name may occur in it twice.
func parseHeader(header []byte) (map[string]entry, error) {
	d := json.NewDecoder(bytes.NewReader(header))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, fmt.Errorf("the header is no JSON object, want a safetensors file")
	}
	entries := map[string]entry{}
	metadata := false
	for d.More() {
		key, err := d.Token()
		name, isText := key.(string)
		if err != nil || !isText {
			return nil, fmt.Errorf("the header is broken, want a JSON object of arrays; write the file again")
		}
		if _, twice := entries[name]; twice || name == metadataName && metadata {
			return nil, fmt.Errorf("the header names %q twice, want each array once", name)
		}
		if name == metadataName {
			metadata = true
			err = d.Decode(&map[string]string{})
		} else {
			var e entry
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

// cut finds the bytes of the arrays.
func cut(entries map[string]entry, data []byte) (map[string]Tensor, error) {
	tensors, names := map[string]Tensor{}, slices.Sorted(maps.Keys(entries))
	for _, name := range names {
		e := entries[name]
		size, known := sizes[e.Kind]
		if !known {
			return nil, fmt.Errorf("array %q has the type %q, want one of %v", name, e.Kind, slices.Sorted(maps.Keys(sizes)))
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
		tensors[name] = Tensor{e.Kind, e.Shape, data[e.Offsets[0]:e.Offsets[1]]}
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

package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// alignment is the alignment of the first array in a file.
const alignment = 8

// Encode returns the bytes of a file of arrays, in the order of their names, which Parse reads
// back. Equal arrays always give equal bytes. It returns an error if an array lacks the bytes of
// its type and shape, or has a name that the format reserves.
func Encode(tensors map[string]Tensor) ([]byte, error) { return EncodeWith(tensors, nil) }

// EncodeWith returns a file like Encode, with texts by name as metadata. Parse ignores the metadata.
func EncodeWith(tensors map[string]Tensor, metadata map[string]string) ([]byte, error) {
	names := slices.Sorted(maps.Keys(tensors))
	entries, end := map[string]any{}, 0
	if len(metadata) > 0 {
		entries[metadataName] = metadata
	}
	for _, name := range names {
		t := tensors[name]
		size, known := sizes[t.Type]
		for _, n := range t.Shape {
			size *= n
		}
		if !known || size != len(t.Raw) || name == metadataName {
			return nil, fmt.Errorf("array %q of type %s and shape %v has %d bytes, want those of its shape, a known type and a free name", name, t.Type, t.Shape, len(t.Raw))
		}
		shape := t.Shape
		if shape == nil {
			shape = []int{}
		}
		entries[name] = entry{t.Type, shape, []int{end, end + size}}
		end += size
	}
	header, err := json.Marshal(entries)
	if err != nil {
		return nil, err
	}
	header = append(header, bytes.Repeat([]byte(" "), (alignment-len(header)%alignment)%alignment)...)
	if len(header) > maxHeader {
		return nil, fmt.Errorf("the header has %d bytes, want at most %d; write fewer arrays", len(header), maxHeader)
	}
	out := make([]byte, 0, 8+len(header)+end)
	out = append(binary.LittleEndian.AppendUint64(out, uint64(len(header))), header...)
	for _, name := range names {
		out = append(out, tensors[name].Raw...)
	}
	return out, nil
}

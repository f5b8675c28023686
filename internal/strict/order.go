package strict

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// field is one field of an object in JSON, with its name as it is written.
type field struct {
	name string
	text json.RawMessage
}

// Ordered returns the JSON of a struct. The fields that are named stand in the order of their
// names, in the places that they have among all fields. It keeps the bytes of a file where a struct
// that is embedded would have another order. A value that is no struct is an error, and so is one
// without JSON.
func Ordered(v any, names ...string) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	fields, err := partsOf(text)
	if err != nil {
		return nil, err
	}
	var places []int
	var moved []field
	for i, f := range fields {
		if slices.Contains(names, f.name) {
			places, moved = append(places, i), append(moved, f)
		}
	}
	slices.SortFunc(moved, func(a, b field) int {
		return cmp.Compare(slices.Index(names, a.name), slices.Index(names, b.name))
	})
	for k, i := range places {
		fields[i] = moved[k]
	}
	return written(fields)
}

// partsOf lists the fields of an object.
func partsOf(text []byte) ([]field, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("strict: %.20s is no object, want one", text)
	}
	var fields []field
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		f := field{}
		f.name, _ = name.(string)
		if err = d.Decode(&f.text); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// written is the object with these fields.
func written(fields []field) ([]byte, error) {
	var b bytes.Buffer
	for i, f := range fields {
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, err
		}
		b.WriteByte("{,"[min(i, 1)])
		b.Write(name)
		b.WriteByte(':')
		b.Write(f.text)
	}
	if len(fields) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

package network

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// fieldError is the error for a wrong field in the description of a layer.
type fieldError struct {
	// field is the field's name in the description.
	field string
	// problem is the given value and the wanted one.
	problem string
}

// Error returns text such as "outputs is "two", want an integer".
func (e *fieldError) Error() string { return e.field + " " + e.problem }

// Field returns the name of the field in the description.
func (e *fieldError) Field() string { return e.field }

// unmarshalStrictly reads the fields of a layer into a pointer to its struct. A field that the
// struct lacks, or that has another type, is an error with a method Field. A bool whose name begins
// with No is the negation of its field.
func unmarshalStrictly(text []byte, into any) error {
	var fields map[string]json.RawMessage
	to := reflect.ValueOf(into).Elem()
	known := fieldsOf(to.Type())
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		return fmt.Errorf("%s stands in the place of its fields, want %s", brief(text), wantedFields(known))
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		at := slices.Index(known, name)
		if at < 0 {
			return &fieldError{name, "is not known, want " + wantedFields(known)}
		}
		field := to.Field(at).Addr().Interface()
		if negated, is := field.(*bool); is && strings.HasPrefix(to.Type().Field(at).Name, "No") {
			field = (*inverted)(negated)
		}
		if string(fields[name]) == "null" {
			return &fieldError{name, "is empty, want " + wantedType(field)}
		}
		if err := json.Unmarshal(fields[name], field); err != nil {
			return &fieldError{name, fmt.Sprintf("is %s, want %s", brief(fields[name]), wantedType(field))}
		}
	}
	return nil
}

// fieldsOf returns the names of the fields of a struct in descriptions, in order. The field no_bias
// of JSON is the field bias of a description.
func fieldsOf(t reflect.Type) []string {
	names := make([]string, t.NumField())
	for i := range names {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names[i] = strings.TrimPrefix(name, "no_")
	}
	return names
}

func wantedFields(known []string) string {
	if len(known) == 0 {
		return "none, for the layer has no fields"
	}
	return "key: value pairs of " + strings.Join(known, ", ")
}

// wantedType returns words for the values that a field takes.
func wantedType(field any) string {
	switch field.(type) {
	case *int:
		return "an integer"
	case *float64:
		return "a number"
	case *string:
		return "a name"
	}
	return "true or false"
}

// brief quotes JSON on one line and cuts it if it is long.
func brief(text []byte) string {
	const most = 40
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return "something"
	}
	if compact.Len() <= most {
		return compact.String()
	}
	return strings.ToValidUTF8(compact.String()[:most], "") + "…"
}

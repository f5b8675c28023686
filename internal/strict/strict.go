// Package strict reads JSON that has only one reading. It refuses text that encoding/json accepts
// but another program, or a person, may read differently. This covers a repeated name, a name in
// other letter case, an unknown name, and null in place of a value. It also covers text after the
// end and bytes that are not UTF-8.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Decode reads the one JSON value in text into the pointer into.
func Decode(text []byte, into any) error {
	if !utf8.Valid(text) {
		return errors.New("the text is no UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is text after it")
	}
	return Check(text, reflect.TypeOf(into).Elem())
}

// Check returns an error unless the names in a JSON value are the names of the type, each at most
// once. It also returns an error for null in place of a value. A type that reads itself
// (json.Unmarshaler), and nil, may have any names, each at most once.
func Check(text []byte, as reflect.Type) error {
	w := walk{json.NewDecoder(bytes.NewReader(text))}
	w.UseNumber()
	return w.value(as)
}

// walk reads a value that is known to be JSON.
type walk struct{ *json.Decoder }

func (w walk) value(as reflect.Type) error {
	if numbers(as) {
		return w.numbers()
	}
	token, err := w.Token()
	switch {
	case err != nil:
		return err
	case token == nil && as != nil && !nullable(as):
		return errors.New("null stands in the place of a value")
	case token == json.Delim('{'):
		return w.object(as)
	case token == json.Delim('['):
		return w.list(as)
	}
	return nil
}

// object checks what follows an opening brace.
func (w walk) object(as reflect.Type) error {
	seen, fields := map[string]bool{}, fieldsOf(as)
	for w.More() {
		token, err := w.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if seen[name] {
			return fmt.Errorf("the field %q is there twice", shortened(name))
		}
		seen[name] = true
		field, known := fields[name]
		if fields != nil && !known {
			return fmt.Errorf("the field %q is unknown in this spelling", shortened(name))
		}
		if fields == nil && transparent(as) && as.Kind() == reflect.Map {
			field = as.Elem()
		}
		if err := w.value(field); err != nil {
			return err
		}
	}
	_, err := w.Token()
	return err
}

// list checks what follows an opening bracket.
func (w walk) list(as reflect.Type) error {
	var entry reflect.Type
	if as = pointed(as); transparent(as) && (as.Kind() == reflect.Slice || as.Kind() == reflect.Array) {
		entry = as.Elem()
	}
	for w.More() {
		if err := w.value(entry); err != nil {
			return err
		}
	}
	_, err := w.Token()
	return err
}

// numbers checks lists of numbers, which have no names. A model has millions of them.
func (w walk) numbers() error {
	var raw json.RawMessage
	err := w.Decode(&raw)
	if err == nil && len(raw) > 4 && bytes.Contains(raw, []byte("null")) {
		return errors.New("null stands in the place of a number")
	}
	return err
}

// numbers reports whether a type is a list of numbers, or a list of such lists.
func numbers(as reflect.Type) bool {
	if as == nil || as.Kind() != reflect.Slice || !transparent(as) || !transparent(as.Elem()) {
		return false
	}
	kind := as.Elem().Kind()
	return kind == reflect.Float64 || kind == reflect.Float32 || kind == reflect.Int || numbers(as.Elem())
}

// nullable reports whether encoding/json writes an empty value of a type as null.
func nullable(as reflect.Type) bool {
	switch as.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	}
	return !transparent(as)
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// transparent reports whether encoding/json reads a type by its parts.
func transparent(as reflect.Type) bool {
	return as != nil && !as.Implements(unmarshaler) && !reflect.PointerTo(as).Implements(unmarshaler)
}

// pointed returns the type at the end of pointers.
func pointed(as reflect.Type) reflect.Type {
	for as != nil && as.Kind() == reflect.Pointer {
		as = as.Elem()
	}
	return as
}

// fieldsOf returns the fields of a struct by their names in JSON, or nil for other types.
func fieldsOf(as reflect.Type) map[string]reflect.Type {
	as = pointed(as)
	if !transparent(as) || as.Kind() != reflect.Struct {
		return nil
	}
	fields := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(as) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() || f.Anonymous && name == "":
			continue
		case name == "":
			name = f.Name
		}
		fields[name] = f.Type
	}
	return fields
}

// shortened returns the beginning of a name, for a message.
func shortened(name string) string {
	const most = 60
	if len(name) > most {
		return strings.ToValidUTF8(name[:most], "") + "…"
	}
	return name
}

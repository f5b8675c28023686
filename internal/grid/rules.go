package grid

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
)

// hashDigits is the number of significant digits that hashes of rules keep of a number. Processors
// and compilers round the last digits of a plan in different ways. Two such values can also lie on
// both sides of a rounding boundary, with a probability of about 1e-6 for errors of 1e-15. Then the
// hashes differ and the sweep is refused. It is never priced by the plans of another program.
const hashDigits = 9

// rulesOf returns the SHA-256 of what the runs of a program would do: plans, events, feature maps before
// training, losses, options and the version of its uses.
func rulesOf(program string, candidates []sweep.Candidate) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %d\n", program, together.Uses) // a hash accepts every write
	for i := range candidates {
		c := &candidates[i]
		of := &c.Certificate
		text, err := json.Marshal(certificate.Certificate{Private: of.Private, Delta: of.Delta, Neighboring: of.Neighboring, Unit: of.Unit,
			GroupRows: of.GroupRows, Event: of.Event, NoiseDraws: of.NoiseDraws, Method: of.Method, Plan: of.Plan})
		if err != nil {
			return "", err
		}
		var setup train.Setup
		var form any
		switch {
		case c.Linear != nil:
			setup.Features, form = c.Linear.Features, c.Linear.Model
		case c.Other != nil:
			setup.Features, form = c.Other.Features, c.Other.Model
		case c.Network != nil:
			setup.Features, form = c.Network.Features, c.Network.Loss
		}
		own := *setup.Features
		specs, err := json.Marshal(own.Pipeline.Specs())
		if err != nil {
			return "", err
		}
		own.Pipeline = nil // its transforms are in the specs, and the schema is hashed with the files
		fmt.Fprintf(h, "%s\n%s\n", shortened(text), shortened(specs))
		for _, v := range []any{own, form, c.Options, c.NetworkOptions} {
			writeValue(h, reflect.ValueOf(v))
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// fraction matches a number with a point or an exponent, also inside the text of an event.
var fraction = regexp.MustCompile(`\b\d+(\.\d+)?([eE][+-]?\d+)?\b`)

// shortened returns a text with its fractions rounded to hashDigits digits. Integers stay whole.
func shortened(text []byte) []byte {
	return fraction.ReplaceAllFunc(text, func(number []byte) []byte {
		v, err := strconv.ParseFloat(string(number), 64)
		if err != nil || !strings.ContainsAny(string(number), ".eE") {
			return number
		}
		return strconv.AppendFloat(nil, v, 'g', hashDigits, 64)
	})
}

// writeValue writes a value with the names of its fields, except functions. Fractions are rounded to
// hashDigits digits.
func writeValue(w io.Writer, v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		io.WriteString(w, "none ")
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			fmt.Fprintf(w, "%v ", v.Elem().Type())
		}
		writeValue(w, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fmt.Fprintf(w, "%s: ", v.Type().Field(i).Name)
			writeValue(w, v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(w, "%d ", v.Len())
		for i := range v.Len() {
			writeValue(w, v.Index(i))
		}
	case reflect.Float32, reflect.Float64:
		fmt.Fprintf(w, "%.*g ", hashDigits, v.Float())
	default:
		fmt.Fprintf(w, "%q ", fmt.Sprint(v)) // maps are printed in the order of their keys
	}
}

package evaluate

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Measure is the value of a metric. NaN means that the metric is undefined for
// these records, as the area under the curve is when one class is absent.
type Measure float64

// Undefined is the Measure that has no value.
func Undefined() Measure { return Measure(math.NaN()) }

// Defined reports whether m is a finite number.
func (m Measure) Defined() bool {
	return !math.IsNaN(float64(m)) && !math.IsInf(float64(m), 0)
}

// MarshalJSON writes the shortest number that reads back as m. It writes null for a measure that is
// not defined, because JSON has no NaN and no infinity.
func (m Measure) MarshalJSON() ([]byte, error) {
	if !m.Defined() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(m))
}

// UnmarshalJSON reads a number, or null as NaN.
func (m *Measure) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, []byte("null")) {
		*m = Undefined()
		return nil
	}
	return json.Unmarshal(text, (*float64)(m))
}

// fixed writes m with the given number of decimals, "-" when it is undefined.
// Very large and very small numbers are written with an exponent.
func (m Measure) fixed(decimals int) string {
	if !m.Defined() {
		return "-"
	}
	size := math.Abs(float64(m))
	if size >= 1e9 || (decimals > 0 && size > 0 && size < math.Pow10(-decimals)) {
		return strconv.FormatFloat(float64(m), 'e', 3, 64)
	}
	return strconv.FormatFloat(float64(m), 'f', decimals, 64)
}

// percent writes m as a percentage with two decimals, "-" when it is undefined.
func (m Measure) percent() string {
	if !m.Defined() {
		return "-"
	}
	return strconv.FormatFloat(100*float64(m), 'f', 2, 64) + " %"
}

// printable replaces what a terminal could obey (control characters, escape
// sequences, changes of direction) with the replacement character.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

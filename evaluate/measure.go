package evaluate

import (
	"bytes"
	"encoding/json"
	"math"
)

// Measure is the value of a metric. NaN means that the metric is undefined for these records. An
// example is the area under the curve without records of one class.
type Measure float64

// noMeasure returns the undefined Measure.
func noMeasure() Measure { return Measure(math.NaN()) }

// Defined reports whether m is a finite number.
func (m Measure) Defined() bool {
	return !math.IsNaN(float64(m)) && !math.IsInf(float64(m), 0)
}

// MarshalJSON returns the shortest number that reads back as m. It returns null for an undefined
// measure, because JSON has no NaN and no infinity.
func (m Measure) MarshalJSON() ([]byte, error) {
	if !m.Defined() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(m))
}

// UnmarshalJSON reads a number, or null as NaN.
func (m *Measure) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, []byte("null")) {
		*m = noMeasure()
		return nil
	}
	return json.Unmarshal(text, (*float64)(m))
}

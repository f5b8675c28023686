package privacy

import (
	"fmt"
	"math"
	"strconv"
)

// Unit describes the protected unit: one row, or all rows of one person.
type Unit struct {
	// Row describes one row in words, for example "one person".
	Row string
	// RowsPerPerson is the declared maximum number of rows of one person. 0 means that no maximum
	// is declared.
	RowsPerPerson int
}

// Guarantee states that a release is (epsilon, delta)-differentially private for one unit under one
// neighboring relation. It is immutable and comparable. The zero value is invalid and guarantees
// nothing.
type Guarantee struct {
	epsilon     float64
	delta       float64
	neighboring Neighboring
	unit        Unit
}

// NewGuarantee returns the guarantee with these parts. Epsilon is in nats and positive; +Inf means
// no guarantee. Delta is at least 0 and below 1. Invalid values are an error.
func NewGuarantee(epsilon, delta float64, n Neighboring, unit Unit) (Guarantee, error) {
	if !(epsilon > 0) {
		return Guarantee{}, fmt.Errorf("privacy: epsilon is %v, want more than 0; 1 is a common choice", epsilon)
	}
	if !(delta >= 0 && delta < 1) {
		return Guarantee{}, fmt.Errorf("privacy: delta is %v, want at least 0 and less than 1; 1e-6 is a common choice", delta)
	}
	if !n.Valid() {
		return Guarantee{}, fmt.Errorf("privacy: neighboring is %v, want a named relation, such as AddOrRemoveOne", n)
	}
	if unit.RowsPerPerson < 0 {
		return Guarantee{}, fmt.Errorf("privacy: rows per person is %d, want 0 (not declared) or more", unit.RowsPerPerson)
	}
	return Guarantee{epsilon, delta, n, unit}, nil
}

// Epsilon returns the ε of (ε, δ)-differential privacy, in nats. +Inf means no guarantee.
func (g Guarantee) Epsilon() float64 { return g.epsilon }

// Delta returns the δ of (ε, δ)-differential privacy, a probability.
func (g Guarantee) Delta() float64 { return g.delta }

// Neighboring returns the neighboring relation of the guarantee.
func (g Guarantee) Neighboring() Neighboring { return g.neighboring }

// Unit returns the unit that the guarantee protects.
func (g Guarantee) Unit() Unit { return g.unit }

// Private reports whether epsilon is positive and finite. A guarantee with an infinite epsilon
// guarantees nothing.
func (g Guarantee) Private() bool { return g.epsilon > 0 && !math.IsInf(g.epsilon, 1) }

// String returns epsilon, delta and the relation in one line. Epsilon and delta have four digits, rounded upward.
func (g Guarantee) String() string {
	return fmt.Sprintf("epsilon %s, delta %s, %v", upward(g.epsilon), upward(g.delta), g.neighboring)
}

// upward returns a text of about four digits that is no smaller than v.
func upward(v float64) string {
	half := math.Pow10(int(math.Floor(math.Log10(v)))-3) / 2 // of the last digit
	for _, near := range []float64{v, v + half} {
		text := strconv.FormatFloat(near, 'g', 4, 64)
		if w, err := strconv.ParseFloat(text, 64); err == nil && w >= v {
			return text
		}
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

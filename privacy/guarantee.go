package privacy

import (
	"fmt"
	"math"
)

// Unit says what one protected thing is.
type Unit struct {
	// Row says in words what one row is, for example "one person".
	Row string
	// RowsPerPerson is the declared maximum number of rows that belong to one
	// person; 0 means that nothing is declared.
	RowsPerPerson int
}

// Guarantee is an (epsilon, delta) statement about one unit under one
// neighboring relation. It is immutable and comparable; the zero value promises
// nothing and is invalid.
type Guarantee struct {
	epsilon     float64
	delta       float64
	neighboring Neighboring
	unit        Unit
}

// NewGuarantee returns the guarantee with these parts. Epsilon is in nats and
// positive, +Inf meaning no guarantee; delta is at least 0 and below 1.
func NewGuarantee(epsilon, delta float64, n Neighboring, unit Unit) (Guarantee, error) {
	if !(epsilon > 0) {
		return Guarantee{}, fmt.Errorf("privacy: epsilon is %v, want more than 0; 1 is a common choice", epsilon)
	}
	if !(delta >= 0 && delta < 1) {
		return Guarantee{}, fmt.Errorf("privacy: delta is %v, want at least 0 and less than 1; 1e-6 is a common choice", delta)
	}
	if !n.Valid() {
		return Guarantee{}, fmt.Errorf("privacy: neighboring is %v, want a named relation", n)
	}
	if unit.RowsPerPerson < 0 {
		return Guarantee{}, fmt.Errorf("privacy: rows per person is %d, want 0 (not declared) or more", unit.RowsPerPerson)
	}
	return Guarantee{epsilon, delta, n, unit}, nil
}

// Epsilon returns the privacy loss bound in nats; +Inf means no guarantee.
func (g Guarantee) Epsilon() float64 { return g.epsilon }

// Delta returns the probability with which the bound may fail.
func (g Guarantee) Delta() float64 { return g.delta }

// Neighboring returns the relation that the guarantee speaks of.
func (g Guarantee) Neighboring() Neighboring { return g.neighboring }

// Unit returns what one protected row is.
func (g Guarantee) Unit() Unit { return g.unit }

// Private reports whether the guarantee promises anything: epsilon is finite.
func (g Guarantee) Private() bool { return g.epsilon > 0 && !math.IsInf(g.epsilon, 1) }

// String prints epsilon, delta and the relation in one line.
func (g Guarantee) String() string {
	return fmt.Sprintf("epsilon %.4g, delta %.4g, %v", g.epsilon, g.delta, g.neighboring)
}

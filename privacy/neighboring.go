// Package privacy defines the parts of a differential-privacy statement: the neighboring relation,
// the protected unit, and the pair (epsilon, delta). It computes nothing.
package privacy

import "fmt"

// Neighboring is the relation under which two data sets count as neighbors. The zero value is
// invalid, so code that omits the relation gets an error.
type Neighboring uint8

const (
	// AddOrRemoveOne relates data sets that differ by the presence of one
	// record. The number of records is private.
	AddOrRemoveOne Neighboring = iota + 1
	// ReplaceOne relates data sets of equal size that differ in the value of one record. The number
	// of records is public.
	ReplaceOne
	// ZeroOut relates a data set to one in which a single record is replaced by a record that
	// contributes nothing. The number of records is public.
	ZeroOut
)

var neighboringNames = map[Neighboring]string{
	AddOrRemoveOne: "add-or-remove-one",
	ReplaceOne:     "replace-one",
	ZeroOut:        "zero-out",
}

// String returns the name of the relation in flags, JSON and texts. If n is not valid it returns
// "invalid-neighboring".
func (n Neighboring) String() string {
	if s, ok := neighboringNames[n]; ok {
		return s
	}
	return "invalid-neighboring"
}

// Valid reports whether n is AddOrRemoveOne, ReplaceOne or ZeroOut.
func (n Neighboring) Valid() bool { return n >= AddOrRemoveOne && n <= ZeroOut }

// Movement returns how far one record can move a sum of contributions with norm at most 1. It is the
// largest norm of the difference between the sums of two neighboring data sets. It is 1 for
// AddOrRemoveOne and ZeroOut, 2 for ReplaceOne, and 0 for an invalid relation. Only accountants use
// it.
func (n Neighboring) Movement() float64 {
	switch n {
	case AddOrRemoveOne, ZeroOut:
		return 1
	case ReplaceOne:
		return 2
	}
	return 0
}

// ParseNeighboring returns the relation with this name. An unknown name is an error that lists the
// known names.
func ParseNeighboring(name string) (Neighboring, error) {
	for n := AddOrRemoveOne; n <= ZeroOut; n++ {
		if n.String() == name {
			return n, nil
		}
	}
	return 0, fmt.Errorf("privacy: neighboring is %q, want %s, %s or %s", name, AddOrRemoveOne, ReplaceOne, ZeroOut)
}

// MarshalText returns the name of the relation. An invalid value is an error.
func (n Neighboring) MarshalText() ([]byte, error) {
	if !n.Valid() {
		return nil, fmt.Errorf("privacy: neighboring is %d, want a relation; name one", uint8(n))
	}
	return []byte(n.String()), nil
}

// UnmarshalText sets n to the relation with this name. An unknown name is an error.
func (n *Neighboring) UnmarshalText(text []byte) error {
	v, err := ParseNeighboring(string(text))
	if err != nil {
		return err
	}
	*n = v
	return nil
}

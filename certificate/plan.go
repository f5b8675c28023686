package certificate

import (
	"fmt"

	"github.com/ditherml/dither/privacy"
)

// Subject is the common part of all plans: the protected unit, the neighboring relation, δ and the
// number of records.
type Subject struct {
	// Neighboring is the neighboring relation of the guarantee.
	Neighboring privacy.Neighboring `json:"neighboring"`
	// Unit describes in words what one row stands for, for example "one person".
	Unit string `json:"unit"`
	// RowsPerPerson is the declared maximum number of rows of one person. 0 means that no maximum
	// is declared.
	RowsPerPerson int `json:"rows-per-person,omitempty"`
	// Delta is the δ of the guarantee.
	Delta float64 `json:"delta"`
	// Records is the declared public number of records. 0 means that the number is private.
	Records int `json:"records,omitempty"`
	// MaxRecords is a declared public upper bound on the number of records.
	MaxRecords int `json:"max-records"`
}

// CheckSubject returns an error if a field of s is invalid. The error text begins with name, which
// is the name of a package. A delta of 0 is valid only if mayBePure is true.
func CheckSubject(name string, s Subject, mayBePure bool) error {
	switch {
	case !s.Neighboring.Valid():
		return fmt.Errorf("%s: neighboring is %v, want a named relation", name, s.Neighboring)
	case s.Unit == "":
		return fmt.Errorf("%s: row is missing in the schema, want the thing that one row describes, which the guarantee protects; write row: one person, for example", name)
	case mayBePure && !(s.Delta >= 0 && s.Delta < 1):
		return fmt.Errorf("%s: delta is %v, want 0 or more and less than 1", name, s.Delta)
	case !mayBePure && !(s.Delta > 0 && s.Delta < 1):
		return fmt.Errorf("%s: delta is %v, want more than 0 and less than 1", name, s.Delta)
	case s.MaxRecords < 1 || s.Records < 0 || s.Records > s.MaxRecords || s.RowsPerPerson < 0:
		return fmt.Errorf("%s: records is %d, max records %d, rows per person %d, want 0 ≤ records ≤ max records", name, s.Records, s.MaxRecords, s.RowsPerPerson)
	case s.Records == 0 && s.Neighboring != privacy.AddOrRemoveOne:
		return fmt.Errorf("%s: under %v the number of records is public, want it declared; set records in the schema", name, s.Neighboring)
	}
	return nil
}

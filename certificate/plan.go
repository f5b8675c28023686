package certificate

import (
	"encoding/json"
	"fmt"

	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/privacy"
)

// ReadPlan reads the plan in a certificate and validates it, for the package whose name begins its errors. A field that
// is unknown, there twice or in other letters is an error.
func ReadPlan[P interface{ Validate() error }](name string, text json.RawMessage) (P, error) {
	var p P
	if err := strict.Decode(text, &p); err != nil {
		var none P
		return none, fmt.Errorf("%s: plan: %w", name, err)
	}
	return p, p.Validate()
}

// Subject says whom the plan of a training protects. Every plan of a training has it.
type Subject struct {
	Neighboring privacy.Neighboring
	Unit        string
	Delta       float64
	// MayBePure says that a delta of 0 makes sense.
	MayBePure bool
	// Records is the declared public number of records, 0 if there is none; MaxRecords the declared public bound on it.
	Records, MaxRecords, RowsPerPerson int
}

// Check returns an error that names the first number that makes no sense, and begins with the name of a package.
func (s Subject) Check(name string) error {
	switch {
	case !s.Neighboring.Valid():
		return fmt.Errorf("%s: neighboring is %v, want a named relation", name, s.Neighboring)
	case s.Unit == "":
		return fmt.Errorf("%s: the schema does not say what one row is, which is what the guarantee speaks of, want it; write row: one person, or what it is", name)
	case s.MayBePure && !(s.Delta >= 0 && s.Delta < 1):
		return fmt.Errorf("%s: delta is %v, want 0 or more and less than 1", name, s.Delta)
	case !s.MayBePure && !(s.Delta > 0 && s.Delta < 1):
		return fmt.Errorf("%s: delta is %v, want more than 0 and less than 1", name, s.Delta)
	case s.MaxRecords < 1 || s.Records < 0 || s.Records > s.MaxRecords || s.RowsPerPerson < 0:
		return fmt.Errorf("%s: records is %d, max records %d, rows per person %d, want 0 ≤ records ≤ max records", name, s.Records, s.MaxRecords, s.RowsPerPerson)
	case s.Records == 0 && s.Neighboring != privacy.AddOrRemoveOne:
		return fmt.Errorf("%s: under %v the number of records is public, want it declared; set records in the schema", name, s.Neighboring)
	}
	return nil
}

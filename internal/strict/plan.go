package strict

import (
	"encoding/json"
	"fmt"
)

// ReadPlan reads the plan in a certificate and validates it, for the package whose name begins its errors. A field that
// is unknown, there twice or in other letters is an error.
func ReadPlan[P interface{ Validate() error }](name string, text json.RawMessage) (P, error) {
	var p P
	if err := Decode(text, &p); err != nil {
		var none P
		return none, fmt.Errorf("%s: plan: %w", name, err)
	}
	return p, p.Validate()
}

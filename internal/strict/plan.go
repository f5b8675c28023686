package strict

import (
	"encoding/json"
	"fmt"
)

// ReadPlan reads the plan in a certificate and validates it. Errors begin with the name of the
// package. An unknown field, a repeated field, or one in other letter case is an error.
func ReadPlan[P interface{ Validate() error }](name string, text json.RawMessage) (P, error) {
	var p P
	if err := Decode(text, &p); err != nil {
		var none P
		return none, fmt.Errorf("%s: plan: %w", name, err)
	}
	return p, p.Validate()
}

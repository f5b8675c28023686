package training

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/measures"
)

// Declarations are the declarations about a table in addition to its schema.
type Declarations struct {
	// Records is the public number of records and MaxRecords a public bound on it. 0 means the
	// schema's.
	Records, MaxRecords int
	// Target is the column to predict. "" means the schema's target.
	Target string
	// AssumePublic accepts a schema that was partly copied from the records.
	AssumePublic bool
}

// Apply returns a schema with the declarations, checked against the rules of training.
func (t Declarations) Apply(s *data.Schema) (*data.Schema, error) {
	if t.Records < 0 || t.MaxRecords < 0 {
		return nil, fmt.Errorf("--records is %d and --max-records %d, want positive numbers", t.Records, t.MaxRecords)
	}
	changed := *s
	if t.Records > 0 {
		changed.Records = t.Records
	}
	if t.MaxRecords > 0 {
		changed.MaxRecords = t.MaxRecords
	}
	if t.Target != "" && t.Target != s.Target.Column {
		if err := retarget(&changed, t.Target); err != nil {
			return nil, err
		}
	}
	if err := changed.Validate(); err != nil {
		return nil, err
	}
	if changed.Tainted() && !t.AssumePublic {
		return nil, fmt.Errorf("the schema was copied out of the records in part (%s), want declared facts; declare them, or accept that the guarantee does not cover what they reveal with --assume-public", strings.Join(changed.FromData, ", "))
	}
	return &changed, nil
}

// retarget makes the named feature column the target. The old target is then ignored.
func retarget(s *data.Schema, name string) error {
	old := s.Target.Column
	columns := []data.Column{{Name: old, Kind: data.Ignored}}
	found := false
	for _, c := range s.Columns {
		if c.Name != name {
			columns = append(columns, c)
			continue
		}
		found = true
		if c.Learning != data.Declared {
			return fmt.Errorf("--target %q has private bounds or levels in the schema, want declared ones; what is predicted must be public", name)
		}
		switch c.Kind {
		case data.Categorical:
			s.Target = data.Target{Column: name, Levels: c.Levels}
		case data.Numeric:
			s.Target = data.Target{Column: name, Lower: c.Lower, Upper: c.Upper}
		default:
			return fmt.Errorf("--target %q is an ignored column of the schema, want a declared one", name)
		}
	}
	if !found {
		return fmt.Errorf("--target is %q, want a column of the schema", name)
	}
	s.Columns = columns
	return nil
}

// Besides returns the columns to read in addition to the features of a schema. They are the named
// columns that are no categorical features, each once. An empty name is ignored.
func Besides(s *data.Schema, columns ...string) []string {
	var out []string
	for _, name := range columns {
		if name != "" && !slices.Contains(out, name) && !measures.IsFeature(s, name) {
			out = append(out, name)
		}
	}
	return out
}

package data

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ditherml/dither/internal/related"
)

// draftRelated adds the related tables of a source to the draft of the table of people. Their
// records are not read.
func (s *Schema) draftRelated(ctx context.Context, src Source) error {
	own := s.allNames()
	for _, name := range slices.Sorted(maps.Keys(src.Related)) {
		source, err := storedTable(src, name)
		if err != nil {
			return err
		}
		r, err := draftOne(ctx, source, Draft{people: own})
		if err != nil {
			return err
		}
		key := r.Target.Column
		t := relatedTable{Name: name, Key: key, PeopleKey: key, Keep: related.KeepRandom, Columns: r.Columns, Features: []related.Feature{{Aggregate: related.Count, Column: -1}}}
		for i := range t.Columns {
			if c := &t.Columns[i]; c.Kind == Numeric || c.Kind == Categorical {
				c.Missing, c.Fill, c.Integer = Indicator, 0, false // aggregates leave out missing cells
			}
		}
		for i := range s.Columns {
			if c := &s.Columns[i]; c.Name == key && c.Kind == 0 {
				*c = Column{Name: key, Kind: Ignored}
			}
		}
		s.Related = append(s.Related, t)
		s.Columns = append(s.Columns, Column{Name: name + "-count", Kind: Numeric, OutOfRange: Clamp, Missing: Zero, Related: name})
	}
	if s.RowsPerPerson == 0 {
		s.RowsPerPerson = 1
	}
	s.Undeclared = s.undeclared()
	return nil
}

// sharedKey returns the only name that is a column of a related table and of the table of people.
func (d Draft) sharedKey(t *table) (string, error) {
	var shared []string
	for _, name := range t.header {
		if slices.Contains(d.people, name) {
			shared = append(shared, name)
		}
	}
	if len(shared) != 1 {
		return "", &FileError{File: t.file, Line: t.headerLine, Problem: fmt.Sprintf("%d of its columns have the name of a column of the table of people", len(shared)), Want: "one, which is the key of persons",
			Remedy: "draft without the related table, and write related: as docs/joins.md shows"}
	}
	return shared[0], nil
}

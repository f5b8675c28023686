package data

import (
	"fmt"
	"slices"
	"strconv"
)

// Schema is the public declaration of a table: its columns, the treatment of bad cells, and its
// largest size. Nothing in it may come from the records. FromData lists exceptions.
type Schema struct {
	Name, Description string
	// Row describes one row in words, such as "one person" or "one person-year row".
	Row string
	// RowsPerPerson is the declared largest number of rows of one person; 0 means not declared.
	RowsPerPerson int
	// Records is the declared public number of records; 0 means not declared.
	Records int
	// MaxRecords is a declared public upper bound on the number of records. It is required. A
	// larger file is an error.
	MaxRecords int
	// MissingMarks are the texts of a missing cell, compared without surrounding spaces. Nil means
	// "?", "NA", "N/A", "NaN", "nan", "null" and "NULL". An empty cell is always missing.
	MissingMarks []string
	// Delimiter separates the cells of a CSV file; 0 means that it is detected.
	Delimiter rune
	// Header lists the names of the columns of a CSV file without a header line, in the order of
	// the file. Nil means that the first line of the file contains the names.
	Header []string
	// NoQuotes reports whether a quote in a CSV file is an ordinary character.
	NoQuotes bool
	// Columns lists all columns except the target, in order, including ignored ones.
	Columns []Column
	Target  Target
	// FromData lists the columns (or "target", "max-records") whose declaration was copied from
	// records. If it is not empty, the schema is tainted.
	FromData []string
	// Ledger is the durable ledger that counts all releases about these records: a file or a
	// PostgreSQL URL. It is "" without a ledger. Only schema files have it; the schema in a model
	// does not.
	Ledger string
	// Undeclared lists the open declarations of a draft in words. If it is not empty, Validate
	// returns an error.
	Undeclared []string
}

// defaultMissingMarks returns the texts that count as a missing cell when a
// schema names none.
func defaultMissingMarks() []string {
	return []string{"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"}
}

// MissingSet is a set of texts that mark a missing cell.
type MissingSet map[string]struct{}

// missing reports whether text marks a missing cell. The empty text always does.
func (m MissingSet) missing(text string) bool {
	if text == "" {
		return true
	}
	_, ok := m[text]
	return ok
}

// has reports whether a text in bytes is in the set. It allocates nothing.
func (m MissingSet) has(text []byte) bool {
	if len(text) == 0 {
		return true
	}
	_, ok := m[string(text)]
	return ok
}

// Marks returns the missing marks of the schema as a set.
func (s *Schema) Marks() MissingSet {
	marks := s.MissingMarks
	if marks == nil {
		marks = defaultMissingMarks()
	}
	m := make(MissingSet, len(marks)+1)
	for _, mark := range append([]string{""}, marks...) {
		m[mark] = struct{}{}
	}
	return m
}

// Tainted reports whether a declaration was copied from records.
func (s *Schema) Tainted() bool { return len(s.FromData) > 0 }

// Features returns the numeric, categorical and text columns in order.
func (s *Schema) Features() []Column {
	features := make([]Column, 0, len(s.Columns))
	for _, c := range s.Columns {
		if c.isFeature() {
			features = append(features, c)
		}
	}
	return features
}

// maxColumns bounds the columns of a schema, so that a range cannot exhaust memory: a column takes
// about 500 bytes.
const maxColumns = 1 << 20

// Expand returns a copy of the schema in which every column with a Repeat is replaced by the
// columns that it means. The copy shares the slices inside columns.
func (s *Schema) Expand() (*Schema, error) {
	e := *s
	e.Columns = make([]Column, 0, len(s.Columns))
	for _, c := range s.Columns {
		n := c.Repeat
		c.Repeat = 0
		if n == 0 {
			e.Columns = append(e.Columns, c)
			continue
		}
		if n < 0 || n > maxColumns-len(e.Columns) {
			return nil, fmt.Errorf("data: repeat of column %q is %d, want 0 or more and at most %d columns in all; declare a smaller range", c.Name, n, maxColumns)
		}
		e.Columns = append(e.Columns, repeatColumn(c, 0, n)...)
	}
	return &e, nil
}

// repeatColumn returns the columns c.Name+from … c.Name+(to-1).
func repeatColumn(c Column, from, to int) []Column {
	columns := slices.Repeat([]Column{c}, to-from)
	for i := range columns {
		columns[i].Name = c.Name + strconv.Itoa(from+i)
	}
	return columns
}

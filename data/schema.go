package data

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ditherml/dither/internal/decimal"
	"github.com/ditherml/dither/internal/moment"
)

// Schema is the public declaration of a table: its columns, the treatment of bad cells, and the
// maximum number of records. No declaration may come from the records, except for the declarations
// that FromData lists.
type Schema struct {
	// Name is the name of the data set. Description describes the data set in words.
	Name, Description string
	// Row describes one row in words, such as "one person" or "one person-year row".
	Row string
	// RowsPerPerson is the declared maximum number of rows of one person. 0 means that no maximum
	// is declared.
	RowsPerPerson int
	// Records is the declared public number of records. 0 means that the number is private.
	Records int
	// MaxRecords is a declared public upper bound on the number of records. It is required. A file
	// with more records is an error.
	MaxRecords int
	// MissingMarks are the texts of a missing cell, compared without surrounding spaces. Nil means
	// "?", "NA", "N/A", "NaN", "nan", "null" and "NULL". An empty cell is always missing.
	MissingMarks []string
	// Delimiter separates the cells of a CSV file. 0 means that the delimiter is detected from the
	// first line of the file.
	Delimiter rune
	// Header lists the names of the columns of a CSV file without a header line, in the order of
	// the file. Nil means that the first line of the file contains the names.
	Header []string
	// NoQuotes states that a quote in a CSV file is an ordinary character. Then no cell can contain
	// the delimiter.
	NoQuotes bool
	// Columns lists all columns except the target, in order. Ignored columns are included. Features
	// of related tables are the last columns.
	Columns []Column
	// Patterns declares columns by patterns of their names, such as lab_*, in which a star stands for
	// any characters. Resolve replaces them by columns.
	Patterns []Column
	// Target declares the column to predict.
	Target Target
	// Related declares tables that have any number of rows for each person, and features that are
	// made of these rows. Only a schema file or its text declares them.
	Related relatedTables
	// FromData lists the columns whose declaration was copied from the records. It may also contain
	// "target" and "max-records". If it is not empty, the schema is tainted.
	FromData []string
	// Ledger is the place of the durable ledger that counts all releases about these records: a
	// file or a PostgreSQL URL. It is "" if there is no such ledger. Only a schema file has a
	// ledger; the schema inside a model has none.
	Ledger string
	// Undeclared lists in words the declarations that a person must still make in a draft. If it is
	// not empty, Validate returns an error.
	Undeclared []string

	patternPlaces []FileError // of Patterns in a file
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

// Marks returns the texts that mark a missing cell, as a set.
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

// absentNumbers returns the numbers and the moments among the texts that mark a missing cell.
func (s *Schema) absentNumbers() (numbers []float64, moments []int64) {
	for _, mark := range s.MissingMarks {
		if v, ok := decimal.Parse(mark); ok && finite(v) {
			numbers = append(numbers, v)
		}
		if at, ok := moment.Micros(mark); ok {
			moments = append(moments, at)
		}
	}
	return numbers, moments
}

// Tainted reports whether a declaration of the schema was copied from the records.
func (s *Schema) Tainted() bool { return len(s.FromData) > 0 }

// Features returns the columns that are features: numeric, categorical and text columns, in order.
func (s *Schema) Features() []Column {
	features := make([]Column, 0, len(s.Columns))
	absent, absentAt := s.absentNumbers()
	for _, c := range s.Columns {
		if c.isFeature() {
			switch {
			case c.Date != nil:
				c.absentAt = absentAt
			case c.Kind == Numeric:
				c.absent = absent
			}
			features = append(features, c)
		}
	}
	return features
}

// maxColumns bounds the columns of a schema, so that a range cannot exhaust memory: a column takes
// about 500 bytes.
const maxColumns = 1 << 20

// Expand returns a copy of the schema in which every column with a positive Repeat is replaced by
// the columns that it declares. The copy shares the slices inside columns with the schema.
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

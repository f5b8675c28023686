// Package related makes features of the rows that a person has in a related table. It chooses a
// bounded number of rows of a person and aggregates them. Every value is a function of the rows of one person
// alone: other persons' rows, and the order in which rows arrive, change nothing.
package related

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// described is the form of the words about a related table.
const described = "the rows with the same key in %q, which has at most %d rows, at most %d of which are used"

// Words returns the rows of a related table in words, for Assumption.
func Words(table string, maxRows, maxRecords int) string {
	return fmt.Sprintf(described, table, maxRecords, maxRows)
}

// Check returns an error if a text is none that Words returns.
func Check(pkg string, words []string) error {
	for _, text := range words {
		var table string
		var maxRows, maxRecords int
		if _, err := fmt.Sscanf(text, described, &table, &maxRecords, &maxRows); err != nil || min(maxRows, maxRecords) < 1 || Words(table, maxRows, maxRecords) != text {
			return fmt.Errorf("%s: the related rows of a record are %q, want words about a table and its rows", pkg, text)
		}
	}
	return nil
}

// Assumption returns what a guarantee depends on if records are joined with related tables, which
// Words describes.
func Assumption(words []string) string {
	return "A record is one person: a row of the table, and " + strings.Join(words, ", and ") + ". A key names one person in all tables, and a related row is about that person alone. Rows without a key are not used."
}

// Refused returns the error about a unit of persons in a schema with related tables.
func Refused(pkg string) error {
	return fmt.Errorf("%s: persons are asked for as the unit with a schema of related tables, want none, since a record is one person already; leave the unit out", pkg)
}

// Keep is the rule by which rows of a person are kept if there are too many.
type Keep uint8

// These are the rules.
const (
	KeepLast   Keep = iota // the last rows in the order
	KeepFirst              // the first rows in the order
	KeepRandom             // rows by a hash of the person's key and the row
)

// KeepNames are the words of a schema file, indexed by Keep.
var KeepNames = []string{"last", "first", "random"}

// Aggregate is a function of the rows of a person.
type Aggregate uint8

// These are the aggregates. All except Count leave out rows whose cell is missing.
const (
	Count Aggregate = iota
	Sum
	Mean
	Min
	Max
	First
	Last
)

// AggregateNames are the words of a schema file, indexed by Aggregate.
var AggregateNames = []string{"count", "sum", "mean", "min", "max", "first", "last"}

// String returns the word for the aggregate.
func (a Aggregate) String() string { return AggregateNames[a] }

// Feature is an aggregate of a column.
type Feature struct {
	Aggregate Aggregate
	// Column is the position of the column among the cells of a row, or -1 for a count of all rows.
	Column int
	// Level is the value whose rows a count with a column counts.
	Level float32
}

// Order is the cell by which rows are ordered.
type Order struct {
	kind   uint8 // 0 for a missing cell, 1 for a number, 2 for a text
	number float64
	text   string
}

// NewOrder returns the order of a cell that is not missing. The zero Order is that of a missing cell.
func NewOrder(text string) Order {
	if v, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(v) {
		return Order{kind: 1, number: v}
	}
	return Order{kind: 2, text: text}
}

// compare compares two cells: missing cells come first, then numbers by value, then texts by their
// bytes. Dates as year-month-day are therefore in their order.
func (o Order) compare(p Order) int {
	return cmp.Or(cmp.Compare(o.kind, p.kind), cmp.Compare(o.number, p.number), cmp.Compare(o.text, p.text))
}

// compareCells compares the cells of two rows in any fixed order. Rows that compare as equal are the
// same row to every aggregate.
func compareCells(a, b []float32) int {
	for i := range a {
		if c := cmp.Or(cmp.Compare(a[i], b[i]), cmp.Compare(math.Float32bits(a[i]), math.Float32bits(b[i]))); c != 0 {
			return c
		}
	}
	return 0
}

package tabular

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/display"
)

// CheckNotice stands over a report that quotes cells.
const CheckNotice = "not private: this report quotes records; it is for the data holder's terminal only"

// Report is what dither schema check prints as JSON.
type Report struct {
	Notice      string         `json:"notice"`
	Clean       bool           `json:"clean"`
	Rows        int            `json:"rows"`
	DroppedRows int            `json:"dropped-rows"`
	Columns     []ColumnReport `json:"columns"`
	// RepeatedKeys is the number of rows that share a key, WithoutKey that of rows without one, and
	// Related has the related tables.
	RepeatedKeys int             `json:"rows-that-share-a-key,omitempty"`
	WithoutKey   int             `json:"rows-without-a-key,omitempty"`
	Related      []RelatedReport `json:"related,omitempty"`
}

// RelatedReport counts the rows of a related table.
type RelatedReport struct {
	Table         string `json:"table"`
	Rows          int    `json:"rows"`
	DroppedRows   int    `json:"dropped-rows"`
	WithoutPerson int    `json:"rows-without-person"`
	BeyondMaxRows int    `json:"rows-beyond-max-rows"`
}

// ColumnReport counts the cells of a column that are not as declared.
type ColumnReport struct {
	Column     string   `json:"column"`
	Missing    int      `json:"missing"`
	Unparsable int      `json:"no-number"`
	OutOfRange int      `json:"out-of-range"`
	Unknown    int      `json:"unknown-level"`
	FirstLines []int    `json:"first-lines,omitempty"`
	Examples   []string `json:"examples,omitempty"`
}

// Check reads a table under a schema and reports on its cells, as data.Check does.
func Check(ctx context.Context, s *data.Schema, src data.Source) (Report, error) {
	found, err := data.Check(ctx, s, src)
	if err != nil {
		return Report{}, err
	}
	report := Report{Notice: CheckNotice, Clean: found.Clean, Rows: found.Rows, DroppedRows: found.Dropped, Columns: []ColumnReport{}, RepeatedKeys: found.RepeatedKeys, WithoutKey: found.WithoutKey}
	for _, t := range found.Related {
		report.Related = append(report.Related, RelatedReport{t.Name, t.Rows, t.Dropped, t.WithoutPerson, t.BeyondMaxRows})
	}
	for _, c := range found.Columns {
		report.Columns = append(report.Columns, ColumnReport{Column: c.Name, Missing: c.Missing,
			Unparsable: c.Unparsable, OutOfRange: c.OutOfRange, Unknown: c.Unknown, FirstLines: c.FirstLines,
			Examples: c.Examples})
	}
	return report, nil
}

// Text returns the report for a terminal: the columns in which something was found.
func (r Report) Text() []byte {
	rows := [][]string{{"column", "missing", "no number", "out of range", "unknown level", "first lines", "examples"}}
	for _, c := range r.Columns {
		counts := []int{c.Missing, c.Unparsable, c.OutOfRange, c.Unknown}
		cells, found := []string{c.Column}, 0
		for _, n := range counts {
			cells = append(cells, strconv.Itoa(n))
			found += n
		}
		if found > 0 {
			rows = append(rows, append(cells, joinInts(c.FirstLines), strings.Join(c.Examples, ", ")))
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n%d rows; the schema drops %d of them\n", r.Notice, r.Rows, r.DroppedRows)
	if r.WithoutKey > 0 {
		fmt.Fprintf(&b, "%d rows have no key, and are dropped\n", r.WithoutKey)
	}
	if r.RepeatedKeys > 0 {
		fmt.Fprintf(&b, "%d rows share a key with another row, and are dropped\n", r.RepeatedKeys)
	}
	for _, t := range r.Related {
		fmt.Fprintf(&b, "related table %s: %d rows; the schema drops %d of them; %d are of no person, and %d beyond max-rows\n", display.Printable(t.Table), t.Rows, t.DroppedRows, t.WithoutPerson, t.BeyondMaxRows)
	}
	if len(rows) > 1 {
		_ = display.WriteColumns(&b, rows) // a bytes.Buffer takes everything
	}
	if r.Clean {
		b.WriteString("clean: every cell is as declared, or missing as the schema allows\n")
	}
	return b.Bytes()
}

func joinInts(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ", ")
}

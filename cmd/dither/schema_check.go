package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/spf13/cobra"
)

const schemaCheckLong = `Read a table under a schema and report, column by column, the cells that are missing, are no
numbers, lie outside the bounds or have a level that is not declared, with the lines where
they first stand and examples.

The report quotes cells. It is for the terminal of whoever holds the records, and is not
private: do not publish it, and do not widen bounds or levels by what it shows unless the
table is public.

Exit status 0 when every cell is as declared, or missing where that drops no row; 1 when some
are not (training would treat them as the schema says, and not stop); 2 when the schema or
the file cannot be used.`

const schemaCheckExample = `  dither schema check people.yaml people.csv
  dither schema check people.yaml people.csv --json`

// checkBanner stands over a report that quotes cells.
const checkBanner = "not private: this report quotes records; it is for the data holder's terminal only"

func newSchemaCheck() *cobra.Command {
	var table tableFlags
	asJSON := false
	c := &cobra.Command{
		Use: "check SCHEMA TABLE", Short: "Check a table against a schema, quoting bad cells", Long: schemaCheckLong, Example: schemaCheckExample,
		Args: arguments("SCHEMA", "TABLE"),
		RunE: func(c *cobra.Command, args []string) error { return runSchemaCheck(c, table, args[0], args[1], asJSON) },
	}
	table.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// schemaReport is what dither schema check prints as JSON.
type schemaReport struct {
	Notice      string         `json:"notice"`
	Clean       bool           `json:"clean"`
	Rows        int            `json:"rows"`
	DroppedRows int            `json:"dropped-rows"`
	Columns     []columnReport `json:"columns"`
}

type columnReport struct {
	Column     string   `json:"column"`
	Missing    int      `json:"missing"`
	Unparsable int      `json:"no-number"`
	OutOfRange int      `json:"out-of-range"`
	Unknown    int      `json:"unknown-level"`
	FirstLines []int    `json:"first-lines,omitempty"`
	Examples   []string `json:"examples,omitempty"`
}

func runSchemaCheck(c *cobra.Command, table tableFlags, schemaPath, tablePath string, asJSON bool) error {
	schema, err := data.ReadSchema(schemaPath)
	if err != nil {
		return err
	}
	source, err := table.source(tablePath)
	if err != nil {
		return err
	}
	found, err := data.Check(c.Context(), schema, source)
	if err != nil {
		return interruption(c.Context(), err)
	}
	report := newSchemaReport(found)
	if asJSON {
		err = writeJSON(c.OutOrStdout(), report)
	} else {
		err = report.writeText(c.OutOrStdout())
	}
	if err == nil && !report.Clean {
		return failed{fmt.Errorf("%s has cells that are not as %s declares, want none; mend the table, or declare what is meant", tablePath, schemaPath)}
	}
	return err
}

// newSchemaReport copies what was found.
func newSchemaReport(found *data.CheckReport) schemaReport {
	report := schemaReport{Notice: checkBanner, Clean: found.Clean(), Rows: found.Rows, DroppedRows: found.Dropped, Columns: []columnReport{}}
	for _, c := range found.Columns {
		report.Columns = append(report.Columns, columnReport{Column: c.Name, Missing: c.Missing, Unparsable: c.Unparsable, OutOfRange: c.OutOfRange, Unknown: c.Unknown, FirstLines: c.FirstLines, Examples: c.Examples})
	}
	return report
}

// writeText writes the report for a terminal: the columns in which something was found.
func (r schemaReport) writeText(w io.Writer) error {
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
	head := fmt.Sprintf("%s\n\n%d rows, of which the schema drops %d\n", r.Notice, r.Rows, r.DroppedRows)
	if err := writeAll(w, []byte(head)); err != nil {
		return err
	}
	if len(rows) > 1 {
		if err := writeColumns(w, rows); err != nil {
			return failed{fmt.Errorf("standard output cannot be written: %w", pathless(err))}
		}
	}
	if !r.Clean {
		return nil
	}
	return writeAll(w, []byte("clean: every cell is as declared, or missing as the schema allows\n"))
}

func joinInts(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ", ")
}

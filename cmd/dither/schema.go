package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/spf13/cobra"
)

const schemaLong = `Draft a schema for a table, and check a table against a schema.

A schema is a YAML file that declares, in public, what a table is: its columns with bounds or
levels, what becomes of a missing or bad cell, the target, and how many rows there may be. The
guarantee of a model holds for what is not declared; so what is declared must come from
public knowledge and not from the records.`

func newSchema() *cobra.Command {
	c := &cobra.Command{
		Use: "schema", Short: "Draft a schema, or check a table against one", Long: schemaLong, Args: cobra.NoArgs,
		Example: "  dither schema init people.csv --target income --out people.yaml\n  dither schema check people.yaml people.csv",
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newSchemaInit(), newSchemaCheck())
	return c
}

const schemaInitLong = `Draft a schema from the header of a table and from what the flags declare. What is left open
is marked DECLARE in the draft and listed; a person writes it in, from public knowledge,
before the schema can be used. Only the first line of the table is read (of JSON lines the keys of the first record),
and nothing where --columns names the columns of a table without a header, or the indexes of a LIBSVM file. Of an array (NPY, NPZ,
IDX) only the header is read: columns are named by their places, pixel0 and on in images and x0 and on in other
matrices, and flags may name ranges of them, as x[0:10]. Bytes have the range of their type, 0 to 255;
the target is named by the file of labels unless --target does.

What nobody can declare is learned within the budget of the training: --numeric pay=private, or
pay=private:0:1e6 with a range that is wide enough for anything, and --levels town=private:20
for the 20 most frequent texts at most.

With --from-data the bounds and levels that are left open are copied out of the records, and whether
numbers are integers. They are then not protected by any guarantee: the schema says so, a certificate
will say so, and train asks for --assume-public.`

const schemaInitExample = `  dither schema init people.csv --target income --levels "income=<=50K,>50K" \
    --numeric age=17:90 --levels sex=Male,Female --ignore id \
    --row "one person" --max-records 50000 --out people.yaml
  dither schema init people.csv --target income --numeric age=17:90 --numeric pay=private --levels town=private:20
  dither schema init reviews.csv --target label --levels label=bad,good --text review --max-records 50000
  dither schema init train-images-idx3-ubyte.gz --labels train-labels-idx1-ubyte.gz --levels label=0..9 --max-records 60000
  dither schema init x.npy --labels y.npy --numeric "x[0:20]=-1:1" --numeric y=0:100
  dither schema init a9a.libsvm --columns "x[1:124]" --numeric "x[1:124]=0:1" --target y --levels y=-1,1
  dither schema init people.csv --target income --dictionary people-columns.csv --max-records 50000
  dither schema init public.csv --target price --from-data`

// schemaInit holds the flags of dither schema init.
type schemaInit struct {
	table               tabular.Flags
	out                 outputFlags
	target, row, public string
	facts               tabular.Facts
	text, ignore        []string
	maxRecords, records int
	rowsPerPerson       int
	fromData            bool
}

func newSchemaInit() *cobra.Command {
	s := &schemaInit{}
	c := &cobra.Command{
		Use: "init TABLE --target COLUMN", Short: "Draft a schema from a header and declared facts", Long: schemaInitLong, Example: schemaInitExample,
		Args: arguments("TABLE"),
		RunE: func(c *cobra.Command, args []string) error { return s.run(c, args[0]) },
	}
	s.table.Add(c.Flags())
	s.out.add(c, "schema file to write")
	f := c.Flags()
	f.StringVar(&s.target, "target", "", "column to predict (required, but for an array with labels of its own)")
	f.StringArrayVar(&s.facts.Numeric, "numeric", nil, "`COLUMN=LOW:HIGH` declares bounds, as age=17:90, or age=17:90:integer for integers; age=private has them learned; may be given many times, for the target too")
	f.StringArrayVar(&s.facts.Levels, "levels", nil, "`COLUMN=LEVELS` declares levels, as sex=Male,Female, or digit=0..9 for integers; a level with a comma in quotes; sex=private:20 has at most so many learned; may be given many times, for the target too")
	f.StringVar(&s.public, "dictionary", "", "`FILE` of public facts about columns, CSV or a JSON list with name, type, levels and range; flags come first")
	f.StringArrayVar(&s.text, "text", nil, "`COLUMN` of texts, whose words are hashed into buckets; may be given many times")
	f.StringArrayVar(&s.ignore, "ignore", nil, "`COLUMN` that is never used; may be given many times")
	f.StringVar(&s.row, "row", "", `what one row is (default "one person")`)
	f.IntVar(&s.maxRecords, "max-records", 0, "public upper bound on the number of rows")
	f.IntVar(&s.records, "records", 0, "public number of rows, if it is public")
	f.IntVar(&s.rowsPerPerson, "rows-per-person", 0, "greatest number of rows that one person has")
	f.BoolVar(&s.fromData, "from-data", false, "copy what is left open out of the records; nothing protects it")
	return c
}

func (s *schemaInit) run(c *cobra.Command, table string) error {
	draft := data.Draft{Target: s.target, Text: s.text, Ignore: s.ignore, Row: s.row, MaxRecords: s.maxRecords, Records: s.records, RowsPerPerson: s.rowsPerPerson, FromData: s.fromData}
	if s.maxRecords < 0 || s.records < 0 || s.rowsPerPerson < 0 {
		return fmt.Errorf("--max-records is %d, --records %d and --rows-per-person %d, want positive numbers", s.maxRecords, s.records, s.rowsPerPerson)
	}
	if err := s.facts.Declare(&draft); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if err := tabular.ReadDictionary(s.public, &draft); err != nil {
		return err
	}
	source, err := s.table.Source(table)
	if err != nil {
		return err
	}
	array := data.IsArray(c.Context(), source)
	if s.target == "" && !(array && (source.Labels != "" || strings.HasSuffix(strings.ToLower(table), ".npz"))) {
		return fmt.Errorf("--target is missing, want the column to predict")
	}
	return s.out.write(c, 0o644, func(w io.Writer) error {
		schema, err := data.DraftSchema(c.Context(), source, draft)
		if err != nil {
			return interruption(c.Context(), err)
		}
		text, err := schema.YAML()
		if err != nil {
			return err
		}
		if s.out.path == "" && bytes.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			return fmt.Errorf("the header of %s holds a character that a terminal could obey, want plain names; rename the column, or write the draft to a file with --out", source.Path)
		}
		tabular.Drafting{Array: array, Source: source, Named: len(s.table.Columns) > 0, RowTaken: s.row == ""}.WriteAdvice(c.ErrOrStderr(), schema)
		return writeAll(w, text)
	})
}

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

func newSchemaCheck() *cobra.Command {
	var table tabular.Flags
	asJSON := false
	c := &cobra.Command{
		Use: "check SCHEMA TABLE", Short: "Check a table against a schema, quoting bad cells", Long: schemaCheckLong, Example: schemaCheckExample,
		Args: arguments("SCHEMA", "TABLE"),
		RunE: func(c *cobra.Command, args []string) error { return runSchemaCheck(c, table, args[0], args[1], asJSON) },
	}
	table.Add(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func runSchemaCheck(c *cobra.Command, table tabular.Flags, schemaPath, tablePath string, asJSON bool) error {
	schema, err := table.Schema(schemaPath, tablePath, data.ReadSchema)
	if err != nil {
		return err
	}
	source, err := table.Source(tablePath)
	if err != nil {
		return err
	}
	report, err := tabular.Check(c.Context(), schema, source)
	if err != nil {
		return interruption(c.Context(), err)
	}
	if asJSON {
		err = writeJSON(c.OutOrStdout(), report)
	} else {
		err = writeAll(c.OutOrStdout(), report.Text())
	}
	if err == nil && !report.Clean {
		return failure.Running(fmt.Errorf("%s has cells that are not as %s declares, want none; mend the table, or declare what is meant", source.Path, schemaPath))
	}
	return err
}

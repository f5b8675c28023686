package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/ditherml/dither/data"
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

With --from-data the bounds and levels that are left open are copied out of the records. They
are then not protected by any guarantee: the schema says so, a certificate will say so, and
train asks for --assume-public.`

const schemaInitExample = `  dither schema init people.csv --target income --levels "income=<=50K,>50K" \
    --numeric age=17:90 --levels sex=Male,Female --ignore id \
    --row "one person" --max-records 50000 --out people.yaml
  dither schema init people.csv --target income --numeric age=17:90 --numeric pay=private --levels town=private:20
  dither schema init reviews.csv --target label --levels label=bad,good --text review --max-records 50000
  dither schema init train-images-idx3-ubyte.gz --labels train-labels-idx1-ubyte.gz --levels label=0..9 --max-records 60000
  dither schema init x.npy --labels y.npy --numeric "x[0:20]=-1:1" --numeric y=0:100
  dither schema init a9a.libsvm --columns "x[1:124]" --numeric "x[1:124]=0:1" --target y --levels y=-1,1
  dither schema init public.csv --target price --from-data`

// schemaInit holds the flags of dither schema init.
type schemaInit struct {
	table               tableFlags
	out                 outputFlags
	target, row         string
	numeric, levels     []string
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
	s.table.add(c)
	s.out.add(c, "schema file to write")
	f := c.Flags()
	f.StringVar(&s.target, "target", "", "column to predict (required, but for an array with labels of its own)")
	f.StringArrayVar(&s.numeric, "numeric", nil, "`COLUMN=LOW:HIGH` declares bounds, as age=17:90; age=private has them learned; may be given many times, for the target too")
	f.StringArrayVar(&s.levels, "levels", nil, "`COLUMN=LEVELS` declares levels, as sex=Male,Female, or digit=0..9 for whole numbers; a level with a comma in quotes; sex=private:20 has at most so many learned; may be given many times, for the target too")
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
	draft, err := s.draft()
	if err != nil {
		return err
	}
	source, err := s.table.source(table)
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
		if s.out.path == "" && bytes.ContainsFunc(text, unsafeRune) {
			return fmt.Errorf("the header of %s holds a character that a terminal could obey, want plain names; rename the column, or write the draft to a file with --out", table)
		}
		s.advise(c.ErrOrStderr(), schema, array)
		return writeAll(w, text)
	})
}

// draft turns the flags into declared facts.
func (s *schemaInit) draft() (data.Draft, error) {
	d := data.Draft{Target: s.target, Numeric: map[string][2]float64{}, Levels: map[string][]string{}, PrivateBounds: map[string][2]float64{}, PrivateLevels: map[string]int{}, Text: s.text, Ignore: s.ignore, Row: s.row,
		MaxRecords: s.maxRecords, Records: s.records, RowsPerPerson: s.rowsPerPerson, FromData: s.fromData}
	if s.maxRecords < 0 || s.records < 0 || s.rowsPerPerson < 0 {
		return d, fmt.Errorf("--max-records is %d, --records %d and --rows-per-person %d, want positive numbers", s.maxRecords, s.records, s.rowsPerPerson)
	}
	return d, s.declare(d)
}

// declare reads the bounds and levels that the flags declare, or leave to be learned.
func (s *schemaInit) declare(d data.Draft) error {
	declared := map[string]bool{}
	once := func(flag, name string) error {
		if declared[name] {
			return fmt.Errorf("--%s names %q, which is declared twice or in two ways, want each column once", flag, name)
		}
		declared[name] = true
		return nil
	}
	for _, fact := range s.numeric {
		name, bounds, private, err := parseNumeric(fact)
		if err == nil {
			err = once("numeric", name)
		}
		if err != nil {
			return err
		}
		if private {
			d.PrivateBounds[name] = bounds
		} else {
			d.Numeric[name] = bounds
		}
	}
	for _, fact := range s.levels {
		name, levels, most, err := parseLevels(fact)
		if err == nil {
			err = once("levels", name)
		}
		if err != nil {
			return err
		}
		if levels == nil {
			d.PrivateLevels[name] = most
		} else {
			d.Levels[name] = levels
		}
	}
	return nil
}

// privateWord asks for bounds or levels to be learned.
const privateWord = "private"

// parseNumeric reads name=lower:upper, name=private or name=private:lower:upper. The name may hold an equals
// sign.
func parseNumeric(fact string) (name string, bounds [2]float64, private bool, err error) {
	at := strings.LastIndexByte(fact, '=')
	value := fact[at+1:]
	if at >= 1 && value == privateWord {
		return fact[:at], [2]float64{-data.DefaultRange, data.DefaultRange}, true, nil
	}
	value, private = strings.CutPrefix(value, privateWord+":")
	lower, upper, ok := strings.Cut(value, ":")
	if at < 1 || !ok {
		return "", bounds, private, fmt.Errorf("--numeric is %q, want COLUMN=LOWER:UPPER, or COLUMN=private", fact)
	}
	for i, text := range []string{lower, upper} {
		if bounds[i], err = strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil {
			return "", bounds, private, fmt.Errorf("--numeric is %q, want numbers in COLUMN=LOWER:UPPER", fact)
		}
	}
	if !(bounds[0] < bounds[1]) {
		return "", bounds, private, fmt.Errorf("--numeric is %q, want the lower bound below the upper one", fact)
	}
	return fact[:at], bounds, private, nil
}

// parseLevels reads name=level,level,… where a level may stand in quotes, or name=private:most, for which levels
// is nil. The name ends at the first equals sign, because levels may hold one.
func parseLevels(fact string) (name string, levels []string, most int, err error) {
	name, list, ok := strings.Cut(fact, "=")
	if !ok || name == "" || list == "" {
		return "", nil, 0, fmt.Errorf("--levels is %q, want COLUMN=LEVEL,LEVEL", fact)
	}
	if text, private := strings.CutPrefix(list, privateWord+":"); private {
		if most, err = strconv.Atoi(text); err != nil || most < 1 {
			return "", nil, 0, fmt.Errorf("--levels is %q, want a number of levels in COLUMN=private:MOST, such as 20", fact)
		}
		return name, nil, most, nil
	}
	if levels, err = wholeLevels(fact, list); levels != nil || err != nil {
		return name, levels, 0, err
	}
	r := csv.NewReader(strings.NewReader(list))
	levels, err = r.Read()
	if _, more := r.Read(); err != nil || more != io.EOF {
		return "", nil, 0, fmt.Errorf("--levels is %q, want COLUMN=LEVEL,LEVEL in one line, with each quote closed", fact)
	}
	for i := range levels {
		levels[i] = strings.TrimSpace(levels[i])
	}
	return name, levels, 0, nil
}

// mostWholeLevels bounds a range of levels.
const mostWholeLevels = 10_000

// wholeLevels reads FIRST..LAST, whole numbers as levels, or nil where it is something else.
func wholeLevels(fact, list string) ([]string, error) {
	low, high, is := strings.Cut(list, "..")
	first, failed := strconv.Atoi(low)
	last, err := strconv.Atoi(high)
	if !is || failed != nil || err != nil {
		return nil, nil
	}
	if first >= last || last-first >= mostWholeLevels {
		return nil, fmt.Errorf("--levels is %q, want the first below the last, and at most %d levels", fact, mostWholeLevels)
	}
	var levels []string
	for v := first; v <= last; v++ {
		levels = append(levels, strconv.Itoa(v))
	}
	return levels, nil
}

// unsafeRune reports whether a character of a multi-line text could give an order to a terminal.
func unsafeRune(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }

// advise lists on the terminal what a person must still do.
func (s *schemaInit) advise(w io.Writer, schema *data.Schema, array bool) {
	if array {
		fmt.Fprintln(w, "The shape of a record and the type of its numbers were read, and no record. Columns are named by their places; the range of bytes is that of their type.")
	} else if len(s.table.columns) > 0 {
		fmt.Fprintln(w, "The columns have the names that --columns gives, in the order of the file; none was read from it.")
	} else {
		fmt.Fprintln(w, "The first line of the table was taken for the names of its columns. If it is a record, delete this draft: it names what the record holds.")
	}
	if schema.Tainted() {
		names := make([]string, len(schema.FromData))
		for i, name := range schema.FromData {
			names[i] = printable(name)
		}
		fmt.Fprintf(w, "\nWARNING: COPIED OUT OF THE RECORDS: %s.\n", strings.Join(names, ", "))
		fmt.Fprintln(w, "These bounds and levels are not protected by any guarantee. Replace them by what is known in\npublic and take the names out of from-data. Until then train asks for --assume-public, and the\ncertificate names them.")
	}
	if s.row == "" {
		fmt.Fprintln(w, "\nOne row was taken to be one person, which is what the guarantee will speak of. If that is wrong,\nmend row:, and say with rows-per-person: how many rows one person has at most.")
	}
	if len(schema.Undeclared) == 0 && array {
		fmt.Fprintln(w, "\nNothing is left open. Look over it, then: dither train --schema SCHEMA --data TABLE")
		return
	}
	if len(schema.Undeclared) == 0 {
		fmt.Fprintln(w, "\nNothing is left open. Look over the treatment of bad cells, then: dither schema check SCHEMA TABLE")
		return
	}
	fmt.Fprintln(w, "\nA person must declare, from public knowledge, before this schema can be used:")
	for _, open := range schema.Undeclared {
		fmt.Fprintln(w, "  - "+printable(open))
	}
}

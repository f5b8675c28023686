package tabular

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/database/duckdb"
	"github.com/ditherml/dither/internal/database/postgres"
	"github.com/ditherml/dither/internal/database/sqlite"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/format/readers"
)

// Flags are the flags by which commands name a table.
type Flags struct {
	Labels, Delimiter, Quote string
	Columns                  []string
	Table, Query             string
	// Hashed makes tables of databases *Hashed.
	Hashed bool
	// Related are the related tables, each as NAME=TABLE.
	Related []string
}

// Add adds the flags to a command's.
func (f *Flags) Add(set *pflag.FlagSet) {
	set.StringVar(&f.Labels, "labels", "", "NPY or IDX file with the target, when the table is one without it")
	set.StringVar(&f.Delimiter, "delimiter", "", `cell delimiter of CSV files, one character or "tab" (default: detected)`)
	set.StringSliceVar(&f.Columns, "columns", nil, "`NAMES` of the columns of a CSV file without a header, in its order, with ranges as x[0:10] (default: the schema's header:, else the first line)")
	set.StringVar(&f.Quote, "quote", "", "what a quote in a CSV file is: csv (it opens a cell) or none (a character like others) (default: the schema's quote:, else csv)")
	set.StringVar(&f.Table, "table", "", "`NAME` of the table or view in a database, with its schema perhaps")
	set.StringArrayVar(&f.Related, "related", nil, "`NAME=TABLE` gives the related table NAME of the schema: a file, or an address with ?table=; may be given many times")
	set.StringVar(&f.Query, "query", "", "`SQL` of a query in a database whose rows are the table; certificates quote it")
}

// isDatabase reports whether a path names a database.
func isDatabase(path string) bool { return postgres.Is(path) || sqlite.Is(path) || duckdb.Is(path) }

// Databases returns the names of the databases that this build reads.
func Databases() []string {
	names := []string{"PostgreSQL"}
	if sqlite.Built() {
		names = append(names, "SQLite")
	}
	if duckdb.Built() {
		names = append(names, "DuckDB")
	}
	return names
}

// Words returns the arguments of a command line that name the table at path.
func (f *Flags) Words(path string) string {
	words := path
	if strings.ContainsAny(path, "?&") {
		words = display.Quoted(path)
	}
	if f.Table != "" {
		words += " --table " + display.Quoted(f.Table)
	}
	if f.Query != "" {
		words += " --query " + display.Quoted(f.Query)
	}
	for _, each := range f.Related {
		words += " --related " + display.Quoted(each)
	}
	return words
}

// Source returns the table at path, with its related tables.
func (f *Flags) Source(path string) (data.Source, error) {
	source, err := f.table(path)
	if err == nil {
		source.Related, err = f.related()
	}
	return source, err
}

// related returns the related tables. Flags that say how a file is written do not apply to them.
func (f *Flags) related() (map[string]data.Source, error) {
	var out map[string]data.Source
	for _, each := range f.Related {
		name, path, ok := strings.Cut(each, "=")
		if _, twice := out[name]; !ok || name == "" || path == "" || twice {
			return nil, fmt.Errorf("--related is %q, want NAME=TABLE with the name of a related table in the schema, each name once", display.Redact(each))
		}
		source, err := (&Flags{Hashed: f.Hashed}).table(path)
		if err != nil {
			return nil, fmt.Errorf("--related %s: %w", name, err)
		}
		if out == nil {
			out = map[string]data.Source{}
		}
		out[name] = source
	}
	return out, nil
}

// table returns the table at path alone.
func (f *Flags) table(path string) (data.Source, error) {
	if isDatabase(path) {
		return f.database(path)
	}
	if f.Table != "" || f.Query != "" {
		return data.Source{}, errors.New("--table or --query is given without a database, want them with postgres://user@host/database or a file of SQLite or DuckDB")
	}
	source := data.Source{Path: path, Labels: f.Labels, Columns: f.Columns, NoQuotes: f.Quote == "none", Formats: readers.All()}
	if f.Quote != "" && f.Quote != "csv" && f.Quote != "none" {
		return source, fmt.Errorf("--quote is %q, want csv or none", f.Quote)
	}
	switch runes := []rune(f.Delimiter); {
	case f.Delimiter == "tab":
		source.Delimiter = '\t'
	case len(runes) == 1:
		source.Delimiter = runes[0]
	case len(runes) > 1:
		return source, fmt.Errorf(`--delimiter is %q, want one character or "tab"`, f.Delimiter)
	}
	return source, nil
}

// Test returns another table in the format of the flags. In a database its address names the table.
// Its related tables are the same.
func (f *Flags) Test(path, labels string) (data.Source, error) {
	other := *f
	other.Labels, other.Table, other.Query = labels, "", ""
	if isDatabase(path) {
		other = Flags{Hashed: f.Hashed, Related: f.Related}
	}
	return other.Source(path)
}

// database returns the table or query in a database.
func (f *Flags) database(path string) (source data.Source, err error) {
	if f.Labels != "" || f.Delimiter != "" || f.Quote != "" || len(f.Columns) > 0 {
		return source, errors.New("--labels, --delimiter, --quote and --columns are for files, want none of them with a database")
	}
	var server postgres.Address
	var file database.File
	table, query := &server.Table, &server.Query
	switch {
	case postgres.Is(path):
		server, err = postgres.Parse(path)
	case duckdb.Is(path):
		table, query = &file.Table, &file.Query
		file, err = duckdb.Parse(path)
	default:
		table, query = &file.Table, &file.Query
		file, err = sqlite.Parse(path)
	}
	switch {
	case err != nil:
		return source, err
	case (f.Table != "" || f.Query != "") && (*table != "" || *query != ""):
		return source, errors.New("the address names a table or query and so do flags, want it named once")
	case f.Table != "" || f.Query != "":
		*table, *query = f.Table, f.Query
	}
	switch {
	case postgres.Is(path):
		source.Database, err = postgres.Open(server)
	case duckdb.Is(path):
		source.Database, err = duckdb.Open(file)
	default:
		source.Database, err = sqlite.Open(file)
	}
	if err == nil {
		source.Path, source.Database = source.Database.Name(), shown{source.Database}
	}
	if err == nil && f.Hashed {
		source.Database = &Hashed{Table: source.Database}
	}
	return source, err
}

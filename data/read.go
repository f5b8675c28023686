package data

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/format"
	"github.com/ditherml/dither/internal/witness"
)

// Source describes where a table is and in which format.
type Source struct {
	// Path is one of these:
	//
	//   - a file in a format of this package, which may be compressed with gzip unless it is NPZ
	//   - a file in one of Formats, not compressed as a whole
	//   - "-" for standard input
	//   - a folder, or a pattern with *, ? or [. The files in the folder, or the files that match
	//     the pattern, are parts of one table with equal columns. The parts are read in the order
	//     of their names. A folder in it that is named key=value gives the files of Formats in it a
	//     column.
	Path string
	// Labels is the name of a separate NPY or IDX file with the target of an NPY or IDX matrix. ""
	// means that there is no separate file.
	Labels string
	// Delimiter separates the cells of a CSV file. If it is 0, Schema.Delimiter is used. If both
	// are 0, the delimiter is detected from the first line of the file.
	Delimiter rune
	// Columns are the names of the columns of a CSV file without a header, in the order of the
	// file. They may contain ranges such as x[0:10]. If Columns is nil, Schema.Header contains the
	// names.
	Columns []string
	// NoQuotes states that a quote in a CSV file is an ordinary character. Then no cell can contain
	// the delimiter. If it is false, Schema.NoQuotes decides.
	NoQuotes bool
	// Database is a table or query of a database. If it is not nil, Path is its name in errors, and
	// the fields above do not apply.
	Database database.Table
	// Related are the related tables that the schema declares, by name.
	Related map[string]Source
	// Formats are file formats and compressions that this package does not know by itself. A file's
	// first bytes decide whether it has one of these formats.
	Formats []columnar.Format

	// Rank and Ranks divide a table among processes that read it at the same time, which are numbered
	// from 0 to Ranks-1. Read then returns the rows of process Rank, in the order of the table. A table
	// of at least Ranks files is divided by files, and another table by rows. If Own is true, the table
	// is the process's own, and Read returns all of its rows. Ranks of 0 or 1 mean one process.
	Rank, Ranks int
	Own         bool
	// Person is a column whose texts Dataset.Texts returns. If it is not "" and Ranks is above 1, Exchange
	// brings all rows of a person to one process. Their order is the order of the table, or of the processes
	// if Own is true. PersonKey is the same secret for all processes, so that texts do not decide where
	// rows go.
	Person    string
	PersonKey []byte
	// Exchange sends message r to process r, and returns the messages of all processes for this one.
	Exchange func(ctx context.Context, messages [][]byte) ([][]byte, error)

	partition []partitionCell // of a file in folders named key=value
}

// ReadOptions select parts of a table and limit its size.
type ReadOptions struct {
	// WithoutTarget omits the target from the data set. The file then need not contain the target
	// column.
	WithoutTarget bool
	// KeepDropped keeps the rows that the schema drops. Dataset.Dropped reports which rows these
	// are. With WithoutTarget too, which is for predictions, a table without rows is no error.
	KeepDropped bool
	// Extra lists the names of schema columns whose texts are kept. Dataset.Group returns the
	// texts. With WithoutTarget and KeepDropped, which are for predictions, Extra also takes columns
	// that the schema does not name.
	Extra []string
	// MaxRecords is the largest allowed number of rows in the file. If it is 0, the largest allowed
	// number is Schema.MaxRecords. More rows are an error.
	MaxRecords int
	// MaxBytes is the largest allowed size of the file after decompression. 0 means 1 TiB. A larger
	// file is an error.
	MaxBytes int64
}

// Read returns the table in the files of src, read under a schema. It validates the schema first
// and then reads the file once. A bad cell is treated as the schema declares and is never an error.
// For a malformed file the error is a *FileError, which never quotes the file. If ctx ends, the
// error is ctx.Err().
//
// If the schema declares related tables, src.Related gives them, and each record has the features
// of the rows with its key. Rows of the table itself that share a key are dropped.
func Read(ctx context.Context, s *Schema, src Source, o ReadOptions) (*Dataset, error) {
	if src.Ranks > 1 {
		return readShare(ctx, s, src, o)
	}
	if hasRelated(s, src) {
		return readJoined(ctx, s, src, o)
	}
	q, b, err := newRequest(s, src.Path, src.Delimiter, o)
	if err != nil {
		return nil, err
	}
	if err := o.emptied(scan(ctx, q, src)); err != nil {
		return nil, err
	}
	return b.dataset(o.KeepDropped), nil
}

// predicts reports whether predictions are all that a table is for.
func (o ReadOptions) predicts() bool { return o.WithoutTarget && o.KeepDropped }

// emptied returns nil for the error about a table without rows if predictions are all that it is for, else
// the error.
func (o ReadOptions) emptied(err error) error {
	if o.predicts() && errors.Is(err, errNoRecords) {
		return nil
	}
	return err
}

// ReadFrom returns a table under a schema, read from CSV text in r. The text may be compressed with
// gzip. ReadFrom otherwise behaves like Read. The argument name is the name of the table in errors.
func ReadFrom(ctx context.Context, s *Schema, name string, r io.Reader, o ReadOptions) (*Dataset, error) {
	q, b, err := newRequest(s, name, 0, o)
	if err != nil {
		return nil, err
	}
	return readText(ctx, q, b, r, o)
}

func readText(ctx context.Context, q request, b *builder, r io.Reader, o ReadOptions) (*Dataset, error) {
	in, err := newInput(ctx, q.file, r, q.maxBytes, nil)
	if err != nil {
		return nil, err
	}
	in.watch(nil)
	if err = o.emptied(scanTable(ctx, q, in)); err != nil {
		return nil, err
	}
	return b.dataset(o.KeepDropped), nil
}

// CheckExtra returns an error for the first of the names that is not a column of the schema. Use it
// to check ReadOptions.Extra.
func (s *Schema) CheckExtra(names []string) error {
	for _, name := range names {
		switch {
		case name == s.Target.Column:
			return fmt.Errorf("data: column to read is %q, the target of the schema, want another column; leave it out", name)
		case !s.names(name):
			return fmt.Errorf("data: column to read is %q, want a column that the schema names; one that is no feature is declared as ignore", name)
		}
	}
	return nil
}

// names reports whether the schema has a column that is made of cells of this name.
func (s *Schema) names(name string) bool {
	return slices.ContainsFunc(s.Columns, func(c Column) bool { return c.source() == name })
}

// checkRequest returns an error if a schema and options cannot be used.
func checkRequest(s *Schema, o ReadOptions) error {
	validate := s.ValidateTable
	if !o.WithoutTarget && s.Target.Column == "" {
		validate = s.Validate
	}
	if err := validate(); err != nil {
		return err
	}
	if o.predicts() {
		o.Extra = slices.DeleteFunc(slices.Clone(o.Extra), func(name string) bool { return name != s.Target.Column && !s.names(name) })
	}
	return s.CheckExtra(o.Extra)
}

// newRequest checks everything that can be wrong before a file is opened.
func newRequest(s *Schema, file string, delimiter rune, o ReadOptions) (request, *builder, error) {
	if err := checkRequest(s, o); err != nil {
		return request{}, nil, err
	}
	if len(s.Related) > 0 {
		return request{}, nil, fmt.Errorf("data: the schema has the related table %q, want its rows too; call Read with Source.Related", s.Related[0].Name)
	}
	q, b := makeRequest(s, file, delimiter, o)
	return q, b, nil
}

// makeRequest returns the request for one table under a schema without related tables, and the sink
// that makes a data set.
func makeRequest(s *Schema, file string, delimiter rune, o ReadOptions) (request, *builder) {
	for _, name := range s.privateLevels() {
		if !slices.Contains(o.Extra, name) {
			o.Extra = append(slices.Clip(o.Extra), name)
		}
	}
	b := newBuilder(s, !o.WithoutTarget, o.Extra)
	q := request{schema: s, file: file, delimiter: cmp.Or(delimiter, s.Delimiter), withoutTarget: o.WithoutTarget, predicts: o.predicts(), extra: o.Extra,
		maxRecords: cmp.Or(o.MaxRecords, s.MaxRecords), declared: cmp.Or(o.MaxRecords, s.MaxRecords), rows: new(int), names: s.Header, noQuotes: s.NoQuotes, maxBytes: o.MaxBytes, sink: b}
	if q.predicts {
		q.schema, q.passed = s.passing(o.Extra)
	}
	return q, b
}

// passing returns the schema with names that it lacks as ignored columns, and these names.
func (s *Schema) passing(names []string) (*Schema, []string) {
	out, passed := *s, []string(nil)
	for _, name := range names {
		if !out.names(name) {
			out.Columns, passed = append(slices.Clip(out.Columns), Column{Name: name, Kind: Ignored}), append(passed, name)
		}
	}
	return &out, passed
}

// scan passes the rows of a table, or of all its parts, to the sink.
func scan(ctx context.Context, q request, src Source) error {
	q, err := q.as(src)
	if err != nil {
		return err
	}
	switch {
	case src.Database != nil:
		return scanDatabase(ctx, q, src.Database)
	case format.IsParts(src.Path):
		return scanParts(ctx, q, src)
	}
	return scanFile(ctx, q, src)
}

// as returns the request for a table that is written as its source says.
func (q request) as(src Source) (request, error) {
	var err error
	q.noQuotes = q.noQuotes || src.NoQuotes
	if len(src.Columns) > 0 {
		q.names, err = expandNames(src.Columns)
	}
	return q, err
}

// scanFile opens a file, detects its format and passes its rows to the sink.
func scanFile(ctx context.Context, q request, src Source) error {
	if q.isPart && IsArray(ctx, src) {
		return partRefused(src.Path, "an array")
	}
	if hasExtension(src.Path, ".npz") {
		return scanArchive(ctx, q, src)
	}
	f, in, err := openFile(ctx, src.Path, q.maxBytes, src.Formats)
	if err != nil {
		return err
	}
	defer f.Close()
	q.size = in.size
	b := bufio.NewReaderSize(in, chunkBytes)
	magic, err := b.Peek(len(npyMagic))
	if err != nil && err != io.EOF {
		return err
	}
	if string(magic) == npyMagic || hasExtension(src.Path, ".npy") {
		in.watch(b)
		return scanMatrix(ctx, q, src, b)
	}
	head, err := b.Peek(chunkBytes)
	if err != nil && err != io.EOF {
		return err
	}
	columns, err := in.columns(f, head, src)
	switch {
	case err != nil:
		return err
	case columns != nil && src.Labels != "":
		return labelsRefused(src.Path, "a table with named columns")
	case columns != nil:
		witness.From(ctx).Index(footer(f, in.size))
		for _, c := range src.partition {
			witness.From(ctx).Index(fmt.Appendf(nil, "%q %q", c.name, c.value))
		}
		return scanColumns(ctx, q, columns)
	}
	in.watch(b)
	if isIDX(head) || hasIDXName(src.Path) {
		return scanIDX(ctx, q, src, b)
	}
	if src.Labels != "" {
		return labelsRefused(src.Path, "a table as text")
	}
	if hasLIBSVMName(src.Path) || q.delimiter == 0 && q.names == nil && isLIBSVM(head) {
		if q.isPart {
			return partRefused(src.Path, "in the LIBSVM format")
		}
		return scanLIBSVM(ctx, q, b)
	}
	if hasJSONName(src.Path) || q.delimiter == 0 && q.names == nil && isJSONLines(head) {
		return scanJSON(ctx, q, b)
	}
	return scanTable(ctx, q, b)
}

// mostFooter bounds what is digested of a file whose parts are not read in order, in bytes.
const mostFooter = 1 << 20

// footer returns the end of a file, where columnar files describe their parts.
func footer(f io.ReaderAt, size int64) []byte {
	text := make([]byte, min(size, mostFooter))
	n, _ := f.ReadAt(text, size-int64(len(text))) // what cannot be read, reading the columns finds
	return text[:n]
}

func labelsRefused(path, table string) error {
	return &FileError{File: path, Problem: "a file of labels goes with " + table, Want: "an NPY or IDX matrix", Remedy: "leave the labels out; such a table holds its target"}
}

// hasExtension reports whether a path ends in an extension. It ignores case and the ending of a
// compression.
func hasExtension(path, extension string) bool {
	return strings.HasSuffix(format.Unpacked(path), extension)
}

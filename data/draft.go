package data

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ditherml/dither/internal/decimal"
	"github.com/ditherml/dither/internal/format"
	"github.com/ditherml/dither/internal/moment"
)

// Draft contains the facts that a person declares before DraftSchema drafts a schema. The drafted
// schema marks all other declarations as open.
type Draft struct {
	// Target is the column to predict. It is required, except for an array with a separate file of
	// labels.
	Target string
	// Numeric maps the names of numeric columns to their bounds. It may include the target.
	Numeric map[string][2]float64
	// Integer lists the names of columns in Numeric whose numbers are integers. Other names have no
	// effect.
	Integer []string
	// Levels maps the names of categorical columns to their levels. It may include the target.
	Levels map[string][]string
	// PrivateBounds maps the names of numeric columns with private bounds to a wide range. It must
	// not include the target.
	PrivateBounds map[string][2]float64
	// PrivateLevels maps the names of categorical columns with private levels to the maximum number
	// of levels. It must not include the target.
	PrivateLevels map[string]int
	// Dates maps the names of columns of dates to their first and last moment. Two zero times leave
	// the range open. It must not include the target.
	Dates map[string][2]time.Time
	// Text lists the names of text columns. Ignore lists the names of columns that are not
	// features.
	Text, Ignore []string
	// Row describes one row in words. "" means "one person".
	Row string
	// MaxRecords, Records and RowsPerPerson are the fields of the schema with these names. 0 means
	// not declared.
	MaxRecords, Records, RowsPerPerson int
	// FromData allows DraftSchema to copy undeclared levels and bounds from the records, and to declare
	// integers where all numbers are. The schema is then tainted.
	FromData bool

	people []string // for a related table: the columns of the table of people
}

// maxCopiedLevels is the largest number of distinct texts that FromData makes levels of.
const maxCopiedLevels = 100

// DraftSchema returns a draft of the schema of a table, from its header and the declared facts. It
// reads the same formats as Read. It reads records only if d.FromData is true. The field Undeclared
// of the result lists the open declarations.
//
//   - For a LIBSVM file, which has no header, src.Columns has the names of the columns in order.
//   - For JSON lines the keys of the first record are the header.
//   - In a file that describes its columns, a boolean column has the levels false and true. An
//     integer of 8 bits has the bounds of its type and is declared as integers. An unreadable column is
//     ignored. The comments of the file are the description.
//   - The columns of an array (NPY, NPZ, IDX) are numbered: pixel0, pixel1, … for images and x0,
//     x1, … for other matrices. The declared facts may name ranges of columns such as x[0:10].
//     Columns of bytes or booleans have the range of their type, which is public. The target may be
//     in a separate file of labels.
//   - The key of a related table is the only name that is a column of both tables. Its other columns
//     and its largest number of rows are open. It has one feature, the number of rows.
func DraftSchema(ctx context.Context, src Source, d Draft) (*Schema, error) {
	s, err := draftOne(ctx, src, d)
	if err == nil && len(src.Related) > 0 {
		err = s.draftRelated(ctx, src)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// draftOne returns the draft of one table.
func draftOne(ctx context.Context, src Source, d Draft) (*Schema, error) {
	if IsArray(ctx, src) {
		return d.fromArray(ctx, src)
	}
	if src.Database != nil {
		return d.fromDatabase(ctx, src)
	}
	if format.IsParts(src.Path) {
		parts, err := partsOf(src.Path)
		if err != nil {
			return nil, err
		}
		if d.FromData && len(parts) > 1 {
			return nil, &FileError{File: src.Path, Problem: "bounds are to be copied out of a table in parts", Want: "one file for that", Remedy: "declare them, or join the parts"}
		}
		s, err := draftFile(ctx, parts[0].source(src), d)
		return s, parts[0].named(err)
	}
	return draftFile(ctx, src, d)
}

// draftFile returns the draft of the schema of a file.
func draftFile(ctx context.Context, src Source, d Draft) (*Schema, error) {
	file, in, err := openFile(ctx, src.Path, 0, src.Formats)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b := bufio.NewReaderSize(in, chunkBytes)
	head, err := b.Peek(chunkBytes)
	if err != nil && err != io.EOF {
		return nil, err
	}
	columns, err := in.columns(file, head, src)
	if err != nil {
		return nil, err
	}
	if columns != nil {
		return d.fromColumns(ctx, src, columns)
	}
	table, rows, err := draftTable(src, b, head, d.Target)
	if err == nil && len(src.Columns) > 0 {
		d, err = d.expanded(src.Path, table.header)
	}
	if err != nil {
		return nil, err
	}
	s, err := d.schema(src, table)
	if err != nil {
		return nil, err
	}
	if d.FromData {
		if err = s.copyFrom(ctx, table, rows); err != nil {
			return nil, err
		}
	}
	s.Undeclared = s.undeclared()
	return s, nil
}

// schema returns the draft from a header and the declarations.
func (d Draft) schema(src Source, t *table) (*Schema, error) {
	if d.people != nil {
		var err error
		if d.Target, err = d.sharedKey(t); err != nil {
			return nil, err
		}
	}
	if err := d.check(src.Path, t); err != nil {
		return nil, err
	}
	s := &Schema{Row: d.Row, MaxRecords: d.MaxRecords, Records: d.Records, RowsPerPerson: d.RowsPerPerson,
		Delimiter: src.Delimiter, NoQuotes: src.NoQuotes, Target: d.target()}
	if t.named {
		s.Header = slices.Clone(t.header)
	}
	if s.Row == "" {
		s.Row = "one person"
	}
	ignored, texts := positions(d.Ignore), positions(d.Text)
	for _, name := range t.header {
		if name == d.Target {
			continue
		}
		if _, is := ignored[name]; is {
			s.Columns = append(s.Columns, Column{Name: name, Kind: Ignored})
		} else if _, is = texts[name]; is {
			s.Columns = append(s.Columns, draftText(name, cmp.Or(d.Records, d.MaxRecords)))
		} else {
			s.Columns = append(s.Columns, d.column(name))
		}
	}
	return s, nil
}

// check compares the declared names with the header, and the header with names that a schema can
// have.
func (d Draft) check(file string, t *table) error {
	if d.Target == "" {
		return &FileError{File: file, Problem: "no target is named", Want: "the column to predict", Remedy: "name it"}
	}
	names, at := d.names(), positions(t.header)
	for _, name := range append([]string{d.Target}, names...) {
		if _, has := at[name]; !has {
			return &FileError{File: file, Line: t.headerLine, Problem: fmt.Sprintf("column %q is not in the header", name), Want: "the names of its columns", Remedy: "check the spelling, and the delimiter"}
		}
	}
	_, bounds := d.PrivateBounds[d.Target]
	_, dates := d.Dates[d.Target]
	if _, levels := d.PrivateLevels[d.Target]; bounds || levels {
		return &FileError{File: file, Problem: fmt.Sprintf("target %q is private", d.Target), Want: "declared levels or bounds of what is predicted", Remedy: "declare them"}
	}
	if len(d.Levels[d.Target]) == 1 {
		return &FileError{File: file, Problem: fmt.Sprintf("target %q has one level", d.Target), Want: "two or more, separated by commas", Remedy: "declare all levels of what is predicted"}
	}
	for i, name := range names {
		if i > 0 && names[i-1] == name || name == d.Target && (slices.Contains(d.Ignore, name) || slices.Contains(d.Text, name) || dates) {
			return &FileError{File: file, Problem: fmt.Sprintf("column %q is declared twice", name), Want: "numeric bounds, levels, a date, text or ignore", Remedy: "keep one of them"}
		}
	}
	for k, name := range t.header {
		if at[name] != k || faultName("", name, "") != nil {
			return &FileError{File: file, Line: t.headerLine, Column: k + 1, Problem: "the header has a name that cannot be used", Want: "plain, distinct names that are not empty and have no form of a range", Remedy: "rename the column"}
		}
	}
	return nil
}

// positions returns the first position of each text.
func positions(texts []string) map[string]int {
	at := make(map[string]int, len(texts))
	for k, text := range texts {
		if _, has := at[text]; !has {
			at[text] = k
		}
	}
	return at
}

// names returns the names of all declared columns, in order. A name that is declared twice stands
// twice.
func (d Draft) names() []string {
	names := append(slices.Clone(d.Ignore), d.Text...)
	for name := range d.Numeric {
		names = append(names, name)
	}
	for name := range d.Levels {
		names = append(names, name)
	}
	for name := range d.Dates {
		names = append(names, name)
	}
	for name := range d.PrivateBounds {
		names = append(names, name)
	}
	for name := range d.PrivateLevels {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (d Draft) target() Target {
	t := Target{Column: d.Target, Levels: d.Levels[d.Target]}
	if bounds, ok := d.Numeric[d.Target]; ok {
		t.Lower, t.Upper = bounds[0], bounds[1]
	}
	return t
}

// column returns the draft of a column that is neither ignored nor of texts: declared, or without a
// kind.
func (d Draft) column(name string) Column {
	if bounds, ok := d.Numeric[name]; ok {
		c := draftNumeric(name, bounds[0], bounds[1])
		c.Integer = slices.Contains(d.Integer, name)
		return c
	}
	if levels, ok := d.Levels[name]; ok {
		return draftCategorical(name, levels)
	}
	if span, ok := d.Dates[name]; ok && span[0].IsZero() && span[1].IsZero() {
		return Column{Name: name, open: openDate}
	} else if ok {
		since, rest := moment.Split(span[0].UnixMicro())
		first := float64(rest) / (24 * 60 * 60 * 1e6)
		return draftDate(name, since, first, first+float64(span[1].Sub(span[0])/time.Microsecond)/(24*60*60*1e6))
	}
	return d.privateColumn(name)
}

// privateColumn returns a column that is to be learned, or one without a kind.
func (d Draft) privateColumn(name string) Column {
	c := Column{Name: name}
	if bounds, ok := d.PrivateBounds[name]; ok {
		c = draftNumeric(name, bounds[0], bounds[1])
		c.Learning = Private
	}
	if most, ok := d.PrivateLevels[name]; ok {
		c = draftCategorical(name, nil)
		c.Learning, c.MaxLevels = Private, most
	}
	return c
}

// draftNumeric returns a numeric column that treats bad cells in the way that loses least.
func draftNumeric(name string, lower, upper float64) Column {
	return Column{Name: name, Kind: Numeric, Lower: lower, Upper: upper, OutOfRange: Clamp, Missing: Indicator}
}

func draftCategorical(name string, levels []string) Column {
	return Column{Name: name, Kind: Categorical, Levels: levels, Unknown: Other, Missing: Indicator}
}

// observed is what FromData found in a column.
type observed struct {
	numbers, dates, others int
	long, fractions        int // cells of many words, and numbers that are no integers
	lower, upper           float64
	first, last            int64 // of the dates, in microseconds since 1970-01-01
	levels                 map[string]bool
}

func (o *observed) see(cell string) {
	if len(o.levels) <= maxCopiedLevels && !o.levels[cell] {
		o.levels[strings.Clone(cell)] = true
	}
	if strings.Count(cell, " ") >= longWords-1 {
		o.long++
	}
	if at, ok := moment.Micros(cell); ok {
		if o.dates++; o.dates == 1 {
			o.first, o.last = at, at
		}
		o.first, o.last = min(o.first, at), max(o.last, at)
		return
	}
	v, ok := decimal.Parse(cell)
	if !ok || !finite(v) {
		o.others++
		return
	}
	if o.numbers++; o.numbers == 1 {
		o.lower, o.upper = v, v
	}
	o.lower, o.upper = min(o.lower, v), max(o.upper, v)
	if v != math.Trunc(v) {
		o.fractions++
	}
}

// texts returns the levels, sorted.
func (o *observed) texts() []string {
	levels := make([]string, 0, len(o.levels))
	for level := range o.levels {
		levels = append(levels, level)
	}
	slices.Sort(levels)
	return levels
}

// few is the largest number of distinct numbers or dates that are levels.
const few = 10

// numeric reports whether the column reads as numbers: all cells are numbers, and there are more
// than a few distinct ones.
func (o *observed) numeric() bool {
	return o.others+o.dates == 0 && o.numbers > 0 && o.lower < o.upper && len(o.levels) > few
}

// dated reports whether the column reads as dates: all cells are dates, and there are more than a
// few distinct ones.
func (o *observed) dated() bool {
	return o.others+o.numbers == 0 && o.dates > 0 && o.first < o.last && len(o.levels) > few
}

// date returns the draft of a column of dates.
func (o *observed) date(name string) Column {
	since, _ := moment.Split(o.first)
	from := moment.Feature{Since: since}
	return draftDate(name, since, from.Days(o.first), from.Days(o.last))
}

// longWords is the number of words from which a cell is a text and hardly a name or an address.
const longWords = 8

// isText reports whether the column reads as texts: there are many, and half of the cells are long.
func (o *observed) isText() bool {
	return len(o.levels) > maxCopiedLevels && 2*o.long >= o.others
}

// rowReader reads row by row, as table.next does.
type rowReader interface {
	next() (cells []string, line int, err error)
}

// copyFrom fills open declarations from the records and notes which ones it filled.
func (s *Schema) copyFrom(ctx context.Context, t *table, from rowReader) error {
	seen := make([]observed, len(t.header))
	for k := range seen {
		seen[k].levels = map[string]bool{}
	}
	marks, rows := s.Marks(), 0
	for ; ; rows++ {
		if rows%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		record, _, err := from.next()
		if err == io.EOF && rows == 0 {
			return noRecords(t.file)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		for k, cell := range record {
			if cell = strings.TrimSpace(cell); !marks.missing(cell) {
				seen[k].see(cell)
			}
		}
	}
	if s.MaxRecords == 0 {
		s.MaxRecords = roundUp(rows)
		s.FromData = append(s.FromData, placeMaxRecords)
	}
	at := positions(t.header)
	s.fillTarget(&seen[at[s.Target.Column]])
	for i := range s.Columns {
		s.fillColumn(&s.Columns[i], &seen[at[s.Columns[i].Name]])
	}
	return nil
}

// fillTarget declares an open target from the observed cells, or leaves it open.
func (s *Schema) fillTarget(o *observed) {
	t := &s.Target
	if len(t.Levels) > 0 || t.Lower != 0 || t.Upper != 0 {
		return
	}
	switch {
	case o.numeric():
		t.Lower, t.Upper = o.lower, o.upper
	case len(o.levels) >= 2 && len(o.levels) <= maxCopiedLevels:
		t.Levels = o.texts()
	default:
		return
	}
	if s.faultTarget() != nil { // a text or a number that no schema can hold
		*t = Target{Column: t.Column}
		return
	}
	s.FromData = append(s.FromData, placeTarget)
}

// fillColumn declares an open column from the observed cells. A column of many long texts is
// hashed. A column with too many other texts, or with a text or a number that no schema can hold,
// is ignored.
func (s *Schema) fillColumn(c *Column, o *observed) {
	if c.Kind != 0 {
		return
	}
	filled := Column{Name: c.Name, Kind: Ignored}
	switch {
	case o.numeric():
		filled = draftNumeric(c.Name, o.lower, o.upper)
		filled.Integer = o.fractions == 0
	case o.dated():
		filled = o.date(c.Name)
	case len(o.levels) >= 1 && len(o.levels) <= maxCopiedLevels:
		filled = draftCategorical(c.Name, o.texts())
	case o.isText():
		filled = draftText(c.Name, cmp.Or(s.Records, s.MaxRecords))
	}
	if filled.fault(s.Marks()) != nil {
		filled = Column{Name: c.Name, Kind: Ignored}
	}
	*c = filled
	s.FromData = append(s.FromData, c.Name)
}

// roundUp returns the next number of the form 1, 2 or 5 times a power of ten.
func roundUp(n int) int {
	for power := 1; ; power *= 10 {
		for _, lead := range []int{1, 2, 5} {
			if lead*power >= n {
				return lead * power
			}
		}
	}
}

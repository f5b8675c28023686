package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fault is one reason why a schema cannot be used. place names the declaration it is about, so that
// a reader of a file can add the line.
type fault struct {
	place                 string
	problem, want, remedy string
}

// The places of a fault other than columns.
const (
	placeMaxRecords = "max-records"
	placeTarget     = "target"
)

func placeColumn(name string) string { return "column " + name }

// Validate returns an error if the schema cannot be used for training. Examples are a declaration
// that is still to be made, an invalid range and a repeated name.
func (s *Schema) Validate() error { return s.failure(cmp.Or(s.unresolved(), s.fault())) }

// ValidateTable returns an error if the schema cannot be used for queries about a table. Unlike
// Validate, it accepts a schema without a target or features.
func (s *Schema) ValidateTable() error { return s.failure(cmp.Or(s.unresolved(), s.faultOfTable())) }

func (s *Schema) failure(f *fault) error {
	if f == nil {
		return nil
	}
	e := FileError{File: "schema", Problem: f.problem, Want: f.want, Remedy: f.remedy}
	if s.Name != "" {
		e.File = fmt.Sprintf("schema %q", s.Name)
	}
	return fmt.Errorf("%s", e.Error())
}

func (s *Schema) fault() *fault {
	if f := s.faultOfTable(); f != nil {
		return f
	}
	if s.Target.Column == "" {
		return &fault{"", "the schema has no target", keyWant["target"], "add it; only dither query and data.ReadTableSchema do without one"}
	}
	if len(s.Features())+len(s.Patterns) == 0 {
		return &faultNoFeature
	}
	return nil
}

var faultNoFeature = fault{"columns", "no column is declared numeric, categorical or text", "at least one feature", "declare one"}

func (s *Schema) faultOfTable() *fault {
	if open := s.open(); len(open) > 0 {
		return &open[0]
	}
	if len(s.Undeclared) > 0 {
		return &fault{"", "a declaration is still left open: " + s.Undeclared[0], "a complete schema", "declare it"}
	}
	for _, check := range []func() *fault{s.faultSizes, s.faultTexts, s.faultNames, s.faultHeader, s.faultRelated, s.faultColumns, s.faultPatterns, s.faultTarget, s.faultFromData} {
		if f := check(); f != nil {
			return f
		}
	}
	if s.Target.Column == "" && len(s.Features())+len(s.Patterns) == 0 {
		return &faultNoFeature
	}
	return nil
}

// open returns the declarations that a draft leaves to a person.
func (s *Schema) open() []fault {
	var open []fault
	if s.MaxRecords == 0 {
		open = append(open, fault{placeMaxRecords, "max-records is not declared", "a public upper bound on the number of records", "write max-records: with a round number that you would tell anyone"})
	}
	if s.Target.Column != "" && len(s.Target.Levels) == 0 && s.Target.Lower == 0 && s.Target.Upper == 0 {
		open = append(open, fault{placeTarget, fmt.Sprintf("target %q is not declared", s.Target.Column), "levels: [...] or bounds: [lower, upper]", "declare it"})
	}
	open = append(open, s.openRelated()...)
	if !slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Kind == 0 }) {
		return open
	}
	for _, run := range columnRuns(s.Columns) {
		if run.column.Kind == 0 {
			open = append(open, fault{placeColumn(run.column.Name), fmt.Sprintf("column %q is not declared", run.key), cmp.Or(run.column.open, declareColumn), "declare it from public knowledge"})
		}
	}
	return open
}

// These lists are what a person can write for an open column: of any type, and of a known one.
const (
	declareColumn  = "numeric: [lower, upper], levels: [...], date: {...}, text: {}, ignore, bounds: private or levels: private"
	declareNumber  = "numeric: [lower, upper], levels: [...], ignore or bounds: private"
	declareTexts   = "levels: [...], text: {}, ignore or levels: private"
	declareChoices = "levels: [...], ignore or levels: private"
)

// undeclared returns the open declarations as words for Schema.Undeclared.
func (s *Schema) undeclared() []string {
	var words []string
	for _, f := range s.open() {
		words = append(words, f.problem+", want "+f.want)
	}
	return words
}

func (s *Schema) faultSizes() *fault {
	const most = 1 << 40
	switch {
	case s.MaxRecords < 1 || s.MaxRecords > most:
		return &fault{placeMaxRecords, fmt.Sprintf("max-records is %d", s.MaxRecords), "at least 1 and at most 2^40", "declare a public upper bound on the number of records"}
	case s.Records < 0 || s.Records > s.MaxRecords:
		return &fault{"records", fmt.Sprintf("records is %d", s.Records), fmt.Sprintf("at least 0 and at most max-records, %d", s.MaxRecords), "raise max-records or mend the number"}
	case s.RowsPerPerson < 0:
		return &fault{"rows-per-person", fmt.Sprintf("rows-per-person is %d", s.RowsPerPerson), "0 or more", "declare the greatest number of rows that one person has"}
	case s.Delimiter != 0 && !validDelimiter(s.Delimiter):
		return &fault{"delimiter", fmt.Sprintf("delimiter is %q", s.Delimiter), "one character that is no quote, letter, digit or line end", "leave it out to have it detected"}
	case len(s.Columns) > maxColumns:
		return &fault{"", "the schema has too many columns", fmt.Sprintf("at most %d", maxColumns), "ignore some of them in the file"}
	}
	return nil
}

func validDelimiter(r rune) bool {
	return r != '"' && r != '\r' && r != '\n' && r != 0 && utf8.ValidRune(r) && r != utf8.RuneError &&
		!unicode.IsLetter(r) && !unicode.IsDigit(r) && (r == '\t' || !unicode.IsControl(r))
}

func (s *Schema) faultTexts() *fault {
	if strings.HasPrefix(s.Row, "all rows with one ") { // a plan about persons says so, and a ledger believes it
		return &fault{"row", fmt.Sprintf("row is %q", s.Row), "what a single row is", "say one row here; ask for persons with --unit person:COLUMN"}
	}
	for _, t := range [][2]string{{"name", s.Name}, {"row", s.Row}, {"description", strings.ReplaceAll(s.Description, "\n", "")}} {
		if !plainText(t[1]) {
			return &fault{t[0], t[0] + " holds a control character or is not UTF-8", "plain text", "mend it"}
		}
	}
	for _, mark := range s.MissingMarks {
		if !plainText(mark) || strings.TrimSpace(mark) != mark {
			return &fault{"missing-marks", fmt.Sprintf("missing mark %q has outer spaces or a control character", mark), "the text of a cell after trimming", "remove the spaces"}
		}
	}
	return nil
}

// plainText reports whether a text is UTF-8 without control characters, so that
// it can stand in an error line and in a schema file.
func plainText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r == utf8.RuneError
	})
}

func (s *Schema) faultNames() *fault {
	if s.Target.Column != "" {
		if f := faultName("target column", s.Target.Column, placeTarget); f != nil {
			return f
		}
	}
	seen := make(map[string]bool, len(s.Columns))
	for i := range s.Columns {
		c := &s.Columns[i]
		if f := faultName("column name", c.Name, ""); f != nil {
			f.place = placeColumn(c.Name)
			return f
		}
		leads := c.leads(s.Columns, i)
		twice := seen[c.Name] || c.Name == s.Target.Column
		if twice || leads && (seen[c.source()] || c.source() == s.Target.Column) {
			name := c.Name
			if !twice {
				name = c.source()
			}
			return &fault{placeColumn(c.Name), fmt.Sprintf("column %q is declared twice", name), "each column once, the target only under target", "remove one of the two"}
		}
		seen[c.Name], seen[c.source()] = true, true
	}
	return nil
}

func faultName(what, name, place string) *fault {
	problem := ""
	switch {
	case name == "":
		problem = "is empty"
	case !plainText(name):
		problem = "holds a control character or is not UTF-8"
	case strings.TrimSpace(name) != name:
		problem = "begins or ends with a space"
	default:
		if _, _, _, isRange := parseRange(name); isRange {
			problem = "has the form of a range"
		} else if isPattern(name) {
			problem = "has the form of a pattern"
		}
	}
	if problem == "" {
		return nil
	}
	return &fault{place, fmt.Sprintf("%s %q %s", what, name, problem), "a plain name", "rename the column in the file and here"}
}

func (s *Schema) faultColumns() *fault {
	marks := s.Marks()
	values := 0
	for i := range s.Columns {
		c := &s.Columns[i]
		if f := c.fault(marks); f != nil {
			f.place = placeColumn(c.Name)
			f.problem = fmt.Sprintf("column %q: %s", c.Name, f.problem)
			return f
		}
		if c.Kind != Ignored {
			values += c.Width()
		}
		if values > maxColumns {
			return &fault{placeColumn(c.Name), fmt.Sprintf("column %q and those before it have more than %d values in a row", c.Name, maxColumns), "fewer columns or buckets", "declare fewer buckets for text columns"}
		}
	}
	return nil
}

func (s *Schema) faultTarget() *fault {
	t := &s.Target
	if t.Column == "" {
		return nil
	}
	f := faultTreatment("missing", t.Missing, undecided, Drop)
	switch {
	case f != nil:
	case t.Regression() && t.Threshold != nil:
		f = &fault{problem: "above is declared without levels", want: "levels: with two names, such as [no, yes]", remedy: "name the two levels"}
	case t.Regression():
		f = faultBounds(t.Lower, t.Upper)
	case len(t.Levels) < 2 || t.Threshold != nil && len(t.Levels) != 2:
		f = &fault{problem: fmt.Sprintf("number of levels is %d", len(t.Levels)), want: "2 or more, with above exactly 2", remedy: "declare the levels"}
	case t.Lower != 0 || t.Upper != 0:
		f = &fault{problem: "both levels and bounds are declared", want: "one of the two", remedy: "remove one"}
	case t.Threshold != nil && !finite(*t.Threshold):
		f = &fault{problem: "above is not a finite number", want: "a number", remedy: "mend it"}
	case t.Threshold != nil:
		f = faultLevels(t.Levels, nil)
	default:
		f = faultLevels(t.Levels, s.Marks())
	}
	if f != nil {
		f.place, f.problem = placeTarget, fmt.Sprintf("target %q: %s", t.Column, f.problem)
	}
	return f
}

func (s *Schema) faultFromData() *fault {
	if len(s.FromData) == 0 {
		return nil
	}
	known := map[string]bool{placeTarget: true, placeMaxRecords: true}
	for i := range s.Columns {
		known[s.Columns[i].Name] = true
	}
	for _, name := range s.FromData {
		if !known[name] {
			return &fault{"from-data", fmt.Sprintf("from-data names %q", name), "a column of the schema, target or max-records", "remove it"}
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

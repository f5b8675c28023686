package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxSchemaBytes bounds a schema file.
const maxSchemaBytes = 16 << 20

// ReadSchema returns the schema in a YAML file. A schema that Validate refuses is an error. The
// error is a *FileError with the file, line and column.
func ReadSchema(path string) (*Schema, error) { return readSchema(path, (*Schema).fault) }

// ReadTableSchema returns the schema in a YAML file for queries about a table. A schema that
// ValidateTable refuses is an error. Unlike ReadSchema, it accepts a schema without a target or
// features.
func ReadTableSchema(path string) (*Schema, error) { return readSchema(path, (*Schema).faultOfTable) }

func readSchema(path string, find func(*Schema) *fault) (*Schema, error) {
	text, err := readSchemaFile(path)
	if err != nil {
		return nil, err
	}
	p := schemaParser{file: path, targetless: true}
	s, err := p.parse(text)
	if err != nil {
		return nil, err
	}
	if f := find(s); f != nil {
		e := &FileError{File: path, Problem: f.problem, Want: f.want, Remedy: f.remedy}
		if n := p.place(f.place); n != nil {
			e.Line, e.Column = n.Line, n.Column
		}
		return nil, e
	}
	return s, nil
}

// ParseSchema returns the schema in a YAML text. An unknown key is an error. The error contains the
// name, line and column. Drafts are accepted, because ParseSchema does not call Validate.
func ParseSchema(name string, text []byte) (*Schema, error) {
	p := schemaParser{file: name}
	return p.parse(text)
}

func readSchemaFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, openError(path, err, "name the schema file, or draft one with: dither schema init")
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSchemaBytes+1))
	if err != nil {
		return nil, openError(path, err, "name a schema file")
	}
	if len(text) > maxSchemaBytes {
		return nil, &FileError{File: path, Problem: "the file is larger than 16 MiB", Want: "a schema in YAML", Remedy: "name the schema file"}
	}
	return text, nil
}

// openError returns an error of the file system as one line. The cause's own text repeats the path,
// so it is replaced.
func openError(path string, err error, remedy string) *FileError {
	e := &FileError{File: path, Problem: "the file cannot be read", Want: "a readable file", Remedy: remedy, Err: err}
	var cause *fs.PathError
	info, statErr := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Problem = "the file does not exist"
	case errors.Is(err, fs.ErrPermission):
		e.Problem = "permission is denied"
	case statErr == nil && info.IsDir():
		e.Problem, e.Want = "it is a directory", "a file"
	case errors.As(err, &cause):
		e.Problem = "the file cannot be read (" + cause.Err.Error() + ")"
	}
	return e
}

// schemaParser walks the YAML tree of one file, so that every error has a place.
type schemaParser struct {
	file string
	// targetless reports that a schema may have no target or no further column.
	targetless bool
	places     map[string]*yaml.Node
	// columnPlaces are the places of the columns, in order; each holds from its first column to the
	// next place.
	columnPlaces []columnPlace
	defaults     treatments
	unsized      []unsized
	headerless   bool // header is none: the file has the columns of the schema
	schema       Schema
}

// The keys of the mappings of a schema file. docs/schema.md says what each means.
var (
	schemaKeys = []string{"dither-schema", "name", "description", "row", "rows-per-person", "records",
		"max-records", "missing-marks", "delimiter", "header", "quote", "target", "columns", "defaults", "from-data", "ledger", "related"}
	targetKeys  = []string{"column", "levels", "bounds", "above", "missing"}
	columnKeys  = []string{"numeric", "bounds", "range", "levels", "ordered", "max-levels", "learned", "text", "date", "unit", "integer", "transform", "bins", "max-bins", "unknown", "out-of-range", "missing", "fill"}
	textKeys    = []string{"buckets", "ngrams", "stop-words", "values", "positions", "tokens"}
	dateKeys    = []string{"since", "range", "parts"}
	defaultKeys = []string{"missing", "out-of-range", "unknown"}
)

// treatments are the words of defaults, undecided where there is none.
type treatments struct{ missing, outOfRange, unknown Treatment }

type columnPlace struct {
	first int
	name  *yaml.Node
}

// place returns the key that a fault is about, or nil.
func (p *schemaParser) place(place string) *yaml.Node {
	if pattern, is := strings.CutPrefix(place, placePattern("")); is {
		at := p.schema.patternPlaces[slices.IndexFunc(p.schema.Patterns, func(c Column) bool { return c.Name == pattern })]
		return &yaml.Node{Line: at.Line, Column: at.Column}
	}
	name, isColumn := strings.CutPrefix(place, placeColumn(""))
	if !isColumn {
		return p.places[place]
	}
	// Take the last column of the name: a name that is declared twice is a fault of the second.
	for i := len(p.schema.Columns) - 1; i >= 0; i-- {
		if p.schema.Columns[i].Name == name {
			next := sort.Search(len(p.columnPlaces), func(k int) bool { return p.columnPlaces[k].first > i })
			return p.columnPlaces[next-1].name
		}
	}
	return nil
}

// entry is one key of a mapping and its value.
type entry struct {
	key        string
	name, node *yaml.Node
}

func (p *schemaParser) parse(text []byte) (*Schema, error) {
	p.places = map[string]*yaml.Node{}
	root, err := p.document(text)
	if err != nil {
		return nil, err
	}
	if !isSchema(root) {
		return nil, &FileError{File: p.file, Line: root.Line, Column: root.Column, Problem: "the file is no schema: it has no key dither-schema", Want: keyWant["dither-schema"], Remedy: "name the schema file"}
	}
	entries, err := p.mapping(root, "a schema", schemaKeys...)
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"target", "columns"} {
		if other := map[string]string{"target": "columns", "columns": "target"}[key]; !hasKey(entries, key) && !(p.targetless && hasKey(entries, other)) {
			return nil, p.fail(root, "the schema has no key "+key, keyWant[key], "add it")
		}
	}
	// The columns need the defaults, which may stand after them, and features of related tables are
	// the last columns.
	turn := map[string]int{"columns": 1, placeRelated: 2}
	for now := range 3 {
		for _, e := range entries {
			if turn[e.key] == now {
				if err := p.top(e); err != nil {
					return nil, err
				}
			}
		}
	}
	p.size()
	for _, t := range p.schema.Related {
		for _, c := range p.schema.ownColumns() {
			if c.Name == t.PeopleKey && c.source() != c.Name {
				return nil, p.fail(p.places[placeRelated], fmt.Sprintf("related table %q: its people-key %q is a part of the date %q", t.Name, t.PeopleKey, c.source()),
					"a column of the table of people", "declare the column that names a person, as ignore if it is no feature")
			}
		}
	}
	if len(p.schema.Related) > 0 && p.schema.RowsPerPerson == 0 {
		p.schema.RowsPerPerson = 1 // rows that share a key are dropped
	}
	if p.headerless && len(p.schema.Patterns) > 0 {
		return nil, p.fail(p.places["header"], "header is none and columns are declared by patterns", "the names of the columns, in brackets", "name them, or declare each column")
	}
	if p.headerless {
		p.schema.Header = p.schema.allNames()
	}
	if len(p.schema.FromData) == 0 {
		p.schema.FromData = nil
	}
	p.schema.Undeclared = p.schema.undeclared()
	return &p.schema, nil
}

// isSchema reports whether the text is meant to be a schema. Only then may an error quote it: a
// table that is given by mistake holds records.
func isSchema(root *yaml.Node) bool {
	if root.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i < len(root.Content); i += 2 {
		if root.Content[i].Value == "dither-schema" {
			return true
		}
	}
	return false
}

var keyWant = map[string]string{
	"dither-schema": "dither-schema: 1 in the first line",
	"target":        "target: {column: name, levels: [...]}",
	"columns":       "columns: with one entry for each column",
}

func hasKey(entries []entry, key string) bool {
	for _, e := range entries {
		if e.key == key {
			return true
		}
	}
	return false
}

// document parses the text and returns the mapping of its only document.
func (p *schemaParser) document(text []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	var document, next yaml.Node
	err := decoder.Decode(&document)
	if err == io.EOF || err == nil && len(document.Content) == 0 {
		return nil, &FileError{File: p.file, Problem: "the file is empty", Want: "a schema in YAML", Remedy: "draft one with: dither schema init"}
	}
	if err == nil {
		if err = decoder.Decode(&next); err == io.EOF {
			return document.Content[0], nil
		}
		if err == nil {
			return nil, p.fail(&next, "a second YAML document begins", "one document", "keep one schema a file")
		}
	}
	return nil, p.yamlError(err, text)
}

var (
	yamlLine    = regexp.MustCompile(`^yaml: line (\d+): `)
	yamlUnknown = regexp.MustCompile(`unknown anchor '(.*)' referenced`)
)

// yamlError returns the place where YAML text is broken. The library's own words name constructs
// and anchors, not values. They are kept when they are plain.
func (p *schemaParser) yamlError(err error, text []byte) error {
	e := &FileError{File: p.file, Problem: "the text is no YAML", Want: "a schema in YAML", Remedy: "mend the indentation, brackets and quotes"}
	words := err.Error()
	if m := yamlLine.FindStringSubmatch(words); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		words = words[len(m[0]):]
	}
	if plainText(words) && len(words) < 100 && !strings.Contains(words, "anchor") {
		e.Problem = "the text is no YAML (" + words + ")"
	}
	lines := strings.Split(string(text), "\n")
	if m := yamlUnknown.FindStringSubmatch(words); m != nil {
		e.Line, e.Column = findAlias(lines, m[1])
	}
	// YAML takes an unquoted star for the name of another value.
	if e.Line > 0 && e.Line <= len(lines) && (e.Column > 0 || strings.Contains(words, "expected alphabetic") && strings.Contains(lines[e.Line-1], "*")) {
		e.Problem = "the text is no YAML: a text without quotation marks begins with a star"
		e.Want, e.Remedy = `the text in quotation marks, as "*_lab": ignore`, "quote it"
	}
	return e
}

// findAlias returns the line and column of the first alias with a name that is neither quoted nor in a
// comment, or 0 and 0.
func findAlias(lines []string, name string) (line, column int) {
	alias := regexp.MustCompile(`(?:^|[\s\[{,])(\*` + regexp.QuoteMeta(name) + `)(?:[\s:,\]}]|$)`)
	for i, text := range lines {
		for _, at := range alias.FindAllStringSubmatchIndex(text, -1) {
			before := text[:at[2]]
			if strings.Count(before, `"`)%2 == 0 && strings.Count(before, "'")%2 == 0 && !strings.Contains(" "+before, " #") {
				return i + 1, utf8.RuneCountInString(before) + 1
			}
		}
	}
	return 0, 0
}

func (p *schemaParser) fail(n *yaml.Node, problem, want, remedy string) error {
	return &FileError{File: p.file, Line: n.Line, Column: n.Column, Problem: problem, Want: want, Remedy: remedy}
}

// top reads one key of the schema.
func (p *schemaParser) top(e entry) error {
	s := &p.schema
	p.places[e.key] = e.name
	switch e.key {
	case "dither-schema":
		if e.node.Value != "1" {
			return p.fail(e.node, fmt.Sprintf("dither-schema is %q", e.node.Value), "1", "use a version of dither that reads it")
		}
	case "name":
		return p.text(e, &s.Name)
	case "description":
		return p.text(e, &s.Description)
	case "row":
		return p.text(e, &s.Row)
	case "rows-per-person":
		return p.whole(e, &s.RowsPerPerson)
	case "records":
		return p.whole(e, &s.Records)
	case "max-records":
		if e.node.Value == declareMark {
			return nil
		}
		return p.whole(e, &s.MaxRecords)
	case "missing-marks":
		return p.texts(e, &s.MissingMarks)
	case "delimiter":
		return p.delimiter(e)
	case "header":
		return p.header(e)
	case "quote":
		return p.quote(e)
	case "target":
		return p.target(e)
	case "columns":
		return p.columns(e)
	case "defaults":
		return p.readDefaults(e)
	case "from-data":
		return p.texts(e, &s.FromData)
	case "ledger":
		return p.ledger(e)
	case placeRelated:
		return p.related(e)
	}
	return nil
}

// ledger reads the place of the durable ledger. The name of a file counts from the folder of the
// schema.
func (p *schemaParser) ledger(e entry) error {
	if err := p.text(e, &p.schema.Ledger); err != nil {
		return err
	}
	if p.schema.Ledger == "" { // runs would go uncounted, and somebody wanted them counted
		return p.fail(e.node, "ledger is empty", "the name of a file, or postgres://user@host/database?ledger=NAME", "name it, or take the line out: then runs say that no ledger counts them")
	}
	if l := p.schema.Ledger; !strings.Contains(l, "://") && !filepath.IsAbs(l) {
		p.schema.Ledger = filepath.Join(filepath.Dir(p.file), filepath.FromSlash(l))
	}
	return nil
}

// header reads the names of the columns of a file without a header.
func (p *schemaParser) header(e entry) (err error) {
	if p.headerless = e.node.Kind == yaml.ScalarNode && e.node.Value == headerNone; p.headerless {
		return nil
	}
	var names []string
	if err = p.texts(e, &names); err != nil {
		return p.fail(e.node, "header is "+nodeWords(e.node), "none, or the names of the columns in the order of the file, in brackets", "leave it out where the first line has the names")
	}
	if p.schema.Header, err = expandNames(names); err != nil {
		return p.fail(e.node, "header has a range that is none", "name[from:to] with from less than to", "mend it")
	}
	if p.schema.Header == nil {
		p.schema.Header = []string{} // which is refused, unlike nil
	}
	return nil
}

// quoteWords say what a quote in a CSV file is.
var quoteWords = map[string]bool{"csv": false, "none": true}

func (p *schemaParser) quote(e entry) error {
	noQuotes, known := quoteWords[e.node.Value]
	if e.node.Kind != yaml.ScalarNode || !known {
		return p.fail(e.node, "quote is "+nodeWords(e.node), "csv (a quote opens a cell) or none (a character like others)", "choose one")
	}
	p.schema.NoQuotes = noQuotes
	return nil
}

// delimiterNames are the delimiters that a schema file writes as words.
var delimiterNames = map[string]rune{"tab": '\t', "comma": ',', "semicolon": ';', "pipe": '|', "space": ' '}

func (p *schemaParser) delimiter(e entry) error {
	var text string
	if err := p.text(e, &text); err != nil {
		return err
	}
	if r, ok := delimiterNames[text]; ok {
		p.schema.Delimiter = r
		return nil
	}
	runes := []rune(text)
	if len(runes) != 1 || !validDelimiter(runes[0]) {
		return p.fail(e.node, fmt.Sprintf("delimiter is %q", text), "comma, semicolon, tab, pipe, space or one other mark", "leave it out to have it detected")
	}
	p.schema.Delimiter = runes[0]
	return nil
}

func (p *schemaParser) readDefaults(e entry) error {
	entries, err := p.mapping(e.node, "defaults", defaultKeys...)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.key {
		case "missing":
			err = p.treatment(e, &p.defaults.missing, Indicator, Zero, Drop)
		case "out-of-range":
			err = p.treatment(e, &p.defaults.outOfRange, Clamp, AsMissing, Drop)
		case "unknown":
			err = p.treatment(e, &p.defaults.unknown, Other, Zero, AsMissing, Drop)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

package data_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// draftTable is a table to draft from: 20 ages, two jobs, names that differ, one constant.
func draftTable() string {
	var b strings.Builder
	b.WriteString("name;age;job;flat;none;label\n")
	for i := range 120 {
		fmt.Fprintf(&b, "%s%d;%d;%s;1;?;%s\n", planted, i, 20+i%20, []string{"smith", "clerk", ""}[i%3], []string{"yes", "no"}[i%2])
	}
	return b.String()
}

func draft(t *testing.T, text string, d data.Draft) (*data.Schema, string, error) {
	t.Helper()
	path := writeFile(t, "t.csv", text)
	s, err := data.DraftSchema(context.Background(), data.Source{Path: path}, d)
	return s, path, err
}

// TestDraftOpen drafts from the header alone: everything is open, nothing of the records
// is in the text, and the draft cannot be used.
func TestDraftOpen(t *testing.T) {
	s, path, err := draft(t, draftTable(), data.Draft{Target: "label", Ignore: []string{"name"}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Tainted() || s.MaxRecords != 0 || s.Row != "one person" {
		t.Errorf("got %+v, want one person, no bound and no taint", s)
	}
	if want := 6; len(s.Undeclared) != want { // max-records, the target and four columns
		t.Errorf("got %d open declarations %q, want %d", len(s.Undeclared), s.Undeclared, want)
	}
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), planted) || strings.Contains(string(text), "smith") {
		t.Errorf("got the text of a cell in\n%s", text)
	}
	for _, want := range []string{"max-records: DECLARE # a public upper bound", "levels: DECLARE # levels: [...], bounds", "name: ignore\n", "age: DECLARE # numeric: [lower, upper], levels: [...], date: {...}, text: {}, ignore, bounds: private or levels: private\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("got\n%s\nwant the line %q", text, want)
		}
	}
	checkRoundTrip(t, s)
	file := writeFile(t, "draft.yaml", string(text))
	_, err = data.ReadSchema(file)
	var e *data.FileError
	if !errors.As(err, &e) || e.File != file || e.Line == 0 {
		t.Errorf("ReadSchema: got error %v, want one with file and line", err)
	}
	if _, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "not declared") {
		t.Errorf("Read: got error %v, want a refusal", err)
	}
}

// TestDraftOpenColumnIsNamed leaves one column open and wants its name, file and line.
func TestDraftOpenColumnIsNamed(t *testing.T) {
	s, _, err := draft(t, draftTable(), data.Draft{Target: "label", MaxRecords: 500, Ignore: []string{"name", "flat", "none"},
		Numeric: map[string][2]float64{"age": {0, 120}}, Levels: map[string][]string{"label": {"no", "yes"}}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	line := 1 + strings.Count(string(text[:strings.Index(string(text), "  job: DECLARE")]), "\n")
	file := writeFile(t, "draft.yaml", string(text))
	_, err = data.ReadSchema(file)
	var e *data.FileError
	if !errors.As(err, &e) || e.File != file || e.Line != line || e.Column != 3 || !strings.Contains(err.Error(), `column "job"`) {
		t.Errorf("got error %v, want one about column job in line %d, column 3", err, line)
	}
}

// TestDraftDeclared declares everything: the draft is complete and reads the table.
func TestDraftDeclared(t *testing.T) {
	s, path, err := draft(t, draftTable(), data.Draft{
		Target: "label", Row: "one visit", MaxRecords: 500, Records: 120, RowsPerPerson: 3, Ignore: []string{"name", "flat", "none"},
		Numeric: map[string][2]float64{"age": {10, 120}}, Levels: map[string][]string{"job": {"clerk", "smith"}, "label": {"no", "yes"}},
	})
	if err != nil || s.Validate() != nil {
		t.Fatalf("got error %v, Validate %v", err, s.Validate())
	}
	if s.Row != "one visit" || s.Records != 120 || s.RowsPerPerson != 3 || s.Tainted() {
		t.Errorf("got %+v, want the declared facts and no taint", s)
	}
	checkRoundTrip(t, s)
	d, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{})
	if err != nil || d.Records() != 120 {
		t.Errorf("got error %v, want 120 records", err)
	}
	regression, _, err := draft(t, draftTable(), data.Draft{Target: "age", MaxRecords: 500, Numeric: map[string][2]float64{"age": {0, 120}},
		Levels: map[string][]string{"job": {"clerk"}}, Ignore: []string{"name", "flat", "none", "label"}})
	if err != nil || regression.Validate() != nil || !regression.Target.Regression() {
		t.Errorf("regression: got %+v, error %v", regression, err)
	}
}

// TestDraftFromData copies declarations out of the records and wants each of them listed.
func TestDraftFromData(t *testing.T) {
	s, path, err := draft(t, draftTable(), data.Draft{Target: "label", FromData: true, Numeric: map[string][2]float64{"flat": {0, 5}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	want := []data.Column{
		{Name: "name", Kind: data.Ignored}, // 120 distinct texts
		{Name: "age", Kind: data.Numeric, Lower: 20, Upper: 39, Integer: true, OutOfRange: data.Clamp, Missing: data.Indicator},
		{Name: "job", Kind: data.Categorical, Levels: []string{"clerk", "smith"}, Unknown: data.Other, Missing: data.Indicator},
		{Name: "flat", Kind: data.Numeric, Upper: 5, OutOfRange: data.Clamp, Missing: data.Indicator},
		{Name: "none", Kind: data.Ignored}, // nothing but missing marks
	}
	if !reflect.DeepEqual(s.Columns, want) {
		t.Errorf("got columns %+v, want %+v", s.Columns, want)
	}
	if !reflect.DeepEqual(s.Target, data.Target{Column: "label", Levels: []string{"no", "yes"}}) || s.MaxRecords != 200 {
		t.Errorf("got target %+v and bound %d, want no, yes and 200", s.Target, s.MaxRecords)
	}
	if got, want := s.FromData, []string{"max-records", "target", "name", "age", "job", "none"}; !reflect.DeepEqual(got, want) || !s.Tainted() {
		t.Errorf("got from-data %q, want %q", got, want)
	}
	checkRoundTrip(t, s)
	if r, err := data.Check(context.Background(), s, data.Source{Path: path}); err != nil || !r.Clean {
		t.Errorf("Check of the table it was copied from: got %+v, error %v, want it clean", r, err)
	}
}

// TestDraftFromDataIntegers wants integers where all numbers that are there are integers, in any form, and the names of these
// columns among those that were copied. Declared columns stay as they are.
func TestDraftFromDataIntegers(t *testing.T) {
	var b strings.Builder
	b.WriteString("whole,point,half,gaps,told,y\n")
	for i := range 24 {
		fmt.Fprintf(&b, "%d,%d.0,%s,%s,%d,%s\n", i-3, i, []string{"1.5", fmt.Sprint(i)}[min(i, 1)], []string{"?", fmt.Sprintf("%de1", i)}[i%2], i, []string{"a", "b"}[i%2])
	}
	s, _, err := draft(t, b.String(), data.Draft{Target: "y", FromData: true, MaxRecords: 50, Numeric: map[string][2]float64{"told": {0, 30}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, false, true, false} {
		if c := s.Columns[i]; c.Kind != data.Numeric || c.Integer != want || slices.Contains(s.FromData, c.Name) == (c.Name == "told") {
			t.Errorf("column %s: got kind %v, integers %v and from-data %q, want a number, integers %v", c.Name, c.Kind, c.Integer, s.FromData, want)
		}
	}
	checkRoundTrip(t, s)
}

// TestDraftFromDataDeclaredAreNotTainted wants no taint where a person declared everything.
func TestDraftFromDataDeclaredAreNotTainted(t *testing.T) {
	s, _, err := draft(t, "x,y\n1,a\n", data.Draft{Target: "y", FromData: true, MaxRecords: 9, Numeric: map[string][2]float64{"x": {0, 1}}, Levels: map[string][]string{"y": {"a", "b"}}})
	if err != nil || s.Tainted() {
		t.Errorf("got %+v, error %v, want no taint", s, err)
	}
}

// TestDraftFromDataOddCells copies from columns that no declaration fits: they must not
// spoil the schema, nor leave a person with an error that quotes them.
func TestDraftFromDataOddCells(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,lines,huge,close,y\n")
	for i := range 12 {
		fmt.Fprintf(&b, "%d,\"%s\n%d\",%de300,%d,%d\n", i, planted, i%2, i, 1<<30+i, i)
	}
	s, _, err := draft(t, b.String(), data.Draft{Target: "y", FromData: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Errorf("got error %v, want a valid schema", err)
	}
	for i, want := range []data.Kind{data.Numeric, data.Ignored, data.Ignored, data.Ignored} {
		if got := s.Columns[i]; got.Kind != want {
			t.Errorf("column %s: got %v, want %v", got.Name, got.Kind, want)
		}
	}
	if !s.Target.Regression() || s.Target.Upper != 11 {
		t.Errorf("target: got %+v, want bounds 0, 11", s.Target)
	}
	checkRoundTrip(t, s)
}

// TestDraftFromDataOddTarget copies from a target that no declaration fits: it stays open.
func TestDraftFromDataOddTarget(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,y\n")
	for i := range 12 {
		fmt.Fprintf(&b, "%d,%de300\n", i, i)
	}
	s, _, err := draft(t, b.String(), data.Draft{Target: "y", FromData: true})
	if err != nil || len(s.Undeclared) != 1 || !reflect.DeepEqual(s.Target, data.Target{Column: "y"}) || !reflect.DeepEqual(s.FromData, []string{"max-records", "x"}) {
		t.Errorf("got %+v, error %v, want an open target that is not listed as copied", s, err)
	}
}

// TestDraftRefuses wants the place of a fault and no cell.
func TestDraftRefuses(t *testing.T) {
	good := data.Draft{Target: "y"}
	cases := []struct {
		name, text string
		d          data.Draft
		column     int
		words      string
	}{
		{"no target", "x,y\n", data.Draft{}, 0, "no target is named"},
		{"target not in the header", "x,y\n", data.Draft{Target: "z"}, 0, `column "z" is not in the header`},
		{"numeric not in the header", "x,y\n", data.Draft{Target: "y", Numeric: map[string][2]float64{"w": {0, 1}}}, 0, `column "w" is not in the header`},
		{"levels not in the header", "x,y\n", data.Draft{Target: "y", Levels: map[string][]string{"v": {"a"}}}, 0, `column "v" is not in the header`},
		{"ignored not in the header", "x,y\n", data.Draft{Target: "y", Ignore: []string{"u"}}, 0, `column "u" is not in the header`},
		{"declared twice", "x,y\n", data.Draft{Target: "y", Ignore: []string{"x"}, Levels: map[string][]string{"x": {"a"}}}, 0, `column "x" is declared twice`},
		{"declared of both kinds", "x,y\n", data.Draft{Target: "y", Numeric: map[string][2]float64{"x": {0, 1}}, Levels: map[string][]string{"x": {"a"}}}, 0, `column "x" is declared twice`},
		{"target of one level", "x,y\n", data.Draft{Target: "y", Levels: map[string][]string{"y": {"a"}}}, 0, `target "y" has one level`},
		{"target ignored", "x,y\n", data.Draft{Target: "y", Ignore: []string{"y"}}, 0, `column "y" is declared twice`},
		{"empty name", "x,,y\n", good, 2, "cannot be used"},
		{"name twice", planted + "," + planted + ",y\n", good, 2, "cannot be used"},
		{"range as a name", planted + "[0:9],y\n", good, 1, "cannot be used"},
		{"line end in a name", "x,\"" + planted + "\nb\",y\n", good, 2, "cannot be used"},
		{"empty file", "", good, 0, "the file is empty"},
		{"binary", "\x89PNG\r\n\x00" + planted, good, 0, "PNG"},
		{"ragged, from data", "x,y\n1,2,3\n", data.Draft{Target: "y", FromData: true}, 0, "the row has 3 cells"},
		{"no rows, from data", "x,y\n", data.Draft{Target: "y", FromData: true}, 0, "holds no records"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, path, err := draft(t, c.text, c.d)
			var e *data.FileError
			if !errors.As(err, &e) {
				t.Fatalf("got %+v, error %v, want a *FileError", s, err)
			}
			oneLine(t, err)
			if e.File != path || e.Column != c.column || !strings.Contains(err.Error(), c.words) {
				t.Errorf("got %q, want %q at column %d", err, c.words, c.column)
			}
		})
	}
	if _, err := data.DraftSchema(context.Background(), data.Source{Path: t.TempDir()}, good); err == nil {
		t.Error("folder: got no error, want one")
	}
}

// TestDraftReadsHeaderOnly gives a table whose rows are broken: without FromData nobody
// looks at them.
func TestDraftReadsHeaderOnly(t *testing.T) {
	if _, _, err := draft(t, "x,y\n1\n\"", data.Draft{Target: "y"}); err != nil {
		t.Errorf("got error %v, want none", err)
	}
}

// TestDraftKeepsDelimiter wants a delimiter that was told to stand in the schema.
func TestDraftKeepsDelimiter(t *testing.T) {
	path := writeFile(t, "t.csv", "x^y\n")
	s, err := data.DraftSchema(context.Background(), data.Source{Path: path, Delimiter: '^'}, data.Draft{Target: "y"})
	if err != nil || s.Delimiter != '^' || len(s.Columns) != 1 {
		t.Errorf("got %+v, error %v, want one column and the delimiter ^", s, err)
	}
}

// TestDraftText declares a column of texts, and finds one in the records.
func TestDraftText(t *testing.T) {
	var b strings.Builder
	b.WriteString("review,title,label\n")
	for i := range 300 {
		fmt.Fprintf(&b, "\"number %d, a film that I have seen with my family\",\"Film, the %d\",%s\n", i, i, []string{"bad", "good"}[i%2])
	}
	declared := data.Draft{Target: "label", MaxRecords: 500, Text: []string{"review"}, Ignore: []string{"title"}, Levels: map[string][]string{"label": {"bad", "good"}}}
	s, path, err := draft(t, b.String(), declared)
	if err != nil || s.Validate() != nil || s.Tainted() || s.Columns[0].Kind != data.Text || *s.Columns[0].Hashing != data.HashingFor(500) {
		t.Fatalf("got %+v, error %v, want a text column", s, err)
	}
	checkRoundTrip(t, s)
	if d, readErr := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{}); readErr != nil || d.Records() != 300 || !d.Sparse() {
		t.Errorf("got %v, error %v, want 300 sparse records", d, readErr)
	}
	found, _, err := draft(t, b.String(), data.Draft{Target: "label", FromData: true})
	if err != nil || found.Columns[0].Kind != data.Text || found.Columns[1].Kind != data.Ignored || !slices.Contains(found.FromData, "review") {
		t.Errorf("got %+v, error %v, want a text column, named as one from the data", found, err)
	}
	declared.Text = []string{"review", "title"}
	if _, _, err = draft(t, b.String(), declared); err == nil || !strings.Contains(err.Error(), "declared twice") {
		t.Errorf("a text that is ignored: got error %v", err)
	}
	declared.Text, declared.Ignore = []string{"label"}, nil
	if _, _, err = draft(t, b.String(), declared); err == nil {
		t.Error("a target that is text: got no error")
	}
}

// TestDraftDatesFromData copies the first and the last moment of dates, so that the table is clean under the draft. A target
// of dates stays open.
func TestDraftDatesFromData(t *testing.T) {
	var b strings.Builder
	b.WriteString("day,at,mixed,few,y\n")
	for i := range 300 {
		fmt.Fprintf(&b, "2020-%02d-%02d,2021-03-%02d %02d:30:00.5,%s,2020-01-0%d,%s\n", 1+i%12, 1+i%28, 1+i%28, i%24, []string{"7", "2020-01-01"}[i%2], 1+i%3, []string{"a", "b"}[i%2])
	}
	s, path, err := draft(t, b.String(), data.Draft{Target: "y", FromData: true})
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.YAML()
	for _, want := range []string{"day: {date: {since: 2020-01-01, range: [0, 362]}", "at: {date: {since: 2021-03-01, range: [0.02083912037037037, 27.979172453703704]}", "mixed: {levels: [\"2020-01-01\", \"7\"]", "few: {levels: "} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("got %v\n%s\nwant %s", err, text, want)
		}
	}
	checkRoundTrip(t, s)
	if r, failed := data.Check(context.Background(), s, data.Source{Path: path}); failed != nil || !r.Clean {
		t.Errorf("got %+v, error %v, want a clean table", r, failed)
	}
	if s, _, err = draft(t, b.String(), data.Draft{Target: "day", FromData: true}); err != nil || s.Target.Regression() && s.Target.Lower != s.Target.Upper {
		t.Errorf("got %+v, error %v, want no bounds of dates", s.Target, err)
	}
}

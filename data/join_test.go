package data_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/columnar"
)

// joinedSchema is a schema of two tables with all aggregates.
const joinedSchema = `dither-schema: 1
row: one person
max-records: 1000
target: {column: ill, levels: ["no", "yes"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  person: ignore
  age: {numeric: [0, 100]}
related:
  visits:
    key: patient
    people-key: person
    max-rows: 3
    order-by: day
    columns:
      cost: {numeric: [0, 10]}
      ward: {levels: [a, b]}
      note: ignore
    features:
      visits: {count: true}
      visits in b: {count: {ward: b}}
      cost-sum: {sum: cost}
      cost-mean: {mean: cost}
      cost-min: {min: cost, missing: zero}
      cost-max: {max: cost, numeric: [2, 8], transform: log1p}
      cost-first: {first: cost}
      cost-last: {last: cost}
      ward-first: {first: ward}
      ward-last: {last: ward, missing: zero}
`

// TestJoinKeyIsNotLearned: the levels of a key are persons.
func TestJoinKeyIsNotLearned(t *testing.T) {
	text := strings.Replace(joinedSchema, "person: ignore", "person: {levels: private, max-levels: 20}", 1)
	s, err := data.ParseSchema("s.yaml", []byte(text))
	if err == nil {
		_, err = data.Read(context.Background(), s, joinedFiles(t, joinedPeople, joinedVisits), data.ReadOptions{})
	}
	if err == nil || !strings.Contains(err.Error(), "people-key \"person\" are private") {
		t.Errorf("got %v, want a refusal", err)
	}
}

// joinedFiles writes two tables as CSV and returns the source.
func joinedFiles(t testing.TB, people, visits string) data.Source {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"people.csv": people, "visits.csv": visits} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return data.Source{Path: filepath.Join(folder, "people.csv"), Related: map[string]data.Source{"visits": {Path: filepath.Join(folder, "visits.csv")}}}
}

func parsed(t testing.TB, text string) *data.Schema {
	t.Helper()
	s, err := data.ParseSchema("s", []byte(text))
	if err == nil {
		err = s.Validate()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rowTexts returns the rows of a data set with their targets, "-" for a missing cell.
func rowTexts(d *data.Dataset) []string {
	out := make([]string, d.Records())
	for i := range out {
		var cells []string
		for _, v := range d.Row(nil, i) {
			cell := fmt.Sprint(v)
			if v != v {
				cell = "-"
			}
			cells = append(cells, cell)
		}
		if d.Target() != nil {
			cells = append(cells, fmt.Sprint(d.Target()[i]))
		}
		out[i] = strings.Join(cells, " ")
	}
	return out
}

const joinedPeople = "person,age,ill\n1,10,no\n2,20,yes\n3,30,no\n4,40,yes\n4,41,no\n,50,yes\n,60,no\n7,70,\n7,71,no\n"

// joinedVisits has four rows of person 1, the first of which is not kept, and rows of nobody.
const joinedVisits = "patient,day,cost,ward,note\n" +
	"1,2024-01-04,4,b,x\n1,2024-01-02,20,a,x\n1,2024-01-03,,c,x\n1,2024-01-01,1,b,x\n" +
	"2,,5,b,x\n9,2024-01-01,5,b,x\n,2024-01-01,5,b,x\n4,2024-01-01,5,b,x\n"

func TestJoin(t *testing.T) {
	s, source := parsed(t, joinedSchema), joinedFiles(t, joinedPeople, joinedVisits)
	got, err := data.Read(context.Background(), s, source, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"10 3 1 14 7 4 8 10 4 0 1 0",
		"20 1 1 5 5 5 5 5 5 1 1 1",
		"30 0 0 0 - - - - - - - 0",
		"71 0 0 0 - - - - - - - 0", // the other row with this key has no target
	}
	if rows := rowTexts(got); !slices.Equal(rows, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
	if _, _, err = got.Group("person"); err == nil {
		t.Error("the texts of the key were kept, want them only if they are asked for")
	}
	if got.Schema() != s || len(got.CellCounts()) != len(s.Features()) || got.CellCounts()[6].Clamped != 1 {
		t.Errorf("got another schema or counts %+v", got.CellCounts())
	}
	all, err := data.Read(context.Background(), s, source, data.ReadOptions{KeepDropped: true, Extra: []string{"person"}})
	if err != nil {
		t.Fatal(err)
	}
	var dropped []int
	for i := range all.Records() {
		if all.Dropped(i) {
			dropped = append(dropped, i)
		}
	}
	if _, keys, failed := all.Group("person"); all.Records() != 9 || !slices.Equal(dropped, []int{3, 4, 5, 6, 7}) || failed != nil || !slices.Contains(keys, "4") {
		t.Errorf("got %d rows, dropped %d, keys %q (%v), want 9 rows without 3 to 7", all.Records(), dropped, keys, failed)
	}
	for block := 1; block <= 9; block++ {
		var rows []string
		err = data.ReadBlocks(context.Background(), s, source, data.ReadOptions{}, block, func(d *data.Dataset) error {
			rows = append(rows, rowTexts(d)...)
			return nil
		})
		if err != nil || !slices.Equal(rows, want) {
			t.Errorf("blocks of %d: got\n%s\n(%v), want\n%s", block, strings.Join(rows, "\n"), err, strings.Join(want, "\n"))
		}
	}
	if _, err = data.Resolve(context.Background(), s, source, data.ReadOptions{}); err != nil {
		t.Error(err)
	}
}

// TestJoinDrops: a missing feature with the treatment drop leaves out the person.
func TestJoinDrops(t *testing.T) {
	s := parsed(t, strings.Replace(joinedSchema, "cost-mean: {mean: cost}", "cost-mean: {mean: cost, missing: drop}", 1))
	got, err := data.Read(context.Background(), s, joinedFiles(t, joinedPeople, joinedVisits), data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"10 3 1 14 7 4 8 10 4 0 1 0", "20 1 1 5 5 5 5 5 5 1 1 1"}
	if rows := rowTexts(got); !slices.Equal(rows, want) {
		t.Errorf("got %q, want the two persons with a cost, %q", rows, want)
	}
}

// TestJoinSchemaText: the text of a schema with related tables gives the schema again.
func TestJoinSchemaText(t *testing.T) {
	s := parsed(t, joinedSchema)
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := data.ParseSchema("s", text)
	if err != nil || !reflect.DeepEqual(s, again) {
		t.Fatalf("got %v (%v) of\n%s", again, err, text)
	}
	second, _ := again.YAML()
	if !bytes.Equal(text, second) {
		t.Errorf("got\n%s\nwant\n%s", second, text)
	}
	if _, high := s.Columns[4].Lower, s.Columns[4].Upper; high != 30 || math.IsNaN(high) {
		t.Errorf("got the bound %v of a sum, want 3 rows of at most 10", high)
	}
}

func TestJoinCheck(t *testing.T) {
	s, source := parsed(t, joinedSchema), joinedFiles(t, joinedPeople, joinedVisits)
	report, err := data.Check(context.Background(), s, source)
	if err != nil {
		t.Fatal(err)
	}
	if report.Clean || report.Rows != 9 || report.Dropped != 1 || report.RepeatedKeys != 2 || report.WithoutKey != 2 {
		t.Errorf("got %+v, want 9 rows with 1 dropped, 2 that share a key and 2 without one", report)
	}
	if want := "[{Name:visits Rows:8 Dropped:0 WithoutPerson:2 BeyondMaxRows:1}]"; fmt.Sprintf("%+v", report.Related) != want {
		t.Errorf("got %+v, want %s", report.Related, want)
	}
	var names []string
	for _, c := range report.Columns {
		names = append(names, fmt.Sprint(c.Name, c.Missing, c.OutOfRange, c.Unknown))
	}
	if want := "age0 0 0 ill1 0 0 visits.cost1 1 0 visits.ward0 0 1"; strings.Join(names, " ") != want {
		t.Errorf("got %q, want %s", names, want)
	}
	source = joinedFiles(t, "person,age,ill\n1,10,no\n", "patient,day,cost,ward,note\n")
	if report, err = data.Check(context.Background(), s, source); err != nil || !report.Clean {
		t.Errorf("got %+v (%v) without related rows, want a clean table", report, err)
	}
}

// TestJoinKeysAreExact: numbers of a columnar file that may be rounded integers are no keys of persons.
func TestJoinKeysAreExact(t *testing.T) {
	const large = 1 << 53
	people := &memory{records: 5, columns: []columnar.Column{{Name: "person", Kind: columnar.Numbers}, {Name: "age", Kind: columnar.Numbers}, {Name: "ill", Kind: columnar.Texts}},
		cells: []columnar.Cells{{Numbers: []float64{large, large, large - 1, -large, 7}}, {Numbers: []float64{1, 2, 3, 4, 5}}, {Codes: []int32{0, 0, 0, 0, 0}, Texts: [][]byte{[]byte("no")}}}}
	source := people.source(t)
	source.Related = joinedFiles(t, "", "patient,day,cost,ward,note\n9007199254740992,1,1,a,\n9007199254740991,1,2,a,\n-9007199254740992,1,3,a,\n7,1,4,a,\n").Related
	got, err := data.Read(context.Background(), parsed(t, joinedSchema), source, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var counts []string
	for _, row := range rowTexts(got) {
		counts = append(counts, strings.Join(strings.Fields(row)[:2], ":"))
	}
	if want := "3:1 5:1"; strings.Join(counts, " ") != want {
		t.Errorf("got %q, want ages and counts %s", counts, want)
	}
}

// TestJoinText: people with a column of texts have the features of related tables too.
func TestJoinText(t *testing.T) {
	s := parsed(t, strings.Replace(joinedSchema, "age: {numeric: [0, 100]}", "age: {text: {buckets: 256}}", 1))
	source := joinedFiles(t, joinedPeople, joinedVisits)
	got, err := data.Read(context.Background(), s, source, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := data.Read(context.Background(), parsed(t, joinedSchema), source, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows := rowTexts(got)
	for i, want := range rowTexts(plain) {
		_, want, _ = strings.Cut(want, " ")
		if cells := strings.Fields(rows[i]); len(cells) != 256+10+1 || strings.Join(cells[256:], " ") != want {
			t.Errorf("row %d: got %q, want %q", i, strings.Join(cells[256:], " "), want)
		}
	}
	if got.Records() != plain.Records() || len(got.CellCounts()) != 11 {
		t.Errorf("got %d records and counts %v", got.Records(), got.CellCounts())
	}
}

// visitStruct and personStruct have the rows of joinedPeople and joinedVisits.
type visitStruct struct {
	Day  string
	Cost *float64
	Ward string
}

type personStruct struct {
	Person string
	Age    int
	Ill    string
	Visits []visitStruct
}

// TestJoinStructs: records in memory with their related rows inside are the records of two files. Without a field for
// the key each record is a person.
func TestJoinStructs(t *testing.T) {
	random := strings.Replace(joinedSchema, "    order-by: day\n", "    order-by: day\n    keep: random\n", 1)
	for _, text := range []string{joinedSchema, random, strings.Replace(joinedSchema, "ward: {levels: [a, b]}", "ward: {levels: [a, b], unknown: drop}", 1)} {
		s := parsed(t, text)
		source := joinedFiles(t, joinedPeople, joinedVisits)
		file, err := data.Read(context.Background(), s, source, data.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var people []personStruct
		for line := range strings.Lines(joinedPeople) {
			if cells := strings.Split(strings.TrimSpace(line), ","); cells[1] != "age" {
				p := personStruct{Person: cells[0], Ill: cells[2]}
				fmt.Sscan(cells[1], &p.Age)
				for line := range strings.Lines(joinedVisits) {
					v := strings.Split(line, ",")
					if v[0] != p.Person || p.Person == "" {
						continue
					}
					visit := visitStruct{Day: v[1], Ward: v[3]}
					if v[2] != "" {
						visit.Cost = new(float64)
						fmt.Sscan(v[2], visit.Cost)
					}
					p.Visits = append(p.Visits, visit)
				}
				people = append(people, p)
			}
		}
		got, err := data.FromStructs(s, people, data.ReadOptions{})
		if err != nil || !slices.Equal(rowTexts(got), rowTexts(file)) {
			t.Fatalf("got %v of structs, want\n%s", err, strings.Join(rowTexts(file), "\n"))
		}
		type keyless struct {
			Age    int
			Ill    string
			Stays  []visitStruct `dither:"visits"`
			Visits int           `dither:"-"`
		}
		var others []keyless
		for _, p := range people {
			others = append(others, keyless{p.Age, p.Ill, p.Visits, 9})
		}
		without, err := data.FromStructs(s, others, data.ReadOptions{})
		if err != nil || without.Records() != 8 {
			t.Fatalf("got %v and %v, want 8 persons: one has no target", without, err)
		}
		if text == joinedSchema && !slices.Contains(rowTexts(without), "40 1 1 5 5 5 5 5 5 1 1 1") {
			t.Errorf("got\n%s\nwant the person of 40 years with a visit", strings.Join(rowTexts(without), "\n"))
		}
	}
	if _, err := data.FromStructs(parsed(t, joinedSchema), []struct {
		Age int
		Ill string
	}{}, data.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "for related table \"visits\" is 0, want a slice of structs") {
		t.Errorf("got %v, want the missing field named", err)
	}
	if _, err := data.FromStructs(parsed(t, joinedSchema), []struct {
		Age    int
		Ill    string
		Visits []struct{ Day, Ward string }
	}{}, data.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "column \"cost\" is 0, want 1") {
		t.Errorf("got %v, want the missing field of a visit named", err)
	}
	if _, err := data.ReadFrom(context.Background(), parsed(t, joinedSchema), "t", strings.NewReader("age,ill\n"), data.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "call Read with Source.Related") {
		t.Errorf("got %v, want the related table asked for", err)
	}
}

// TestJoinDraft drafts a schema of two tables from their headers alone. What is open is declared, and the result is used.
func TestJoinDraft(t *testing.T) {
	source := joinedFiles(t, "patient,age,ill\n1,10,no\n", joinedVisits)
	draft, err := data.DraftSchema(context.Background(), source, data.Draft{Target: "ill", Levels: map[string][]string{"ill": {"no", "yes"}}, MaxRecords: 100, Ignore: []string{"age"}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := draft.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if open := strings.Join(draft.Undeclared, "\n"); len(draft.Undeclared) != 5 || !strings.Contains(open, `max-rows of related table "visits"`) || !strings.Contains(open, `column "ward" of related table "visits"`) {
		t.Errorf("got the open declarations\n%s\nwant max-rows and four columns", open)
	}
	again, err := data.ParseSchema("s", text)
	if err != nil || !reflect.DeepEqual(again, draft) {
		t.Errorf("got %v (%v) of\n%s", again, err, text)
	}
	declared := strings.NewReplacer("max-rows: DECLARE", "max-rows: 2", "cost: DECLARE", "cost: ignore", "day: DECLARE", "day: ignore", "ward: DECLARE", "ward: ignore", "note: DECLARE", "note: ignore").Replace(string(text))
	d, err := data.Read(context.Background(), parsed(t, declared), source, data.ReadOptions{})
	if err != nil || rowTexts(d)[0] != "2 0" {
		t.Errorf("got %v (%v) with\n%s", d, err, declared)
	}
	source.Related["visits"] = data.Source{Path: source.Path}
	if _, err = data.DraftSchema(context.Background(), source, data.Draft{Target: "ill"}); err == nil || !strings.Contains(err.Error(), "3 of its columns have the name of a column of the table of people, want one") {
		t.Errorf("got %v, want the key asked for", err)
	}
}

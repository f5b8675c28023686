package builtin_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
)

// TestSetsAreComplete wants every set to open by its name, with a page and four files.
func TestSetsAreComplete(t *testing.T) {
	sets := builtin.List()
	if len(sets) == 0 {
		t.Fatal("got no data set, want at least one")
	}
	for _, s := range sets {
		opened, err := builtin.Open(s.Name)
		if err != nil || opened.Title != s.Title || s.Title == "" {
			t.Errorf("%s: got %q, error %v, want the set titled %q", s.Name, opened.Title, err, s.Title)
		}
		page := s.Origin
		for _, word := range []string{"public domain", "SHA-256", "person-year", "declared public", "Newhouse", "Cameron"} {
			if !strings.Contains(page, word) {
				t.Errorf("%s: the page on its origin does not say %q", s.Name, word)
			}
		}
		for _, c := range mustSchema(t, s).Columns {
			if !strings.Contains(page, c.Name) {
				t.Errorf("%s: the page on its origin does not explain column %s", s.Name, c.Name)
			}
		}
		names := map[string]bool{}
		for _, f := range s.Files {
			names[f.Name] = len(f.Text) > 0
		}
		for _, name := range []string{s.Name + "-train.csv.gz", s.Name + "-test.csv.gz", s.Name + ".yaml", "ORIGIN.md"} {
			if !names[name] {
				t.Errorf("%s: file %s is missing or empty", s.Name, name)
			}
		}
	}
	if _, err := builtin.Open("nothing"); err == nil || !strings.Contains(err.Error(), "randhie") {
		t.Errorf("Open(nothing): got error %v, want one that lists randhie", err)
	}
}

func mustSchema(t *testing.T, s builtin.Set) *data.Schema {
	t.Helper()
	schema, err := s.Schema()
	if err == nil {
		err = schema.Validate()
	}
	if err != nil {
		t.Fatal(err)
	}
	if schema.Tainted() {
		t.Errorf("%s: the schema is tainted", s.Name)
	}
	return schema
}

// TestFilesAreUnchanged holds the tables to their digests: train-test splits, and with them
// every number that was measured on them, rest on these bytes.
func TestFilesAreUnchanged(t *testing.T) {
	want := map[string]string{
		"randhie-train.csv.gz": "7ee685418636e22e63994650e8046fc70cf2b0c6de123acae202cb482650014f",
		"randhie-test.csv.gz":  "285e534f4b4719a5f275d10ebb7d2e2e0c9625a848c578a7fdc9284c3be0b2b4",
	}
	const most = 400_000
	total := 0
	for _, s := range builtin.List() {
		for _, f := range s.Files {
			total += len(f.Text)
			sum := sha256.Sum256(f.Text)
			if got := hex.EncodeToString(sum[:]); want[f.Name] != "" && got != want[f.Name] {
				t.Errorf("%s: got SHA-256 %s, want %s", f.Name, got, want[f.Name])
			}
			delete(want, f.Name)
		}
	}
	if len(want) > 0 || total > most {
		t.Errorf("got %d bytes and %d tables missing, want at most %d and none", total, len(want), most)
	}
}

// TestFilesAreCopies wants no caller to change what is embedded.
func TestFilesAreCopies(t *testing.T) {
	s, err := builtin.Open("randhie")
	if err != nil {
		t.Fatal(err)
	}
	clear(s.Files[0].Text)
	if again, err := builtin.Open("randhie"); err != nil || bytes.Equal(again.Files[0].Text, s.Files[0].Text) {
		t.Error("got the changed bytes, want a copy each time")
	}
}

// persons counts the rows of each person of a table.
func persons(t *testing.T, d *data.Dataset) map[string]int {
	t.Helper()
	codes, names, err := d.Group("person")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, code := range codes {
		if code < 0 {
			t.Fatal("got a row without a person")
		}
		rows[names[code]]++
	}
	return rows
}

// TestTables reads both tables and wants the numbers of the page on their origin: 20,190
// rows of 5,912 persons, none in both tables, none with more than five rows.
func TestTables(t *testing.T) {
	s, err := builtin.Open("randhie")
	if err != nil {
		t.Fatal(err)
	}
	schema := mustSchema(t, s)
	o := data.ReadOptions{KeepDropped: true, Extra: []string{"person"}}
	train, err := s.ReadTrain(context.Background(), schema, o)
	if err != nil {
		t.Fatal(err)
	}
	test, err := s.ReadTest(context.Background(), schema, o)
	if err != nil {
		t.Fatal(err)
	}
	trained, tested := persons(t, train), persons(t, test)
	if rows, people := train.Records()+test.Records(), len(trained)+len(tested); rows != 20190 || people != 5912 {
		t.Errorf("got %d rows of %d persons, want 20190 of 5912", rows, people)
	}
	for _, table := range []map[string]int{trained, tested} {
		for person, rows := range table {
			if rows > schema.RowsPerPerson {
				t.Errorf("person %s has %d rows, want at most %d", person, rows, schema.RowsPerPerson)
			}
		}
	}
	for person := range tested {
		if trained[person] > 0 {
			t.Errorf("person %s is in both tables", person)
		}
	}
	if share := float64(len(tested)) / 5912; share < 0.18 || share > 0.22 {
		t.Errorf("got %.3f of the persons in the test table, want about one in five", share)
	}
	for name, d := range map[string]*data.Dataset{"train": train, "test": test} {
		checkTable(t, name, schema, d)
	}
}

// checkTable wants hardly a row dropped, both classes, and no column that never varies or
// mostly lies outside its declaration.
func checkTable(t *testing.T, name string, schema *data.Schema, d *data.Dataset) {
	t.Helper()
	dropped, positives := 0, 0
	for i, y := range d.Target() {
		if d.Dropped(i) {
			dropped++
		} else if y == 1 {
			positives++
		}
	}
	if dropped > 5 {
		t.Errorf("%s: got %d rows dropped, want at most a few", name, dropped)
	}
	if share := float64(positives) / float64(d.Records()); share < 0.5 || share > 0.9 {
		t.Errorf("%s: got %.3f of the rows with a visit, want between 0.5 and 0.9", name, share)
	}
	for j, c := range schema.Features() {
		values, bad := map[float32]bool{}, 0
		for _, v := range d.Column(j) {
			if v != v || c.Kind == data.Categorical && int(v) == len(c.Levels) {
				bad++
				continue
			}
			values[v] = true
		}
		if len(values) < 2 || bad > d.Records()/10 {
			t.Errorf("%s: column %s has %d values and %d bad cells of %d, want more than one value and few bad cells", name, c.Name, len(values), bad, d.Records())
		}
		if c.Kind == data.Categorical && len(values) != len(c.Levels) {
			t.Errorf("%s: column %s has %d of its %d levels", name, c.Name, len(values), len(c.Levels))
		}
	}
}

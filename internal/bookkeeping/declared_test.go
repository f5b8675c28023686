package bookkeeping

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/together/togethertest"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// schemaText is a schema without the line of a ledger.
const schemaText = `dither-schema: 1
name: visits
row: one visit
rows-per-person: 12
max-records: 5000
target: {column: back, levels: ["no", "yes"]}
columns: {patient: ignore, age: {numeric: [0, 100], missing: zero, out-of-range: clamp}}
`

// inFolder moves the test to an empty folder, and writes files there.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// capped is a request that leaves to the schema what it can.
func capped(schema string) Request {
	return Request{Epsilon: 3, Delta: 1e-5, Neighboring: "add-or-remove-one", Unit: "row", Who: "anna", Schema: schema}
}

// TestCreateFromSchema: the ledger has name, row, rows per person and place of the schema, and a run with the schema
// can pay from it.
func TestCreateFromSchema(t *testing.T) {
	inFolder(t, map[string]string{"named.yaml": schemaText + "ledger: hospital.ledger\n", "plain.yaml": schemaText})
	c, err := Create(t.Context(), "", capped("named.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (privacy.Unit{Row: "one visit", RowsPerPerson: 12}); c.Data != "visits" || c.terms.Unit != want || c.Where != "hospital.ledger" {
		t.Errorf("got %q about %+v at %s, want visits, %+v and hospital.ledger", c.Data, c.terms.Unit, c.Where, want)
	}
	if text, failed := c.Text(); failed != nil || !strings.Contains(string(text), "pays      for every run with named.yaml") {
		t.Errorf("got %s (%v), want which runs it pays for", text, failed)
	}
	s, err := data.ReadSchema("named.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Wish{}.Purse(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer p.ledger.Close()
	ask := budget.Ask{Data: s.Name, Event: mechanism.Gaussian{NoiseMultiplier: 9}, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Unit: privacy.Unit{Row: s.Row, RowsPerPerson: s.RowsPerPerson}, Purpose: "a count"}
	if _, err = p.ledger.Quote(t.Context(), ask); err != nil {
		t.Errorf("a plan under the schema is refused: %v", err)
	}
	ask.Data = "visit"
	if _, err = p.ledger.Quote(t.Context(), ask); err == nil || !strings.Contains(err.Error(), "write name: visits into the schema") {
		t.Errorf("got %v, want a plan about other data refused with what to do", err)
	}
	r := capped("plain.yaml")
	r.Unit = "person:patient"
	if err = os.Mkdir("ledgers", 0o700); err != nil {
		t.Fatal(err)
	}
	if c, err = Create(t.Context(), filepath.Join("ledgers", "persons.ledger"), r); err != nil || !c.terms.Person || c.terms.Unit.RowsPerPerson != 12 {
		t.Errorf("got %+v (%v), want a ledger for persons of 12 rows", c.terms, err)
	}
	text, err := c.Text()
	for _, want := range []string{"next      write `ledger: ledgers/persons.ledger` into plain.yaml", "adding or removing one person"} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("got %s (%v), want %q", text, err, want)
		}
	}
}

// TestRanksAreNotWitnessed: the root reads a share of the records, which says nothing about what other runs read.
func TestRanksAreNotWitnessed(t *testing.T) {
	inFolder(t, map[string]string{"named.yaml": schemaText + "ledger: hospital.ledger\n"})
	if _, err := Create(t.Context(), "", capped("named.yaml")); err != nil {
		t.Fatal(err)
	}
	s, err := data.ReadSchema("named.yaml")
	if err != nil {
		t.Fatal(err)
	}
	watches := func(ctx context.Context) bool {
		p, failed := Wish{}.Purse(ctx, s)
		if failed != nil {
			t.Fatal(failed)
		}
		defer p.ledger.Close()
		return p.Watch(ctx) != ctx
	}
	if !watches(t.Context()) {
		t.Error("one process is not watched")
	}
	for _, failed := range togethertest.Run(1, "plan", func(ctx context.Context, _ int) error {
		if watches(ctx) {
			t.Error("the share of the root is watched as if it were the table")
		}
		return nil
	}) {
		if failed != nil {
			t.Error(failed)
		}
	}
}

// TestCreateRefusesOtherTerms: what contradicts the schema is refused with the line of the schema and a remedy, and
// no file appears.
func TestCreateRefusesOtherTerms(t *testing.T) {
	inFolder(t, map[string]string{
		"named.yaml": schemaText + "ledger: hospital.ledger\n", "plain.yaml": schemaText, "visits.csv": "age,back\n",
		"nameless.yaml": strings.Replace(schemaText, "name: visits\n", "", 1), "rowless.yaml": strings.Replace(schemaText, "rows-per-person: 12\n", "", 1),
	})
	for _, c := range []struct {
		where, schema string
		change        func(*Request)
		want          string
	}{
		{"", "", nil, "FILE is missing"},
		{"", "plain.yaml", nil, "plain.yaml: the schema names no ledger, and no FILE is given, want one of them; write ledger:"},
		{"new", "named.yaml", nil, "named.yaml line 8: the schema names the ledger hospital.ledger, and FILE is new, want one of them; leave FILE out"},
		{"new", "nameless.yaml", nil, "nameless.yaml: the schema does not declare name, want name: visits"},
		{"new", "rowless.yaml", func(r *Request) { r.Rows = 7 }, "does not declare rows-per-person, want rows-per-person: 7"},
		{"new", "rowless.yaml", func(r *Request) { r.Unit = "person:patient" }, "does not declare rows-per-person, want rows-per-person: 12"},
		{"new", "plain.yaml", func(r *Request) { r.Data = "visit" }, `plain.yaml line 2: name is "visits", and --data is "visit", want one of them; leave the flag out`},
		{"new", "plain.yaml", func(r *Request) { r.Row = "one person" }, `plain.yaml line 3: row is "one visit", and --row is "one person"`},
		{"new", "plain.yaml", func(r *Request) { r.Rows = 5 }, `plain.yaml line 4: rows-per-person is "12", and --rows-per-person is "5"`},
		{"new", "plain.yaml", func(r *Request) { r.Unit = "person:name" }, "plain.yaml line 7: --unit is person:name, and the schema has no column name"},
		{"new", "plain.yaml", func(r *Request) { r.Epsilon, r.Delta = 0, 0 }, "missing or 0: --epsilon, --delta, want --epsilon 3 --delta 1e-5"},
		{"new", "absent.yaml", nil, "absent.yaml: the file does not exist"},
		{"new", "visits.csv", nil, "visits.csv line 1, column 1: the file is no schema"},
		{"new", "", func(r *Request) { r.Data, r.Row = "visits.csv", "one visit" }, "--data is visits.csv, which is a file"},
		{"new", "", func(r *Request) { r.Data, r.Row = "builtin:randhie", "one visit" }, "say --data randhie"},
		{"new", "", nil, "missing or 0: --data, --row, want --data visits --row \"one visit\"; --schema FILE takes"},
		{"new", "plain.yaml", func(r *Request) { r.Epsilon = 100 }, "cap is epsilon 100 at delta 1e-05, want what leaves room for the rounding of noise"},
		{"new", "plain.yaml", func(r *Request) { r.Epsilon, r.Filter = -1, "" }, "epsilon is -1"},
		{"absent/new", "plain.yaml", nil, "want a folder that exists"},
		{"plain.yaml", "plain.yaml", nil, "plain.yaml exists, want a new name; nothing was changed. `dither ledger show plain.yaml`"},
	} {
		r := capped(c.schema)
		if c.change != nil {
			c.change(&r)
		}
		if _, err := Create(t.Context(), c.where, r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s and %s: got %v, want an error with %q", c.where, c.schema, err, c.want)
		}
	}
	if names, err := filepath.Glob("*"); err != nil || len(names) != 5 {
		t.Errorf("got files %q (%v), want the five of the test", names, err)
	}
	s, err := data.ReadSchema("named.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = (Wish{}).Purse(t.Context(), s); err == nil || !strings.Contains(err.Error(), "--schema SCHEMA") {
		t.Errorf("got %v, want how to make the ledger that the schema names", err)
	}
}

// TestOtherUnits: a plan about another unit is told what to do.
func TestOtherUnits(t *testing.T) {
	const persons = "all rows with one patient, of which at most 9 are used"
	for _, c := range []struct {
		unit string
		rows int
		plan privacy.Unit
		want string
	}{
		{"row", 0, privacy.Unit{Row: "one visit", RowsPerPerson: 5}, "want it not declared as in the ledger; if nothing is spent, make the ledger anew from the schema: dither ledger create"},
		{"row", 12, privacy.Unit{Row: "one visit"}, "write rows-per-person: 12 into the schema"},
		{"row", 12, privacy.Unit{Row: "one visit", RowsPerPerson: 5}, "rows per person is 5 in the plan, want 12 as in the ledger; write rows-per-person: 12 into the schema if that is true"},
		{"row", 0, privacy.Unit{Row: "one person"}, "write row: one visit into the schema"},
		{"row", 0, privacy.Unit{Row: persons}, "leave --unit person (in Go PerPerson) out"},
		{"person", 12, privacy.Unit{Row: persons}, "leave --unit out"},
		{"person:patient", 12, privacy.Unit{Row: "all rows with one ward, of which at most 9 are used"}, "plan it with --unit person:patient"},
		{"person:patient", 12, privacy.Unit{Row: "one visit", RowsPerPerson: 12}, "plan it with --unit person:patient"},
		{"person:patient", 12, privacy.Unit{Row: "one visit"}, `the plan protects "one visit", want persons by column "patient" as in the ledger; plan it with --unit person:patient (in Go PerPerson)`},
	} {
		r := request()
		r.Unit, r.Rows, r.Filter = c.unit, c.rows, ""
		l := inMemory(t, r)
		_, err := l.Quote(t.Context(), budget.Ask{Event: mechanism.Gaussian{NoiseMultiplier: 9}, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Unit: c.plan, Purpose: "a count"})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v from a ledger for %s of %d rows: got %v, want %q", c.plan, c.unit, c.rows, err, c.want)
		}
	}
}

// TestCheckFindsFolders: a folder of model folders stands for those that have a certificate.
func TestCheckFindsFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"models/january", "models/february", "models/march", "models/notes", "single"} {
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
		if name == "models/notes" {
			continue
		}
		file := certificate.FileName
		if name == "models/march" {
			file = "spent.json"
		}
		if err := os.WriteFile(filepath.Join(name, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := fmt.Sprint(within([]string{"models", "single", "models/notes", "absent"}))
	if want := fmt.Sprint([]string{filepath.Join("models", "february"), filepath.Join("models", "january"), filepath.Join("models", "march"), "single", "models/notes", "absent"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	found, err := inMemory(t, request()).Check("models/march")
	if err != nil || !found.Agrees || found.Certificates != 0 || len(found.Remarks) != 1 || !strings.Contains(found.Remarks[0], "models/march belongs to a run that goes on or did not finish") {
		t.Errorf("got %+v (%v), want a remark about a run that did not end", found, err)
	}
}

// TestRefusalForPersons: the epsilon of a refusal for a person names the rows that it is for.
func TestRefusalForPersons(t *testing.T) {
	r := request()
	r.Unit, r.Rows, r.Filter = "person", 12, budget.ZCDP
	l := inMemory(t, r)
	_, err := l.Reserve(t.Context(), budget.Ask{Event: mechanism.Gaussian{NoiseMultiplier: 9}, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Unit: l.Terms().Unit, Purpose: "a count"})
	if err == nil || strings.Count(err.Error(), "for the 12 rows of a person") != 2 || !errors.Is(err, budget.ErrOverBudget) {
		t.Errorf("got %v, want a refusal that names the rows of a person", err)
	}
}

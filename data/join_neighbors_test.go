package data_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/database"
)

// rowsTable is a table whose rows are in memory: texts of cells without commas and quotes.
type rowsTable struct {
	columns []string
	rows    [][]string
}

var _ database.Table = rowsTable{}

func (rowsTable) Name() string { return `table "memory"` }

func (rowsTable) Declared(context.Context) ([]database.Declared, string, error) { return nil, "", nil }

func (m rowsTable) Stored() (database.Table, error) { return m, nil }

func (m rowsTable) Read(_ context.Context, choose func([]database.Column) ([]database.Cell, error), take func(io.Reader) error) error {
	var columns []database.Column
	for _, name := range m.columns {
		columns = append(columns, database.Column{Name: name, Kind: database.Untyped})
	}
	cells, err := choose(columns)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, row := range m.rows {
		for i, c := range cells {
			if i > 0 {
				b.WriteByte(',')
			}
			if c.Form != database.Empty {
				b.WriteString(row[c.Column])
			}
		}
		b.WriteByte('\n')
	}
	return take(strings.NewReader(b.String()))
}

// TestRelatedQueryIsRefused: a query could mix persons.
func TestRelatedQueryIsRefused(t *testing.T) {
	source := twoTables{[][]string{{"1", "30", "no"}}, nil}.source()
	source.Related["visits"] = data.Source{Path: "visits", Database: queryOf{}}
	if _, err := data.Read(context.Background(), randomJoin(t, rand.New(rand.NewPCG(1, 1))), source, data.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "are those of a query, want a table of this database") {
		t.Errorf("got %v, want a refusal", err)
	}
}

// queryOf is a table that comes from a query.
type queryOf struct{ rowsTable }

func (queryOf) Stored() (database.Table, error) { return nil, database.ErrComputed("query") }

// twoTables is a database of people and visits.
type twoTables struct{ people, visits [][]string }

func (d twoTables) source() data.Source {
	return data.Source{Path: "people", Database: rowsTable{[]string{"person", "age", "ill"}, d.people},
		Related: map[string]data.Source{"visits": {Path: "visits", Database: rowsTable{[]string{"patient", "day", "cost", "ward"}, d.visits}}}}
}

// shuffled returns the database with its rows in another order.
func (d twoTables) shuffled(r *rand.Rand) twoTables {
	out := twoTables{slices.Clone(d.people), slices.Clone(d.visits)}
	r.Shuffle(len(out.people), func(i, j int) { out.people[i], out.people[j] = out.people[j], out.people[i] })
	r.Shuffle(len(out.visits), func(i, j int) { out.visits[i], out.visits[j] = out.visits[j], out.visits[i] })
	return out
}

// without returns the database without the rows of a person.
func (d twoTables) without(person string) twoTables {
	others := func(rows [][]string) [][]string {
		return slices.DeleteFunc(slices.Clone(rows), func(row []string) bool { return row[0] == person })
	}
	return twoTables{others(d.people), others(d.visits)}
}

func pickText(r *rand.Rand, texts ...string) string { return texts[r.IntN(len(texts))] }

// with returns the database with random rows of a person, whose key is missing if it is "".
func (d twoTables) with(r *rand.Rand, person string, people, visits int) twoTables {
	out := twoTables{slices.Clone(d.people), slices.Clone(d.visits)}
	for range people {
		out.people = append(out.people, []string{person, fmt.Sprint(r.IntN(120)), pickText(r, "no", "yes", "yes", "")})
	}
	for range visits {
		out.visits = append(out.visits, []string{person, pickText(r, "", "2024-01-01", "2024-01-02", "7", "7.0", "x"),
			pickText(r, "", "0.1", "0.2", "0.3", "7", "-5", "1e9", "c"), pickText(r, "", "a", "b", "c")})
	}
	return out
}

// randomJoin returns a schema of two tables.
func randomJoin(t *testing.T, r *rand.Rand) *data.Schema {
	order, ends := "", ""
	keep := "random"
	if r.IntN(4) > 0 {
		order, keep = "    order-by: day\n", pickText(r, "first", "last", "random")
		ends = "      first-cost: {first: cost, missing: " + pickText(r, "indicator", "drop") + "}\n      last-ward: {last: ward}\n"
	}
	return parsed(t, fmt.Sprintf(`dither-schema: 1
max-records: 1000
target: {column: ill, levels: ["no", "yes"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: %s}
columns:
  person: ignore
  age: {numeric: [0, 100], out-of-range: %s}
related:
  visits:
    key: patient
    people-key: person
    max-rows: %d
    keep: %s
%s    columns:
      cost: {numeric: [0, 10], out-of-range: %s}
      ward: {levels: [a, b]}
      day: ignore
    features:
      count: {count: true}
      sum: {sum: cost, out-of-range: %s, numeric: [0, %d]}
      mean: {mean: cost}
      min: {min: cost}
      max: {max: cost, missing: zero}
      in-a: {count: {ward: a}}
%s`, pickText(r, "other", "zero", "as-missing", "drop"), pickText(r, "clamp", "drop"), 1+r.IntN(3), keep, order,
		pickText(r, "clamp", "as-missing", "drop"), pickText(r, "clamp", "as-missing", "drop"), 5+10*r.IntN(2), ends))
}

// recordsByKey returns the records of each person. A record without a key would have the key "".
func recordsByKey(t *testing.T, s *data.Schema, d twoTables) (byKey map[string][]string, records int) {
	t.Helper()
	read, err := data.Read(context.Background(), s, d.source(), data.ReadOptions{Extra: []string{"person"}})
	if len(d.people) == 0 {
		return nil, 0
	}
	if err != nil {
		t.Fatal(err)
	}
	codes, keys, err := read.Group("person")
	if err != nil {
		t.Fatal(err)
	}
	byKey = map[string][]string{}
	for i, row := range rowTexts(read) {
		key := ""
		if codes[i] >= 0 {
			key = keys[codes[i]]
		}
		byKey[key] = append(byKey[key], row)
	}
	slices.Sort(byKey[""])
	return byKey, read.Records()
}

// TestJoinNeighbors reads pairs of random databases that differ in all rows of one person, in any order: 400 pairs,
// or 10,000 with the tag long. Records of other persons keep their bits, and the person has at most one record.
func TestJoinNeighbors(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 25))
	keys := []string{"", "1", "2", "3", "4", "5"}
	moved, absent, records, made := 0, 0, 0, 0
	pairs := 400
	if thorough {
		pairs = 10_000
	}
	for range pairs {
		s, d := randomJoin(t, r), twoTables{}
		for _, key := range keys {
			d = d.with(r, key, []int{0, 1, 1, 1, 2}[r.IntN(5)], r.IntN(6))
		}
		who := keys[r.IntN(len(keys))]
		other := d.without(who)
		if r.IntN(2) == 0 { // the person has other rows
			other = other.with(r, who, []int{0, 1, 1, 1, 2}[r.IntN(5)], r.IntN(6))
		}
		before, n := recordsByKey(t, s, d.shuffled(r))
		after, m := recordsByKey(t, s, other.shuffled(r))
		records, made = records+n, made+n*len(s.Features())
		if who == "" && n != m || len(before[""])+len(after[""]) > 0 {
			t.Fatalf("rows without a key give %d records of %d and %d, want none", len(before[""])+len(after[""]), n, m)
		}
		if len(before[who]) > 1 || len(after[who]) > 1 || max(n-m, m-n) > 1 {
			t.Fatalf("person %s has %d and %d records of %d and %d, want at most one", who, len(before[who]), len(after[who]), n, m)
		}
		if !slices.Equal(before[who], after[who]) {
			moved++
		}
		if len(after[who]) == 0 {
			absent++
		}
		delete(before, who)
		delete(after, who)
		if n > 0 && m > 0 && !maps.EqualFunc(before, after, slices.Equal[[]string]) {
			text, _ := s.YAML()
			t.Fatalf("records of others changed with person %s:\n%v\n%v\nof %v\n%s", who, before, after, d, text)
		}
	}
	if moved < pairs/3 || absent < pairs/5 || records < 3*pairs/2 || made < 10*pairs {
		t.Errorf("%d persons moved and %d were absent, of %d records: the databases vary too little", moved, absent, records)
	}
	t.Logf("%d pairs: the record of the person changed in %d and was absent in %d; %d records of %d features", pairs, moved, absent, records, made)
}

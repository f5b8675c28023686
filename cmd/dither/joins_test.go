package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// clinic writes people.csv, later.csv and visits.csv. Persons with many visits are ill.
func clinic(t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(25, 1))
	visits := strings.Builder{}
	visits.WriteString("patient,day,cost,ward\n")
	for _, table := range []string{"people", "later"} {
		people := strings.Builder{}
		people.WriteString("person,age,ill\n")
		for i := range 600 {
			n, ill := r.IntN(9), "no"
			if n > 4 {
				ill = "yes"
			}
			fmt.Fprintf(&people, "%s%d,%d,%s\n", table, i, r.IntN(100), ill)
			for range n {
				fmt.Fprintf(&visits, "%s%d,2024-%02d-%02d,%d,%s\n", table, i, 1+r.IntN(12), 1+r.IntN(28), r.IntN(1000), []string{"day", "night"}[r.IntN(2)])
			}
		}
		writeText(t, table+".csv", people.String())
	}
	writeText(t, "visits.csv", visits.String())
}

// joinsPage returns the schema and the commands of the page about joins.
func joinsPage(t *testing.T) (schema string, commands []string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/joins.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	schema, rest, _ = strings.Cut(rest, "```")
	_, rest, _ = strings.Cut(rest, "```bash\n")
	rest, _, found := strings.Cut(rest, "```")
	if commands = strings.Split(strings.TrimSpace(rest), "\n"); !found || len(commands) != 5 {
		t.Fatalf("got the commands %q, want 5", commands)
	}
	return schema, commands
}

// TestJoinsPage runs the commands of the page.
func TestJoinsPage(t *testing.T) {
	schema, commands := joinsPage(t)
	t.Chdir(t.TempDir())
	clinic(t)
	writeText(t, "clinic.yaml", schema)
	outputs := map[string]string{}
	for _, command := range commands {
		args := words(strings.TrimPrefix(command, "dither "))
		outputs[args[0]], _ = mustInvoke(t, args...)
	}
	for name, want := range map[string]string{"schema": "related table visits: ", "query": "visits", "train": "epsilon 1", "evaluate": "accuracy", "predict": "\n600,"} {
		if !strings.Contains(outputs[name], want) {
			t.Errorf("%s: got\n%s\nwant %q", name, outputs[name], want)
		}
	}
	verified, _ := mustInvoke(t, "verify", "model")
	const assumption = `A record is one person: a row of the table, and the rows with the same key in "visits", which has at most 100000000 rows, at most 20 of which are used. A key names one person in all tables, and a related row is about that person alone.`
	if !strings.Contains(verified, assumption) || !strings.Contains(readFile(t, "model/model.json"), "people-key: person") {
		t.Errorf("got\n%s\nwant %q, and the related table in the model", verified, assumption)
	}
	mustInvoke(t, "query", "count", "--data", "people.csv", "--related", "visits=visits.csv", "--schema", "clinic.yaml", "--where", "visits >= 5", "--epsilon", "1", "--out", "answer")
	if verified, _ = mustInvoke(t, "verify", "answer"); !strings.Contains(verified, assumption) {
		t.Errorf("got\n%s\nwant %q", verified, assumption)
	}
	mustInvoke(t, "evaluate", "model", "later.csv", "--related", "visits=visits.csv", "--private", "--epsilon", "1", "--out", "measured")
	if verified, _ = mustInvoke(t, "verify", "measured"); !strings.Contains(verified, assumption) {
		t.Errorf("got\n%s\nwant %q", verified, assumption)
	}
}

// TestJoinInit drafts a schema of two tables of a database, and wants its conditions as declarations.
func TestJoinInit(t *testing.T) {
	t.Chdir(t.TempDir())
	sqliteFile(t, "c.db", "CREATE TABLE people (person INTEGER PRIMARY KEY, ill TEXT CHECK (ill IN ('no', 'yes')))", "CREATE TABLE visits (person INTEGER, cost INTEGER NOT NULL CHECK (cost BETWEEN 0 AND 9), ward TEXT)")
	draft, _ := mustInvoke(t, "schema", "init", "c.db", "--table", "people", "--related", "visits=sqlite:c.db?table=visits", "--target", "ill")
	for _, want := range []string{"  person: ignore\n", "    key: person\n", "max-rows: DECLARE", "cost: {numeric: [0, 9], out-of-range: clamp}\n", "ward: DECLARE", "visits-count: {count: true}"} {
		if !strings.Contains(draft, want) {
			t.Errorf("got\n%s\nwant %q", draft, want)
		}
	}
}

// TestJoinStream wants the weights of a streamed run, and a plan for a sweep.
func TestJoinStream(t *testing.T) {
	schema, _ := joinsPage(t)
	t.Chdir(t.TempDir())
	clinic(t)
	writeText(t, "clinic.yaml", schema)
	from := []string{"--data", "people.csv", "--related", "visits=visits.csv", "--schema", "clinic.yaml", "--whiten", "no", "--interactions", "none"}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	mustInvoke(t, append([]string{"train", "--non-private", "--quiet", "--out", "memory"}, from...)...)
	mustInvoke(t, append([]string{"train", "--non-private", "--quiet", "--out", "streamed", "--stream"}, from...)...)
	if got, want := weightsOf(t, "streamed"), weightsOf(t, "memory"); got != want {
		t.Errorf("got the weights\n%s\nwant\n%s", got, want)
	}
	sweep := append([]string{"sweep", "--out", "curve", "--data-public", "--split", "first:0.8", "--quiet", "--epsilon", "0.5,1", "--steps", "3", "--repeats", "1"}, from...)
	mustInvoke(t, sweep...)
	writeText(t, "visits.csv", "patient,day,cost,ward\n")
	if status, _, stderr := invoke(sweep...); status == exitDone {
		t.Errorf("got status %d and %q, want the finished sweep refused for other visits", status, stderr)
	}
}

// wordSchema has the words of a table of all formats as its persons, and rows of this table as related rows.
const wordSchema = `dither-schema: 1
row: one word
max-records: 400
target: {column: y, levels: ["no", "yes"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  word: ignore
related:
  days:
    key: word
    max-rows: 2
    order-by: %s
    keep: %s
    columns: {id: ignore, x: {numeric: [-100, 100]}, flag: {levels: ["false", "true"]}, day: {numeric: [0, 100000]}, born: ignore, at: ignore, zoned: ignore, shift: ignore, y: {levels: ["no", "yes"]}}
    features:
      rows: {count: true}
      sum: {sum: x}
      last-day: {last: day}
      first-y: {first: y}
      true-flags: {count: {flag: "true"}}
`

// numberSchema has the rows of a table of all formats as its persons, whose keys are numbers.
const numberSchema = `dither-schema: 1
row: one person
max-records: 400
target: {column: y, levels: ["no", "yes"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns: {id: ignore, x: {numeric: [-100, 100]}, word: ignore, flag: ignore, day: ignore, born: ignore, at: ignore, zoned: ignore, shift: ignore}
related:
  items:
    key: owner
    people-key: id
    max-rows: 3
    columns: {price: {numeric: [0, 10]}}
    features: {items: {count: true}, price: {mean: price}}
`

// TestJoinFormats: CSV, Parquet, Arrow and SQLite give the same records, as people and as related rows.
func TestJoinFormats(t *testing.T) {
	folder, err := filepath.Abs("../../internal/format/readers/testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	csv := filepath.Join(folder, "table.csv")
	sqliteTable(t, "t.db", "t", csv, "")
	tables := []string{csv, filepath.Join(folder, "micros.parquet"), filepath.Join(folder, "plain.arrow"), "sqlite:t.db?table=t"}
	writeText(t, "words.csv", "word,y\n\"a, b\",yes\nblue,no\nred,yes\ngreen,no\n,yes\n")
	items := "owner,price\n"
	for i := range 200 {
		items += fmt.Sprintf("%d,%d\n", i*7%130, i%11)
	}
	writeText(t, "items.csv", items)
	for _, keep := range []string{"last", "first", "random"} {
		for _, order := range []string{"day", "at", "id"} {
			s := fmt.Sprintf(wordSchema, order, keep)
			s = strings.Replace(s, order+": ignore, ", "", 1)
			writeText(t, "s.yaml", s)
			checkSame(t, keep+" by "+order, "words.csv", func(table string) []string { return []string{"--data", "words.csv", "--related", "days=" + table} }, tables)
		}
	}
	writeText(t, "s.yaml", numberSchema)
	checkSame(t, "people", csv, func(table string) []string {
		source := []string{"--data", table, "--related", "items=items.csv"}
		return source
	}, tables)
}

// checkSame wants the same model and the same predictions for tables in several formats.
func checkSame(t *testing.T, name, people string, source func(table string) []string, tables []string) {
	t.Helper()
	var weights, predictions string
	for i, table := range tables {
		os.RemoveAll("m")
		from := source(table)
		mustInvoke(t, append([]string{"train", "--non-private", "--quiet", "--schema", "s.yaml", "--out", "m"}, from...)...)
		predicted, _ := mustInvoke(t, append([]string{"predict", "m"}, from[1:]...)...)
		if i == 0 {
			weights, predictions = weightsOf(t, "m"), predicted
		} else if weightsOf(t, "m") != weights || predicted != predictions {
			t.Errorf("%s, %s: got other records than from %s", name, table, tables[0])
		}
	}
	if distinct := strings.Count(predictions, "\n"); distinct < 5 {
		t.Errorf("%s: got %d predictions of %s", name, distinct, people)
	}
}

// TestJoinRefusals wants one line for each wrong input, with what to do and without a cell.
func TestJoinRefusals(t *testing.T) {
	schema, _ := joinsPage(t)
	t.Chdir(t.TempDir())
	clinic(t)
	writeText(t, "clinic.yaml", schema)
	mustInvoke(t, "train", "--quiet", "--steps", "2", "--out", "model", "--data", "people.csv", "--related", "visits=visits.csv", "--schema", "clinic.yaml")
	writeText(t, "keyless.csv", "person,day,cost,ward\nsecret,2024-01-01,1,day\n")
	writeText(t, "wide.csv", "patient,day,cost,ward,more\nsecret,2024-01-01,1,day,7\n")
	writeText(t, "ragged.csv", "patient,day,cost,ward\nsecret,2024-01-01,1,day,7\n")
	writeText(t, "alone.yaml", schema[:strings.Index(schema, "related:")])
	writeText(t, "few.yaml", strings.Replace(schema, "    max-rows: 20\n", "    max-rows: 20\n    max-records: 100\n", 1))
	for name, change := range map[string][2]string{"rows": {"max-rows: 20", "max-rows: -1"}, "key": {"people-key: person", "people-key: id"}, "of": {"mean: cost", "mean: price"}, "mean": {"mean: cost", "mean: ward"},
		"level": {"ward: night", "ward: noon"}, "several": {"mean: cost", "mean: cost, sum: cost"}, "order": {"    order-by: day\n", ""}, "private": {"mean: cost", "mean: cost, bins: private"}, "person": {"row: one person", "row: one person\nrows-per-person: 3"}, "unknown": {"last: ward", "median: ward"}} {
		if !strings.Contains(schema, change[0]) {
			t.Fatalf("%s is not in the schema", change[0])
		}
		writeText(t, name+".yaml", strings.Replace(schema, change[0], change[1], 1))
	}
	sqliteFile(t, "v.db", "CREATE TABLE stays (patient TEXT, day TEXT, cost INTEGER, ward TEXT)", "CREATE VIEW seen AS SELECT * FROM stays", "CREATE VIRTUAL TABLE found USING fts5(patient, day, cost, ward, content = 'seen')")
	train := func(schema string, more ...string) []string {
		return append([]string{"train", "--quiet", "--out", "refused", "--data", "people.csv", "--schema", schema}, more...)
	}
	const visits = "visits=visits.csv"
	for _, c := range []struct {
		want string
		args []string
	}{
		{`related table "visits" is not given, want its rows; name them with --related visits=FILE`, train("clinic.yaml")},
		{`related table "calls" is not in the schema`, train("clinic.yaml", "--related", visits, "--related", "calls=visits.csv")},
		{`related table "visits" is not in the schema`, train("alone.yaml", "--related", visits)},
		{`want NAME=TABLE`, train("clinic.yaml", "--related", "visits.csv")},
		{`table "SEEN": the rows are those of a view, want a table of this database`, train("clinic.yaml", "--related", "visits=sqlite:v.db?table=SEEN")},
		{`table "found": the rows are those of a virtual table, want a table of this database`, train("clinic.yaml", "--related", "visits=sqlite:v.db?table=found")},
		{`related table "visits": the rows are those of a query, want a table of this database`, train("clinic.yaml", "--related", "visits=sqlite:v.db?query=SELECT+*+FROM+stays")},
		{`each name once`, train("clinic.yaml", "--related", visits, "--related", visits)},
		{`the header has no column "patient"`, train("clinic.yaml", "--related", "visits=keyless.csv")},
		{`wide.csv line 1, column 5: the schema does not name this column`, train("clinic.yaml", "--related", "visits=wide.csv")},
		{`ragged.csv line 2: `, train("clinic.yaml", "--related", "visits=ragged.csv")},
		{`nowhere.csv: the file does not exist`, train("clinic.yaml", "--related", "visits=nowhere.csv")},
		{`related table "visits" has more rows than max-records, 100`, train("few.yaml", "--related", visits)},
		{`max-rows is -1, want 1 to`, train("rows.yaml", "--related", visits)},
		{`the table of people has no column "id"`, train("key.yaml", "--related", visits)},
		{`aggregates "price", want a column of the table`, train("of.yaml", "--related", visits)},
		{`is the mean of column "ward", which is categorical`, train("mean.yaml", "--related", visits)},
		{`counts the level "noon"`, train("level.yaml", "--related", visits)},
		{`has no aggregate, or several`, train("several.yaml", "--related", visits)},
		{`has the unknown key "median"`, train("unknown.yaml", "--related", visits)},
		{`first or last is asked for without order-by`, train("order.yaml", "--related", visits)},
		{`has private bins`, train("private.yaml", "--related", visits)},
		{`rows-per-person is 3, want one row for each person`, train("person.yaml", "--related", visits)},
		{`persons are asked for as the unit with a schema of related tables`, train("clinic.yaml", "--related", visits, "--unit", "person:person", "--max-records-per-person", "2")},
		{`--schema, --test, --labels and --related go with --data FILE`, []string{"train", "--quiet", "--out", "refused", "--related", visits}},
		{`--related is given with the built-in data set`, []string{"query", "count", "--data", "builtin:randhie", "--related", visits, "--epsilon", "1"}},
		{`which is made of a related table`, []string{"predict", "model", "people.csv", "--related", visits, "--pass-through", "visits"}},
		{`related table "visits" is not given`, []string{"predict", "model", "people.csv"}},
		{`persons are asked for as the unit`, []string{"query", "count", "--data", "people.csv", "--schema", "clinic.yaml", "--related", visits, "--epsilon", "1", "--unit", "person:person", "--max-records-per-person", "2"}},
	} {
		status, _, stderr := invoke(c.args...)
		if status == exitDone || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "secret") {
			t.Errorf("%q: got status %d and %q, want %q", c.args, status, stderr, c.want)
		}
	}
	if left, _ := filepath.Glob("refused*"); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// TestJoinSweep sweeps with two related tables, whose file has a comma in its name, and shows no folder.
func TestJoinSweep(t *testing.T) {
	schema, _ := joinsPage(t)
	t.Chdir(t.TempDir())
	clinic(t)
	head, visits, _ := strings.Cut(schema, "related:\n")
	calls := strings.NewReplacer("  visits:\n", "  calls:\n", "      visits:", "      calls:", "nights:", "late:", "mean-cost:", "mean-price:", "last-ward:", "last-desk:").Replace(visits)
	writeText(t, "two.yaml", head+"related:\n"+visits+calls)
	folder := filepath.Join(t.TempDir(), "private-folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(folder, "vi,sits.csv"), readText(t, "visits.csv"))
	mustInvoke(t, "sweep", "--data", "people.csv", "--schema", "two.yaml", "--related", "visits="+filepath.Join(folder, "vi,sits.csv"), "--related", "calls="+filepath.Join(folder, "vi,sits.csv"),
		"--learning-rate", "1,2", "--steps", "2", "--data-public", "--split", "first:0.8", "--quiet", "--out", "swept")
	files, err := os.ReadDir("swept")
	if err != nil || len(files) < 4 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	named := false
	for _, f := range files {
		text := readText(t, filepath.Join("swept", f.Name()))
		named = named || strings.Contains(text, "visits=vi,sits.csv")
		if strings.Contains(text, "private-folder") {
			t.Errorf("%s shows the folder of a related table", f.Name())
		}
	}
	if !named {
		t.Error("no file names the related table")
	}
}

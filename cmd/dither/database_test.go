package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/pgtest"
)

// planted is a password that no byte of output may contain.
const planted = "pl4nted-s3cret"

// onServer executes statements on a server.
func onServer(t testing.TB, server *pgtest.Server, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, s := range statements {
		if _, err := conn.Exec(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// loadTable copies a CSV file into a new table, with the types that its schema suggests.
func loadTable(t testing.TB, server *pgtest.Server, name, path string, schema *data.Schema) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header, err := csv.NewReader(bytes.NewReader(text)).Read()
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, c := range header {
		kind := "text"
		at := slices.IndexFunc(schema.Columns, func(s data.Column) bool { return s.Name == c })
		if at >= 0 && schema.Columns[at].Kind == data.Numeric || c == schema.Target.Column && (schema.Target.Regression() || schema.Target.Threshold != nil) {
			kind = "numeric"
		}
		columns = append(columns, pgx.Identifier{c}.Sanitize()+" "+kind)
	}
	onServer(t, server, fmt.Sprintf("CREATE TABLE %s (%s)", name, strings.Join(columns, ", ")))
	copyTo(t, server, name, path)
}

// copyTo copies a CSV file into a table.
func copyTo(t testing.TB, server *pgtest.Server, name, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(context.Background(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err = conn.PgConn().CopyFrom(context.Background(), bytes.NewReader(text), "COPY "+name+" FROM STDIN (FORMAT csv, HEADER)"); err != nil {
		t.Fatal(err)
	}
}

// watched runs a command line and wants no secret in what it prints.
func watched(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	status, stdout, stderr = invoke(args...)
	if strings.Contains(stdout+stderr, planted) {
		t.Errorf("%q: the output contains the password: %s%s", args, stdout, stderr)
	}
	return status, stdout, stderr
}

// done is watched for a command line that must succeed.
func done(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	status, stdout, stderr := watched(t, args...)
	if status != exitDone {
		t.Fatalf("%q: got exit status %d and %q", args, status, stderr)
	}
	return stdout, stderr
}

// TestPostgres trains, asks, measures and predicts from files and from tables with the same rows.
func TestPostgres(t *testing.T) {
	server := pgtest.Start(t)
	page := readFile(t, "../../docs/databases.md")
	joined, _ := joinsPage(t)
	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("PGPASSWORD", planted)
	mustInvoke(t, "data", "export", "randhie", "d")
	s, err := data.ReadSchema("d/randhie.yaml")
	if err != nil {
		t.Fatal(err)
	}
	small(t, "d/randhie-train.csv.gz", "train.csv", 600)
	small(t, "d/randhie-test.csv.gz", "test.csv", 200)
	for _, name := range []string{"train", "test"} {
		loadTable(t, server, name, name+".csv", s)
	}
	p := &databaseTest{pageText: page, joined: joined, program: program, server: server, url: server.URL(), schema: "d/randhie.yaml", target: s.Target.Column, numeric: "`" + s.Columns[slices.IndexFunc(s.Columns, func(c data.Column) bool { return c.Kind == data.Numeric })].Name + "`"}
	t.Run("the same as files", p.same)
	t.Run("predictions", p.predictions)
	t.Run("drafts", p.drafts)
	t.Run("joins", p.joins)
	t.Run("the page", p.page)
	t.Run("sweep", p.sweep)
	t.Run("ranks", p.ranks)
	t.Run("refusals", p.refusals)
	t.Run("stopped", p.stopped)
	t.Run("a lost server", p.lost)
	unseen(t)
}

type databaseTest struct {
	server                       *pgtest.Server
	url, schema, target, numeric string
	pageText, program, joined    string
}

// small copies the first lines of a CSV file, with its header.
func small(t *testing.T, from, to string, rows int) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	writeText(t, to, strings.Join(lines[:rows+1], ""))
}

// unseen wants the password in no file of the current folder.
func unseen(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.Contains(readFile(t, path), planted) {
			t.Errorf("%s contains the password", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// comparable returns a certificate without what differs between runs and sources.
func comparable(t *testing.T, folder string) certificate.Certificate {
	t.Helper()
	var c certificate.Certificate
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(folder, certificate.FileName))), &c); err != nil {
		t.Fatal(err)
	}
	c.Run, c.Created, c.ModelSHA256, c.EvaluationSHA256, c.ReportSHA256, c.IteratesSHA256 = "", "", "", "", "", ""
	if c.Declared != nil {
		c.Declared.Records = ""
		if *c.Declared == (certificate.Declared{}) {
			c.Declared = nil
		}
	}
	c.Assumptions = slices.DeleteFunc(c.Assumptions, func(line string) bool { return strings.HasPrefix(line, "The records are the rows of ") })
	return c
}

// same compares runs on a file with runs on a table, and on a query of it.
func (p *databaseTest) same(t *testing.T) {
	sources := map[string][]string{
		"file": {"train.csv"}, "table": {p.url, "--table", "train"}, "query": {p.url, "--query", "SELECT *\nFROM train -- whole"},
	}
	wants := map[string]string{"table": `table "train"`, "query": `query "SELECT * FROM train -- whole"`}
	var certificates, models, answers []string
	for _, name := range []string{"file", "table", "query"} {
		from := append([]string{"--data"}, sources[name]...)
		done(t, append([]string{"train", "--schema", p.schema, "--steps", "3", "--out", name, "--quiet"}, from...)...)
		done(t, append([]string{"train", "--schema", p.schema, "--non-private", "--out", name + "-exact", "--quiet"}, from...)...)
		done(t, append([]string{"query", "mean", p.numeric, "--schema", p.schema, "--out", name + "-answer"}, from...)...)
		done(t, append([]string{"evaluate", "file", "--private", "--epsilon", "1", "--out", name + "-measured"}, sources[name]...)...)
		var compared []any
		for _, folder := range []string{name, name + "-answer", name + "-measured"} {
			done(t, "verify", folder)
			said, quoted := readFile(t, folder+"/certificate.json"), ""
			if wants[name] != "" {
				text, _ := json.Marshal(wants[name])
				quoted = string(text)
			}
			if !strings.Contains(said, quoted) || strings.Contains(said, "rows of ") != (quoted != "") || strings.Contains(said, p.server.Folder()) {
				t.Errorf("the certificate in %s does not name %s, or it names the server:\n%s", folder, wants[name], said)
			}
			compared = append(compared, comparable(t, folder))
		}
		text, err := json.MarshalIndent(compared, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		certificates = append(certificates, string(text))
		predictions, _ := done(t, append([]string{"predict", name + "-exact"}, sources[name]...)...)
		measured, _ := done(t, append([]string{"evaluate", name + "-exact"}, sources[name]...)...)
		checked, _ := watchedAny(t, append([]string{"schema", "check", p.schema}, sources[name]...)...)
		models, answers = append(models, predictions), append(answers, measured+checked)
	}
	for i := 1; i < 3; i++ {
		for _, texts := range [][]string{certificates, models, answers} {
			if texts[i] != texts[0] {
				t.Errorf("from a database:\n%.3000s\nfrom a file:\n%.3000s", texts[i], texts[0])
			}
		}
	}
	_, stderr := done(t, "train", "--data", p.url, "--table", "train", "--schema", p.schema, "--test", p.server.URL("table", "test"), "--test-public", "--dry-run")
	if strings.Contains(stderr, "not checked") {
		t.Errorf("a dry run: got %s", stderr)
	}
	done(t, "train", "--data", p.url, "--table", "train", "--schema", p.schema, "--test", p.server.URL("table", "test"), "--test-public", "--out", "tested", "--quiet", "--stream", "--steps", "3")
	if page := readFile(t, "tested/report.html"); !strings.Contains(page, "table &#34;test&#34;") || strings.Contains(page, p.server.Folder()) {
		t.Error("the report does not name the test table, or it names the server")
	}
}

// watchedAny is watched with any exit status.
func watchedAny(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	_, stdout, stderr = watched(t, args...)
	return stdout, stderr
}

// asked returns the one cell that a query returns.
func (p *databaseTest) asked(t *testing.T, query string) string {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), p.url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var out string
	if err = conn.QueryRow(context.Background(), query).Scan(&out); err != nil {
		t.Fatal(query, err)
	}
	return out
}

// predictions writes predictions into tables, and wants all of them or none.
func (p *databaseTest) predictions(t *testing.T) {
	into := func(table string, more ...string) (int, string) {
		status, _, stderr := watched(t, append([]string{"predict", "file-exact", "train.csv", "--pass-through", "person", "--out", p.url, "--out-table", table}, more...)...)
		return status, stderr
	}
	count := func(table string) string { return p.asked(t, "SELECT count(*)::text FROM "+table) }
	if status, stderr := into("scored"); status != exitDone || count("scored") != "600" {
		t.Fatalf("got status %d and %q", status, stderr)
	}
	printed, _ := done(t, "predict", "file-exact", "train.csv", "--pass-through", "person")
	fields := strings.Split(strings.Split(printed, "\n")[17], ",")
	if got, want := p.asked(t, "SELECT concat_ws(',', row, person, prediction) FROM scored WHERE row = 17"), strings.Join(fields[:3], ","); got != want {
		t.Errorf("got row %q, want %q", got, want)
	}
	if status, stderr := into("scored"); status == exitDone || !strings.Contains(stderr, `table "scored": the table has rows`) || count("scored") != "600" {
		t.Errorf("a table with rows: got status %d and %q", status, stderr)
	}
	if status, stderr := into("scored", "--replace"); status != exitDone || count("scored") != "600" {
		t.Errorf("replaced: got status %d and %q", status, stderr)
	}
	onServer(t, p.server, "CREATE TABLE few AS SELECT * FROM scored LIMIT 0", "INSERT INTO few (row, person) VALUES (0, 'old')", "ALTER TABLE few ADD CHECK (row < 500)",
		"CREATE TABLE typed AS SELECT * FROM few LIMIT 0", "ALTER TABLE typed ALTER person TYPE date USING NULL", "CREATE TABLE other (row bigint, name text)")
	for table, want := range map[string]string{"few": "breaks a condition of the table (SQLSTATE 23514)", "typed": "does not fit the type of its column", "other": "the table has other columns", "no.schema": "no such schema"} {
		if status, stderr := into(table, "--replace"); status == exitDone || !strings.Contains(stderr, want) || strings.Count(stderr, "dither:") != 1 {
			t.Errorf("%s: got status %d and %q, want %q", table, status, stderr, want)
		}
	}
	if got := p.asked(t, "SELECT string_agg(person, ',') FROM few"); got != "old" {
		t.Errorf("after an error the table has %q, want its old row", got)
	}
	done(t, "predict", "file-exact", p.url, "--table", "train", "--pass-through", "person", "--out", p.server.URL("table", "kept"))
	if got := p.asked(t, "SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = 'kept'::regclass AND attname = 'person'"); got != "text" && got != "numeric" {
		t.Errorf("the copied column has type %s", got)
	}
	if status, _, stderr := watched(t, "predict", "file-exact", "nowhere.csv", "--out", p.url, "--out-table", "unmade"); status == exitDone || p.asked(t, "SELECT (to_regclass('unmade') IS NULL)::text") != "true" {
		t.Errorf("a table that cannot be read: got status %d and %q", status, stderr)
	}
	for _, args := range [][]string{{"--out", p.url}, {"--out-table", "x"}, {"--out", "x.csv", "--out-table", "x"}, {"--out", p.server.URL("table", "a"), "--out-table", "b"}, {"--out", p.server.URL("query", "SELECT 1")}} {
		if status, _, _ := watched(t, append([]string{"predict", "file-exact", "train.csv"}, args...)...); status == exitDone {
			t.Errorf("%q: got no error", args)
		}
	}
}

// joins wants the model and the predictions that files of the same persons and visits give. Related rows that the
// server computes are refused.
func (p *databaseTest) joins(t *testing.T) {
	clinic(t)
	writeText(t, "s.yaml", p.joined)
	onServer(t, p.server, "CREATE TABLE persons (person text PRIMARY KEY, age integer, ill text)", "CREATE TABLE stays (patient text, day date, cost numeric, ward text)",
		"CREATE TABLE kin (person text, years integer NOT NULL CHECK (years BETWEEN 0 AND 9))", "CREATE VIEW seen AS SELECT * FROM stays", "CREATE MATERIALIZED VIEW kept_stays AS SELECT * FROM stays",
		"CREATE TABLE parts (LIKE stays) PARTITION BY HASH (patient)", "CREATE TABLE parts0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0)", "CREATE TABLE parts1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1)")
	copyTo(t, p.server, "persons", "people.csv")
	copyTo(t, p.server, "stays", "visits.csv")
	copyTo(t, p.server, "parts", "visits.csv")
	persons, stays := p.server.URL("table", "persons"), p.server.URL("table", "stays")
	related := map[string]string{"people.csv": "visits.csv", persons: stays, p.server.URL("query", "SELECT * FROM persons ORDER BY age"): p.server.URL("table", "parts")}
	source := func(table string) []string { return []string{"--data", table, "--related", "visits=" + related[table]} }
	checkSame(t, "files and tables", "people.csv", source, []string{"people.csv", persons})
	done(t, append([]string{"train", "--quiet", "--steps", "2", "--schema", "s.yaml", "--out", "joined"}, source(p.server.URL("query", "SELECT * FROM persons ORDER BY age"))...)...)
	done(t, "verify", "joined")
	if checked, _ := watchedAny(t, "schema", "check", "s.yaml", persons, "--related", "visits="+stays); !strings.Contains(checked, "related table visits: ") {
		t.Errorf("got %s", checked)
	}
	draft, _ := done(t, "schema", "init", persons, "--related", "kin="+p.server.URL("table", "kin"), "--target", "ill")
	if !strings.Contains(draft, "key: person") || !strings.Contains(draft, "years: {numeric: [0, 9]") {
		t.Errorf("got the draft\n%s", draft)
	}
	for _, c := range [][2]string{{p.server.URL("table", "seen"), "the rows are those of a view, want a table of this database"}, {p.server.URL("table", "kept_stays"), "the rows are those of a materialized view, want"}, {p.server.URL("query", "SELECT * FROM stays"), "the rows are those of a query, want"}} {
		for _, command := range [][]string{{"train", "--data", persons, "--schema", "s.yaml", "--out", "refused"}, {"query", "count", "--data", persons, "--schema", "s.yaml", "--epsilon", "1"}, {"schema", "check", "s.yaml", persons}, {"schema", "init", persons, "--target", "ill"}, {"predict", "joined", persons}} {
			status, _, stderr := watched(t, append(command, "--related", "visits="+c[0])...)
			if status == exitDone || !strings.Contains(stderr, c[1]) || strings.Count(stderr, "\n") > 1 {
				t.Errorf("%q: got status %d and %q, want %q", command, status, stderr, c[1])
			}
		}
	}
}

// drafts reads the catalog of a table whose only row would be an error of every declaration.
func (p *databaseTest) drafts(t *testing.T) {
	onServer(t, p.server, `CREATE TYPE mood AS ENUM ('sad', 'glad')`, `CREATE DOMAIN share AS numeric CHECK (VALUE >= 0 AND VALUE <= 1)`,
		`CREATE TABLE declared (id serial PRIMARY KEY, mood mood NOT NULL, part share, code integer CHECK (code IN (1, 2)), born date CHECK (born >= '1900-01-01' AND born < '2020-01-01'),
			x float8[] CHECK (cardinality(x) = 3), raw bytea, free text, loose numeric, y boolean NOT NULL)`,
		`ALTER TABLE declared ADD CHECK (loose > 0 AND loose < 9) NOT VALID`,
		`COMMENT ON TABLE declared IS 'all moods'`, `COMMENT ON COLUMN declared.part IS 'share of the day'`)
	out, stderr := done(t, "schema", "init", p.url, "--table", "declared", "--target", "y", "--numeric", "x[0:3]=-1:1")
	for _, want := range []string{"id: ignore", "mood: {levels: [sad, glad], unknown: other, missing: zero}", "part: {numeric: [0, 1], out-of-range: clamp, missing: indicator}", `code: {levels: ["1", "2"]`,
		"born: {date: {since: 1900-01-01, range: [0, 43829]}", "x[0:3]: {numeric: [-1, 1]", "raw: ignore", "free: ", "DECLARE", "all moods; part: share of the day", `levels: ["false", "true"]`} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%s\nwant %q", out, want)
		}
	}
	if !strings.Contains(stderr, "from the catalog of the database, and no row") {
		t.Errorf("got %q", stderr)
	}
	copied, _ := done(t, "schema", "init", p.url, "--table", "train", "--target", p.target, "--from-data")
	fromFile, _ := done(t, "schema", "init", "train.csv", "--target", p.target, "--from-data")
	if copied != fromFile {
		t.Errorf("copied from a table:\n%s\nfrom a file:\n%s", copied, fromFile)
	}
}

// sweep divides a table that is public, and goes on with a finished sweep, unless a cell is another.
func (p *databaseTest) sweep(t *testing.T) {
	withoutImages(t)
	onServer(t, p.server, "CREATE TABLE swept AS SELECT * FROM train")
	args := []string{"sweep", "--data", p.url, "--table", "swept", "--schema", p.schema, "--data-public", "--split", "first:0.8", "--epsilon", "1", "--steps", "2", "--quiet", "--out", "swept"}
	done(t, args...)
	done(t, args...)
	column := pgx.Identifier{strings.Trim(p.numeric, "`")}.Sanitize()
	onServer(t, p.server, "UPDATE swept SET "+column+" = "+column+" + 1 WHERE ctid = (SELECT ctid FROM swept LIMIT 1)")
	if status, _, stderr := watched(t, args...); status == exitDone || !strings.Contains(stderr, "swept/results.jsonl holds another sweep") {
		t.Errorf("a table that changed: got status %d and %q", status, stderr)
	}
}

// refusals are command lines that name no table, or one that does not fit.
func (p *databaseTest) refusals(t *testing.T) {
	onServer(t, p.server, "CREATE TABLE changed AS SELECT * FROM train", "ALTER TABLE changed ALTER COLUMN "+pgx.Identifier{p.target}.Sanitize()+" TYPE bytea USING 'x'",
		"CREATE TABLE empty AS SELECT * FROM train LIMIT 0")
	secret := strings.Replace(p.url, "postgres:///", "postgres://dither:"+planted+"@/", 1)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"without a table or query", []string{p.url}},
		{"named once", []string{p.server.URL("table", "train"), "--table", "train"}},
		{"or with both", []string{p.url, "--table", "train", "--query", "SELECT 1"}},
		{"--table or --query is given without a database", []string{"train.csv", "--table", "train"}},
		{"are for files", []string{p.url, "--table", "train", "--delimiter", "tab"}},
		{`data: table "nowhere": the database has no such table, want the name of a table or view; there are`, []string{p.url, "--table", "nowhere"}},
		{fmt.Sprintf(`data: table "changed": column %q has the type bytea, want`, p.target), []string{p.url, "--table", "changed"}},
		{`data: table "empty": it has no rows`, []string{p.url, "--table", "empty"}},
		{"no column has a name of the schema", []string{p.url, "--query", "SELECT 1 AS x"}},
		{"there is no column \"", []string{p.url, "--query", "SELECT " + pgx.Identifier{p.target}.Sanitize() + ", female FROM train"}},
		{"the URL contains a password, want none", []string{secret, "--table", "train"}},
		{"the URL contains a password, want none", []string{p.server.URL("table", "train", "password", planted)}},
		{"cannot be used", []string{"postgres://dither@host/db?sslmode=strange&table=x"}},
		{"is no URL of PostgreSQL", []string{"postgres://dither:" + planted + "%zz@host/db"}},
		{"cannot be reached", []string{p.server.URL("table", "train", "user", "nobody")}},
	} {
		status, _, stderr := watched(t, append([]string{"train", "--schema", p.schema, "--out", "refused", "--quiet", "--data"}, c.args...)...)
		last := stderr[strings.LastIndex(strings.TrimSpace(stderr), "\n")+1:]
		if status == exitDone || !strings.Contains(last, c.want) {
			t.Errorf("%q: got status %d and %q, want %q", c.args, status, stderr, c.want)
		}
		if _, err := os.Stat("refused"); err == nil {
			t.Fatalf("%q left a folder", c.args)
		}
	}
	for _, args := range [][]string{{"train", "--data", secret}, {"train", secret}, {secret}, {"schema", "init", secret}, {"predict", "m", secret}, {"evaluate", "file", secret, "--table", "x"},
		{"train", "--test", secret, "--data", "train.csv", "--schema", p.schema, "--test-public"}, {"sweep", "--data", secret, "--schema", p.schema}, {"query", "count", "--data", secret},
		{"train", "--data", "host=h password=" + planted}, {"schema", "check", p.schema, "host=h password='" + planted + "'"}} {
		if status, _, _ := watched(t, args...); status == exitDone {
			t.Errorf("%q: got no error", args)
		}
	}
}

// stopped interrupts a run while the server computes.
func (p *databaseTest) stopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	var out bytes.Buffer
	begun := time.Now()
	status := run(ctx, []string{"train", "--data", p.url, "--query", "SELECT train.* FROM train, pg_sleep(600)", "--schema", p.schema, "--out", "stopped"}, &out, &out)
	if status != exitFailed || !strings.Contains(out.String(), "stopped before training; nothing was spent or written") {
		t.Errorf("got status %d after %v and %q", status, time.Since(begun), out.String())
	}
	if _, err := os.Stat("stopped"); err == nil {
		t.Error("a stopped run left a folder")
	}
}

// lost ends the server while a run reads. It runs last.
func (p *databaseTest) lost(t *testing.T) {
	killed := make(chan struct{})
	time.AfterFunc(100*time.Millisecond, func() { defer close(killed); p.server.Kill(t) })
	defer func() { <-killed }()
	args := []string{"train", "--data", p.url, "--query", "SELECT train.* FROM train, pg_sleep(600)", "--schema", p.schema, "--out", "lost", "--quiet"}
	for _, want := range []string{"", "cannot be reached"} {
		status, _, stderr := watched(t, args...)
		if status != exitFailed || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, `query "SELECT train.* FROM train, pg_sleep(600)"`) || !strings.Contains(stderr, want) {
			t.Errorf("got status %d and %q, want one line", status, stderr)
		}
		if _, err := os.Stat("lost"); err == nil {
			t.Error("a failed run left a folder")
		}
	}
}

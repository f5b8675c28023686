package main

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/pgtest"
)

// adultFiles copies the measuring data Adult and its schema into a new folder, which is made current.
// Other files have the number of the line in front.
func adultFiles(t *testing.T) *data.Schema {
	t.Helper()
	folder := os.Getenv("DITHER_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	schema := readFile(t, "../../train/testdata/adult.yaml")
	texts := map[string]string{"adult.yaml": schema}
	for _, name := range []string{"adult-train.csv", "adult-test.csv"} {
		f, err := os.Open(filepath.Join(folder, "adult-raw", name+".gz"))
		if err != nil {
			t.Skip("the measuring data Adult is absent: set DITHER_DATA to the measuring data")
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
		var numbered strings.Builder
		numbered.WriteString("line,")
		for i, line := range strings.SplitAfter(strings.TrimSpace(texts[name]), "\n") {
			if i > 0 {
				numbered.WriteString(strconv.Itoa(i) + ",")
			}
			numbered.WriteString(line)
		}
		texts["numbered-"+name] = numbered.String()
	}
	t.Chdir(t.TempDir())
	for name, text := range texts {
		writeText(t, name, text)
	}
	s, err := data.ReadSchema("adult.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAdultInDatabases trains, asks, measures and predicts from the file of Adult and from tables with
// its rows, and breaks readings in the middle.
func TestAdultInDatabases(t *testing.T) {
	s := adultFiles(t)
	server := pgtest.Start(t)
	t.Setenv("PGPASSWORD", planted)
	for _, name := range []string{"train", "test"} {
		loadTable(t, server, name, "numbered-adult-"+name+".csv", s)
		sqliteTable(t, "adult.db", name, "adult-"+name+".csv", "")
	}
	p := &databaseTest{server: server, url: server.URL()}
	p.adultIsTheSame(t)
	p.adultIsWrittenBack(t)
	p.adultBreaks(t)
	unseen(t)
}

// adultTable returns the address of the rows of a table, in the order of the file or in the order of the
// pages of the server, which is another one.
func (p *databaseTest) adultTable(t *testing.T, name, order string) string {
	t.Helper()
	header, _, _ := strings.Cut(readFile(t, "adult-train.csv"), "\n")
	columns := `"` + strings.ReplaceAll(strings.TrimSpace(header), ",", `", "`) + `"`
	return p.server.URL("query", "SELECT "+columns+" FROM "+name+order)
}

// adultIsTheSame compares runs on the file with runs on the tables. The parts of runs on rows in another
// order are the certificates alone.
func (p *databaseTest) adultIsTheSame(t *testing.T) {
	t.Helper()
	const ordered = " ORDER BY line::integer"
	var want []string
	for _, from := range [][]string{{"file", "adult-train.csv", "adult-test.csv"}, {"postgres", p.adultTable(t, "train", ordered), p.adultTable(t, "test", ordered)},
		{"sqlite", "sqlite:adult.db?table=train", "sqlite:adult.db?table=test"}, {"pages", p.adultTable(t, "train", ""), p.adultTable(t, "test", "")}} {
		name, train, test := from[0], from[1], from[2]
		done(t, "train", "--data", train, "--schema", "adult.yaml", "--epsilon", "1", "--steps", "5", "--quiet", "--out", name)
		done(t, "query", "mean", "age", "--by", "sex", "--data", train, "--schema", "adult.yaml", "--out", name+"-answer")
		done(t, "evaluate", "file", test, "--private", "--epsilon", "1", "--out", name+"-measured")
		var got []string
		for _, folder := range []string{name, name + "-answer", name + "-measured"} {
			done(t, "verify", folder)
			text, err := json.Marshal(comparable(t, folder))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(text))
		}
		if name != "pages" {
			done(t, "train", "--data", train, "--schema", "adult.yaml", "--non-private", "--quiet", "--out", name+"-exact")
			predicted, _ := done(t, "predict", name+"-exact", test)
			measured, _ := done(t, "evaluate", name+"-exact", test, "--json")
			got = append(got, predicted, measured)
		}
		if want == nil {
			want = got
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: part %d differs from that of the file:\n%.500s\n%.500s", name, i, got[i], want[i])
			}
		}
	}
}

// adultIsWrittenBack compares predictions in a table with those in a file.
func (p *databaseTest) adultIsWrittenBack(t *testing.T) {
	t.Helper()
	done(t, "predict", "file-exact", p.adultTable(t, "test", " ORDER BY line::integer"), "--out", p.url, "--out-table", "scored")
	printed, _ := done(t, "predict", "file-exact", "adult-test.csv")
	lines, err := csv.NewReader(strings.NewReader(printed)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), p.url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	rows, err := conn.Query(t.Context(), `SELECT row, prediction, "probability of >50K" FROM scored ORDER BY row`)
	if err != nil {
		t.Fatal(err)
	}
	var row, seen int
	var prediction string
	var probability float64
	_, err = pgx.ForEachRow(rows, []any{&row, &prediction, &probability}, func() error {
		seen++
		line := lines[seen]
		if want, _ := strconv.ParseFloat(line[len(line)-1], 64); strconv.Itoa(row) != line[0] || prediction != line[1] || probability != want {
			return fmt.Errorf("got row %d, %q and %v, want %q", row, prediction, probability, line)
		}
		return nil
	})
	if err != nil || seen != len(lines)-1 {
		t.Errorf("got %d rows (%v), want %d", seen, err, len(lines)-1)
	}
	onServer(t, p.server, "CREATE TABLE slow AS SELECT * FROM scored WHERE row = 7", "CREATE FUNCTION rest() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.row = 10000 THEN PERFORM pg_sleep(3600); END IF; RETURN NEW; END $$",
		"CREATE TRIGGER rest BEFORE INSERT ON slow FOR EACH ROW EXECUTE FUNCTION rest()")
	end := p.whenAsleep(t, func(pid int) { onServer(t, p.server, fmt.Sprintf("SELECT pg_terminate_backend(%d)", pid)) })
	status, _, stderr := watched(t, "predict", "file-exact", "adult-test.csv", "--out", p.url, "--out-table", "slow", "--replace")
	end()
	if status != exitFailed || strings.Count(stderr, "\n") != 2 || !strings.Contains(stderr, "\ndither: table \"slow\": the server ended the connection") || p.asked(t, "SELECT concat(count(*), ' ', max(row)) FROM slow") != "1 7" {
		t.Errorf("a connection that drops while rows are written: got status %d and %q, want the banner of a baseline, one line and the rows of before", status, stderr)
	}
}

// whenAsleep calls do with the number of the process of the server that sleeps in a query of dither,
// unless end is called before.
func (p *databaseTest) whenAsleep(t *testing.T, do func(pid int)) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		conn, err := pgx.Connect(ctx, p.url)
		if err != nil {
			t.Error(err)
			return
		}
		pid := 0
		for pid == 0 && err == nil {
			err = conn.QueryRow(ctx, "SELECT coalesce(max(pid), 0) FROM pg_stat_activity, pg_sleep(0.02) WHERE wait_event = 'PgSleep' AND application_name = 'dither'").Scan(&pid)
		}
		conn.Close(context.Background())
		if pid == 0 {
			t.Errorf("no query of dither slept (%v)", err)
			return
		}
		do(pid)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// adultBreaks breaks readings that a ledger has paid for. It wants one line, no folder, and a record of a
// run that stopped before its release began, whose price the ledger gives back.
func (p *databaseTest) adultBreaks(t *testing.T) {
	t.Helper()
	done(t, "ledger", "create", "adult.ledger", "--data", "adult", "--epsilon", "10", "--delta", "1e-4", "--row", "one person")
	onServer(t, p.server, "ALTER TABLE train DROP line")
	half := "SELECT * FROM train WHERE CASE WHEN ctid = '(200,1)' THEN pg_sleep(3600) IS NOT NULL ELSE true END"
	terminate := func(pid int) { onServer(t, p.server, fmt.Sprintf("SELECT pg_terminate_backend(%d)", pid)) }
	kill := func(int) { p.server.Kill(t) }
	retype := func() {
		p.server.Up(t)
		done(t, "train", "--data", p.url, "--table", "train", "--schema", "adult.yaml", "--dry-run")
		onServer(t, p.server, "ALTER TABLE train ALTER age TYPE bytea USING 'x'")
	}
	cut := func() {
		text := readFile(t, "adult.db")
		writeText(t, "adult.db", text[:len(text)/2])
	}
	asked := []string{"query", "count", "--out", "broken"}
	trained := []string{"train", "--steps", "3", "--quiet", "--out", "broken"}
	streamed := append(trained, "--stream")
	for i, c := range []struct {
		name    string
		args    []string
		from    []string
		asleep  func(pid int)
		before  func()
		want    string
		running bool
	}{
		{"a dropped connection", asked, []string{p.url, "--query", half}, terminate, nil, "the server ended the connection (SQLSTATE 57P01)", true},
		{"a dropped connection", trained, []string{p.url, "--query", half}, terminate, nil, "the server ended the connection (SQLSTATE 57P01)", true},
		{"a dropped connection", streamed, []string{p.url, "--query", half}, terminate, nil, "the server ended the connection (SQLSTATE 57P01)", true},
		{"a killed server", trained, []string{p.url, "--query", half}, kill, nil, "", true},
		{"no server", trained, []string{p.url, "--query", half}, nil, nil, "cannot be reached", true},
		{"another type", trained, []string{p.url, "--table", "train"}, nil, retype, `data: table "train": column "age" has the type bytea, want numbers`, false},
		{"half a file", trained, []string{"adult.db", "--table", "train"}, nil, cut, `data: table "train": SQLite does not read it to its end`, false},
	} {
		if c.before != nil {
			c.before()
		}
		left, wait := accountOf(t, "adult.ledger").Left, func() {}
		if c.asleep != nil {
			wait = p.whenAsleep(t, c.asleep)
		}
		status, _, stderr := watched(t, append(append(c.args, "--ledger", "adult.ledger", "--epsilon", "0.1", "--schema", "adult.yaml", "--data"), c.from...)...)
		wait()
		if (status == exitFailed) != c.running || status == exitDone || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: got status %d and %q, want one line with %q", c.name, status, stderr, c.want)
		}
		if found, _ := filepath.Glob("broken*"); len(found) > 0 {
			t.Errorf("%s left %q", c.name, found)
		}
		a := accountOf(t, "adult.ledger")
		if last := a.Releases[len(a.Releases)-1]; len(a.Releases) != i+1 || last.Outcome != "stopped" || a.Left != left {
			t.Errorf("%s: the ledger has %d releases, the last %+v; want %d, the last stopped before it began", c.name, len(a.Releases), last, i+1)
		}
	}
}

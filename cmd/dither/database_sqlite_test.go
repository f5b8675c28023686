package main

import (
	"context"
	"database/sql"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sqliteTable copies a CSV file into a new table of a file of SQLite.
func sqliteTable(t testing.TB, file, name, path, declarations string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	db := sqliteFile(t, file, fmt.Sprintf("CREATE TABLE %s (\"%s\"%s)", name, strings.Join(rows[0], "\", \""), declarations))
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	insert, err := tx.Prepare("INSERT INTO " + name + " VALUES (" + strings.TrimSuffix(strings.Repeat("?,", len(rows[0])), ",") + ")")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		values := make([]any, len(row))
		for i, cell := range row {
			if cell != "" {
				values[i] = cell
			}
		}
		if _, err = insert.Exec(values...); err != nil {
			t.Fatal(err)
		}
	}
	if err = tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// sqliteFile executes statements on a file of SQLite.
func sqliteFile(t testing.TB, file string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, s := range statements {
		if _, err = db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return db
}

// TestSQLite trains, asks, measures and predicts from a file and from tables with the same rows.
func TestSQLite(t *testing.T) {
	t.Chdir(t.TempDir())
	mustInvoke(t, "data", "export", "randhie", "d")
	small(t, "d/randhie-train.csv.gz", "train.csv", 600)
	sqliteTable(t, "odd name%.db", "train", "train.csv", "")
	sources := [][]string{{"train.csv"}, {"odd name%.db", "--table", "TRAIN"}, {"sqlite:odd name%.db", "--query", "SELECT * FROM train -- whole\n;"}, {"sqlite:odd name%.db?table=train"}}
	var first []string
	for i, source := range sources {
		from := append([]string{"--schema", "d/randhie.yaml", "--data"}, source...)
		name := fmt.Sprint("m", i)
		mustInvoke(t, append([]string{"train", "--steps", "3", "--quiet", "--out", name}, from...)...)
		mustInvoke(t, "verify", name)
		mustInvoke(t, append([]string{"query", "count", "--epsilon", "1"}, from...)...)
		predicted, _ := mustInvoke(t, append([]string{"predict", "m0", "--pass-through", "person"}, source...)...)
		measured, _ := mustInvoke(t, append([]string{"evaluate", "m0"}, source...)...)
		if i == 0 {
			first = []string{predicted, measured}
		} else if predicted != first[0] || measured != first[1] {
			t.Errorf("%q: got other predictions or measures than from the file", source)
		}
		if !strings.Contains(fmt.Sprint(comparable(t, name).Plan), fmt.Sprint(comparable(t, "m0").Plan)) {
			t.Errorf("%q: got another plan than from the file", source)
		}
	}
	mustInvoke(t, "train", "--steps", "3", "--quiet", "--out", "streamed", "--stream", "--schema", "d/randhie.yaml", "--data", "odd name%.db", "--table", "train")
	sqliteRefusals(t)
	sqliteDraft(t)
}

func sqliteRefusals(t *testing.T) {
	t.Helper()
	text := readFile(t, "odd name%.db")
	writeText(t, "cut.db", text[:len(text)/2])
	writeText(t, "noise.db", text[:100]+strings.Repeat("x", 8000))
	sqliteFile(t, "view.db", "CREATE TABLE t (x)", "CREATE VIEW v AS SELECT * FROM t")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"want --table NAME", []string{"view.db"}}, {`table "w": the database has no such table, want the name of a table or view; there are t, v`, []string{"view.db", "--table", "w"}},
		{"nowhere.db cannot be opened", []string{"sqlite:nowhere.db", "--table", "t"}}, {"cannot be read, want sqlite:FILE?table=NAME", []string{"sqlite:view.db?x=1"}},
		{"SQLite refuses it: ", []string{"view.db", "--query", "SELECT nothing FROM t"}}, {"", []string{"view.db", "--query", "DELETE FROM t"}}, {"", []string{"view.db", "--query", "SELECT 1; DROP TABLE t"}},
		{"", []string{"cut.db", "--table", "train"}}, {"", []string{"noise.db", "--table", "train"}}, {"named once", []string{"sqlite:view.db?table=t", "--table", "t"}},
	} {
		status, _, stderr := invoke(append([]string{"train", "--quiet", "--out", "refused", "--schema", "d/randhie.yaml", "--data"}, c.args...)...)
		if status == exitDone || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: got status %d and %q, want %q", c.args, status, stderr, c.want)
		}
	}
	if left, _ := filepath.Glob("refused*"); len(left) > 0 {
		t.Errorf("left %q", left)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	var out strings.Builder
	endless := "WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g) SELECT count(*) AS visits FROM g"
	if status := run(ctx, []string{"train", "--out", "refused", "--schema", "d/randhie.yaml", "--data", "view.db", "--query", endless}, &out, &out); status == exitDone {
		t.Errorf("an endless query: got %q", out.String())
	}
}

func sqliteDraft(t *testing.T) {
	t.Helper()
	sqliteFile(t, "declared.db", `CREATE TABLE people (id INTEGER PRIMARY KEY, -- CHECK (age > 1)
		age INTEGER NOT NULL CHECK (age BETWEEN 0 AND 120), /* CHECK (sex IN ('a')) */ sex TEXT CHECK (sex IN ('f', 'm')), born DATE, free TEXT, y INTEGER CHECK (y = 0 OR y = 1), CHECK (born >= '2000-01-01' AND born <= '2001-01-01'))`)
	out, _ := mustInvoke(t, "schema", "init", "declared.db", "--table", "people", "--target", "y")
	for _, want := range []string{"id: ignore", "age: {numeric: [0, 120], integer: true, out-of-range: clamp, missing: zero}", "sex: {levels: [f, m]", "born: {date: {since: 2000-01-01, range: [0, 366]}", "free: ", `levels: ["0", "1"]`} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%s\nwant %q", out, want)
		}
	}
}

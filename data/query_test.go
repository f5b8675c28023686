package data_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	_ "github.com/ditherml/dither/internal/database/sqlite" // a driver
)

// queried makes a database with these statements.
func queried(t testing.TB, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, s := range statements {
		if _, err = db.Exec(s); err != nil {
			t.Fatal(s, err)
		}
	}
	return db
}

const querySchema = `
dither-schema: 1
max-records: 100000
target: {column: y, levels: ["false", "true"]}
columns:
  n: {numeric: [-1e30, 1e30], out-of-range: clamp, missing: indicator}
  d: {date: {since: 1970-01-01, range: [0, 1e5]}, out-of-range: clamp, missing: indicator}
  m: {date: {since: 1970-01-01, range: [-1e5, 1e5]}, out-of-range: clamp, missing: indicator}
  flag: {numeric: [0, 1], out-of-range: clamp, missing: indicator}
  c: {levels: ["a, \"b\"", "2", "x\ny"], unknown: other, missing: indicator}
  z: ignore
`

// TestFromQuery reads every type of cell, and wants the data set of a file with the same rows.
func TestFromQuery(t *testing.T) {
	s, err := data.ParseSchema("s", []byte(strings.Replace(querySchema, `, "x\ny"`, "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	db := queried(t, `CREATE TABLE t (n, d DATE, m DATETIME, flag BOOLEAN, c TEXT, y BOOLEAN, z BLOB)`,
		`INSERT INTO t VALUES (1, '1970-01-11', '1970-01-01 00:01:00', 0, 'a, "b"', 1, x'00ff'), (1.5, NULL, NULL, NULL, NULL, 0, NULL), ('7', 'no day', 'x', 1, 2, 1, 'z'), ('word', '2000-01-01', '1969-12-31 23:59:59.5', 1, 'x
y', 1, 1), (1e300, '0001-01-01', NULL, 0, '', 0, 2), (-1e-9, NULL, NULL, 0, ' 2 ', 0, 2)`)
	file := "n,d,m,flag,c,y,z\n1,1970-01-11,1970-01-01 00:01:00,0,\"a, \"\"b\"\"\",true,\n1.5,,,,,false,\n7,no day,x,1,2,true,\nword,2000-01-01,1969-12-31 23:59:59.5,1,\"x\ny\",true,\n1e300,0001-01-01,,0,,false,\n-1e-9,,,0, 2 ,false,\n"
	want, err := data.ReadFrom(context.Background(), s, "t", strings.NewReader(file), data.ReadOptions{Extra: []string{"c"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := data.Read(context.Background(), s, data.FromQuery(db, "SELECT * FROM t"), data.ReadOptions{Extra: []string{"c"}})
	if err != nil {
		t.Fatal(err)
	}
	for j := range s.Features() {
		if g, w := got.Column(j), want.Column(j); !sameCells(g, w) {
			t.Errorf("column %d: got %v, want %v", j, g, w)
		}
	}
	if !reflect.DeepEqual(got.Target(), want.Target()) {
		t.Errorf("targets: got %v, want %v", got.Target(), want.Target())
	}
	blocks := 0
	err = data.ReadBlocks(context.Background(), s, data.FromQuery(db, "SELECT * FROM t ORDER BY n"), data.ReadOptions{}, 4, func(d *data.Dataset) error { blocks++; return nil })
	if err != nil || blocks != 2 {
		t.Errorf("got %d blocks (%v), want 2", blocks, err)
	}
}

func sameCells(a, b []float32) bool {
	for i := range a {
		if a[i] != b[i] && (a[i] == a[i] || b[i] == b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// TestFromQueryFails wants errors that name the query and quote no cell, and the driver's own behind them.
func TestFromQueryFails(t *testing.T) {
	s, err := data.ParseSchema("s", []byte("dither-schema: 1\nmax-records: 5\ntarget: {column: y, levels: [a, b]}\ncolumns:\n  n: {numeric: [0, 9], out-of-range: clamp, missing: indicator}\n"))
	if err != nil {
		t.Fatal(err)
	}
	db := queried(t, "CREATE TABLE t (n INTEGER, y TEXT)", "INSERT INTO t VALUES (1, 'a')", "CREATE TABLE blobs (n BLOB, y TEXT)", "INSERT INTO blobs VALUES (1, 'a')")
	for query, want := range map[string]string{
		"SELECT n, x FROM t": "the database does not run it", "SELECT n FROM t": `no target column "y"`, "SELECT n, y, 1 AS q FROM t": `does not name column "q"`, "SELECT * FROM t WHERE n > 5": "no rows",
		"SELECT * FROM blobs": `column "n" has the type BLOB, want numbers`, "WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM g WHERE i < 9) SELECT n, y FROM t, g": "more rows than max-records", "SELECT abs(-9223372036854775807 - n) AS n, 'secret' AS y FROM t": "the database does not run it",
	} {
		_, err = data.Read(context.Background(), s, data.FromQuery(db, query), data.ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `data: query "`) || strings.Contains(err.Error(), "overflow") {
			t.Errorf("%s: got %v, want %q", query, err, want)
		}
		if strings.Contains(query, "x FROM") && errors.Unwrap(err) == nil {
			t.Errorf("%s: the driver's error is lost", query)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = data.Read(ctx, s, data.FromQuery(db, "SELECT * FROM t"), data.ReadOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
}

// TestFromQueryOneColumn wants a row for a missing cell that stands alone.
func TestFromQueryOneColumn(t *testing.T) {
	s, err := data.ParseSchema("s", []byte("dither-schema: 1\nmax-records: 5\ntarget: {column: y, levels: [a, b]}\ncolumns:\n  n: {numeric: [0, 9], out-of-range: clamp, missing: indicator}\n"))
	if err != nil {
		t.Fatal(err)
	}
	db := queried(t, "CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (1), (NULL), (3)")
	d, err := data.Read(context.Background(), s, data.FromQuery(db, "SELECT n FROM t"), data.ReadOptions{WithoutTarget: true})
	if err != nil || d.Records() != 3 {
		t.Errorf("got %v (%v), want 3 rows", d, err)
	}
}

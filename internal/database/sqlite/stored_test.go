//go:build !nosqlite && ((linux && (amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)) || darwin || windows || (freebsd && (amd64 || arm64)))

package sqlite

import (
	"database/sql"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/database"
)

// TestExchanged puts a view in the place of a table after its name was resolved, and wants that the transaction
// that reads refuses it.
func TestExchanged(t *testing.T) {
	for _, mode := range []string{"DELETE", "WAL"} {
		for change, want := range map[string]string{"CREATE VIEW t AS SELECT * FROM old": "the rows are those of a view, want a table of this database", "CREATE TABLE other (x)": "the table is gone"} {
			file := filepath.Join(t.TempDir(), "people.db")
			db, err := sql.Open("sqlite", file)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err = db.Exec("PRAGMA journal_mode=" + mode + "; CREATE TABLE t (x); INSERT INTO t VALUES (1)"); err != nil {
				t.Fatal(err)
			}
			one := Table{Address{File: file, Table: "t", Stored: true}}
			q, err := one.query(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer q.DB.Close()
			if _, err = db.Exec("ALTER TABLE t RENAME TO old; " + change); err != nil {
				t.Fatal(err)
			}
			err = q.Read(t.Context(), func([]database.Column) ([]database.Cell, error) {
				return []database.Cell{{Column: 0, Form: database.Plain}}, nil
			}, func(r io.Reader) error {
				_, failed := io.Copy(io.Discard, r)
				return failed
			})
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s, %s: got %v, want %q", mode, change, err, want)
			}
		}
	}
}

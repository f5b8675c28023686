package dither_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ditherml/dither"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	_ "github.com/ditherml/dither/internal/database/sqlite" // a driver
)

// TestCertificatesNameTheQuery wants the query of a database in each certificate, with the assumption
// that follows from it, and neither for records in memory.
func TestCertificatesNameTheQuery(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err = db.Exec("CREATE TABLE t (age INTEGER, smoker BOOLEAN, ill BOOLEAN)"); err != nil {
		t.Fatal(err)
	}
	for _, p := range patients(300) {
		if _, err = db.Exec("INSERT INTO t VALUES (?, ?, ?)", p.Age, p.Smoker, p.Ill); err != nil {
			t.Fatal(err)
		}
	}
	const assumption = `The records are the rows of query "SELECT * FROM t". What others have in the database changes no row of a person in it.`
	for name, records := range map[string]any{`query "SELECT * FROM t"`: data.FromQuery(db, "SELECT * FROM t"), "": patients(300)} {
		b, s := newBudget(t), patientSchema(t)
		run, err := dither.Train(t.Context(), b, s, records, dither.WithEpsilon(0.3))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := dither.Query(t.Context(), b, s, records, "count", dither.WithEpsilon(0.3))
		if err != nil {
			t.Fatal(err)
		}
		measured, err := dither.Evaluate(t.Context(), b, run.Model, records, dither.WithEpsilon(0.3))
		if err != nil {
			t.Fatal(err)
		}
		for what, c := range map[string]certificate.Certificate{"training": run.Certificate, "answer": answer.Certificate, "evaluation": measured.Certificate} {
			declared := ""
			if c.Declared != nil {
				declared = c.Declared.Records
			}
			if declared != name || slices.Contains(c.Assumptions, assumption) != (name != "") {
				t.Errorf("%s on %q: got %q and the assumptions %q", what, name, declared, c.Assumptions)
			}
		}
	}
}

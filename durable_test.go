package dither_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
)

// TestOpenBudget spends from one file by two budgets, as two programs do. A file without a ledger is refused.
func TestOpenBudget(t *testing.T) {
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "ledger")
	s, records := patientSchema(t), patients(300)
	book, err := budget.CreateFile(ctx, file, budget.Terms{Name: "patients", Epsilon: 2, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne,
		Unit: privacy.Unit{Row: "one patient", RowsPerPerson: 1}, Filter: budget.Filter{Name: budget.GDP}, Who: "officer", Tool: "test"})
	if err != nil {
		t.Skipf("no ledger can be kept here: %v", err)
	}
	for i := range 2 {
		b, failed := dither.OpenBudget(ctx, file)
		if failed != nil {
			t.Fatal(failed)
		}
		before := b.Left()
		answer, failed := dither.Query(ctx, b, s, records, "count", dither.WithEpsilon(0.5))
		if failed != nil {
			t.Fatal(failed)
		}
		if c := answer.Certificate; c.Recorded == nil || c.Recorded.Ledger != book.Ledger() || !strings.Contains(strings.Join(c.Assumptions, " "), " a durable ledger paid for it") {
			t.Errorf("query %d: the certificate names %+v and assumes %q", i, c.Recorded, c.Assumptions)
		}
		if !(b.Left() < before) {
			t.Errorf("query %d: left is %v, and was %v", i, b.Left(), before)
		}
		if _, err = dither.Query(ctx, b, s, records, "count", dither.WithEpsilon(1.99)); !errors.Is(err, ledger.ErrOverBudget) {
			t.Errorf("query %d: got %v, want that it is over budget", i, err)
		}
	}
	b, err := dither.OpenBudget(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	run, err := dither.Train(ctx, b, s, records, dither.WithEpsilon(1))
	if err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(t.TempDir(), "model")
	if err = run.Save(place); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(place, "certificate.json"))
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(written)
	if err = book.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	list := book.Summary().Releases
	if len(list) != 3 || list[2].Certificate != hex.EncodeToString(hash[:]) || list[2].Own.Epsilon > 1 || list[0].Outcome != budget.Released || list[1].Purpose != "a count" || list[0].Own.Epsilon > 0.5 {
		t.Errorf("the ledger has %+v", list)
	}
	v, err := dither.Verify(place)
	if err != nil || !v.Verified || v.Certificate.Recorded == nil || v.Certificate.Recorded.Sequence != list[2].Seq || v.Certificate.Recorded.Head != list[2].Hash {
		t.Errorf("got %+v (%v), want a certificate that names record %d", v, err, list[2].Seq)
	}
	signature := v.Certificate.Recorded.Signature
	v.Certificate.Recorded.Signature = ""
	if unsigned, failed := v.Certificate.Encode(); failed != nil || !list[2].Signed(unsigned, signature) || list[0].Signed(unsigned, signature) {
		t.Errorf("got the signature %q (%v), want that of the run of record %d", signature, failed, list[2].Seq)
	}
	none := filepath.Join(t.TempDir(), "none")
	if _, err = dither.OpenBudget(ctx, none); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that there is no file", err)
	}
}

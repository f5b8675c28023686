package dither_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/chain/postgres"
	"github.com/ditherml/dither/internal/pgtest"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
)

// TestOpenBudgetOfOtherData: a schema that declares another name pays nothing, and no record is read.
func TestOpenBudgetOfOtherData(t *testing.T) {
	file, book := durable(t, budget.GDP, 2, 1e-6)
	b, err := dither.OpenBudget(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	visits, named := namedSchema(t, "visits"), namedSchema(t, "patients")
	own, err := dither.Train(t.Context(), b, named, patients(50), dither.WithEpsilon(0.2))
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := dither.Train(t.Context(), newBudget(t), visits, patients(50))
	if err != nil {
		t.Fatal(err)
	}
	left := b.Left()
	_, trained := dither.Train(t.Context(), b, visits, "none.csv", dither.WithEpsilon(0.1))
	_, asked := dither.Query(t.Context(), b, visits, "none.csv", "count", dither.WithEpsilon(0.1))
	_, measured := dither.Evaluate(t.Context(), b, foreign.Model, "none.csv", dither.WithEpsilon(0.1))
	for _, failed := range []error{trained, asked, measured} {
		if failed == nil || !strings.Contains(failed.Error(), `the data are "visits", want "patients"`) || errors.Is(failed, os.ErrNotExist) {
			t.Errorf("got %v, want a refusal that names both, before the table is opened", failed)
		}
	}
	if _, err = dither.Evaluate(t.Context(), b, own.Model, patients(50), dither.WithEpsilon(0.1)); err != nil || !(b.Left() < left) {
		t.Errorf("got %v and %v left of %v, want an evaluation of the ledger's own data paid", err, b.Left(), left)
	}
	if err = book.Refresh(t.Context()); err != nil || len(book.Summary().Releases) != 2 {
		t.Errorf("got %d releases (%v), want the training and the evaluation", len(book.Summary().Releases), err)
	}
}

// TestSchemaNamesItsLedger: a schema that names a ledger is paid from that ledger alone.
func TestSchemaNamesItsLedger(t *testing.T) {
	file, book := durable(t, budget.GDP, 2, 1e-6)
	elsewhere, other := durable(t, budget.GDP, 2, 1e-6)
	s := namedSchema(t, "patients")
	s.Ledger = file
	for place, want := range map[string]string{"": "the budget is in memory", elsewhere: "want one of them"} {
		b := newBudget(t)
		if place != "" {
			var err error
			if b, err = dither.OpenBudget(t.Context(), place); err != nil {
				t.Fatal(err)
			}
			defer b.Close()
		}
		_, trained := dither.Train(t.Context(), b, s, "none.csv", dither.WithEpsilon(0.1))
		_, asked := dither.Query(t.Context(), b, s, "none.csv", "count", dither.WithEpsilon(0.1))
		for _, failed := range []error{trained, asked} {
			if failed == nil || !strings.Contains(failed.Error(), "names the ledger "+file) || !strings.Contains(failed.Error(), want) {
				t.Errorf("%q: got %v, want the ledger of the schema", place, failed)
			}
		}
	}
	b, err := dither.OpenBudget(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err = dither.Query(t.Context(), b, s, patients(50), "count", dither.WithEpsilon(0.1)); err != nil {
		t.Error(err)
	}
	if err = errors.Join(book.Refresh(t.Context()), other.Refresh(t.Context())); err != nil || len(book.Summary().Releases) != 1 || len(other.Summary().Releases) != 0 {
		t.Errorf("got %+v and %+v (%v), want one release in the ledger of the schema", book.Summary().Releases, other.Summary().Releases, err)
	}
}

// namedSchema returns the schema of patients with a declared name of the data.
func namedSchema(t *testing.T, name string) *data.Schema {
	t.Helper()
	s, err := data.ParseSchema("a file", []byte(strings.Replace(patientText, "name: patients\n", "name: "+name+"\n", 1)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestOpenBudgetReservesFirst: a table that is not there costs nothing, and a budget that is too small is
// refused before the table is opened.
func TestOpenBudgetReservesFirst(t *testing.T) {
	file, _ := durable(t, budget.GDP, 1, 1e-6)
	b, err := dither.OpenBudget(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	left := b.Left()
	if _, err = dither.Query(t.Context(), b, patientSchema(t), "none.csv", "count"); !errors.Is(err, os.ErrNotExist) || b.Left() != left {
		t.Errorf("got %v and %v left of %v, want no table and nothing spent", err, b.Left(), left)
	}
	other, err := dither.OpenBudget(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	read := false
	_, err = dither.Train(t.Context(), b, patientSchema(t), patients(20), dither.WithEpsilon(0.9), dither.WithProgress(func(step, _ int, _ float64) {
		if step == 1 { // the price of the whole training is reserved
			_, failed := dither.Query(t.Context(), other, patientSchema(t), "none.csv", "count", dither.WithEpsilon(0.8))
			read = !errors.Is(failed, ledger.ErrOverBudget) || errors.Is(failed, os.ErrNotExist)
		}
	}))
	if err != nil || read {
		t.Errorf("got %v, and a question that is too dear opened the table: %v", err, read)
	}
}

// TestCloseBudget: a closed budget spends nothing, says so, and leaves the ledger to others.
func TestCloseBudget(t *testing.T) {
	file, _ := durable(t, budget.GDP, 1, 1e-6)
	b, err := dither.OpenBudget(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	if err = errors.Join(b.Close(), b.Close()); err != nil {
		t.Errorf("got %v, want a second close that does nothing", err)
	}
	if _, err = dither.Query(t.Context(), b, patientSchema(t), patients(20), "count"); err == nil || !strings.Contains(err.Error(), "closed") || errors.Is(err, ledger.ErrOverBudget) {
		t.Errorf("got %v, want that the budget is closed", err)
	}
	if b.Left() != 0 {
		t.Errorf("%v is left in a closed budget, want 0", b.Left())
	}
	again, err := dither.OpenBudget(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err = dither.Query(t.Context(), again, patientSchema(t), patients(20), "count"); err != nil {
		t.Error(err)
	}
	memory := newBudget(t)
	if err = memory.Close(); err != nil || memory.Left() != 1 {
		t.Errorf("got %v and %v left, want a budget in memory as it was", err, memory.Left())
	}
	if err = new(dither.Budget).Close(); err == nil {
		t.Error("a zero value was closed")
	}
}

// TestOpenBudgetOnServer spends from a ledger on a server, by two budgets.
func TestOpenBudgetOnServer(t *testing.T) {
	server := pgtest.Start(t)
	where := server.URL("ledger", "patients")
	place, err := postgres.Parse(where)
	if err != nil {
		t.Fatal(err)
	}
	first, err := budget.First(budget.Terms{Name: "patients", Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne,
		Unit: privacy.Unit{Row: "one patient", RowsPerPerson: 1}, Filter: budget.Filter{Name: budget.GDP}, Who: "officer", Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	store, err := postgres.Create(t.Context(), place, first)
	if err != nil {
		t.Fatal(err)
	}
	if err = store.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		b, failed := dither.OpenBudget(t.Context(), where)
		if failed != nil {
			t.Fatal(failed)
		}
		left := b.Left()
		if _, err = dither.Query(t.Context(), b, patientSchema(t), patients(20), "count", dither.WithEpsilon(0.7)); (err == nil) != (i == 0) {
			t.Errorf("question %d of 0.7: got %v, want the first answered", i, err)
		}
		if err = b.Close(); err != nil || !(left > 0) {
			t.Errorf("got %v and %v left", err, left)
		}
	}
	if _, err = dither.OpenBudget(t.Context(), server.URL("ledger", "none")); err == nil || !strings.Contains(err.Error(), `"none"`) {
		t.Errorf("got %v, want that the server has no such ledger", err)
	}
}

// TestOpenBudgetRefusesPlaces: what is no place of a ledger, and addresses with a password.
func TestOpenBudgetRefusesPlaces(t *testing.T) {
	folder := t.TempDir()
	for where, want := range map[string]string{
		"": "empty", filepath.Join(folder, "none"): "`dither ledger create` makes a ledger", folder: "", "postgres://u:hidden@h/d": "holds a password", "postgres://u@h/d?ledger=": "name in the URL",
	} {
		_, err := dither.OpenBudget(t.Context(), where)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: got %v, want an error with %q and no password", where, err, want)
		}
	}
	var none context.Context
	if _, err := dither.OpenBudget(none, folder); err == nil {
		t.Error("no context was taken")
	}
}

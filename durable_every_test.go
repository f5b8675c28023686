package dither_test

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ditherml/dither"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// durable makes the file of a ledger under this filter and cap.
func durable(t *testing.T, filter string, epsilon, delta float64) (file string, book *budget.Book) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "ledger")
	book, err := budget.CreateFile(t.Context(), file, budget.Terms{Name: "patients", Epsilon: epsilon, Delta: delta, Neighboring: privacy.AddOrRemoveOne,
		Unit: privacy.Unit{Row: "one patient", RowsPerPerson: 1}, Filter: budget.Filter{Name: filter}, Who: "officer", Tool: "test"})
	if err != nil {
		t.Skipf("no ledger can be kept here: %v", err)
	}
	t.Cleanup(func() { book.Close() })
	return file, book
}

// TestEveryQuestionIsPaidInFull asks each question under a durable ledger. A release that nobody paid for would
// be given back although its answer is known.
func TestEveryQuestionIsPaidInFull(t *testing.T) {
	s, records := patientSchema(t), patients(300)
	for question, plan := range map[string]query.Plan{
		"count": {}, "sum age": {}, "mean age": {}, "variance age": {}, "histogram age": {Edges: []float64{20, 40, 80}}, "quantiles age": {},
		"radius age": {}, "covariance age, age": {}, "bounds age": {Points: 64}, "categories smoker": {ThresholdDelta: 1e-8}, "aggregate age": {Of: "mean", Blocks: 10},
	} {
		t.Run(question, func(t *testing.T) {
			file, book := durable(t, budget.Basic, 60, 1e-6)
			b, err := dither.OpenBudget(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = dither.Query(t.Context(), b, s, records, question, dither.Asking(plan)); err != nil {
				t.Fatal(err)
			}
			if err = book.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			if all := book.Summary(); len(all.Releases) != 1 || all.Releases[0].Outcome != budget.Released || !(all.Spent > 0) {
				t.Errorf("the ledger has %+v", all.Releases)
			}
		})
	}
}

// TestRowsAreNoPersons: a schema whose words for one row are those of a plan about persons is refused. Else a
// ledger for persons would charge one row for all rows of a person.
func TestRowsAreNoPersons(t *testing.T) {
	text := strings.Replace(patientText, "row: one patient\nrows-per-person: 1\n", "row: all rows with one id, of which at most 9 are used\n", 1)
	if text == patientText {
		t.Fatal("the schema is the one of the other tests, want another")
	}
	s, err := data.ParseSchema("patients", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	b := newBudget(t)
	if _, err = dither.Query(t.Context(), b, s, patients(10), "count"); err == nil || !strings.Contains(err.Error(), "single row") {
		t.Errorf("query: got %v, want a refusal", err)
	}
	if _, err = dither.Train(t.Context(), b, s, patients(10)); err == nil || !strings.Contains(err.Error(), "single row") {
		t.Errorf("training: got %v, want a refusal", err)
	}
}

// TestRacingBudgets spends from one file by goroutines, several budgets, calls that panic and calls that are
// canceled: the sum keeps the cap, and what ended without an answer stays spent or never began.
func TestRacingBudgets(t *testing.T) {
	file, book := durable(t, budget.GDP, 1, 1e-6)
	s, records := patientSchema(t), patients(60)
	var workers sync.WaitGroup
	for range 3 {
		b, err := dither.OpenBudget(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			workers.Go(func() {
				for range 6 {
					if k == 0 {
						panics(t, b)
						continue
					}
					_, err := dither.Query(t.Context(), b, s, records, "count", dither.WithEpsilon(0.25))
					if err != nil && !errors.Is(err, ledger.ErrOverBudget) {
						t.Error(err)
					}
				}
			})
		}
	}
	workers.Wait()
	if err := book.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := book.Summary()
	if !(all.Spent <= 1) || len(all.Releases) < 5 {
		t.Errorf("%d releases stand at %v, want several and at most 1", len(all.Releases), all.Spent)
	}
	for _, r := range all.Releases {
		if r.Outcome == budget.Stopped && r.Begun > 0 && r.Share <= 0 || r.Outcome == budget.Released && r.Share <= 0 {
			t.Errorf("got %+v, want what began to be spent", r)
		}
	}
}

// panics ends a training by a panic after its first step.
func panics(t *testing.T, b *dither.Budget) {
	defer func() { _ = recover() }()
	_, err := dither.Train(t.Context(), b, patientSchema(t), patients(60), dither.WithEpsilon(0.3), dither.WithProgress(func(step, _ int, _ float64) {
		if step > 0 {
			panic("a user's mistake")
		}
	}))
	if !errors.Is(err, ledger.ErrOverBudget) {
		t.Errorf("got %v, want a panic or that it is over budget", err)
	}
}

package dither_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// TestEvaluate measures a model that half of a budget trained with the other half, and compares
// with exact measures. The noise has a standard deviation of 0.23 a cell, of which there are 366:
// that of the accuracy is 0.0011, so that a difference of 0.01 has a probability below 1e-12.
func TestEvaluate(t *testing.T) {
	b, err := dither.NewBudget(60, 1e-6, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	s := patientSchema(t)
	run, err := dither.Train(t.Context(), b, s, patients(2000), dither.WithEpsilon(30))
	if err != nil {
		t.Fatal(err)
	}
	measured, err := dither.Evaluate(t.Context(), b, run.Model, patients(2000), dither.WithEpsilon(30), dither.By("smoker"))
	if err != nil {
		t.Fatal(err)
	}
	exact, numbers, err := dither.EvaluatePublic(t.Context(), run.Model, patients(2000))
	if err != nil || numbers != nil {
		t.Fatalf("got regression %v and error %v, want the measures of classes", numbers, err)
	}
	got := measured.Measures.Classification
	if math.Abs(float64(got.Accuracy.Value)-float64(exact.Accuracy)) > 0.01 {
		t.Errorf("got accuracy %v, want about %v", got.Accuracy, exact.Accuracy)
	}
	if e := float64(measured.Certificate.Epsilon); !(e > 29 && e <= 30) || len(measured.Plan.Groups) != 2 || measured.Plan.Noise != "gaussian" {
		t.Errorf("got epsilon %v and plan %+v, want Gaussian noise of epsilon 30 in two groups", e, measured.Plan)
	}
	left := b.Left()
	if !(left > 0 && left < 30) {
		t.Errorf("there is %v left, want some and less than 30", left)
	}
	if _, err = dither.Evaluate(t.Context(), b, run.Model, patients(10), dither.WithEpsilon(30)); !errors.Is(err, ledger.ErrOverBudget) {
		t.Errorf("another evaluation got error %v, want ErrOverBudget", err)
	}
	if _, err = dither.Evaluate(t.Context(), b, run.Model, patients(10), dither.Where("age > 30")); err == nil || !strings.Contains(err.Error(), "Where") {
		t.Errorf("an evaluation with a condition got error %v, want a refusal", err)
	}
	if b.Left() != left {
		t.Errorf("refused evaluations left %v, want %v", b.Left(), left)
	}
}

// TestLeftDuringTraining asks what is left from the callback of a training that takes all but a
// part.
func TestLeftDuringTraining(t *testing.T) {
	b, during := newBudget(t), []float64{}
	progress := dither.WithProgress(func(int, int, float64) { during = append(during, b.Left()) })
	if _, err := dither.Train(t.Context(), b, patientSchema(t), patients(50), dither.WithEpsilon(0.5), progress); err != nil {
		t.Fatal(err)
	}
	if len(during) == 0 || during[0] != b.Left() || !(during[0] > 0.5 && during[0] < 1) {
		t.Errorf("got %v during the training and %v after it, want one number below 1", during, b.Left())
	}
}

// visit is a record of which a person has several.
type visit struct {
	Person string
	Age    int
	Ill    bool
}

const visitText = `
dither-schema: 1
row: one visit
max-records: 10000
target: {column: ill, levels: ["false", "true"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  person: ignore
  age: {numeric: [18, 100]}
`

// TestPerPerson spends of one budget for questions, a training and an evaluation, all of which
// protect persons.
func TestPerPerson(t *testing.T) {
	s, err := data.ParseSchema("visits", []byte(visitText))
	if err != nil {
		t.Fatal(err)
	}
	visits := make([]visit, 900)
	for i := range visits {
		visits[i] = visit{fmt.Sprint("p", i%300), 20 + i*7919%70, i%3 == 0}
	}
	b, unit := newBudget(t), dither.PerPerson("person", 2)
	answer, err := dither.Query(t.Context(), b, s, visits, "count", dither.WithEpsilon(0.5), unit)
	if err != nil || math.Abs(answer.Rows[0].Value-600) > 200 || !strings.Contains(answer.Certificate.Unit, "all rows with one person") {
		t.Fatalf("got %+v and error %v, want 600 rows of 300 persons", answer, err)
	}
	run, err := dither.Train(t.Context(), b, s, visits, dither.WithEpsilon(0.3), unit)
	if err != nil || run.Certificate.Unit != answer.Certificate.Unit {
		t.Fatalf("got %+v and error %v, want the same unit", run, err)
	}
	measured, err := dither.Evaluate(t.Context(), b, run.Model, visits, unit)
	if err != nil || measured.Certificate.Unit != answer.Certificate.Unit {
		t.Fatalf("got %+v and error %v, want the same unit", measured, err)
	}
	if _, err = dither.Query(t.Context(), newBudget(t), s, visits, "count", dither.PerPerson("nobody", 2)); err == nil {
		t.Error("persons in a column that is not there were counted")
	}
}

// TestEveryStatistic asks for what the command answers, each of a budget of its own.
//
// Categories of 1,000 records each are hidden with a probability below 1e-100.
func TestEveryStatistic(t *testing.T) {
	s, err := data.ParseSchema("patients", []byte(strings.Replace(patientText, "  smoker:", "  town: ignore\n  smoker:", 1)))
	if err != nil {
		t.Fatal(err)
	}
	type resident struct {
		patient
		Town string
	}
	records := make([]resident, 2000)
	for i, p := range patients(len(records)) {
		records[i] = resident{p, fmt.Sprint("town ", i%2)}
	}
	for question, rows := range map[string]int{"count": 1, "mean age": 1, "histogram smoker": 4, "quantiles age": 2, "bounds age": 2, "radius age": 1,
		"aggregate age": 1, "categories town": 2, "histogram age": 4, "covariance age, age * age": 3} {
		b := newBudget(t)
		asking := dither.Asking(query.Plan{Quantiles: []float64{0.25, 0.75}})
		if !strings.HasPrefix(question, "quantiles") {
			asking = dither.Asking(query.Plan{Edges: []float64{40, 60}[:2*strings.Count(question, "histogram age")]})
		}
		answer, err := dither.Query(t.Context(), b, s, records, question, asking)
		if err != nil || len(answer.Rows) != rows {
			t.Errorf("%s: got error %v and %+v, want %d rows", question, err, answer, rows)
			continue
		}
		if e := float64(answer.Certificate.Epsilon); !(e > 0 && e <= 1) || b.Left() != 0 && answer.Plan.Noise != "gaussian" {
			t.Errorf("%s: epsilon is %v and %v is left, want at most 1 and none but after Gaussian noise", question, e, b.Left())
		}
	}
}

// TestEndedContextsSpendNothing asks with a context that has ended. A table without rows gives no
// loop a reason to look at it.
func TestEndedContextsSpendNothing(t *testing.T) {
	s, b := patientSchema(t), newBudget(t)
	run, err := dither.Train(t.Context(), b, s, patients(100), dither.WithEpsilon(0.3))
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	left, part := b.Left(), dither.WithEpsilon(0.05)
	for _, n := range []int{0, 100} {
		d, err := data.FromSlice(s, patients(n), data.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, train := dither.Train(ended, b, s, d, part)
		_, ask := dither.Query(ended, b, s, d, "count", part)
		_, measure := dither.Evaluate(ended, b, run.Model, d, part)
		for call, err := range map[string]error{"Train": train, "Query": ask, "Evaluate": measure} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s of %d rows: got error %v, want that of the context", call, n, err)
			}
		}
	}
	if b.Left() != left {
		t.Errorf("got %v left, want %v as before", b.Left(), left)
	}
}

// TestEvaluateLeavesOutDroppedRows measures a table that kept the rows which its schema drops. They
// stand before all others, so that groups and persons counted with them would be those of other
// rows.
func TestEvaluateLeavesOutDroppedRows(t *testing.T) {
	s, err := data.ParseSchema("visits", []byte(strings.Replace(visitText, "missing: indicator", "missing: drop", 1)+"  smoker: {levels: [\"false\", \"true\"]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	text := "person,age,smoker,ill\np0,,true,true\np0,,true,true\np0,,true,true\n"
	for i := range 300 {
		text += fmt.Sprintf("p%d,%d,%v,%v\n", i/3, 20+i%70, i < 30, i%2 == 0)
	}
	file := filepath.Join(t.TempDir(), "visits.csv")
	if err = os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	kept, err := data.Read(t.Context(), s, data.Source{Path: file}, data.ReadOptions{KeepDropped: true, Extra: []string{"person"}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := dither.Train(t.Context(), newBudget(t), s, file)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]dither.Option{"by a column": dither.By("smoker"), "of persons": dither.PerPerson("person", 3)} {
		measured, err := dither.Evaluate(t.Context(), newBudget(t), run.Model, kept, o)
		if err != nil || measured == nil {
			t.Errorf("%s: got error %v, want measures of the rows that are kept", name, err)
		}
	}
}

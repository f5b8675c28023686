package dither_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ditherml/dither"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// patient is a record of the tests.
type patient struct {
	Age    int
	Smoker bool
	Ill    bool
}

// patients makes records up, and patientSchema parses their schema.
func patients(n int) []patient {
	all := make([]patient, n)
	for i := range all {
		p := patient{Age: 20 + i*7919%70, Smoker: i%4 == 0}
		p.Ill = p.Age+i*1299709%50 > 85
		all[i] = p
	}
	return all
}

const patientText = `
dither-schema: 1
name: patients
row: one patient
rows-per-person: 1
max-records: 10000
target: {column: ill, levels: ["false", "true"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  age: {numeric: [18, 100]}
  smoker: {levels: ["false", "true"]}
`

func patientSchema(t testing.TB) *data.Schema {
	t.Helper()
	s, err := data.ParseSchema("patients", []byte(patientText))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newBudget(t testing.TB) *dither.Budget {
	t.Helper()
	b, err := dither.NewBudget(1, 1e-6, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTrainSaveVerify trains on structs, on a file and on a data set, saves, verifies and opens.
func TestTrainSaveVerify(t *testing.T) {
	s, records, place := patientSchema(t), patients(500), t.TempDir()
	var table strings.Builder
	table.WriteString("age,smoker,ill\n")
	for _, p := range records {
		fmt.Fprintf(&table, "%d,%v,%v\n", p.Age, p.Smoker, p.Ill)
	}
	file := filepath.Join(place, "patients.csv")
	if err := os.WriteFile(file, []byte(table.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := data.FromStructs(s, records, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string]any{"structs": records, "file": file, "set": set, "none": []patient{}} {
		b := newBudget(t)
		run, err := dither.Train(t.Context(), b, s, source)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if e := float64(run.Certificate.Epsilon); !(e > 0.99 && e <= 1) || float64(run.Certificate.Asked) != 1 {
			t.Errorf("%s: the certificate has epsilon %v, asked %v, want at most the budget of 1", name, e, run.Certificate.Asked)
		}
		folder := filepath.Join(place, name)
		if err = run.Save(folder); err != nil {
			t.Fatal(err)
		}
		if err = run.Save(""); err == nil || !strings.Contains(err.Error(), "name of the folder is empty") {
			t.Errorf("got error %v without a name, want one that says so", err)
		}
		if err = run.Save(folder); err == nil {
			t.Error("a folder that exists was written again, want an error")
		}
		v, err := dither.Verify(folder)
		if err != nil || !v.Verified {
			t.Fatalf("%s: got %+v and error %v, want a verified folder", name, v, err)
		}
		m, err := dither.Open(folder)
		if err != nil || len(m.Weights()) != len(run.Model.Weights()) {
			t.Errorf("%s: the folder does not open: %v", name, err)
		}
		asked := []struct {
			Age    int
			Smoker *bool
		}{{Age: 30}, {Age: 80}}
		p, err := dither.Predict(t.Context(), m, asked)
		if err != nil || len(p) != 2 || len(p[0]) != 1 || !(p[0][0] > 0 && p[0][0] < 1) || p[0][0] == p[1][0] {
			t.Errorf("%s: got predictions %v and error %v, want a probability for each of two records", name, p, err)
		}
		if _, err = dither.Query(t.Context(), b, s, source, "count"); !errors.Is(err, ledger.ErrOverBudget) {
			t.Errorf("%s: a question after training got error %v, want ErrOverBudget", name, err)
		}
		if _, err = dither.Train(t.Context(), b, s, source); !errors.Is(err, ledger.ErrOverBudget) || b.Left() != 0 {
			t.Errorf("%s: a second training got error %v with %v left, want ErrOverBudget", name, err, b.Left())
		}
	}
}

// TestVerifyRefusesAnEditedFolder edits one number of a saved model.
func TestVerifyRefusesAnEditedFolder(t *testing.T) {
	run, err := dither.Train(t.Context(), newBudget(t), patientSchema(t), patients(100))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"model.json", "certificate.json"} {
		folder := filepath.Join(t.TempDir(), "m")
		if err = run.Save(folder); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		edited := strings.Replace(string(text), "one patient", "two patients", 1)
		if edited == string(text) {
			edited = strings.Replace(string(text), "age", "agf", 1)
		}
		if err = os.WriteFile(path, []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
		if v, err := dither.Verify(folder); err == nil && v.Verified {
			t.Errorf("%s: an edited folder is verified", name)
		}
	}
}

// TestBudgetIsShared asks, trains and asks again of one budget, whose ledger prices all of it within the limit.
func TestBudgetIsShared(t *testing.T) {
	s, b := patientSchema(t), newBudget(t)
	answer, err := dither.Query(t.Context(), b, s, patients(500), "mean age", dither.WithEpsilon(0.5), dither.Where("smoker = true"))
	if err != nil || len(answer.Rows) != 1 || float64(answer.Certificate.Epsilon) > 0.5 {
		t.Fatalf("got %+v and error %v, want one mean at epsilon 0.5", answer, err)
	}
	left := b.Left()
	if !(left > 0.5 && left < 1) {
		t.Errorf("after epsilon 0.5 there is %v left, want more than the difference and less than all", left)
	}
	if _, err = dither.Query(t.Context(), b, s, patients(500), "count", dither.WithEpsilon(1)); !errors.Is(err, ledger.ErrOverBudget) {
		t.Errorf("all of the budget again got error %v, want ErrOverBudget", err)
	}
	run, err := dither.Train(t.Context(), b, s, patients(500))
	if err != nil || float64(run.Certificate.Asked) != left {
		t.Fatalf("training got %+v and error %v, want what is left", run, err)
	}
	other, err := data.ParseSchema("visits", []byte(strings.Replace(patientText, "one patient", "one visit", 1)))
	if err != nil {
		t.Fatal(err)
	}
	fresh := newBudget(t)
	for schema, want := range map[*data.Schema]bool{s: true, other: false} {
		if schema == other {
			if _, err = dither.Query(t.Context(), fresh, s, patients(10), "count", dither.WithEpsilon(0.1)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err = dither.Query(t.Context(), fresh, schema, patients(10), "count", dither.WithEpsilon(0.1)); (err == nil) != want {
			t.Errorf("a question about %q got error %v, want an answer: %v", schema.Row, err, want)
		}
	}
	if got := b.Left(); got > 0.01 {
		t.Errorf("after training there is %v left, want next to nothing", got)
	}
}

// TestTrainRefuses gives wrong inputs. None may spend anything.
func TestTrainRefuses(t *testing.T) {
	s := patientSchema(t)
	tainted := *s
	tainted.FromData = []string{"age"}
	other, err := data.ParseSchema("other", []byte(strings.Replace(patientText, "[18, 100]", "[18, 90]", 1)))
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := data.FromStructs(other, patients(10), data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b := newBudget(t)
	for _, c := range []struct {
		name    string
		schema  *data.Schema
		records any
		want    string
	}{
		{"no schema", nil, patients(10), "schema is nil"},
		{"a copied schema", &tainted, patients(10), "copied out of the records"},
		{"no records", s, nil, "records are nil"},
		{"no slice", s, patients(1)[0], "want a slice of structs"},
		{"a field is missing", s, []struct{ Age int }{{30}}, "smoker"},
		{"a field of another type", s, []struct {
			Age    []int
			Smoker bool
			Ill    bool
		}{{}}, "type of field Age"},
		{"no file", s, filepath.Join(t.TempDir(), "none.csv"), "none.csv"},
		{"a set of another schema", s, foreign, "another schema"},
	} {
		if _, err := dither.Train(t.Context(), b, c.schema, c.records); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", c.name, err, c.want)
		}
		if _, err := dither.Query(t.Context(), b, c.schema, c.records, "mean age", dither.By("smoker")); err == nil && c.name != "a field is missing" {
			t.Errorf("%s: a question was answered", c.name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dither.Train(ctx, b, s, patients(10)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled training got error %v, want context.Canceled", err)
	}
	if _, err := dither.Query(ctx, b, s, patients(10), "count"); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled question got error %v, want context.Canceled", err)
	}
	if b.Left() != 1 {
		t.Errorf("refused calls left epsilon %v, want 1", b.Left())
	}
	for _, v := range [][2]float64{{0, 1e-6}, {1, 0}, {1, 1}, {-1, 1e-6}} {
		if _, err := dither.NewBudget(v[0], v[1], privacy.AddOrRemoveOne); err == nil {
			t.Errorf("a budget of epsilon %v and delta %v was made", v[0], v[1])
		}
	}
	if _, err := dither.NewBudget(1, 1e-6, 0); err == nil || !strings.Contains(err.Error(), "such as AddOrRemoveOne") {
		t.Errorf("a budget under no relation got error %v, want the name of a relation", err)
	}
}

// TestBudgetIsOfOnePointer spends through copies, the zero value and nil.
func TestBudgetIsOfOnePointer(t *testing.T) {
	s, b := patientSchema(t), newBudget(t)
	copied := reflect.New(reflect.TypeFor[dither.Budget]()).Interface().(*dither.Budget)
	reflect.ValueOf(copied).Elem().Set(reflect.ValueOf(b).Elem()) // *copied = *b, which go vet refuses
	for name, other := range map[string]*dither.Budget{"a copy": copied, "the zero value": {}, "nil": nil} {
		if _, err := dither.Query(t.Context(), other, s, patients(10), "count"); err == nil || !strings.Contains(err.Error(), "want the pointer") {
			t.Errorf("%s answered a question, or got error %v, want one with %q", name, err, "want the pointer")
		}
		if _, err := dither.Train(t.Context(), other, s, patients(10)); err == nil || !strings.Contains(err.Error(), "want the pointer") {
			t.Errorf("%s trained, or got error %v, want one with %q", name, err, "want the pointer")
		}
		if left := other.Left(); left != 0 {
			t.Errorf("%s has epsilon %v left, want 0", name, left)
		}
	}
	if left := b.Left(); left != 1 {
		t.Errorf("the budget has epsilon %v left after its copies were refused, want 1", left)
	}
}

// TestNothingIsLeft asks twice for all that is left after another release: what rounding leaves is nothing.
func TestNothingIsLeft(t *testing.T) {
	for _, v := range [][2]float64{{1, 1e-6}, {0.01, 1e-3}, {8, 1e-9}} {
		b, err := dither.NewBudget(v[0], v[1], privacy.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		for _, epsilon := range []float64{v[0] / 5, 0} {
			if _, err = dither.Query(t.Context(), b, patientSchema(t), patients(10), "count", dither.WithEpsilon(epsilon)); err != nil {
				t.Fatal(err)
			}
		}
		if left := b.Left(); left != 0 {
			t.Errorf("of %v there is epsilon %v left after all was asked for, want 0", v, left)
		}
		if _, err = dither.Query(t.Context(), b, patientSchema(t), patients(10), "count"); !errors.Is(err, ledger.ErrOverBudget) {
			t.Errorf("a question after all of %v got error %v, want ErrOverBudget", v, err)
		}
	}
}

// TestFrontDoorRefuses gives options and values that a call has no use for.
func TestFrontDoorRefuses(t *testing.T) {
	s, b := patientSchema(t), newBudget(t)
	private, err := data.ParseSchema("private", []byte(strings.Replace(patientText, "{numeric: [18, 100]}", "{bounds: private, range: [0, 1000]}", 1)))
	if err != nil {
		t.Fatal(err)
	}
	spent := newBudget(t)
	if _, err = dither.Query(t.Context(), spent, s, patients(10), "count", dither.WithEpsilon(0.1)); err != nil {
		t.Fatal(err)
	}
	left := spent.Left()
	train := func(b *dither.Budget, s *data.Schema, options ...dither.Option) error {
		_, refusal := dither.Train(t.Context(), b, s, patients(10), options...)
		return refusal
	}
	_, asked := dither.Query(t.Context(), spent, s, patients(10), "quantiles age")
	_, conditioned := dither.Query(t.Context(), b, s, patients(10), "count", dither.Where("age > 3"), dither.Asking(query.Plan{Where: "age > 30"}))
	_, grouped := dither.Query(t.Context(), b, s, patients(10), "count", dither.Asking(query.Plan{By: "smoker"}))
	d, err := data.FromStructs(s, patients(10), data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, unnamed := dither.Train(t.Context(), newBudget(t), s, d, dither.PerPerson("age", 2))
	_, informed := dither.Query(t.Context(), b, s, patients(10), "count", dither.WithProgress(nil))
	var noContext context.Context
	_, withoutContext := dither.Train(noContext, b, s, patients(10))
	_, answeredWithout := dither.Query(noContext, b, s, patients(10), "count")
	_, predictedWithout := dither.Predict(noContext, new(model.Model), patients(10))
	_, unmeasured := dither.Evaluate(t.Context(), b, nil, patients(10))
	_, _, unmeasuredPublic := dither.EvaluatePublic(t.Context(), nil, patients(10))
	_, predictedNothing := dither.Predict(t.Context(), new(model.Model), patients(10))
	_, _, measuredNothing := dither.EvaluatePublic(t.Context(), new(model.Model), patients(10))
	_, predicted := dither.Predict(t.Context(), nil, patients(10))
	_, calibrated := dither.Calibrate(nil, 1, 1e-6, privacy.AddOrRemoveOne)
	other, err := data.ParseSchema("visits", []byte(strings.Replace(patientText, "one patient", "one visit", 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"a condition on training", train(b, s, dither.Where("age > 30")), "option of Train is Where, want none but WithEpsilon"},
		{"groups of training", train(b, s, dither.By("smoker")), "option of Train is By"},
		{"a plan of training", train(b, s, dither.Asking(query.Plan{Blocks: 3})), "option of Train is Asking"},
		{"a condition in a plan", conditioned, `plan of Asking has Where "age > 30", want it as the option Where`},
		{"groups in a plan", grouped, `plan of Asking has By "smoker"`},
		{"persons that a data set does not hold", unnamed, `data.ReadOptions{Extra: []string{"age"}}`},
		{"progress of a question", informed, "option of Query is WithProgress"},
		{"a folder without a name", train(b, s, dither.Into("")), "folder of Into is empty"},
		{"a folder nowhere", train(b, s, dither.Into(filepath.Join("none", "m"))), "folder none is not there, want a place for m"},
		{"no context", withoutContext, "ctx is nil"},
		{"no context of a question", answeredWithout, "ctx is nil"},
		{"no context of a prediction", predictedWithout, "ctx is nil"},
		{"no option", train(b, s, dither.WithEpsilon(0.5), nil), "option 2 is nil"},
		{"next to no epsilon", train(b, s, dither.WithEpsilon(1e-300)), "epsilon is 1e-300, want more than what rounding takes"},
		{"an empty model", predictedNothing, "a zero value"},
		{"an empty model to measure", measuredNothing, "a zero value"},
		{"no model to measure", unmeasured, "model is nil"},
		{"no model to measure in public", unmeasuredPublic, "model is nil"},
		{"more than there is", train(b, s, dither.WithEpsilon(2)), "epsilon is 2"},
		{"private bounds of a budget in use", train(spent, private, dither.WithEpsilon(0.5)), "unspent budget"},
		{"another unit", train(spent, other, dither.WithEpsilon(0.5)), `unit is "one visit" with at most 1 rows a person, want "one patient" with at most 1`},
		{"rows of a person", train(spent, s, dither.PerPerson("smoker", 2)), `unit is "all rows with one smoker, of which at most 2 are used", want "one patient" with`},
		{"another unit's way out", train(spent, other, dither.WithEpsilon(0.5)), "give the schemas of one budget the same row and rows-per-person"},
		{"a statistic that Gaussian noise does not answer, of a budget in use", asked, "a NewBudget of their own"},
		{"no model", predicted, "model is nil"},
		{"no plan", calibrated, "plan is nil"},
		{"a run that nobody trained", new(dither.Run).Save(filepath.Join(t.TempDir(), "run")), "want one that Train returned"},
		{"no run", (*dither.Run)(nil).Save(filepath.Join(t.TempDir(), "run")), "want one that Train returned"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", c.name, c.err, c.want)
		}
	}
	if b.Left() != 1 || spent.Left() != left {
		t.Errorf("refused calls left epsilon %v and %v, want 1 and %v", b.Left(), spent.Left(), left)
	}
}

// TestPriceAndCalibrate goes from noise to epsilon and back.
func TestPriceAndCalibrate(t *testing.T) {
	z, err := dither.Calibrate(func(z float64) mechanism.Event { return mechanism.Gaussian{NoiseMultiplier: z} }, 1, 1e-6, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	g, err := dither.Price(fmt.Sprintf("gaussian(%v)", z), 1e-6, privacy.AddOrRemoveOne)
	if err != nil || !(g.Epsilon() > 0.999 && g.Epsilon() <= 1) {
		t.Errorf("noise for epsilon 1 costs %v, error %v", g, err)
	}
	if _, err = dither.Price("gaussian(", 1e-6, privacy.AddOrRemoveOne); err == nil {
		t.Error("half an event has a price")
	}
}

// TestWithInteractions wants the transform in the certificate, at the price of a training without it, and
// wrong words refused before anything is spent.
func TestWithInteractions(t *testing.T) {
	b := newBudget(t)
	if _, err := dither.Train(t.Context(), b, patientSchema(t), patients(100), dither.WithInteractions("age*shoe")); err == nil || b.Left() != 1 || !strings.Contains(err.Error(), `column "shoe" is not there to be paired, want two of age, smoker`) {
		t.Errorf("a wrong column: got error %v, %v left", err, b.Left())
	}
	run, err := dither.Train(t.Context(), b, patientSchema(t), patients(100), dither.WithInteractions("smoker*age"), dither.WithEpsilon(0.5))
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(run.Certificate.Assumptions, " "); !strings.Contains(all, `public transform interactions {"pairs":[["smoker","age"]],"bins":1024`) {
		t.Errorf("got assumptions %q", all)
	}
	if _, err = dither.Query(t.Context(), b, patientSchema(t), patients(10), "count", dither.WithInteractions("all")); err == nil {
		t.Error("a question: got no error")
	}
}

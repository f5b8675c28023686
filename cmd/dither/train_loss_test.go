package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// fruitSchema has %s for its target.
const fruitSchema = `dither-schema: 1
row: one fruit
max-records: 5000
target: {column: y, %s}
defaults: {missing: zero, out-of-range: clamp, unknown: other}
columns:
  a: {numeric: [0, 10]}
  b: {numeric: [0, 10]}
`

// fruits are n rows of three classes that a line each tells from the others.
func fruits(t *testing.T, dir string, n int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("a,b,y\n")
	for i := range n {
		k := i % 3
		fmt.Fprintf(&b, "%d,%d,%d\n", [3]int{9, 1, 1}[k]+i%2, [3]int{1, 9, 1}[k]-i%2, k)
	}
	return writeText(t, filepath.Join(dir, "fruits.csv"), b.String())
}

// TestTrainOneVsRest trains three heads, and wants the model file, the certificate, the report and
// the predictions to be of that loss. Under clipping of examples the bound is √3 times the norm of
// a row, which is √(1 + 0.25²) with the intercept of whitened rows.
func TestTrainOneVsRest(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	schema, table := writeText(t, "s.yaml", fmt.Sprintf(fruitSchema, "levels: [0, 1, 2]")), fruits(t, dir, 3000)
	out, _ := mustInvoke(t, "train", "--data", table, "--schema", schema, "--loss", "one-vs-rest", "--clipping", "example", "--test", table, "--test-public", "--out", "m", "--quiet", "--epsilon", "20")
	if !strings.Contains(out, "accuracy                             100.00 %") {
		t.Errorf("summary: got\n%s\nwant accuracy 100 %%", out)
	}
	m, err := model.Load("m")
	if err != nil || m.Linear().Loss != (model.OneVsRest{}) || m.Linear().Columns != 3 {
		t.Fatalf("model: got %+v, error %v, want three heads of one-vs-rest", m.Linear(), err)
	}
	c, err := certificate.Read(filepath.Join("m", certificate.FileName))
	if want := fmt.Sprintf(`"bound": %v`, math.Sqrt(3)*math.Hypot(1, train.WhitenedIntercept)); err != nil || !strings.Contains(string(c.Plan), want) {
		t.Errorf("plan: got %s, error %v, want %s", c.Plan, err, want)
	}
	mustInvoke(t, "verify", "m")
	if page := readFile(t, filepath.Join("m", reportName)); !strings.Contains(page, "linear, one-vs-rest loss, 3 × 3 weights") {
		t.Error("the report does not name the loss")
	}
	lines, _ := mustInvoke(t, "predict", "m", table)
	for i, row := range readCSV(t, lines)[1:] {
		if row[1] != fmt.Sprint(i%3) || len(row) != 5 {
			t.Fatalf("prediction %d: got %v, want class %d and three probabilities", i, row, i%3)
		}
	}
}

// TestTrainLossMisfits wants a loss that does not fit the target to be refused with the one to use.
func TestTrainLossMisfits(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, c := range []struct{ target, loss, want string }{
		{"levels: [0, 1, 2]", "logistic", "use softmax or one-vs-rest"},
		{"levels: [0, 1, 2]", "huber", "use softmax or one-vs-rest"},
		{"levels: [0, 1]", "huber", "use logistic, softmax or one-vs-rest"},
		{"bounds: [0, 2]", "one-vs-rest", "want huber"},
		{"bounds: [0, 2]", "softmax", "want huber"},
		{"levels: [0, 1, 2]", "hinge", "want logistic, softmax, one-vs-rest, huber"},
	} {
		schema := writeText(t, "s.yaml", fmt.Sprintf(fruitSchema, c.target))
		status, _, stderr := invoke("train", "--data", "absent.csv", "--schema", schema, "--loss", c.loss, "--dry-run")
		if status == 0 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s with %s: got status %d and %q, want a refusal with %q", c.loss, c.target, status, stderr, c.want)
		}
	}
	for _, loss := range []string{"logistic", "softmax", "one-vs-rest"} {
		schema := writeText(t, "s.yaml", fmt.Sprintf(fruitSchema, "levels: [0, 1]"))
		mustInvoke(t, "train", "--data", "absent.csv", "--schema", schema, "--loss", loss, "--dry-run")
	}
}

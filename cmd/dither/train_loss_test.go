package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/model"
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
	if err != nil || m.Linear().Loss != model.OneVsRest || m.Linear().Columns != 3 {
		t.Fatalf("model: got %+v, error %v, want three heads of one-vs-rest", m.Linear(), err)
	}
	c, err := certificate.Read(filepath.Join("m", certificate.FileName))
	if want := fmt.Sprintf(`"bound": %v`, math.Sqrt(3)*math.Hypot(1, option.WhitenedIntercept)); err != nil || !strings.Contains(string(c.Plan), want) {
		t.Errorf("plan: got %s, error %v, want %s", c.Plan, err, want)
	}
	mustInvoke(t, "verify", "m")
	if page := readFile(t, filepath.Join("m", report.FileName)); !strings.Contains(page, "linear, one-vs-rest loss, 3 × 3 weights") {
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
		{"levels: [0, 1, 2]", "logistic", "use softmax, one-vs-rest or squared-classes"},
		{"levels: [0, 1, 2]", "huber", "use softmax, one-vs-rest or squared-classes"},
		{"levels: [0, 1]", "huber", "use logistic, hinge, softmax, one-vs-rest or squared-classes"},
		{"bounds: [0, 2]", "one-vs-rest", "want huber"},
		{"bounds: [0, 2]", "softmax", "want huber"},
		{"levels: [0, 1, 2]", "perceptron", "want logistic, hinge, softmax, one-vs-rest, huber"},
	} {
		schema := writeText(t, "s.yaml", fmt.Sprintf(fruitSchema, c.target))
		status, _, stderr := invoke("train", "--data", "absent.csv", "--schema", schema, "--loss", c.loss, "--dry-run")
		if status == 0 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s with %s: got status %d and %q, want a refusal with %q", c.loss, c.target, status, stderr, c.want)
		}
	}
	for _, loss := range []string{"logistic", "hinge", "softmax", "one-vs-rest", "squared-classes"} {
		schema := writeText(t, "s.yaml", fmt.Sprintf(fruitSchema, "levels: [0, 1]"))
		mustInvoke(t, "train", "--data", "absent.csv", "--schema", schema, "--loss", loss, "--dry-run")
	}
}

// TestTrainLossesOfNumbers trains each loss of a numeric target on counts that are 1 or 9 with equal
// chances beside a column that says which, with noise of little weight: the means are found, by the
// quantile loss the upper value of a third column of ones and threes.
func TestTrainLossesOfNumbers(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	var b strings.Builder
	b.WriteString("a,b,y\n")
	for i := range 4000 {
		fmt.Fprintf(&b, "%d,%d,%d\n", i%2*10, 10-i%2*10, 1+8*(i%2))
	}
	table := writeText(t, "counts.csv", b.String())
	for _, c := range []struct{ target, loss, more string }{
		{"[0, 10]", "poisson", "--momentum=0.9"}, {"[0, 10]", "quantile", "--quantile=0.6"}, {"[-10, 10]", "squared", "--momentum=0.9"}, {"[0, 10]", "huber", "--loss-width=0.5"},
	} {
		schema := writeText(t, "s.yaml", fmt.Sprintf(fruitSchema, "bounds: "+c.target))
		mustInvoke(t, "train", "--data", table, "--schema", schema, "--loss", c.loss, c.more, "--out", c.loss, "--quiet", "--epsilon", "50", "--steps", "300")
		mustInvoke(t, "verify", c.loss)
		lines, _ := mustInvoke(t, "predict", c.loss, table)
		for i, row := range readCSV(t, lines)[1:3] {
			if got, err := strconv.ParseFloat(row[1], 64); err != nil || math.Abs(got-float64(1+8*i)) > 0.8 {
				t.Errorf("%s predicts %v, want %d", c.loss, row, 1+8*i)
			}
		}
	}
	schema := writeText(t, "s.yaml", fmt.Sprintf(fruitSchema, "bounds: [-1, 10]"))
	if status, _, stderr := invoke("train", "--data", table, "--schema", schema, "--loss", "poisson", "--dry-run"); status == 0 || !strings.Contains(stderr, "begins at 0 or above") {
		t.Errorf("counts below 0: got status %d and %q, want a refusal", status, stderr)
	}
	if status, _, stderr := invoke("train", "--data", table, "--schema", schema, "--loss", "huber", "--quantile", "0.3", "--dry-run"); status == 0 || !strings.Contains(stderr, "want --loss quantile") {
		t.Errorf("a quantile of the huber loss: got status %d and %q, want a refusal", status, stderr)
	}
}

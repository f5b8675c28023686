package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/model"
)

// TestTrainReleasesAllIterates reads the matrix of iterates back: its last row is the model, the folder
// verifies, and can be replaced as a whole.
func TestTrainReleasesAllIterates(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	schema, table := writeText(t, "s.yaml", fmt.Sprintf(fruitSchema, "levels: [0, 1, 2]")), fruits(t, dir, 300)
	arguments := []string{"train", "--data", table, "--schema", schema, "--out", "m", "--quiet", "--epsilon", "20", "--steps", "7"}
	mustInvoke(t, append(arguments, "--optimizer", "nesterov", "--schedule", "cosine", "--warm-up", "2", "--l1", "0.001", "--output-rule", "all-iterates")...)
	m, err := model.Load("m")
	if err != nil {
		t.Fatal(err)
	}
	text := readFile(t, filepath.Join("m", artefact.IteratesName))
	header, numbers, found := strings.Cut(text, "\n")
	want := len(m.Weights())
	if !found || (len(header)+1)%64 != 0 || !strings.Contains(header, fmt.Sprintf("'shape': (7, %d)", want)) || len(numbers) != 7*want*8 {
		t.Fatalf("header %q with %d bytes, want 7 rows of %d numbers", header, len(numbers), want)
	}
	for j, w := range m.Weights() {
		at := (6*want + j) * 8
		if got := math.Float64frombits(binary.LittleEndian.Uint64([]byte(numbers[at : at+8]))); got != w {
			t.Errorf("weight %d of the last iterate is %v, want %v", j, got, w)
		}
	}
	mustInvoke(t, "verify", "m")
	page := readFile(t, filepath.Join("m", report.FileName))
	for _, part := range []string{"schedule cosine behind 2 steps of warm-up, nesterov, momentum 0.9, l1 0.001", "all iterates are in " + artefact.IteratesName} {
		if !strings.Contains(page, part) {
			t.Errorf("the report does not say %q", part)
		}
	}
	for name, change := range map[string]func(path string) error{
		"changed": func(path string) error { return os.WriteFile(path, []byte(text[:len(text)-1]+"?"), 0o600) },
		"absent":  os.Remove,
	} {
		if err := change(filepath.Join("m", artefact.IteratesName)); err != nil {
			t.Fatal(err)
		}
		if status, stdout, _ := invoke("verify", "m"); status != exitFailed || !strings.Contains(stdout, artefact.IteratesName) || !strings.HasPrefix(stdout, "NOT VERIFIED") {
			t.Errorf("%s iterates: got status %d and %q, want them named first", name, status, stdout)
		}
	}
	mustInvoke(t, append(arguments, "--replace")...)
	writeText(t, filepath.Join("m", artefact.IteratesName), "of another run")
	if status, _, stderr := invoke("verify", "m"); status != exitFailed || !strings.Contains(stderr, "no hash of it") {
		t.Errorf("iterates of another run: got status %d and %q, want them refused", status, stderr)
	}
	mustInvoke(t, append(arguments, "--replace")...)
	if display.Exists(filepath.Join("m", artefact.IteratesName)) {
		t.Error("the iterates of the folder that was replaced are still there")
	}
}

// TestTrainWithDeclaredConstant wants the report to say that a declared constant cuts, and a dry run to
// show the bound of the squared norm of rows.
func TestTrainWithDeclaredConstant(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	schema, table := writeText(t, "s.yaml", fmt.Sprintf(fruitSchema, "levels: [0, 1, 2]")), fruits(t, dir, 300)
	mustInvoke(t, "train", "--data", table, "--schema", schema, "--out", "m", "--quiet", "--clipping", "declared-lipschitz", "--clipping-norm", "0.7")
	mustInvoke(t, "verify", "m")
	if page := readFile(t, filepath.Join("m", report.FileName)); !strings.Contains(page, "a Lipschitz constant of 0.7 was declared, and what one record contributes beyond it is cut") {
		t.Error("the report does not say what a declared constant does")
	}
	out, _ := mustInvoke(t, "train", "--data", table, "--schema", schema, "--dry-run", "--clipping", "data-and-parameter", "--parameter-radius", "5")
	if !strings.Contains(out, "weights projected on a ball of radius 5") {
		t.Errorf("the dry run does not name the ball:\n%s", out)
	}
}

// TestTrainLastIterate trains under the price of the last iterate, which verify recomputes from the plan,
// and sees the rest refused; auto falls back on composition where momentum is asked for.
func TestTrainLastIterate(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	schema, table := writeText(t, "s.yaml", fmt.Sprintf(fruitSchema, "levels: [0, 1, 2]")), fruits(t, dir, 3000)
	arguments := []string{"train", "--data", table, "--schema", schema, "--records", "3000", "--quiet", "--loss", "one-vs-rest", "--ridge", "0.02", "--steps", "300"}
	mustInvoke(t, append(arguments, "--accounting", "last-iterate", "--out", "m")...)
	out, _ := mustInvoke(t, "verify", "m")
	if !strings.Contains(out, "follows from the event") {
		t.Errorf("verify says %q", out)
	}
	page := readFile(t, filepath.Join("m", report.FileName))
	for _, part := range []string{"last-iterate(", "Only the last iterate leaves", "of whose iterates none but the last left the machine"} {
		if !strings.Contains(page, part) {
			t.Errorf("the report does not say %q", part)
		}
	}
	text := readFile(t, filepath.Join("m", "certificate.json"))
	if strings.Count(text, "\"learning-rate\"") != 1 {
		t.Fatalf("the plan does not name its learning rate:\n%s", text)
	}
	writeText(t, filepath.Join("m", "certificate.json"), strings.Replace(text, "\"ridge\": 0.02", "\"ridge\": 0.03", 1))
	if status, said, _ := invoke("verify", "m"); status == exitDone || !strings.Contains(said, "contraction") {
		t.Errorf("a plan of another ridge verifies: %d, %q", status, said)
	}
	for _, edit := range [][3]string{{`"row-bound": 1`, `"row-bound": 0.1`, "the bound of rows"}, {`"loss": "one-vs-rest"`, `"loss": "logistic"`, "the loss is logistic"}} {
		edited := strings.Replace(text, edit[0], edit[1], 1)
		writeText(t, filepath.Join("m", "certificate.json"), edited)
		if _, said, _ := invoke("verify", "m"); edited == text || !strings.Contains(said, edit[2]) {
			t.Errorf("%s in the plan: verify says %q, want %q", edit[1], said, edit[2])
		}
	}
	for _, more := range [][]string{{"--momentum", "0.9"}, {"--average", "yes"}, {"--output-rule", "all-iterates"}, {"--loss", "softmax"}} {
		status, _, problem := invoke(append(append(arguments, "--accounting", "last-iterate", "--out", "n"), more...)...)
		if status != exitUsage || !strings.Contains(problem, "the last iterate alone is priced") || display.Exists("n") {
			t.Errorf("%v: got exit status %d and %q, want a refusal before anything is read", more, status, problem)
		}
	}
	for more, want := range map[string]bool{"--momentum=0.9": false, "--momentum=0": true, "--optimizer=adam": false} {
		out, _ = mustInvoke(t, append(arguments, "--accounting", "auto", "--dry-run", more)...)
		if both := strings.Count(out, "in every step\n") == 2; both != want {
			t.Errorf("auto with %s: the dry run compares both prices: %v, want %v:\n%s", more, both, want, out)
		}
		if got := strings.Contains(out, "last-iterate("); got != want {
			t.Errorf("auto with %s: the last iterate alone is priced: %v, want %v", more, got, want)
		}
	}
}

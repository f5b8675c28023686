package train_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compileFaults are faults that the types must refuse: each is a file added to this package, with
// what the compiler is to say about it.
var compileFaults = []struct{ name, source, want string }{
	{"a hand-made bounded sum", `package train
import "github.com/ditherml/dither/internal/release"
var _ = release.Bounded{state: nil}`, "unexported"},
	{"a hand-made noisy release", `package train
import "github.com/ditherml/dither/internal/release"
var _ = release.Noisy{values: []float64{1}}`, "unexported"},
	{"a raw gradient to an optimizer", `package train
import "github.com/ditherml/dither/internal/optimizer"
func init() { (&optimizer.Momentum{}).Step(nil, []float64{1}) }`, "cannot use"},
	{"a sealed sum to an optimizer", `package train
import ("github.com/ditherml/dither/internal/optimizer"; "github.com/ditherml/dither/internal/release")
func step(o optimizer.Optimizer, b release.Bounded) { o.Step(nil, b) }`, "cannot use"},
	{"a free event", `package train
import "github.com/ditherml/dither/mechanism"
type free struct{}
func (free) String() string { return "free()" }
func (free) event() {}
var _ mechanism.Event = free{}`, "does not implement"},
	{"a noise of one's own", `package train
import ("github.com/ditherml/dither/internal/release"; "github.com/ditherml/dither/mechanism")
type quiet struct{ mechanism.Gaussian }
func (quiet) noise([]int64, int) {}
func f(n quiet) { _ = mechanism.Noise(n); var s release.Sum; s.grid = 1 }`, "undefined"},
	{"a loss derivative of one's own", `package train
import "github.com/ditherml/dither/internal/release"
type link struct{}
func (link) String() string { return "step" }
func (link) derivative(score, label float64, column, columns int) (float64, bool) { return 1, true }
func (link) slope() float64 { return 0 }
func (link) largest() float64 { return 1 }
func (link) check() error { return nil }
var _ release.LossDerivative = link{}`, "does not implement"},
	{"rows with a norm of one's own", `package train
import "github.com/ditherml/dither/internal/release"
func measure(r *release.Rows) { r.n2[0] = 0 }`, "undefined"},
}

// TestPlantedFaultsDoNotCompile builds the package with all planted files laid over it: the compiler must refuse each
// of them, and say nothing of any other file, so that a failure means a fault.
func TestPlantedFaultsDoNotCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the package")
	}
	out, err := buildWithFaults(t)
	if err == nil {
		t.Fatal("all faults compile, want compile errors")
	}
	for line := range strings.Lines(out) {
		if !strings.Contains(line, "planted_fault_") && !strings.HasPrefix(line, "#") && line[0] != '\t' {
			t.Errorf("the compiler says %q of another file", line)
		}
	}
	for i, p := range compileFaults {
		said := ""
		for line := range strings.Lines(out) {
			if strings.Contains(line, plantedName(i)+":") {
				said += line
			}
		}
		if said == "" {
			t.Errorf("%s compiles, want a compile error; the compiler says of the others:\n%s", p.name, out)
		} else if !strings.Contains(said, p.want) {
			t.Errorf("%s: the compiler says %q, want something about %q", p.name, said, p.want)
		}
	}
}

// plantedName is the name of a planted file.
func plantedName(i int) string { return fmt.Sprintf("planted_fault_%d.go", i) }

// buildWithFaults compiles the package with the planted files and returns what the compiler printed, with all errors.
func buildWithFaults(t *testing.T) (string, error) {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	temporary, replace := t.TempDir(), map[string]string{}
	for i, p := range compileFaults {
		file := filepath.Join(temporary, plantedName(i))
		if err = os.WriteFile(file, []byte(p.source), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(folder, plantedName(i))] = file
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(temporary, "overlay.json")
	if err = os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "build", "-gcflags=-e", "-overlay", overlay, ".").CombinedOutput()
	return string(out), err
}

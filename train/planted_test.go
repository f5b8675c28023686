package train_test

import (
	"encoding/json"
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
import "github.com/ditherml/dither/mechanism"
var _ = mechanism.Bounded{state: nil}`, "unexported"},
	{"a hand-made noisy release", `package train
import "github.com/ditherml/dither/mechanism"
var _ = mechanism.Noisy{values: []float64{1}}`, "unexported"},
	{"a raw gradient to an optimizer", `package train
func init() { (&Momentum{}).Step(nil, []float64{1}) }`, "cannot use"},
	{"a sealed sum to an optimizer", `package train
import "github.com/ditherml/dither/mechanism"
func step(o Optimizer, b mechanism.Bounded) { o.Step(nil, b) }`, "cannot use"},
	{"a free event", `package train
import "github.com/ditherml/dither/mechanism"
type free struct{}
func (free) String() string { return "free()" }
func (free) event() {}
var _ mechanism.Event = free{}`, "does not implement"},
	{"a noise of one's own", `package train
import "github.com/ditherml/dither/mechanism"
type quiet struct{ mechanism.Gaussian }
func (quiet) noise([]int64, int) {}
func f(n quiet) { _ = mechanism.Noise(n); var s mechanism.Sum; s.grid = 1 }`, "undefined"},
	{"a link of one's own", `package train
import "github.com/ditherml/dither/mechanism"
type step struct{}
func (step) String() string { return "step" }
func (step) derivative(score, label float64, column, columns int) (float64, bool) { return 1, true }
func (step) slope() float64 { return 0 }
func (step) largest() float64 { return 1 }
func (step) check() error { return nil }
var _ mechanism.Link = step{}`, "does not implement"},
	{"rows with a norm of one's own", `package train
import "github.com/ditherml/dither/mechanism"
func f(r *mechanism.Rows) { r.n2[0] = 0 }`, "undefined"},
}

// TestPlantedFaultsDoNotCompile builds the package with one planted file laid over it. The
// first build, with a harmless file, must succeed, so that a failure means the fault.
func TestPlantedFaultsDoNotCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the package many times")
	}
	if out, err := buildWith(t, "package train\n"); err != nil {
		t.Fatalf("a harmless file does not build: %v\n%s", err, out)
	}
	for _, p := range compileFaults {
		out, err := buildWith(t, p.source)
		if err == nil {
			t.Errorf("%s compiles, want a compile error", p.name)
		} else if !strings.Contains(out, p.want) {
			t.Errorf("%s: the compiler says %q, want something about %q", p.name, out, p.want)
		}
	}
}

// buildWith compiles the package with one more file and returns what the compiler printed.
func buildWith(t *testing.T, source string) (string, error) {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	temporary := t.TempDir()
	file, overlay := filepath.Join(temporary, "planted.go"), filepath.Join(temporary, "overlay.json")
	if err = os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(folder, "planted_fault.go"): file}})
	if err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "build", "-overlay", overlay, ".").CombinedOutput()
	return string(out), err
}

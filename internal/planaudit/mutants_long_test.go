//go:build long

package planaudit

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/mutants"
)

// These are the files that faults are in.
const (
	gaussianNoise = "internal/release/internal/sample/gaussian.go"
	samples       = "internal/release/sample.go"
)

// faultyPrograms are faults of the program, and the plan whose audit refutes it.
var faultyPrograms = []struct {
	name, plan string
	flags      []string
	edits      []mutants.Edit
}{
	{"noise 20 % too small", "repeat(4, gaussian(2))", nil,
		[]mutants.Edit{{File: gaussianNoise, Old: "dst[i] = (v + half) >> shift", New: "dst[i] = (v*4/5 + half) >> shift"}}},
	{"no clipping and no check of the bound", "repeat(4, gaussian(2))", nil, []mutants.Edit{
		{File: "train/clipping.go", Old: "kernel.ClipRows(of.Coefficients, norms, c.Norm)", New: "_ = norms"},
		{File: "internal/release/round.go", Old: "limitHigh, limitLow := bits.Mul64(uint64(bound), uint64(bound))", New: "limitHigh, limitLow := bits.Mul64(uint64(bound)<<8, uint64(bound)<<8)"},
		{File: "internal/release/round.go", Old: "s.scales.of(s, b), b.n2, s.limit)", New: "s.scales.of(s, b), b.n2, s.limit<<8)"},
		{File: "internal/release/check.go", Old: "return limit * limit * (1", New: "return 0x1p80 * limit * limit * (1"}}},
	{"batches in turn, priced as Poisson samples", "repeat(20, poisson(0.25, gaussian(0.5)))", []string{"--runs", "20"}, []mutants.Edit{
		{File: samples, Old: "func threshold(", New: "var turn int\n\nfunc inTurn(records int, q float64) (all []int) {\n\tturn++\n\tfor i := range records {\n\t\tif (i+turn)%int(1/q) == 0 {\n\t\t\tall = append(all, i)\n\t\t}\n\t}\n\treturn all\n}\n\nfunc threshold("},
		{File: samples, Old: "d.take(sample.NewStream().Poisson(nil, records, threshold(e.Probability)))", New: "d.take(inTurn(records, e.Probability))"}}},
	{"samples of twice the probability", "repeat(20, poisson(0.25, gaussian(1.5)))", []string{"--runs", "20"},
		[]mutants.Edit{{File: samples, Old: "math.Floor(math.Ldexp(q, 64))", New: "math.Floor(math.Ldexp(min(2*q, 0.999), 64))"}}},
}

// TestFaultyProgramsAreRefuted builds programs with a fault each, and audits a plan by them. Each
// audit refutes the claim, which a correct program meets with probability at most 1e-6. With -short
// it is the first fault only.
func TestFaultyProgramsAreRefuted(t *testing.T) {
	for i, f := range faultyPrograms {
		if testing.Short() && i > 0 {
			break
		}
		t.Run(f.name, func(t *testing.T) {
			dir := t.TempDir()
			overlay, err := mutants.Overlay("../..", dir, f.edits...)
			if err != nil {
				t.Fatal(err)
			}
			program := filepath.Join(dir, "dither")
			build := exec.Command("go", "build", "-overlay", overlay, "-o", program, "./cmd/dither")
			build.Dir = "../.."
			if out, failed := build.CombinedOutput(); failed != nil {
				t.Fatalf("%v\n%s", failed, out)
			}
			c := exec.Command(program, append([]string{"audit", f.plan, "--delta", "1e-5", "--effort", "0.5", "--out", ""}, f.flags...)...)
			c.Dir = dir
			out, err := c.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), "the claim is refuted") {
				t.Errorf("the audit ends with %v, want a refuted claim:\n%s", err, out)
			}
		})
	}
}

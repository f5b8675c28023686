package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/train/erm"
)

// minimizing are the methods of package erm that this file trains with.
var minimizing = []string{option.MethodOutput, option.MethodObjective, option.MethodExponential, option.MethodZeroth, option.MethodFrankWolfe}

// TestTrainMethods trains with these methods, verifies and measures what was written, and wants
// an edited plan to be noticed.
func TestTrainMethods(t *testing.T) {
	for _, name := range minimizing {
		t.Run(name, func(t *testing.T) {
			if name == option.MethodObjective && !thorough {
				t.Skip("its price and the curve of its cost take seconds")
			}
			var steps []string
			if name == option.MethodFrankWolfe && !thorough { // one choice has its curve at once
				steps = []string{"--steps", "1"}
			}
			if out, _ := mustInvoke(t, methodArguments(t, name, append([]string{"train", "--dry-run"}, steps...)...)...); !strings.Contains(out, "of the budget") {
				t.Errorf("dry run: %s", out)
			}
			folder := filepath.Join(t.TempDir(), "model")
			if out, _ := mustInvoke(t, methodArguments(t, name, append([]string{"train", "--out", folder, "--quiet"}, steps...)...)...); !strings.Contains(out, "guarantee  epsilon") {
				t.Fatalf("got %s, want a model", out)
			}
			if out, _ := mustInvoke(t, "verify", folder); !strings.Contains(out, "\nverified") {
				t.Errorf("verify: %s", out)
			}
			page, err := os.ReadFile(filepath.Join(folder, report.FileName))
			if err != nil || !strings.Contains(string(page), name) || !strings.Contains(string(page), erm.Summary(name)) {
				t.Errorf("the report does not name the method: %v", err)
			}
			path := filepath.Join(folder, "certificate.json")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err = os.WriteFile(path, []byte(strings.Replace(string(text), `"max-records": 2`, `"max-records": 1`, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			if status, _, _ := invoke("verify", folder); status == exitDone {
				t.Error("a certificate with another bound on records was verified")
			}
		})
	}
}

// methodArguments adds a small table and a method to a command line.
func methodArguments(t *testing.T, name string, arguments ...string) []string {
	t.Helper()
	dir, rows := t.TempDir(), strings.Builder{}
	rows.WriteString("age,sick\n")
	for i := range 200 {
		fmt.Fprintf(&rows, "%d,%s\n", i%100, []string{"no", "yes"}[i%100/50])
	}
	schema := "dither-schema: 1\nrow: one person\nmax-records: 2000\ntarget: {column: sick, levels: [\"no\", \"yes\"]}\ncolumns:\n  age: {numeric: [0, 100], out-of-range: clamp, missing: zero}\n"
	table := writeText(t, filepath.Join(dir, "table.csv"), rows.String())
	return append(arguments, "--method", name, "--data", table, "--schema", writeText(t, filepath.Join(dir, "table.yaml"), schema))
}

func TestTrainMethodFlags(t *testing.T) {
	help, _ := mustInvoke(t, "train", "--help")
	for _, name := range erm.Names() {
		if !strings.Contains(help, name) {
			t.Errorf("the help does not name method %s", name)
		}
	}
	for arguments, want := range map[string]string{
		"--method magic":                                     "--method is",
		"--method output-perturbation --steps 5":             "--steps is given with --method output-perturbation",
		"--method output-perturbation --clipping example":    "--clipping",
		"--method output-perturbation --holdout private:0.2": "--holdout",
		"--method objective-perturbation --output-noise l1":  "--output-noise",
		"--sum-ridge 1": "--sum-ridge",
		"--method output-perturbation --row-radius private": "--row-radius",
		"--method objective-perturbation --delta 0":         "delta is 0",
		"--method objective-perturbation --non-private":     "without privacy",
	} {
		if status, _, message := invoke(append([]string{"train", "--dry-run"}, strings.Fields(arguments)...)...); status != exitUsage || !strings.Contains(message, want) {
			t.Errorf("%s: got status %d and %q, want %d and %q", arguments, status, message, exitUsage, want)
		}
	}
}

// TestTrainOutputLosses trains a support vector machine by output perturbation.
func TestTrainOutputLosses(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "model")
	mustInvoke(t, methodArguments(t, option.MethodOutput, "train", "--out", folder, "--quiet", "--loss", "hinge", "--loss-width", "0.3")...)
	if out, _ := mustInvoke(t, "verify", folder); !strings.Contains(out, "\nverified") {
		t.Errorf("verify: %s", out)
	}
	text, err := os.ReadFile(filepath.Join(folder, "certificate.json"))
	if err != nil || !strings.Contains(string(text), `"name": "hinge"`) || !strings.Contains(string(text), `"width": 0.3`) {
		t.Errorf("the certificate does not name the loss and its width: %v", err)
	}
	if status, _, said := invoke(methodArguments(t, option.MethodOutput, "train", "--dry-run", "--loss", "squared-classes")...); status != exitUsage || !strings.Contains(said, "want logistic") {
		t.Errorf("squared-classes: got status %d and %q, want a refusal", status, said)
	}
}

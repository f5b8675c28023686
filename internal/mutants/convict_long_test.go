//go:build long

package mutants

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFaultsAreConvicted builds the program with each fault, and wants it refuted as the table says,
// or the named test to fail. It prints the rows of the table in docs/audit.md. With DITHER_MUTANTS=k/n
// in the environment it takes the k-th of every n faults, k from 0.
func TestFaultsAreConvicted(t *testing.T) {
	part, parts, err := Share()
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range faults {
		if i%parts != part {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			dir := t.TempDir()
			overlay, overlayErr := Overlay("../..", dir, f.edits...)
			if overlayErr != nil {
				t.Fatal(overlayErr)
			}
			seen, took := "deterministic", time.Duration(0)
			if f.isTest() {
				pkg, test, _ := strings.Cut(f.by, " ")
				if took, overlayErr = Convict("../..", overlay, pkg, test); overlayErr != nil {
					t.Fatal(overlayErr)
				}
			} else {
				program := filepath.Join(dir, "dither")
				build(t, program, overlay)
				seen, took = audited(t, program, f)
			}
			t.Logf("ROW | %s | %s | %s | %.0f |", f.name, f.convictedBy(), seen, took.Seconds())
		})
	}
}

// build builds the program over an overlay.
func build(t *testing.T, program, overlay string) {
	t.Helper()
	c := exec.Command("go", "build", "-overlay", overlay, "-o", program, "./cmd/dither")
	c.Dir = "../.."
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// section is what is read of a section of an audit.
type section struct {
	Name, Verdict, Note string
	PValue              *float64 `json:"p-value"`
	Claimed             float64
}

// defaultEffort is enough for most faults.
const defaultEffort = 0.02

// audited runs the audit of a program that has a fault, and returns how rare the outcome is without
// one, and the processor time.
func audited(t *testing.T, program string, f fault) (rare string, took time.Duration) {
	t.Helper()
	effort := f.effort
	if effort == 0 {
		effort = defaultEffort
	}
	c := exec.Command(program, "audit", "--effort", fmt.Sprint(effort), "--json", "--out", "")
	c.Dir = t.TempDir()
	said := filepath.Join(c.Dir, "messages")
	messages, err := os.Create(said)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = messages.Close() }()
	c.Stderr = messages
	out, err := c.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("the audit ended with %v, want it to refute", err)
	}
	var report struct{ Sections []section }
	if json.Unmarshal(out, &report) != nil || exit.ExitCode() != 1 {
		text, _ := os.ReadFile(said)
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if last := lines[len(lines)-1]; !strings.Contains(last, f.by) {
			t.Fatalf("the audit ended with status %d and %q, want %q", exit.ExitCode(), last, f.by)
		}
		return "deterministic", Processor(c)
	}
	var refuted []string
	for _, s := range report.Sections {
		if s.Verdict != "refuted" {
			continue
		}
		refuted = append(refuted, s.Name+": "+s.Note)
		if s.Name == f.by {
			return s.rare(), Processor(c)
		}
	}
	t.Fatalf("the audit refutes %q, want %q", refuted, f.by)
	return "", 0
}

// rare says how rare a refuted section is by chance.
func (s section) rare() string {
	switch {
	case s.PValue == nil && s.Claimed == 0, strings.Contains(s.Note, "on no grid"):
		return "deterministic"
	case s.PValue == nil:
		return "below 2e-8"
	case *s.PValue == 0:
		return "below 1e-300"
	}
	return fmt.Sprintf("%.0e", *s.PValue)
}

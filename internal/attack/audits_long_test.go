//go:build long

package attack

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/kernel"
)

// These environment variables say how many audits are run, and of which effort.
const (
	auditsVariable = "DITHER_AUDITS"
	effortVariable = "DITHER_AUDIT_EFFORT"
)

// TestProgramIsNotRefuted runs a small audit, with the parts of other processes in this one. A
// correct program is refuted with probability at most 1e-6.
func TestProgramIsNotRefuted(t *testing.T) {
	asked, done := map[string]int{}, 0.0
	r, err := Run(t.Context(), Options{Effort: 0.002, Progress: func(_ string, share float64) {
		if share < done || share > 1 {
			t.Errorf("progress goes from %v to %v", done, share)
		}
		done = share
	}, Child: func(ctx context.Context, _, part string) ([]byte, error) {
		asked[part]++
		return Part(ctx, part)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != auditing.NotRefuted || r.Confidence < 1-Alarm*(1+1e-6) {
		t.Errorf("the audit is %s with confidence %v", r.Verdict, r.Confidence)
	}
	groups := map[string]int{}
	for _, s := range r.Sections {
		groups[s.Group]++
	}
	if groups["noise"] < 10 || groups["canaries"] < 150 || groups["models"] < 4 || groups["kernels"] != 1 || asked[partNoise] == 0 {
		t.Errorf("the audit has sections %v and asked other processes for %v", groups, asked)
	}
}

// TestTrueProgramsPass runs small audits of the program as it is. None may refute it: each does by
// chance with probability at most 1e-6. It prints the row to add to docs/audits.tsv.
func TestTrueProgramsPass(t *testing.T) {
	audits, effort := 5, 0.002
	if text := os.Getenv(auditsVariable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("%s is %q, want a number of audits", auditsVariable, text)
		}
		audits = n
	}
	if text := os.Getenv(effortVariable); text != "" {
		e, err := strconv.ParseFloat(text, 64)
		if err != nil || !(e > 0 && e <= 1) {
			t.Fatalf("%s is %q, want an effort of more than 0 and at most 1", effortVariable, text)
		}
		effort = e
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	computed, kept, done, refuted := map[string][]byte{}, &Kept{}, 0, 0
	defer func() {
		fmt.Printf("ROW %s\t%s\t%v\t%d\t%d\n", commit(), kernel.Instructions(), effort, done, refuted)
	}()
	for range audits {
		r, err := Run(t.Context(), Options{Effort: effort, Kept: kept, Child: func(ctx context.Context, level, part string) ([]byte, error) {
			// Kernels compute public numbers. Another level gives the same in every audit.
			if text := computed[level]; part == partKernels && text != nil {
				return text, nil
			}
			text, err := child(ctx, path, level, []string{part})
			if part == partKernels {
				computed[level] = text
			}
			return text, err
		}})
		if err != nil {
			t.Fatal(err)
		}
		if done++; r.Verdict == auditing.Refuted {
			refuted++
		}
		for _, s := range r.Sections {
			if s.Verdict == auditing.Refuted {
				t.Errorf("audit %d refutes %s: %s", done, s.Name, s.Note)
			}
		}
		if done%50 == 0 {
			fmt.Printf("%d audits, %d refuted\n", done, refuted)
		}
	}
}

// commit names the commit under test, where git knows it.
func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short=8", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/display"
)

// TestAudit refutes a false claim with status 1, does not refute a weak one with status 0, and refuses wrong input
// with status 2 and one line.
func TestAudit(t *testing.T) {
	scores, err := filepath.Abs("../../internal/scoreaudit/testdata/bools.parquet")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"audit", "--effort", "0"}, {"audit", ""}, {"audit", "gaussian(1)", "--delta", "1e-5", "--canaries", "0"}, {"audit", "gaussian(1)", "--delta", "1e-5", "--canaries", "600000"}, {"audit", "gaussian(1)"}, {"audit", "no-model"}, {"audit", "laplace(1)", "--delta", "1e-5"}, {"audit", "gaussian(1)", "--delta", "1e-5", "--data", "x"}, {"audit", "--scores", "none.csv", "--epsilon", "1"}, {"audit", "--scores", scores}, {"audit", "a", "b"}} {
		if status, stdout, stderr := invoke(args...); status != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || display.Exists("dither-audit") {
			t.Errorf("%v: status %d, %q, %q, want one line and no folder", args, status, stdout, stderr)
		}
	}
	status, stdout, stderr := invoke("audit", "--scores", scores, "--epsilon", "1", "--delta", "1e-6", "--json")
	var out struct {
		Verdict  string
		Sections []struct {
			Claimed    float64
			LowerBound float64 `json:"lower-bound"`
			Confidence float64
			Verdict    string
		}
	}
	if err = json.Unmarshal([]byte(stdout), &out); err != nil || status != exitFailed || strings.Count(stderr, "\n") != 1 || out.Verdict != "refuted" {
		t.Fatalf("status %d, %q, %v: %s", status, stderr, err, stdout)
	}
	if s := out.Sections[0]; s.Claimed != 1 || !(s.LowerBound > 1) || s.Confidence != 0.95 || s.Verdict != "refuted" {
		t.Errorf("got %+v", s)
	}
	if text := readFile(t, "dither-audit/audit.json"); text != stdout {
		t.Error("audit.json is not what --json prints")
	}
	if page := readFile(t, "dither-audit/audit.html"); !strings.Contains(page, "the claim is refuted") {
		t.Error("the page does not say that the claim is refuted")
	}
	if status, stdout, stderr = invoke("audit", "gaussian(0.1)", "--scores", scores, "--delta", "1e-6", "--out", ""); status != exitDone || stderr != "" || !strings.Contains(stdout, "not refuted") {
		t.Errorf("a weak claim: status %d, %q: %s", status, stderr, stdout)
	}
}

// TestAuditOfAModel audits a model that was just trained, by its folder and by the output of a dry run. A correct
// plan is refuted with probability at most 1e-6.
func TestAuditOfAModel(t *testing.T) {
	t.Chdir(t.TempDir())
	if status, _, stderr := invoke("train", "--epsilon", "4", "--steps", "5", "--whiten", "no", "--out", "model"); status != exitDone {
		t.Fatal(stderr)
	}
	_, plan, _ := invoke("train", "--epsilon", "4", "--steps", "5", "--whiten", "no", "--dry-run", "--json")
	if err := os.WriteFile("plan.json", []byte(plan), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{"model", "plan.json"} {
		status, stdout, stderr := invoke("audit", subject, "--effort", "0.02", "--runs", "30", "--out", "audit-"+subject)
		if status != exitDone || !strings.Contains(stdout, "white box: the noisy sum of every step") || !strings.Contains(stdout, "black box: the final model") || !strings.Contains(stderr, "% done") {
			t.Errorf("%s: status %d, %q: %s", subject, status, stderr, stdout)
		}
		if page := readFile(t, filepath.Join("audit-"+subject, "audit.html")); !strings.Contains(page, "No claim is refuted") {
			t.Errorf("%s: the page does not say that no claim is refuted", subject)
		}
	}
	status, _, stderr := invoke("audit", "model", "--effort", "0.02", "--runs", "30", "--out", "", "--public", "builtin:randhie")
	if status != exitDone || !strings.Contains(stderr, "WARNING: every record of builtin:randhie is taken for PUBLIC") {
		t.Errorf("public records: status %d, %q", status, stderr)
	}
}

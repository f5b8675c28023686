package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
)

// A guarantee for persons names no second epsilon for the rows of one person, which are the record.
func TestPersonsHaveOneEpsilon(t *testing.T) {
	arguments := []string{"train", "--dry-run", "--max-records-per-person", "5", "--unit", "person:person"}
	for _, more := range [][]string{nil, {"--holdout", "private:0.2"}} {
		out, _ := mustInvoke(t, append(arguments, more...)...)
		for _, unwanted := range []string{"that one person can have", "beside the epsilon of one row"} {
			if strings.Contains(out, unwanted) {
				t.Errorf("%v: a plan for persons says %q:\n%s", more, unwanted, out)
			}
		}
	}
	if out, _ := mustInvoke(t, "train", "--dry-run"); !strings.Contains(out, "for all 5 rows that one person can have") {
		t.Errorf("a plan for rows says nothing of the 5 rows of a person:\n%s", out)
	}
}

// A baseline has no budget to take shares of.
func TestBaselineHasNoShares(t *testing.T) {
	for _, method := range []string{"dp-gd", "l-bfgs"} {
		if out, _ := mustInvoke(t, "train", "--dry-run", "--non-private", "--method", method); strings.Contains(out, "of the budget") || strings.Contains(out, "guarantee covers") || !strings.Contains(out, "test table was declared public") {
			t.Errorf("%s: a baseline names shares of a budget, or what only a guarantee rests on:\n%s", method, out)
		}
	}
	if out, _ := mustInvoke(t, "train", "--dry-run"); !strings.Contains(out, "% of the budget") {
		t.Errorf("a private plan names no shares:\n%s", out)
	}
}

// TestOwnerAndPurpose: what is given stands in the certificate and on the page, which has places for the rest. What is
// not one line is refused before anything is spent.
func TestOwnerAndPurpose(t *testing.T) {
	t.Chdir(t.TempDir())
	mustInvoke(t, "train", "--quiet", "--steps", "1", "--purpose", "planning of beds", "--out", "model")
	c, err := certificate.Read(filepath.Join("model", certificate.FileName))
	if err != nil || c.Declared == nil || c.Declared.Purpose != "planning of beds" || c.Declared.Owner != "" {
		t.Errorf("got %+v, %v, want the purpose alone", c.Declared, err)
	}
	page, err := os.ReadFile(filepath.Join("model", "report.html"))
	if err != nil || !strings.Contains(string(page), "planning of beds") || strings.Count(string(page), "<dt>purpose</dt>") != 1 || !strings.Contains(string(page), "<dt>owner of the records</dt><dd></dd>") {
		t.Errorf("%v: the page lacks the purpose, or the place for an owner", err)
	}
	mustInvoke(t, "verify", "model")
	for _, owner := range []string{"two\nlines", " spaced", strings.Repeat("x", 201)} {
		if status, _, said := invoke("train", "--quiet", "--steps", "1", "--owner", owner, "--out", "other"); status == 0 || !strings.Contains(said, "the owner is") {
			t.Errorf("owner %q: got status %d, %s, want a refusal", owner, status, said)
		}
	}
}

package main

import (
	"strings"
	"testing"
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

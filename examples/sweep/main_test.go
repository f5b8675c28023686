package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestSweep runs the program: AUC rises with epsilon, and the runs together cost more than the dearest of them.
// At the ends the means are 0.684 and 0.732 with standard deviations of about 0.004 and less than 0.001 (15 runs of
// the program), so that normal errors pass the limits with a probability below 1e-6. The price of all runs is not
// random.
func TestSweep(t *testing.T) {
	var b strings.Builder
	if err := run(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != len(budgets)+1 {
		t.Fatalf("got %q, want a line for each of %d budgets and one more", b.String(), len(budgets))
	}
	var least, most, auc float64
	if _, err := fmt.Sscanf(lines[0], "epsilon 0.05: AUC %f", &least); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(lines[len(budgets)-1], "epsilon 5: AUC %f", &auc); err != nil {
		t.Fatal(err)
	}
	if auc < 0.725 || auc > 0.74 || least > auc || least < 0.5 {
		t.Errorf("got AUC %v at epsilon 0.05 and %v at 5, want less and about 0.732", least, auc)
	}
	if want := "all 20 runs together: epsilon 13.36 at delta 1e-06"; lines[len(budgets)] != want {
		t.Errorf("got %q, want %q", lines[len(budgets)], want)
	}
	if _, err := fmt.Sscanf(lines[len(budgets)], "all 20 runs together: epsilon %f", &most); err != nil || most < budgets[len(budgets)-1] {
		t.Errorf("got %v (%v), want more than one run costs", most, err)
	}
}

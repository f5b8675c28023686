package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestPatients runs the program. The noise moves the probabilities, 0.14 and 0.90, by standard deviations of
// about 0.014 (200 runs), so that normal errors pass the limits with a probability below 1e-6.
func TestPatients(t *testing.T) {
	var b strings.Builder
	run(&b)
	first, rest, _ := strings.Cut(b.String(), "\n")
	if want := "epsilon 1.0000 at delta 1e-06, for one patient"; first != want {
		t.Errorf("got %q, want %q", first, want)
	}
	var young, old float64
	if _, err := fmt.Sscanf(rest, "age 30, smoker false: ill with probability %f\nage 80, smoker true: ill with probability %f\n", &young, &old); err != nil {
		t.Fatalf("got %q: %v", rest, err)
	}
	if young > 0.3 || old < 0.7 || old > 1 {
		t.Errorf("got probabilities %v and %v, want about 0.14 and 0.90", young, old)
	}
}

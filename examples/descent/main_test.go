package main

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestTutorial compares the outputs of all parts with those in the tutorial: words exactly, and numbers to one in a
// thousand, since another machine may round otherwise.
func TestTutorial(t *testing.T) {
	page, err := os.ReadFile("../../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"step", "descent", "clipping"} {
		_, block, found := strings.Cut(string(page), "```console\n$ go run ./examples/descent "+part+"\n")
		want, _, ended := strings.Cut(block, "```")
		if !found || !ended {
			t.Errorf("%s: the page has no such command", part)
			continue
		}
		var b strings.Builder
		if err = run(&b, part); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(strings.Fields(b.String()), strings.Fields(want), near) {
			t.Errorf("%s: got\n%s\nthe page has\n%s", part, b.String(), want)
		}
	}
	if run(&strings.Builder{}, "other") == nil {
		t.Error("an unknown part was taken")
	}
}

// near compares words.
func near(a, b string) bool {
	x, notX := strconv.ParseFloat(a, 64)
	y, notY := strconv.ParseFloat(b, 64)
	return a == b || notX == nil && notY == nil && math.Abs(x-y) <= 1e-3*math.Abs(y)
}

// TestFirstLossIsLn2 wants the loss at weights 0 to be ln 2, and rows of norm 1, on which the sensitivity in the
// tutorial rests.
func TestFirstLossIsLn2(t *testing.T) {
	all, err := read()
	if err != nil {
		t.Fatal(err)
	}
	if mean, _ := all.measure(make([]float64, all.dim)); math.Abs(mean-math.Ln2) > 1e-12 {
		t.Errorf("got a mean loss of %v, want ln 2", mean)
	}
	if len(all.labels) != 16009 {
		t.Errorf("got %d records, want 16009 as the tutorial says", len(all.labels))
	}
	for i := range all.labels {
		if norm := dot(all.row(i), all.row(i)); math.Abs(norm-1) > 1e-6 {
			t.Fatalf("record %d has a squared norm of %v, want 1", i, norm)
		}
	}
}

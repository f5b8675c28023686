package main

import (
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestMoments(t *testing.T) {
	if mean, deviation := moments([]float64{1, 2, 6}); mean != 3 || math.Abs(deviation-math.Sqrt(7)) > 1e-12 {
		t.Errorf("got mean %v and deviation %v of 1, 2 and 6, want 3 and √7", mean, deviation)
	}
	if mean, deviation := moments([]float64{4}); mean != 4 || deviation != 0 {
		t.Errorf("got mean %v and deviation %v of 4 alone, want 4 and 0", mean, deviation)
	}
}

func TestRefusals(t *testing.T) {
	for _, arguments := range [][]string{{}, {"--data", "x", "--runs", "0"}, {"--data", "x", "--epsilons", "1,two"}, {"--data", "x", "--sets", "a9a,none"}, {"--data", t.TempDir(), "--sets", "a9a"}} {
		t.Setenv("DITHER_DATA", "")
		if err := run(context.Background(), arguments, io.Discard); err == nil {
			t.Errorf("%q was taken, want an error", arguments)
		}
	}
}

// TestTable measures one small set. Ten standard deviations of the accuracy of a run lie between 0.85 and
// the floor, which is far below 1e-6.
func TestTable(t *testing.T) {
	folder := os.Getenv("DITHER_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(folder, "libsvm-a9a")); err != nil {
		t.Skip("the folder libsvm-a9a is absent: set DITHER_DATA to the measuring data")
	}
	var out strings.Builder
	if err := run(context.Background(), []string{"--data", folder, "--sets", "a9a", "--epsilons", "1", "--runs", "2", "--steps", "7", "--validation"}, &out); err != nil {
		t.Fatal(err)
	}
	cells := strings.Split(out.String(), " | ")
	if len(cells) < 8 || !strings.Contains(out.String(), "steps 7,") {
		t.Fatalf("got %q, want a table with the settings", out.String())
	}
	mean, err := strconv.ParseFloat(cells[len(cells)-5], 64)
	if err != nil || mean < 80 || mean > 90 {
		t.Errorf("got %q with mean %v, want 80 to 90 %%", out.String(), cells[len(cells)-5])
	}
}

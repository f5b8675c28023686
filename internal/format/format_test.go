package format

import (
	"os"
	"path/filepath"
	"testing"
)

// TestIsParts wants folders and patterns, but no file whose name looks like a pattern.
func TestIsParts(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "part[1].csv")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{dir: true, filepath.Join(dir, "part-*.csv"): true, file: false, filepath.Join(dir, "none.csv"): false, StandardInput: false} {
		if got := IsParts(path); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

// TestNames wants the formats in words.
func TestNames(t *testing.T) {
	if got, want := Names(), "CSV, JSON lines, Parquet, LIBSVM, IDX, NPY or NPZ"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

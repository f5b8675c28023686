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
	for got, want := range map[string]string{
		Names():                 "CSV, JSON lines, Parquet, Arrow, LIBSVM, IDX, NPY or NPZ",
		PartNames():             "CSV, JSON lines, Parquet or Arrow",
		CompressionNames():      "gzip, zstd or xz",
		Unpacked("A/B.CSV.ZST"): "a/b.csv",
		Unpacked("t.gz.csv"):    "t.gz.csv",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for head, want := range map[string]bool{"PAR1....": true, "\x1f\x8b......": true, "\xfd7zXZ\x00..": true, "\x28\xb5\x2f\xfd": true, "PK\x03\x04": true, "a,b,c\n1,": false, "P": false, "": false} {
		if got := Opaque([]byte(head)); got != want {
			t.Errorf("%q: got %v, want %v", head, got, want)
		}
	}
}

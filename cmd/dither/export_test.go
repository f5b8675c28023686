package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/export"
)

// TestExport writes models in all formats. Each file has the numbers of the certificate and its hash.
func TestExport(t *testing.T) {
	for _, c := range modelCases {
		made := newModelFolder(t, c.schema, 1)
		text, err := os.ReadFile(filepath.Join(made.folder, certificate.FileName))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range export.Formats() {
			format, _, _ := strings.Cut(line, "\t")
			out := filepath.Join(t.TempDir(), "file")
			mustInvoke(t, "export", made.folder, "--to", format, "--out", out)
			file, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			stdout, _ := mustInvoke(t, "export", made.folder, "--to", format)
			if stdout != string(file) {
				t.Errorf("%s to %s: got other bytes on standard output than in a file", c.name, format)
			}
			for _, want := range []string{certificate.Hash(text), made.certificate.ModelSHA256, "dither.epsilon", "add-or-remove-one", "one person", "costs no privacy"} {
				if !strings.Contains(stdout, want) {
					t.Errorf("%s to %s: got no %q, want the numbers of the certificate", c.name, format, want)
				}
			}
			if status, _, stderr := invoke("export", made.folder, "--to", format, "--out", out); status != exitUsage || !strings.Contains(stderr, "--replace") {
				t.Errorf("%s to %s: got status %d and %q for a file that exists, want a refusal", c.name, format, status, stderr)
			}
			mustInvoke(t, "export", made.folder, "--to", format, "--out", out, "--replace")
		}
	}
}

// TestExportBaseline says that a baseline is not private.
func TestExportBaseline(t *testing.T) {
	made := newModelFolder(t, binaryText, math.Inf(1))
	stdout, _ := mustInvoke(t, "export", made.folder, "--to", "sql")
	if !strings.Contains(stdout, "NOT PRIVATE") || !strings.Contains(stdout, "dither.epsilon: infinity") || strings.Contains(stdout, "costs no privacy") {
		t.Errorf("got %.300q, want NOT PRIVATE", stdout)
	}
}

// TestExportRefuses wants errors that name what is wrong and a remedy, and no file.
func TestExportRefuses(t *testing.T) {
	made := newModelFolder(t, binaryText, 1)
	forged := newModelFolder(t, binaryText, 1)
	forged.certificate.Epsilon /= 2
	forged.write(t)
	for _, c := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"no format", []string{made.folder}, exitUsage, "want onnx, sql, sklearn, go, safetensors"},
		{"an unknown format", []string{made.folder, "--to", "pmml"}, exitUsage, `--to is "pmml"`},
		{"an unknown dialect", []string{made.folder, "--to", "sql", "--dialect", "oracle"}, exitUsage, "bigquery, duckdb, postgres"},
		{"a dialect of Go", []string{made.folder, "--to", "go", "--dialect", "duckdb"}, exitUsage, "leave them out"},
		{"no folder", []string{"absent", "--to", "go"}, exitUsage, "absent"},
		{"a forged certificate", []string{forged.folder, "--to", "go"}, exitFailed, "dither verify"},
	} {
		out := filepath.Join(t.TempDir(), "file")
		status, stdout, stderr := invoke(append([]string{"export", "--out", out}, c.args...)...)
		if _, err := os.Stat(out); status != c.status || !strings.Contains(stderr, c.want) || stdout != "" || err == nil {
			t.Errorf("%s: got status %d, %q and a file: %v, want %d, a text with %q and no file", c.name, status, stderr, err == nil, c.status, c.want)
		}
	}
}

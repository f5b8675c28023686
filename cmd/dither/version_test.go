package main

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/process"
)

// TestVersionIsThatOfCertificates wants one name of the program, in both forms of the output.
func TestVersionIsThatOfCertificates(t *testing.T) {
	text, _ := mustInvoke(t, "version")
	if first, _, _ := strings.Cut(text, "\n"); first != program() || !strings.HasSuffix(first, version) {
		t.Errorf("got the first line %q, want %q, which certificates name", first, program())
	}
	for _, word := range []string{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, "kernels   " + kernel.Instructions(), "databases PostgreSQL, SQLite"} {
		if !strings.Contains(text, word) {
			t.Errorf("got %q, want it to say %q", text, word)
		}
	}
	if flag, _ := mustInvoke(t, "--version"); flag != program()+"\n" {
		t.Errorf("got %q from --version, want %q", flag, program())
	}
	asJSON, _ := mustInvoke(t, "version", "--json")
	var a process.About
	if err := json.Unmarshal([]byte(asJSON), &a); err != nil || a.Program != program() || a.Kernels != kernel.Instructions() {
		t.Errorf("got %s (%v), want JSON of the same", asJSON, err)
	}
}

// TestVersionRefusesArguments: a refusal says that no argument is wanted.
func TestVersionRefusesArguments(t *testing.T) {
	if status, _, stderr := invoke("version", "all"); status != exitUsage || !strings.Contains(stderr, "has 1 arguments, want none; see") {
		t.Errorf("got exit status %d and %q, want a refusal", status, stderr)
	}
}

//go:build long

package kernel

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestAssemblyIsGenerated runs the generator and compares what it writes with the files
// in the tree. It needs the generator's modules, from the cache or the network, and says
// so when they cannot be had.
func TestAssemblyIsGenerated(t *testing.T) {
	command := func(arguments ...string) *exec.Cmd {
		c := exec.Command("go", append([]string{"-C", "internal/asm"}, arguments...)...)
		c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOOS=", "GOARCH=")
		return c
	}
	if text, err := command("mod", "download").CombinedOutput(); err != nil {
		t.Skipf("NOT RUN: the modules of the generator could not be fetched: %v\n%s", err, text)
	}
	if text, err := command("vet", ".").CombinedOutput(); err != nil {
		t.Errorf("go vet of the generator: %v\n%s", err, text)
	}
	folder := t.TempDir()
	if text, err := command("run", ".", folder).CombinedOutput(); err != nil {
		t.Fatalf("run the generator: %v\n%s", err, text)
	}
	written, err := filepath.Glob(filepath.Join(folder, "*.s"))
	if err != nil || len(written) == 0 {
		t.Fatalf("the generator wrote %d files: %v", len(written), err)
	}
	for _, file := range written {
		sameFile(t, filepath.Base(file), file)
	}
	if kept, globbed := filepath.Glob("*_amd64.s"); globbed != nil || len(kept) != len(written) {
		t.Errorf("there are %d files of assembly, want the %d that the generator writes: %v", len(kept), len(written), globbed)
	}
}

// sameFile compares a file in the tree with what was generated.
func sameFile(t *testing.T, kept, generated string) {
	t.Helper()
	got, err := os.ReadFile(generated)
	if err != nil {
		t.Fatalf("read what was generated: %v", err)
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatalf("read the assembly: %v", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from what the generator writes; run go generate in kernel", kept)
	}
}

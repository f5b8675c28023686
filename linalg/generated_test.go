//go:build long

package linalg

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// TestAssemblyIsGenerated runs the generator and compares what it writes with the file
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
	generate, complaints := command("run", "."), new(bytes.Buffer)
	generate.Stderr = complaints
	got, err := generate.Output()
	if err != nil {
		t.Fatalf("run the generator: %v\n%s", err, complaints)
	}
	want, err := os.ReadFile("addscaled_amd64.s")
	if err != nil {
		t.Fatalf("read the assembly: %v", err)
	}
	if !bytes.Equal(got, want) {
		t.Error("addscaled_amd64.s differs from what the generator writes; run go generate in linalg")
	}
}

package kernel

import (
	"go/build"
	"testing"
)

// TestSystemsOf32BitsAreRefused wants the line that stops the build to be part of it on those systems alone.
func TestSystemsOf32BitsAreRefused(t *testing.T) {
	for arch, want := range map[string]bool{"386": true, "arm": true, "mips": true, "mipsle": true, "amd64": false, "arm64": false,
		"loong64": false, "mips64": false, "mips64le": false, "ppc64": false, "ppc64le": false, "riscv64": false, "s390x": false, "wasm": false} {
		of := build.Default
		of.GOARCH = arch
		if got, err := of.MatchFile(".", "system.go"); err != nil || got != want {
			t.Errorf("%s: the build is stopped: %v (%v), want %v", arch, got, err, want)
		}
	}
}

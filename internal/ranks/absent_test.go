//go:build !mpi || !cgo || !unix

package ranks_test

import (
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/ranks"
)

// TestAbsent wants a line that says how to build what connects ranks.
func TestAbsent(t *testing.T) {
	if _, err := ranks.Connect(); err == nil || !ranks.Alike(err) || !strings.Contains(err.Error(), "CC=mpicc CGO_ENABLED=1 go build -tags mpi ./cmd/dither") || strings.Contains(err.Error(), "\n") || ranks.Built() != "" {
		t.Errorf("got %v and %q", err, ranks.Built())
	}
}

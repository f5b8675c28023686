//go:build long

package attack

import (
	"context"
	"testing"

	"github.com/ditherml/dither/internal/auditing"
)

// TestTrueProgramsPass runs 20 small audits of the program as it is. None may refute it: each does
// by chance with probability at most 1e-6. docs/audit.md counts those that passed.
func TestTrueProgramsPass(t *testing.T) {
	for i := range 20 {
		r, err := Run(context.Background(), Options{Effort: 0.01})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Sections {
			if s.Verdict == auditing.Refuted {
				t.Errorf("audit %d refutes %s: %s", i+1, s.Name, s.Note)
			}
		}
		t.Logf("audit %d: %v, %.0f seconds", i+1, r.Verdict, r.Seconds)
	}
}

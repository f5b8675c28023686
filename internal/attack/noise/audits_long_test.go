//go:build long

package noise

import "testing"

// TestManyTrueReleasesPass runs many audits of the program as it is. None may refute it: each does by
// chance with probability at most 1e-6.
func TestManyTrueReleasesPass(t *testing.T) { checkAudits(t, 100, 40000) }

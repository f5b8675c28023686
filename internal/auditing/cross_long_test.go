//go:build long

package auditing

import "testing"

// TestManyBoundsNeverCross is TestBoundsNeverCross with 600 plans.
func TestManyBoundsNeverCross(t *testing.T) { checkCrossing(t, 600) }

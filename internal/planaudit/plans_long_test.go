//go:build long

package planaudit

import "testing"

// TestSampledPlansAreAudited audits the plans whose prices take seconds.
func TestSampledPlansAreAudited(t *testing.T) {
	checkDescents(t, true)
	checkNetworks(t, true)
	checkMinimizers(t, true)
}

//go:build long

package planaudit

import "testing"

// TestSampledPlansAreAudited audits the plans whose prices take seconds. With -short it is one plan of
// gradient descent and one network.
func TestSampledPlansAreAudited(t *testing.T) {
	checkDescents(t, true)
	checkNetworks(t, true)
	checkMinimizers(t, true)
}

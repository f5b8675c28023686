//go:build long

package main

import "testing"

// TestNetworkDiagnosisPage runs the commands of the page, whose noise is the same every time, and compares their
// outputs word by word. It descends with noise for thousands of steps.
func TestNetworkDiagnosisPage(t *testing.T) {
	checkPage(t, "../../docs/networks-diagnostics.md", 2, sameWords)
}

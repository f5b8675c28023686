//go:build long

package canary

import "testing"

// TestManyBoundsStayBelowClaims runs 1,000 true trainings.
func TestManyBoundsStayBelowClaims(t *testing.T) { checkBounds(t, 1000) }

// TestLargeTrueTrainingsPass attacks all kinds of trainings as an audit does.
func TestLargeTrueTrainingsPass(t *testing.T) {
	for _, s := range settings() {
		checkTraining(t, s, 20000)
	}
}

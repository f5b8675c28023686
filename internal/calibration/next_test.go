package calibration

import "testing"

// TestNoiseAlone: nothing is proposed where the noise alone may not do.
func TestNoiseAlone(t *testing.T) {
	for event, want := range map[string]string{
		"gaussian(1)": "gaussian(X)",
		"repeat(5, poisson(0.1, gaussian(1e-06)))":  "repeat(5, poisson(0.1, gaussian(X)))",
		"sequence(partition(3, laplace(2)))":        "sequence(partition(3, laplace(X)))",
		"without-replacement(100, 10, gaussian(2))": "without-replacement(100, 10, gaussian(X))",
		"non-private()":                                        "",
		"discrete-gaussian(3, 1)":                              "",
		"sequence()":                                           "",
		"sequence(laplace(4), laplace(2))":                     "",
		"sequence(laplace(4), exponential(1))":                 "",
		"repeat-and-select(1, 10, gaussian(5))":                "",
		"sequence(gaussian(2), mixture-of-gaussians(1, 1, 1))": "",
	} {
		if got := noiseAlone(event); got != want {
			t.Errorf("%s: got %q, want %q", event, got, want)
		}
	}
}

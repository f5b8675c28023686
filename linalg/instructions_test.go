package linalg

import "testing"

// eachSet runs a test with every set of instructions, and skips those that the
// processor or the build lacks.
func eachSet(t *testing.T, test func(t *testing.T, set instructions)) {
	for set := portable; set <= avx512; set++ {
		t.Run(set.String(), func(t *testing.T) {
			if set > available {
				t.Skipf("NOT RUN: the best set here is %v", available)
			}
			test(t, set)
		})
	}
}

// extremeEntries are the ends of the range of entries and what is near zero.
var extremeEntries = []int16{0, 1, -1, 32767, -32767, -32768}

//go:build amd64 && !noasm

package kernel

import "testing"

// TestResultsThatEnsureALevel calls the functions of the list ensuring at each level, those that are not here too: each
// has a result from its level on, and none below. None of them calls a kernel.
func TestResultsThatEnsureALevel(t *testing.T) {
	called := map[string]func(set instructions) bool{
		"recordsOf":       func(set instructions) bool { return recordsOf(set, 1000) > 0 },
		"vectorEntries":   func(set instructions) bool { return vectorEntries(set, 1000) > 0 },
		"mostLimbRows":    func(set instructions) bool { return mostLimbRows[uint8](set, 1000)+mostLimbRows[int16](set, 1000) > 0 },
		"newWholeProduct": func(set instructions) bool { _, has := newWholeProduct(set, nil, nil, nil, IntShape{}); return has },
		"panels": func(set instructions) bool {
			return newTurn(set, make([]int16, 64), make([]float64, 8), 1).panels != nil
		},
	}
	for name, level := range ensuring {
		for set := portable; set <= avx512VNNI; set++ {
			if has := called[name](set); has != (set >= level) {
				t.Errorf("%s at level %v: a result is %v, want %v", name, set, has, set >= level)
			}
		}
	}
}

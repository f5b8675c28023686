package training

import "testing"

func TestDeltaDoubt(t *testing.T) {
	for _, c := range []struct {
		delta               float64
		records, maxRecords int
		doubted             bool
	}{
		{1e-6, 20000, 50000, false},
		{1e-6, 100000, 0, false}, // exactly a tenth
		{1.1e-6, 100000, 1 << 30, true},
		{1e-6, 0, 100000, false},
		{1e-6, 0, 200000, true},
		{0.1, 0, 3, true},
		{0.1, 0, 0, false},
		{0, 10, 10, false},
		{1, 10, 10, false},
	} {
		if got := DeltaDoubt(c.delta, c.records, c.maxRecords); (got != "") != c.doubted {
			t.Errorf("DeltaDoubt(%v, %d, %d) is %q, want a warning: %v", c.delta, c.records, c.maxRecords, got, c.doubted)
		}
	}
}

package data

import "testing"

// TestOverSpread holds the size in memory of a LIBSVM table to its text: up to 2^30 bytes
// nothing counts, then a thousand times the text, and 2^36 bytes in any case.
func TestOverSpread(t *testing.T) {
	for _, c := range []struct {
		name                 string
		rows, rowBytes, read int64
		want                 bool
	}{
		{"small", 1 << 10, 1 << 20, 2, false},
		{"above", 1<<10 + 1, 1 << 20, 1 << 20, true},
		{"with enough text", 1<<10 + 1, 1 << 20, 1<<20 + 1<<16, false},
		{"largest", 1 << 26, 1 << 10, 1 << 30, false},
		{"too large", 1<<26 + 1, 1 << 10, 1 << 40, true},
		{"all rows of all columns", 1 << 40, 4 * (maxColumns + 1), 1 << 40, true},
	} {
		s := &sparse{q: request{file: "t"}, line: 7, read: c.read}
		if err := s.overSpread(c.rows, c.rowBytes); (err != nil) != c.want {
			t.Errorf("%s: got error %v, want one: %v", c.name, err, c.want)
		}
	}
}

package readers

import (
	"testing"

	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/format"
)

// TestAll wants one reader for each first bytes that the registry lists, but those of gzip and NPZ, which package data
// reads itself.
func TestAll(t *testing.T) {
	known := func(head string, compression bool) (n int) {
		for _, f := range All() {
			if _, ok := f.(columnar.Compression); f.Knows([]byte(head)) && ok == compression {
				n++
			}
		}
		return n
	}
	for _, c := range format.Compressions() {
		if n := known(c.Magic, true); n != 1 && c.Name != "gzip" {
			t.Errorf("%s has %d readers, want 1", c.Name, n)
		}
	}
	for _, f := range format.Kinds() {
		for _, magic := range f.Magics {
			if n := known(magic, false); n != 1 && f.Name != "NPZ" {
				t.Errorf("%s has %d readers, want 1", f.Name, n)
			}
		}
	}
}

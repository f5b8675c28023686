package feature

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// fingerprintRows is the number of fixed rows in a fingerprint.
const fingerprintRows = 2

// Fingerprint returns a hash of what the transforms compute for fixed rows of numbers in [0, 1]. If
// a change of a transform, of its parameters, of its file or of its code changes any of these
// results, the hash changes. So comparing hashes detects stored features that are outdated. Without
// transforms the result is the hash of an empty text.
func (c *Pipeline) Fingerprint() [sha256.Size]byte {
	h := sha256.New()
	if len(c.transforms) == 0 {
		return [sha256.Size]byte(h.Sum(nil))
	}
	x, state := make([]float64, c.encoder.Dim()), uint64(1)
	for range fingerprintRows {
		for j := range x {
			state = state*6364136223846793005 + 1442695040888963407 // Knuth's MMIX; any numbers will do
			x[j] = float64(state>>53) / (1 << 11)
		}
		row := x
		for _, t := range c.transforms {
			out := make([]float64, t.Out())
			t.Apply(out, row, t.NewScratch())
			row = out
		}
		for _, v := range row {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
			h.Write(b[:])
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

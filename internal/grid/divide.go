package grid

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math"

	"github.com/ditherml/dither/sweep"
)

// These are the ways to divide a public table into rows for training and rows for testing.
const (
	SplitFirst  = "first"
	SplitRandom = "random"
)

// Divide returns the training and test rows of a table, in order. SplitFirst trains on the first
// rows, up to the share. SplitRandom tests on about that share. The random rows follow from the
// hashes of the table's files, and are always the same.
func Divide(records int, way string, share float64, hashes []sweep.Setting) (training, test []int) {
	first := int(math.Floor(share*float64(records) + 1e-9))
	seed := sha256.New()
	for _, h := range hashes {
		io.WriteString(seed, h.Name+h.Value) // a hash accepts every write
	}
	start := seed.Sum([]byte("dither-sweep random split"))
	for i := range records {
		out := way == SplitFirst && i >= first
		if way == SplitRandom {
			sum := sha256.Sum256(binary.BigEndian.AppendUint64(start, uint64(i)))
			out = float64(binary.BigEndian.Uint64(sum[:8]))*0x1p-64 < share
		}
		if out {
			test = append(test, i)
		} else {
			training = append(training, i)
		}
	}
	return training, test
}

package feature

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// digests returns a hash of the bits of the features of each row that is listed, in that order.
func digests(c *Pipeline, listed []int, row func(dst []float32, i int) []float32) []uint64 {
	const many = 50
	out, features, values := make([]uint64, 0, len(listed)), make([]float64, many*c.Dim()), make([][]float32, many)
	for r := range values {
		values[r] = make([]float32, 64)
	}
	for s := c.NewScratch(); len(listed) > 0; {
		n := min(many, len(listed))
		c.FeaturesOf(features, n, s, func(r int) []float32 { return row(values[r], listed[r]) })
		for r := range n {
			h, word := fnv.New64a(), make([]byte, 8)
			for _, f := range features[r*c.Dim() : (r+1)*c.Dim()] {
				binary.LittleEndian.PutUint64(word, math.Float64bits(f))
				h.Write(word)
			}
			out = append(out, h.Sum64())
		}
		listed = listed[n:]
	}
	return out
}

// TestTransformsLookAtOneRow maps rows, and then two thirds of them in another order: every row keeps its bits.
func TestTransformsLookAtOneRow(t *testing.T) {
	row := func(dst []float32, i int) []float32 {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		for j := range dst {
			if dst[j] = 0; r.IntN(3) > 0 {
				dst[j] = float32(r.IntN(256))
			}
		}
		return dst
	}
	for _, specs := range [][]string{{"deskew:shape=8x8", "scattering:shape=8x8", "groupnorm:groups=27"}, {"fourier:features=40"}} {
		c := imageChain(t, 64, specs...)
		all, first := make([]int, oneRowRows), make(map[int]uint64, oneRowRows)
		for i := range all {
			all[i] = i
		}
		for i, digest := range digests(c, all, row) {
			first[i] = digest
		}
		some := rand.New(rand.NewPCG(1, 1)).Perm(oneRowRows)[:2*oneRowRows/3]
		different := map[uint64]bool{}
		for k, digest := range digests(c, some, row) {
			if different[digest] = true; digest != first[some[k]] {
				t.Fatalf("%v: row %d has other features where other rows stand beside it", specs, some[k])
			}
		}
		if len(different) < len(some)*9/10 {
			t.Errorf("%v: %d rows have %d different features, want nearly all", specs, len(some), len(different))
		}
	}
}

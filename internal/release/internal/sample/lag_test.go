package sample

import (
	"math"
	"math/bits"
	"testing"
)

// repetitions counts the pairs of numbers, at most lag apart, that one random word may have made: a number of MaxGridBits is
// word·width/2^64 of its layer up to a cell, so that two numbers of one word have one share of their widths,
// whatever the layers are. It holds shares in a table by place and looks at those within a cell of each other.
//
// A pair of independent numbers is counted for two layers with probability below 2^-49: given the one of the wider layer, the
// other lies among 2·(9 + 9) points, each of probability below 0.8·2^-54.
func repetitions(numbers []int64, lag int) int {
	const shareBits = 46
	type held struct {
		share float64
		at    int32
		layer uint16
	}
	placeBits := bits.Len(uint(lag * layerCount))
	table, count := make([]held, 1<<placeBits), 0
	for i := range table {
		table[i].at = math.MinInt32
	}
	place := func(share float64, step int64) uint64 {
		return uint64(int64(math.Ldexp(share, shareBits))+step) & (1<<placeBits - 1)
	}
	for i, v := range numbers {
		point := math.Ldexp(math.Abs(float64(v)), fineBits-MaxGridBits)
		for l := range layers {
			width := float64(layers[l].width)
			share := point / width
			if share >= 1 {
				break // the layers above are narrower
			}
			for step := int64(-1); step <= 1; step++ {
				other := table[place(share, step)]
				if d := i - int(other.at); d >= 1 && d <= lag && math.Abs(other.share-share) <= 9/width+9/float64(layers[other.layer].width) {
					count++
				}
			}
			table[place(share, 0)] = held{share, int32(i), uint16(l)}
		}
	}
	return count
}

// checkRepetitions wants no more repetitions in these numbers, at any lag up to two buffers, than chance makes.
func checkRepetitions(t *testing.T, s *Stream, numbers, most int) {
	t.Helper()
	dst := make([]int64, numbers)
	s.RoundedGaussian(dst, MaxGridBits)
	words := len(s.buffer) / 8
	if got := repetitions(dst, 2*words); got > most {
		t.Errorf("a buffer of %d words: %d pairs of %d numbers may have one word, want %d at most", words, got, numbers, most)
	}
}

// TestNumbersShareNoWord looks at the joint law of two numbers of one draw at every lag up to two buffers, for exact
// repetitions of a word, which no correlation shows. Of 6000 numbers with 60 lags 6000·60·512²·2^-49 < 0.0002 pairs are
// counted by chance, and more than 2 with probability below 1e-11. The buffer is small, so that there are many. Where one word of 100 of the key stream is that of 5
// places before, the pairs must be seen.
func TestNumbersShareNoWord(t *testing.T) {
	checkRepetitions(t, newStream(&[keySize]byte{172}, 30), 6000, 2)
	again := &tape{word: func(i int) uint64 {
		if i%100 == 7 {
			i -= 5
		}
		return numbered(i)
	}}
	dst := make([]int64, 3000)
	again.stream(bufferWords).RoundedGaussian(dst, MaxGridBits)
	if got := repetitions(dst, 16); got < 15 || got > 50 {
		t.Errorf("%d pairs are seen where 34 words repeat, want 15 to 50", got)
	}
}

package sample

import (
	"bytes"
	"crypto/rand"
	"math/big"
	"math/bits"
	"slices"
	"testing"
)

// scripted returns a stream of these words and different ones after them, and its tape.
func scripted(words ...uint64) (*Stream, *tape) {
	all := &tape{word: func(i int) uint64 {
		if i < len(words) {
			return words[i]
		}
		return numbered(i)
	}}
	return all.stream(7), all
}

// inverse returns the inverse of an odd number modulo 2^64, by Newton's iteration.
func inverse(odd uint64) uint64 {
	x := odd
	for range 6 {
		x *= 2 - odd*x
	}
	return x
}

// TestBelowAtItsThreshold: words whose product with n leaves 2^64 mod n or one less are the last that are drawn again and
// the first that is not.
func TestBelowAtItsThreshold(t *testing.T) {
	for _, n := range []uint64{3, 7, 1<<40 + 15, 1<<63 + 1, 1<<64 - 1} {
		threshold := -n % n
		kept := threshold * inverse(n)
		want, _ := bits.Mul64(kept, n)
		s, all := scripted((threshold-1)*inverse(n), kept)
		if got := s.Below(n); got != want || all.given(s) != 2 {
			t.Errorf("below %d: got %d after %d words, want %d after 2", n, got, all.given(s), want)
		}
	}
}

// TestPointsAtTheirThreshold does the same with the points of layers. The word that is not drawn again gives the outermost
// point, which is above the curve at the middle height, so that another layer is drawn.
func TestPointsAtTheirThreshold(t *testing.T) {
	const other, quarter = 5, 1 << 62
	point, tried := layers[other].width/4, 0
	want := int64(2*point+1+1<<(fineBits-MaxGridBits)) >> (fineBits + 1 - MaxGridBits)
	for l, box := range layers {
		if box.width%2 == 0 {
			continue
		}
		tried++
		again, kept := (box.remainder-1)*inverse(box.width), box.remainder*inverse(box.width)
		if outermost, _ := bits.Mul64(kept, box.width); outermost != box.width-1 {
			t.Fatalf("layer %d: the first word that is kept gives point %d, want the outermost of %d", l, outermost, box.width)
		}
		dst := make([]int64, 1)
		s, all := scripted(uint64(l), again, again, kept, 1<<63, other, quarter)
		if s.RoundedGaussian(dst, MaxGridBits); dst[0] != want || all.given(s) != 7 {
			t.Fatalf("layer %d: got %d after %d words, want %d after 7", l, dst[0], all.given(s), want)
		}
	}
	if tried < 100 {
		t.Errorf("%d layers were tried, want 100", tried)
	}
}

// TestPoissonTies: where the byte of a record is that of the threshold, 56 bits of the next word decide, and equal ones do
// not take it.
func TestPoissonTies(t *testing.T) {
	const threshold, tail = 5<<56 | 12345, 12345
	others := ^uint64(0xff) // no other record of the word is taken
	for word, want := range map[uint64]int{tail<<8 - 1: 1, tail << 8: 0, tail<<8 | 0xff: 0, 0: 1} {
		s, all := scripted(others|5, word)
		if got := s.Poisson(nil, 8, threshold); len(got) != want || all.given(s) != 2 {
			t.Errorf("a tie with the word %#x takes %v after %d words, want %d records after 2", word, got, all.given(s), want)
		}
	}
}

// TestHeightsAtTheCurve draws, at points of every fourth layer and at the two ends of the range, the greatest height of 192
// bits under the curve and the least above it. Both are too close to the curve for 64 bits: all three words decide, in order.
// The lowest height of the highest layer is under the curve at the first point, where the curve is just below 1.
func TestHeightsAtTheCurve(t *testing.T) {
	check := func(l int, point uint64) {
		low, span := join(heights[l][0], heights[l][1]), join(spans[l][0], spans[l][1])
		share := oracle().Quo(oracle().Sub(oracleCurve(point), low), span)
		if share.Sign() <= 0 || share.Cmp(oracle().SetInt64(1)) >= 0 {
			t.Fatalf("layer %d, point %d: the curve is not within the layer", l, point)
		}
		at, _ := share.SetMantExp(share, 192).Int(nil)
		for above := range int64(2) {
			height, words := new(big.Int).Add(at, big.NewInt(above)), [3]uint64{}
			for i := range words {
				words[i] = new(big.Int).Rsh(height, uint(128-64*i)).Uint64()
			}
			s, all := scripted(words[:]...)
			if got := s.under(uint64(l), point); got != (above == 0) || all.given(s) != 3 {
				t.Errorf("layer %d, point %d: height %x is under the curve: got %v after %d words, want %v after 3", l, point, words, got, all.given(s), above == 0)
			}
		}
	}
	for l := 3; l < layerCount; l += 4 {
		box := layers[l]
		check(l, box.inside+4+(box.width-box.inside-8)/7*uint64(l%8))
	}
	check(0, tailUnits<<fineBits-1)
	check(layerCount-1, 0)
	if s, _ := scripted(0); !s.under(layerCount-1, 0) {
		t.Error("the lowest height of the highest layer is above the curve at the first point")
	}
}

// TestKeysAreWhole: all 16 bytes of the key of a new stream are those that crypto/rand gives, asked once. No other test would
// see a key of which a part is fixed.
func TestKeysAreWhole(t *testing.T) {
	key := [keySize]byte([]byte("0123456789abcdef"))
	given := bytes.NewReader(slices.Concat(key[:], key[:])) // a part of the key would leave more or less than half
	whole := rand.Reader
	rand.Reader = given
	defer func() { rand.Reader = whole }()
	s, want := NewStream(), newStream(&key, 1)
	if got := [2]uint64{s.Word(), s.Word()}; got != [2]uint64{want.Word(), want.Word()} || given.Len() != keySize {
		t.Errorf("a stream begins with %x and %d bytes of 32 were left, want the words of the whole key and 16", got, given.Len())
	}
}

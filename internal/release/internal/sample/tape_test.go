package sample

import (
	"encoding/binary"
	"reflect"
	"slices"
	"testing"
)

// tape is a key stream that a test writes: word i is word(i). Made is the number of words that streams asked for.
type tape struct {
	word func(i int) uint64
	made int
}

// XORKeyStream is the method of cipher.Stream. It takes whole words.
func (t *tape) XORKeyStream(dst, src []byte) {
	for i := 0; i < len(dst); i += 8 {
		binary.LittleEndian.PutUint64(dst[i:], binary.LittleEndian.Uint64(src[i:])^t.word(t.made))
		t.made++
	}
}

// stream returns a stream that plays the tape through a buffer of a number of words.
func (t *tape) stream(words int) *Stream {
	return &Stream{block: t, buffer: make([]byte, 8*words), next: 8 * words}
}

// given is the number of words that a stream gave out, if none was dropped.
func (t *tape) given(s *Stream) int { return t.made - (len(s.buffer)-s.next)/8 }

// numbered returns the word of a number, different for each: the finalizer of SplitMix64, which is one to one (Steele, Lea &
// Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014, https://doi.org/10.1145/2660193.2660195).
func numbered(i int) uint64 {
	z := (uint64(i) + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// sampler is one draw of one sampler, as integers.
type sampler struct {
	name string
	draw func(s *Stream) []int64
}

// samplers are all that a stream draws. Every exported method is among them.
func samplers() []sampler {
	filled := func(n int, draw func(s *Stream, dst []int64)) func(s *Stream) []int64 {
		return func(s *Stream) []int64 {
			dst := make([]int64, n)
			draw(s, dst)
			return dst
		}
	}
	gaussian := func(n int, bits uint) sampler {
		return sampler{"RoundedGaussian", filled(n, func(s *Stream, dst []int64) { s.RoundedGaussian(dst, bits) })}
	}
	poisson := func(n int, threshold uint64) sampler {
		return sampler{"Poisson", func(s *Stream) []int64 { return wide(s.Poisson(nil, n, threshold)) }}
	}
	below := func(n uint64) sampler {
		return sampler{"Below", func(s *Stream) []int64 { return []int64{int64(s.Below(n))} }}
	}
	subset := func(n, k int) sampler {
		return sampler{"Subset", func(s *Stream) []int64 { return wide(s.Subset(n, k)) }}
	}
	coin := func(n, d uint64) sampler {
		return sampler{"BernoulliExp", func(s *Stream) []int64 {
			if s.BernoulliExp(n, d) {
				return []int64{1}
			}
			return []int64{0}
		}}
	}
	return []sampler{
		{"Word", func(s *Stream) []int64 { return []int64{int64(s.Word())} }},
		below(7), below(1<<63 + 1), coin(5, 3), coin(1, 1<<60),
		gaussian(1, MaxGridBits), gaussian(6, MaxGridBits), gaussian(13, MaxGridBits), gaussian(100, MinGridBits), gaussian(4096, 45),
		{"DiscreteLaplace", filled(3, func(s *Stream, dst []int64) { s.DiscreteLaplace(dst, 1<<40, 3) })},
		{"DiscreteGaussian", filled(3, func(s *Stream, dst []int64) { s.DiscreteGaussian(dst, 1<<40, 3) })},
		{"LInfinity", filled(3, func(s *Stream, dst []int64) { s.LInfinity(dst, 1<<40, 3) })},
		{"RoundedL2", filled(3, func(s *Stream, dst []int64) { s.RoundedL2(dst, 1<<40, 3) })},
		{"RoundedL2", filled(4, func(s *Stream, dst []int64) { s.RoundedL2(dst, 1<<40, 3) })},
		poisson(100, 1<<63), poisson(1000, 1<<57), poisson(5003, 1<<56+1<<55), poisson(60000, 1<<50),
		subset(100, 5), subset(40, 40),
	}
}

func wide(indices []int) []int64 {
	out := make([]int64, len(indices))
	for k, i := range indices {
		out[k] = int64(i)
	}
	return out
}

// TestEveryWordIsGivenOnce holds, for every sampler, that a draw depends on the words between two places of the key stream
// and on no others, where the next draw's words begin at the second place. So no word is in two draws. A draw is
// repeated from a tape that has these words alone and others after them, through a buffer that is never filled again.
// The draws pass over many refills. TestEachWordDecidesOneNumber is about the numbers of one draw.
func TestEveryWordIsGivenOnce(t *testing.T) {
	for _, c := range samplers() {
		for _, words := range []int{1, 7, 64, bufferWords} {
			all := &tape{word: numbered}
			s := all.stream(words)
			for end := 0; end < 2*words+300; {
				from := end
				got := c.draw(s)
				if end = all.given(s); end < from {
					t.Fatalf("%s: the stream went back from word %d to %d", c.name, from, end)
				}
				part := &tape{word: func(i int) uint64 {
					if i >= end-from {
						return ^numbered(i)
					}
					return numbered(from + i)
				}}
				again := part.stream(end - from + 64)
				if want := c.draw(again); !slices.Equal(got, want) || part.given(again) != end-from {
					t.Fatalf("%s, a buffer of %d words: a draw from words %d to %d is %v, want %v, as these words alone give from %d of them",
						c.name, words, from, end, got, want, part.given(again))
				}
			}
		}
	}
}

// TestWordsComeInOrder: Word gives out every word of the key stream, in order, each once.
func TestWordsComeInOrder(t *testing.T) {
	for _, words := range []int{1, 7, bufferWords} {
		all := &tape{word: numbered}
		s := all.stream(words)
		for i := range 3*words + 1 {
			if got := s.Word(); got != numbered(i) {
				t.Fatalf("a buffer of %d words: word %d is %#x, want %#x", words, i, got, numbered(i))
			}
		}
	}
}

// TestEachWordDecidesOneNumber turns over one bit of one word of the key stream at a time: it moves one Gaussian number at
// most. The bit is the sign of the third number in a word of layers and signs; it moves a point by 2^-35 of its layer
// and a height by 2^-35 of its span. A word that is used twice moves two numbers. Where a draw reads more or fewer words
// than before, since a point falls into the incomplete interval or out of it, later numbers are made of other words: these
// few are left out.
func TestEachWordDecidesOneNumber(t *testing.T) {
	for _, words := range []int{30, 64} {
		const n = 2004
		draw := func(turned int) (dst []int64, places []int) {
			all := &tape{word: func(i int) uint64 {
				if i == turned {
					return numbered(i) ^ 1<<29
				}
				return numbered(i)
			}}
			dst = make([]int64, n)
			s := all.stream(words)
			for i := 0; i < n; i += metaPerWord {
				s.RoundedGaussian(dst[i:i+metaPerWord], MaxGridBits)
				places = append(places, all.given(s))
			}
			return dst, places
		}
		want, wantPlaces := draw(-1)
		moved, left := 0, 0
		for turned := range n {
			got, places := draw(turned)
			if !slices.Equal(places, wantPlaces) {
				left++
				continue
			}
			count := 0
			for i, v := range got {
				if v != want[i] {
					count++
				}
			}
			if moved += count; count > 1 {
				t.Errorf("a buffer of %d words: word %d decides %d numbers, want 1 at most", words, turned, count)
			}
		}
		if moved < n*9/10 || left > n/50 {
			t.Errorf("a buffer of %d words: %d of %d words decide a number and %d are left out, want nearly all and few", words, moved, n, left)
		}
	}
}

// TestBufferSizeDecidesNothing: under one key every sampler draws the same whatever the size of the buffer, from a word to a
// megabyte, which holds all that is drawn, with sizes that are no multiple of what a draw takes.
func TestBufferSizeDecidesNothing(t *testing.T) {
	const megabyte = 1 << 17 // words
	for k, c := range samplers() {
		draws, all := 0, &tape{word: numbered}
		for s := all.stream(1); all.made < 6000; draws++ {
			s.Word()
			c.draw(s)
		}
		var want []int64
		for _, words := range []int{megabyte, 1, 7, 8, 9, 13, 511, bufferWords, 2048} {
			var got []int64
			s := newStream(&[keySize]byte{byte(k)}, words)
			for range draws { // a word between draws moves them against the buffer
				got = append(got, int64(s.Word()))
				got = append(got, c.draw(s)...)
			}
			if got = append(got, int64(s.Word())); want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: a buffer of %d words draws other numbers than one of %d", c.name, words, megabyte)
			}
		}
	}
}

// TestSamplersAreListed: the laws of this file hold for every exported method of a stream.
func TestSamplersAreListed(t *testing.T) {
	names := map[string]bool{}
	for _, c := range samplers() {
		names[c.name] = true
	}
	stream := reflect.TypeFor[*Stream]()
	for i := range stream.NumMethod() {
		if name := stream.Method(i).Name; !names[name] {
			t.Errorf("method %s of a stream is not among the samplers of the tests", name)
		}
	}
}

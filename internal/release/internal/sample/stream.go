// Package sample draws the random integers on which every guarantee rests, by
// integer arithmetic alone, from a cryptographic stream keyed by the operating
// system. Nothing here takes or returns a floating-point number. Close calls of the
// Gaussian sampler use package math/big, which computes with integers too.
package sample

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"math/bits"
)

const (
	keySize = 16
	// bufferWords is how many words a stream makes at a time. What it gives does not depend on this number.
	bufferWords = 512
)

// Stream is a source of independent uniform bits: AES-128 in counter mode under
// a key that crypto/rand draws for this stream alone. The key is never stored or
// returned. A Stream must not be copied and is not safe for concurrent use.
//
// Every word of the key stream is given out once, in order, and by value. Word alone gives words
// out, and this file alone mentions the buffer.
type Stream struct {
	_      noCopy
	block  cipher.Stream
	buffer []byte
	next   int // where the first word stands that was not given out
}

type noCopy struct{}

// Lock marks Stream as not to be copied, for go vet.
func (*noCopy) Lock() {}

// Unlock is the other half of that mark.
func (*noCopy) Unlock() {}

// NewStream returns a stream under a fresh key. It has no error: the program ends
// if the operating system cannot give randomness (crypto/rand since Go 1.24).
func NewStream() *Stream {
	var key [keySize]byte
	rand.Read(key[:])
	s := newStream(&key, bufferWords)
	clear(key[:])
	return s
}

// newStream is the constructor that tests hand a fixed key and the size of the buffer.
func newStream(key *[keySize]byte, words int) *Stream {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic("sample: AES refused a 16-byte key")
	}
	var zero [aes.BlockSize]byte
	return &Stream{block: cipher.NewCTR(block, zero[:]), buffer: make([]byte, 8*words), next: 8 * words}
}

// Word returns 64 uniform bits, the next of the stream. It is small enough to be inlined, on which the speed of every
// sampler depends.
func (s *Stream) Word() uint64 {
	if s.next == len(s.buffer) {
		s.refill()
	}
	s.next += 8
	return binary.LittleEndian.Uint64(s.buffer[s.next-8:])
}

// refill replaces the buffer by fresh bits. All of the buffer was given out.
//
//go:noinline
func (s *Stream) refill() {
	clear(s.buffer)
	s.block.XORKeyStream(s.buffer, s.buffer)
	s.next = 0
}

// forget overwrites the bits that were given out.
func (s *Stream) forget() { clear(s.buffer[:s.next]) }

// Below returns an integer uniform on [0, n); n must be positive. It rejects the
// incomplete last interval (Lemire, "Fast Random Integer Generation in an
// Interval", ACM TOMACS 2019, https://arxiv.org/abs/1805.10941), so it is exact.
func (s *Stream) Below(n uint64) uint64 {
	high, low := bits.Mul64(s.Word(), n)
	if low < n {
		threshold := -n % n
		for low < threshold {
			high, low = bits.Mul64(s.Word(), n)
		}
	}
	return high
}

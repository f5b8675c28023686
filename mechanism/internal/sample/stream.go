// Package sample draws the random integers on which every guarantee rests, by
// integer arithmetic alone, from a cryptographic stream keyed by the operating
// system. Nothing here takes or returns a floating-point number.
package sample

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"math/bits"
)

const (
	keySize    = 16
	bufferSize = 16 << 10
)

// Stream is a source of independent uniform bits: AES-128 in counter mode under
// a key that crypto/rand draws for this stream alone. The key is never stored or
// returned. A Stream must not be copied and is not safe for concurrent use.
type Stream struct {
	_      noCopy
	block  cipher.Stream
	buffer [bufferSize]byte
	next   int
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
	s := newStream(&key)
	clear(key[:])
	return s
}

// newStream is the constructor that tests hand a fixed key.
func newStream(key *[keySize]byte) *Stream {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic("sample: AES refused a 16-byte key")
	}
	var zero [aes.BlockSize]byte
	return &Stream{block: cipher.NewCTR(block, zero[:]), next: bufferSize}
}

// Word returns 64 uniform bits.
func (s *Stream) Word() uint64 {
	if s.next > bufferSize-8 {
		s.refill()
	}
	w := binary.LittleEndian.Uint64(s.buffer[s.next:])
	s.next += 8
	return w
}

// take fills dst with the next words of the stream, by value: what it gives stays when the buffer is filled anew.
func (s *Stream) take(dst []uint64) {
	if ahead := s.buffer[s.next:]; len(ahead) >= 8*len(dst) {
		for i := range dst {
			dst[i] = binary.LittleEndian.Uint64(ahead[8*i:])
		}
		s.next += 8 * len(dst)
		return
	}
	for i := range dst {
		dst[i] = s.Word()
	}
}

// refill replaces the buffer by fresh bits; what was left of it is dropped.
func (s *Stream) refill() {
	clear(s.buffer[:])
	s.block.XORKeyStream(s.buffer[:], s.buffer[:])
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

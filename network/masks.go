package network

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"

	"github.com/ditherml/dither/internal/kernel"
)

// masks draws the masks of dropout from AES in counter mode, under a key from crypto/rand that is
// used for one tape and never shown. The draw of a record depends on its place in a chunk, and so
// on how many others there are. No draw can be told from one that is independent of everything, so
// this says nothing about them. Sums that promise privacy assume the same of their noise.
type masks struct {
	stream cipher.Stream
	words  [1024]byte
}

func newMasks() *masks {
	var key, counter [aes.BlockSize]byte
	_, _ = rand.Read(key[:]) // which never fails
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // which the length of the key rules out
	}
	return &masks{stream: cipher.NewCTR(block, counter[:])}
}

// draw sets each number to 0 with probability threshold/2^32, and otherwise to scale.
func draw[T kernel.Float](m *masks, dst []T, threshold uint32, scale T) {
	for len(dst) > 0 {
		part := dst[:min(len(dst), len(m.words)/4)]
		dst = dst[len(part):]
		words := m.words[:4*len(part)]
		clear(words)
		m.stream.XORKeyStream(words, words)
		for i := range part {
			part[i] = scale
			if binary.LittleEndian.Uint32(words[4*i:]) < threshold {
				part[i] = 0
			}
		}
	}
}

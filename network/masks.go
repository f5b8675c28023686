package network

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"

	"github.com/ditherml/dither/internal/kernel"
)

// masks draws the masks of dropout from AES in counter mode. The key is from crypto/rand, is used
// for one tape and is never shown. The draw of a record depends on its place in a chunk, and so on
// the number of other records. Draws are indistinguishable from draws that are independent of
// everything, so they say nothing about other records. Sums that promise privacy make the same
// assumption about their noise.
type masks struct {
	stream cipher.Stream
	words  [1024]byte
}

func newMasks() *masks {
	var key, counter [aes.BlockSize]byte
	_, _ = rand.Read(key[:]) // it never fails
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // the length of the key rules it out
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

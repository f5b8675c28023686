// Package picks secretly picks a few records, for checks that compute something of a record once
// more. Lemma 23 of docs/release-parts.md says what such a check finds.
package picks

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
)

// A record is picked with probability 2^-bits.
const bits = 13

// Secret decides which records of one pass are picked. No noise comes from it.
type Secret [2]uint64

// unused are bytes from crypto/rand that no secret has taken. One call reads bytes for many secrets,
// because a step of a small batch draws several.
var unused struct {
	sync.Mutex
	text [64 * secretBytes]byte
	left int
}

const secretBytes = 16

// NewSecret returns a secret from crypto/rand.
func NewSecret() Secret {
	unused.Lock()
	defer unused.Unlock()
	if unused.left == 0 {
		_, _ = rand.Read(unused.text[:]) // it never fails
		unused.left = len(unused.text)
	}
	unused.left -= secretBytes
	text := unused.text[unused.left:][:secretBytes]
	secret := Secret{binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[8:])}
	clear(text)
	return secret
}

// One returns one of n records, at least 1. Each has the same probability up to n·2^-64.
func (s Secret) One(n int) int { return int(s[0] % uint64(n)) }

// Picker picks records for one goroutine.
type Picker struct {
	secret Secret
	next   uint64
}

// Part returns the picker of a part of the pass. A part has fewer than 2^40 picks.
func (s Secret) Part(part int) Picker { return Picker{s, uint64(part) << 40} }

// Agree calls agrees with the picked ones of n records, and reports whether all agree. It picks each
// record with probability 2^-13, and at most one of 2^13 that follow one another.
func (p *Picker) Agree(n int, agrees func(record int) bool) bool {
	for from := 0; from < n; from += 1 << bits {
		if i, picked := p.pick(min(n-from, 1<<bits)); picked && !agrees(from+i) {
			return false
		}
	}
	return true
}

// pick returns one of n records, at most 2^13, or reports that it picks none. It picks each of them
// with probability 2^-13.
func (p *Picker) pick(n int) (record int, picked bool) {
	p.next++
	record = int(mixed(mixed(p.next^p.secret[0])^p.secret[1]) >> (64 - bits))
	return record, record < n
}

// mixed returns the finalizer of SplitMix64, a permutation of the numbers of 64 bits (Steele, Lea
// and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
func mixed(v uint64) uint64 {
	v += 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

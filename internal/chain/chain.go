// Package chain keeps records that several processes append to: each record is bound to all earlier
// ones by a hash, and is on disk before its writer goes on. It knows nothing of privacy.
package chain

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// Clock is the clock of writers. Records contain the times of this clock, which decide nothing.
// Only tests change it.
var Clock = time.Now

// MaxPayload is the largest number of bytes of one payload.
const MaxPayload = 1 << 20

// Record is one link of a chain.
type Record struct {
	// Seq is 0 for the first record and grows by 1. Records are ordered by it, never by Time.
	Seq uint64
	// Time is the writer's clock in Unix seconds. It is for people and decides nothing.
	Time int64
	// Payload is the appended content, with 1 to MaxPayload bytes. Nobody may change it.
	Payload []byte
	// Hash is [Link] of the earlier record's hash and of this record.
	Hash [32]byte
}

// Store is a durable chain of records to which several processes append. Goroutines may share a
// Store. The functions that a Store calls must not call the Store.
type Store interface {
	// Update holds the one lock of all writers. It calls seen for each record that this Store has
	// not passed on yet, oldest first, and then next. What next returns is appended, and is durable
	// before Update returns it without an error. The returned record counts as passed on.
	//
	// An error of ctx while Update waits for the lock, of seen or of next appends nothing, and is
	// wrapped. A record counts as passed on when seen returned nil for it. When Update fails after
	// next returned a payload of a permitted length, the record may be there or not. Callers treat
	// it as spent, and this Store answers every later call with ErrPoisoned.
	Update(ctx context.Context, seen func(Record) error, next func() ([]byte, error)) (Record, error)
	// View is Update without an append.
	View(ctx context.Context, seen func(Record) error) error
	// Close gives up the Store. Later calls return ErrClosed.
	Close() error
}

// ErrPoisoned is the error of a Store that does not know whether a record was appended. Returned
// errors wrap it.
var ErrPoisoned = errors.New("chain: an append failed, and its record may be there or not: open the chain again")

// ErrClosed is the error of a closed Store.
var ErrClosed = errors.New("chain: the store is closed")

// ErrDamaged is the error of a Store whose records or heads contradict each other. Returned errors
// wrap it.
var ErrDamaged = errors.New("chain: damaged")

// domain separates these hashes from all other hashes.
const domain = "dither chain 1\n"

// Link returns the hash of a record: SHA-256 of five parts, one after the other. They are the word
// "dither chain 1" with a line end, the hash of the earlier record, Seq, Time and the payload. The
// first record has an earlier hash of zeros. Seq and Time are 8 bytes each, little-endian.
func Link(earlier [32]byte, seq uint64, time int64, payload []byte) [32]byte {
	text := make([]byte, 0, len(domain)+len(earlier)+16+len(payload))
	text = append(text, domain...)
	text = append(text, earlier[:]...)
	text = binary.LittleEndian.AppendUint64(text, seq)
	text = binary.LittleEndian.AppendUint64(text, uint64(time))
	return sha256.Sum256(append(text, payload...))
}

// CheckPayload returns an error for a payload that is empty or too long.
func CheckPayload(payload []byte) error {
	if n := len(payload); n < 1 || n > MaxPayload {
		return fmt.Errorf("chain: got a payload of %d bytes, want 1 to %d", n, MaxPayload)
	}
	return nil
}

// Package faulty plants faults in what ranks send each other, for tests of what must notice them.
package faulty

import (
	"context"
	"sync"

	"github.com/ditherml/dither/internal/ranks"
)

// Kind is what happens to a message.
type Kind int

// The kinds of faults. Of Swap, Replay and Misdirect nothing may come when there is no other message or rank.
const (
	Lose      Kind = iota // it is not sent
	Double                // it is sent twice
	Alter                 // one bit of it is another one; an empty message gets a byte
	Cut                   // its last byte is missing; an empty message gets a byte
	Swap                  // it is sent after the next message to the same rank
	Replay                // the message before it to the same rank is sent in its place
	Misdirect             // it is sent to the next rank
	kinds
)

// Kinds returns all kinds.
func Kinds() []Kind {
	all := make([]Kind, kinds)
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// String returns the kind as a verb.
func (k Kind) String() string {
	return [...]string{"lose", "double", "alter", "cut", "swap", "replay", "misdirect"}[k]
}

// Transport is a transport that plants one fault in what this rank sends. Everything else goes its usual way.
type Transport struct {
	ranks.Transport
	kind Kind
	at   int
	bit  uint64

	mu      sync.Mutex
	sent    int            // messages so far
	last    map[int][]byte // the last message to each rank
	held    []byte         // what Swap keeps back, for rank heldFor
	heldFor int
	done    bool
}

// New returns a transport that plants a fault of this kind in message at, counted from 0 over all messages that this
// rank sends. Alter turns this bit, counted from the first bit of the message and again from there after its end.
func New(t ranks.Transport, kind Kind, at int, bit uint64) *Transport {
	return &Transport{Transport: t, kind: kind, at: at, bit: bit, last: map[int][]byte{}, heldFor: -1}
}

// Done reports whether the fault has been planted, and so whether a run can have noticed it.
func (f *Transport) Done() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.done
}

// Sent returns how many messages this rank has sent so far.
func (f *Transport) Sent() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent
}

// parcel is a message and where it goes.
type parcel struct {
	to      int
	message []byte
}

// Send sends the message, or what the fault makes of it.
func (f *Transport) Send(ctx context.Context, to int, message []byte) error {
	for _, p := range f.parcels(to, message) {
		if err := f.Transport.Send(ctx, p.to, p.message); err != nil {
			return err
		}
	}
	return nil
}

// parcels returns what goes out in place of a message.
func (f *Transport) parcels(to int, message []byte) []parcel {
	f.mu.Lock()
	defer f.mu.Unlock()
	number, before, some := f.sent, f.last[to], f.last[to] != nil
	f.sent++
	f.last[to] = append([]byte{}, message...)
	ordinary := []parcel{{to, message}}
	if f.heldFor == to {
		held := f.held
		f.held, f.heldFor, f.done = nil, -1, true
		return append(ordinary, parcel{to, held})
	}
	if number != f.at {
		return ordinary
	}
	f.done = true
	switch f.kind {
	case Lose:
		return nil
	case Double:
		return append(ordinary, parcel{to, f.last[to]})
	case Alter:
		return []parcel{{to, turned(message, f.bit)}}
	case Cut:
		if len(message) == 0 {
			return []parcel{{to, []byte{0}}}
		}
		return []parcel{{to, message[:len(message)-1]}}
	case Swap:
		f.held, f.heldFor, f.done = f.last[to], to, false
		return nil
	case Replay:
		if f.done = some; some {
			return []parcel{{to, before}}
		}
	case Misdirect:
		other := (to + 1) % f.Size()
		f.done = other != to
		return []parcel{{other, message}}
	}
	return ordinary
}

// turned returns a message with one bit turned.
func turned(message []byte, bit uint64) []byte {
	if len(message) == 0 {
		return []byte{0}
	}
	altered := append([]byte{}, message...)
	bit %= uint64(len(message)) * 8
	altered[bit/8] ^= 1 << (bit % 8)
	return altered
}

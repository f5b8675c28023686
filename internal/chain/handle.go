package chain

import "context"

// handle is what every store needs of its own: one caller at a time, the records that were read and
// not passed on yet, and why the store answers no more.
type handle struct {
	turn   chan struct{} // holds one value while a call runs
	unseen []Record
	dead   error
}

func newHandle() handle { return handle{turn: make(chan struct{}, 1)} }

// enter waits until no other call runs. Without an error the caller must leave.
func (h *handle) enter(ctx context.Context) error {
	select {
	case h.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := ctx.Err()
	if h.dead != nil {
		err = h.dead
	}
	if err != nil {
		h.leave()
	}
	return err
}

func (h *handle) leave() { <-h.turn }

// pass calls seen for each record that was read and not passed on.
func (h *handle) pass(seen func(Record) error) error {
	for len(h.unseen) > 0 {
		if err := seen(h.unseen[0]); err != nil {
			return err
		}
		h.unseen = h.unseen[1:]
	}
	h.unseen = nil
	return nil
}

// Package rankstest holds what every transport promises, as tests that all ranks of a run take part in.
package rankstest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ditherml/dither/internal/ranks"
)

// Law is a promise. Every rank of a run calls Run at the same time, and all must return nil.
type Law struct {
	Name string
	Run  func(ctx context.Context, t ranks.Transport) error
	// Last is true when the transport cannot be used after the law.
	Last bool
}

// Laws returns all laws.
func Laws() []Law {
	return []Law{
		{"order", order, false},
		{"lengths", lengths, false},
		{"traffic", traffic, false},
		{"window", window, false},
		{"cancel", cancel, false},
		{"strangers", strangers, false},
		{"close", closes, true},
		{"abort", abort, true},
		{"abort together", abortTogether, true},
	}
}

// random is a generator of numbers that are the same on each rank.
type random uint64

func (r *random) next(n int) int {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// pattern returns a message that shows where it comes from and which one it is.
func pattern(from, to, number, length int) []byte {
	m := make([]byte, 0, length+8)
	for r := random(from<<40 ^ to<<20 ^ number); len(m) < length; {
		m = binary.LittleEndian.AppendUint64(m, uint64(r.next(1<<62)))
	}
	return m[:length]
}

// together calls functions side by side and returns the first error.
func together(functions ...func() error) error {
	errs := make([]error, len(functions))
	var all sync.WaitGroup
	for i, f := range functions {
		all.Go(func() { errs[i] = f() })
	}
	all.Wait()
	return errors.Join(errs...)
}

// expect receives a message and compares it with pattern.
func expect(ctx context.Context, t ranks.Transport, from, number, length int) error {
	got, err := t.Receive(ctx, from)
	if err != nil {
		return err
	}
	if got == nil || !bytes.Equal(got, pattern(from, t.Rank(), number, length)) {
		return fmt.Errorf("message %d from rank %d to rank %d: got another one of length %d, want length %d", number, from, t.Rank(), len(got), length)
	}
	return nil
}

// plan sends to and receives from each rank as many messages as lengths has, side by side for each pair.
func plan(ctx context.Context, t ranks.Transport, lengths func(from, to int) []int) error {
	var all []func() error
	for other := range t.Size() {
		all = append(all, func() error {
			for i, n := range lengths(t.Rank(), other) {
				if err := t.Send(ctx, other, pattern(t.Rank(), other, i, n)); err != nil {
					return err
				}
			}
			return nil
		}, func() error {
			for i, n := range lengths(other, t.Rank()) {
				if err := expect(ctx, t, other, i, n); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return together(all...)
}

// order: between each pair many short messages arrive in order.
func order(ctx context.Context, t ranks.Transport) error {
	short := make([]int, 500)
	for i := range short {
		short[i] = 8 + i%3
	}
	return plan(ctx, t, func(int, int) []int { return short })
}

// lengths: messages arrive whole, from none to 100 MB, and a long one does not let later ones pass.
func lengths(ctx context.Context, t ranks.Transport) error {
	all := []int{0, 1, 7, 4095, 4096, 65536, 0, 1_000_003, 0, 100_000_000, 3, 0}
	return plan(ctx, t, func(from, to int) []int {
		if from == t.Size()-1 && to == 0 {
			return all
		}
		return nil
	})
}

// traffic: each pair sends as many messages of such lengths as chance says, all at the same time.
func traffic(ctx context.Context, t ranks.Transport) error {
	return plan(ctx, t, func(from, to int) []int {
		r := random(from<<32 ^ to)
		drawn := make([]int, r.next(60))
		for i := range drawn {
			drawn[i] = r.next(1 << r.next(19))
		}
		return drawn
	})
}

// window: Exchange works when each message is longer than Window, and Send waits for a receiver that takes nothing.
func window(ctx context.Context, t ranks.Transport) error {
	outgoing := make([][]byte, t.Size())
	next := (t.Rank() + 1) % t.Size()
	outgoing[next] = pattern(t.Rank(), next, 0, ranks.Window+1)
	incoming, err := ranks.Exchange(ctx, t, outgoing)
	if err != nil {
		return err
	}
	before := (t.Rank() + t.Size() - 1) % t.Size()
	for from, m := range incoming {
		var want []byte
		if from == before {
			want = pattern(from, t.Rank(), 0, ranks.Window+1)
		}
		if !bytes.Equal(m, want) {
			return fmt.Errorf("exchange: got another message of length %d from rank %d, want length %d", len(m), from, len(want))
		}
	}
	if err = full(ctx, t, t.Rank(), func() error { return nil }); err != nil {
		return err
	}
	// rank 1 takes nothing before rank 2 tells it that the second message of rank 0 found no room
	if t.Size() > 2 {
		switch t.Rank() {
		case 0:
			err = full(ctx, t, 1, func() error { return t.Send(ctx, 2, nil) })
		case 1:
			if err = expect(ctx, t, 2, 0, 0); err == nil {
				err = emptied(ctx, t, 0)
			}
		case 2:
			if err = expect(ctx, t, 0, 0, 0); err == nil {
				err = t.Send(ctx, 1, nil)
			}
		}
	}
	return err
}

// full sends messages until one finds no room, calls then, and sends an empty message. A rank that
// sends to itself takes the messages.
func full(ctx context.Context, t ranks.Transport, to int, then func() error) error {
	half := make([]byte, ranks.Window/2+1)
	if err := t.Send(ctx, to, half); err != nil {
		return err
	}
	short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
	defer stop()
	if err := t.Send(short, to, half); !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("send: got %v, want to wait for room until the time is over", err)
	}
	if err := then(); err != nil {
		return err
	}
	receive := func() error { return nil }
	if to == t.Rank() {
		receive = func() error { return emptied(ctx, t, to) }
	}
	return together(receive, func() error { return t.Send(ctx, to, nil) })
}

// emptied receives what full sends.
func emptied(ctx context.Context, t ranks.Transport, from int) error {
	if m, err := t.Receive(ctx, from); err != nil || len(m) != ranks.Window/2+1 {
		return fmt.Errorf("receive: got length %d and error %v, want length %d", len(m), err, ranks.Window/2+1)
	}
	return expect(ctx, t, from, 0, 0)
}

// cancel: calls return when their context ends, and the transport remains usable.
func cancel(ctx context.Context, t ranks.Transport) error {
	if t.Rank() == 0 {
		for other := range t.Size() {
			short, stop := context.WithTimeout(ctx, 20*time.Millisecond)
			_, err := t.Receive(short, other)
			stop()
			if !errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("receive with a context that ends: got %v, want its error", err)
			}
		}
		for other := range t.Size() {
			if err := t.Send(ctx, other, nil); err != nil {
				return err
			}
		}
	}
	if err := expect(ctx, t, 0, 0, 0); err != nil {
		return err
	}
	_, err := ranks.Exchange(ctx, t, make([][]byte, t.Size()))
	return err
}

// strangers: ranks that do not exist are refused.
func strangers(ctx context.Context, t ranks.Transport) error {
	for _, rank := range []int{-1, t.Size()} {
		if err := t.Send(ctx, rank, nil); err == nil {
			return fmt.Errorf("send to rank %d: got no error", rank)
		}
		if _, err := t.Receive(ctx, rank); err == nil {
			return fmt.Errorf("receive from rank %d: got no error", rank)
		}
	}
	return nil
}

// closes: what was sent before Close still arrives, then receivers get an error, and Close returns on all ranks.
func closes(ctx context.Context, t ranks.Transport) error {
	if t.Size() > 1 && t.Rank() == 1 {
		if err := t.Send(ctx, 0, pattern(1, 0, 0, 1000)); err != nil {
			return err
		}
	}
	if t.Size() > 1 && t.Rank() == 0 {
		if err := expect(ctx, t, 1, 0, 1000); err != nil {
			return err
		}
		if _, err := t.Receive(ctx, 1); err == nil {
			return errors.New("receive from a rank that has closed: got no error")
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	if err := t.Send(ctx, 0, nil); err == nil {
		return errors.New("send after close: got no error")
	}
	if _, err := t.Receive(ctx, 0); err == nil {
		return errors.New("receive after close: got no error")
	}
	return t.Close()
}

// abort: the last rank aborts, and the pending and later calls of all ranks return its reason.
func abort(ctx context.Context, t ranks.Transport) error {
	last := t.Size() - 1
	if t.Rank() == last {
		t.Abort("a disk is full")
	}
	for range 2 {
		_, err := t.Receive(ctx, t.Rank())
		if err = wantEnded(err, t.Size(), last); err != nil {
			return err
		}
		if err = wantEnded(t.Send(ctx, last, nil), t.Size(), last); err != nil {
			return err
		}
	}
	if err := t.Close(); err == nil {
		return errors.New("close after abort: got no error")
	}
	return nil
}

// wantEnded returns an error unless err says that this rank aborted.
func wantEnded(err error, size, rank int) error {
	var ended *ranks.Ended
	want := fmt.Sprintf("rank %d of %d ended the run: a disk is full", rank, size)
	if !errors.As(err, &ended) || ended.Rank != rank || ended.Speaker != 0 || ended.Lost || err.Error() != want {
		return fmt.Errorf("after abort: got %w, want %q", err, want)
	}
	return nil
}

// abortTogether: when all ranks abort, one of them is named, and the root speaks.
func abortTogether(ctx context.Context, t ranks.Transport) error {
	t.Abort(fmt.Sprintf("reason %d", t.Rank()))
	_, err := t.Receive(ctx, 0)
	var ended *ranks.Ended
	if !errors.As(err, &ended) || err.Error() != fmt.Sprintf("rank %d of %d ended the run: reason %[1]d", ended.Rank, t.Size()) {
		return fmt.Errorf("after abort: got %w, want a rank and its reason", err)
	}
	if ranks.Speaks(t, err) != (t.Rank() == 0) {
		return fmt.Errorf("rank %d speaks or is silent about %w", t.Rank(), err)
	}
	return nil
}

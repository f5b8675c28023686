package chaintest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/chain"
)

// waits holds that a context ends the wait for a lock that another store holds.
func waits(t *testing.T, open func() chain.Store) {
	a, b := begin(t, open), begin(t, open)
	inside, leave := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		_, err := a.Update(background, ignore, func() ([]byte, error) { close(inside); <-leave; return []byte("one"), nil })
		done <- err
	}()
	<-inside
	ctx, cancel := context.WithCancel(background)
	given := make(chan error)
	go func() {
		_, err := b.Update(ctx, ignore, payload("two"))
		given <- err
	}()
	time.AfterFunc(20*time.Millisecond, cancel) // a store that does not wait has appended by then
	if err := <-given; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	close(leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
	same(t, view(t, b), "one")
}

// race holds that a limit which writers keep by what they have seen is reached and never passed.
func race(t *testing.T, open func() chain.Store) {
	const writers, requests, limit = 4, 10, 25
	first := begin(t, open)
	before := count(t, open)
	var all sync.WaitGroup
	granted := make(chan int, writers)
	for range writers {
		all.Go(func() { granted <- grants(t, open, requests, before+limit) })
	}
	all.Wait()
	close(granted)
	total := 0
	for n := range granted {
		total += n
	}
	if got := len(view(t, first)); total != limit || got != limit {
		t.Errorf("got %d grants and %d records, want %d", total, got, limit)
	}
}

func count(t *testing.T, open func() chain.Store) int {
	s := open()
	defer s.Close()
	return len(view(t, s))
}

// grants asks for records as long as there are fewer than most, and returns how many it was given.
func grants(t *testing.T, open func() chain.Store, requests, most int) int {
	s := open()
	defer s.Close()
	records, given := 0, 0
	for range requests {
		_, err := s.Update(background, func(chain.Record) error { records++; return nil }, func() ([]byte, error) {
			if records >= most {
				return nil, errPlanned
			}
			return []byte("grant"), nil
		})
		switch {
		case err == nil:
			records++
			given++
		case !errors.Is(err, errPlanned):
			t.Error(err)
		}
	}
	return given
}

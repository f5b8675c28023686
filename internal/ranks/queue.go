package ranks

import (
	"context"
	"fmt"
	"sync"

	"github.com/ditherml/dither/internal/failure"
)

// run is what the calls of one rank wait for besides messages: its end.
type run struct {
	once  sync.Once
	ended chan struct{} // closed once err is set
	err   error
}

func newRun() *run { return &run{ended: make(chan struct{})} }

// end ends the run, unless it has ended, and reports whether it did.
func (r *run) end(e *Ended) (first bool) {
	r.once.Do(func() {
		first = true
		r.err = failure.Running(e)
		close(r.ended)
	})
	return first
}

// over returns the error of a run that has ended, or nil.
func (r *run) over() error {
	select {
	case <-r.ended:
		return r.err
	default:
		return nil
	}
}

// door is a lock and what waits for a change of what it guards.
type door struct {
	mu      sync.Mutex
	changed chan struct{} // closed and made anew at each change
}

func newDoor() door { return door{changed: make(chan struct{})} }

// wait calls try under the lock, again after each change, until it returns true or the run or the context has ended.
func (d *door) wait(ctx context.Context, r *run, try func() bool) error {
	for {
		if err := r.over(); err != nil {
			return err
		}
		d.mu.Lock()
		done, changed := try(), d.changed
		d.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-r.ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// change calls a function under the lock and wakes all that wait.
func (d *door) change(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
	d.wake()
}

// wake wakes all that wait. The caller holds the lock.
func (d *door) wake() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// weight returns what a message of this length counts for in Window. An empty one takes memory too.
func weight(length int) int { return length + 64 }

// queue holds the messages from one rank to another, in order.
type queue[T any] struct {
	door
	items   []T
	weights []int
	total   int
	closed  bool // the sender has closed
	gone    bool // the receiver has closed
}

func newQueue[T any]() *queue[T] { return &queue[T]{door: newDoor()} }

// put appends an item. It waits for room, and returns an error when the receiver has closed.
func (q *queue[T]) put(ctx context.Context, r *run, item T, length, to, size int) error {
	gone := false
	err := q.wait(ctx, r, func() bool {
		if gone = q.gone; gone {
			return true
		}
		if q.total > 0 && q.total+weight(length) > Window {
			return false
		}
		q.add(item, length)
		return true
	})
	if err == nil && gone {
		err = isGone(to, size)
	}
	return err
}

// isGone returns the error of a message to a rank that has closed.
func isGone(to, size int) error {
	return failure.Running(fmt.Errorf("ranks: rank %d of %d has closed, and receives nothing", to, size))
}

// add appends an item, whether there is room or not. The caller holds the lock.
func (q *queue[T]) add(item T, length int) {
	q.items, q.weights, q.total = append(q.items, item), append(q.weights, weight(length)), q.total+weight(length)
	q.wake()
}

// take removes the first item, and waits for one. Of a queue that is closed it returns an error once it is empty.
func (q *queue[T]) take(ctx context.Context, r *run, from, size int) (item T, err error) {
	closed := false
	err = q.wait(ctx, r, func() bool {
		if len(q.items) == 0 {
			closed = q.closed
			return closed
		}
		var zero T
		item, q.items[0] = q.items[0], zero
		q.total -= q.weights[0]
		q.items, q.weights = q.items[1:], q.weights[1:]
		q.wake()
		return true
	})
	if err == nil && closed {
		err = failure.Running(fmt.Errorf("ranks: rank %d of %d has closed, and no message of it is left", from, size))
	}
	return item, err
}

// close marks that nothing follows.
func (q *queue[T]) close() { q.change(func() { q.closed = true }) }

// leave marks that nothing is taken any more.
func (q *queue[T]) leave() { q.change(func() { q.gone = true }) }

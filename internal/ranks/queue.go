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

// end ends the run with an error, unless it has ended.
func (r *run) end(err error) {
	r.once.Do(func() {
		r.err = err
		close(r.ended)
	})
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

// queue holds the messages from one rank to another, in order. Of a message it knows the number of bytes alone.
type queue[T any] struct {
	mu      sync.Mutex
	items   []T
	sizes   []int
	bytes   int
	closed  bool          // the sender has closed
	gone    bool          // the receiver has closed
	changed chan struct{} // closed and made anew at each change
}

func newQueue[T any]() *queue[T] { return &queue[T]{changed: make(chan struct{})} }

// wait calls try under the lock, again after each change, until it returns true or the run or the context has ended.
func (q *queue[T]) wait(ctx context.Context, r *run, try func() bool) error {
	for {
		if err := r.over(); err != nil {
			return err
		}
		q.mu.Lock()
		done, changed := try(), q.changed
		q.mu.Unlock()
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

// change wakes all that wait. The caller holds the lock.
func (q *queue[T]) change() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// put appends an item. It waits for room, and returns an error when the receiver has closed.
func (q *queue[T]) put(ctx context.Context, r *run, item T, bytes, to, size int) error {
	gone := false
	err := q.wait(ctx, r, func() bool {
		if gone = q.gone; gone {
			return true
		}
		if q.bytes > 0 && q.bytes+bytes > Window {
			return false
		}
		q.add(item, bytes)
		return true
	})
	if err == nil && gone {
		err = failure.Running(fmt.Errorf("ranks: rank %d of %d has closed, and receives nothing", to, size))
	}
	return err
}

// add appends an item, whether there is room or not. The caller holds the lock.
func (q *queue[T]) add(item T, bytes int) {
	q.items, q.sizes, q.bytes = append(q.items, item), append(q.sizes, bytes), q.bytes+bytes
	q.change()
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
		q.bytes -= q.sizes[0]
		q.items, q.sizes = q.items[1:], q.sizes[1:]
		q.change()
		return true
	})
	if err == nil && closed {
		err = failure.Running(fmt.Errorf("ranks: rank %d of %d has closed, and no message of it is left", from, size))
	}
	return item, err
}

// close marks that nothing follows.
func (q *queue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.change()
}

// leave marks that nothing is taken any more.
func (q *queue[T]) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.gone = true
	q.change()
}

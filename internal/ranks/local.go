package ranks

import (
	"context"
	"sync"
	"sync/atomic"
)

// local is a rank of Local.
type local struct {
	rank   int
	common *common
	closed atomic.Bool
}

// common is what the ranks of one process share.
type common struct {
	run    *run
	queues [][]*queue[[]byte] // [from][to]
	open   sync.WaitGroup     // ranks that have not closed
}

var _ Transport = (*local)(nil)

// Local returns the ranks of a run in one process, for tests and for what needs no MPI. It panics when size is less
// than 1.
func Local(size int) []Transport {
	if size < 1 {
		panic("ranks: size is less than 1")
	}
	c := &common{run: newRun(), queues: make([][]*queue[[]byte], size)}
	c.open.Add(size)
	transports := make([]Transport, size)
	for i := range transports {
		transports[i] = &local{rank: i, common: c}
		c.queues[i] = make([]*queue[[]byte], size)
		for j := range c.queues[i] {
			c.queues[i][j] = newQueue[[]byte]()
		}
	}
	return transports
}

func (l *local) Rank() int { return l.rank }

func (l *local) Size() int { return len(l.common.queues) }

// ready returns an error when this rank can neither send to nor receive from another one.
func (l *local) ready(other int) error {
	if err := l.common.run.over(); err != nil {
		return err
	}
	if l.closed.Load() {
		return errClosed
	}
	return checkRank(other, l.Size())
}

func (l *local) Send(ctx context.Context, to int, message []byte) error {
	if err := l.ready(to); err != nil {
		return err
	}
	message = append(make([]byte, 0, len(message)), message...) // the receiver may modify it, and it is not nil
	return l.common.queues[l.rank][to].put(ctx, l.common.run, message, len(message), to, l.Size())
}

func (l *local) Receive(ctx context.Context, from int) ([]byte, error) {
	if err := l.ready(from); err != nil {
		return nil, err
	}
	return l.common.queues[from][l.rank].take(ctx, l.common.run, from, l.Size())
}

func (l *local) Abort(reason string) {
	l.common.run.end(aborted(l.rank, l.Size(), reason))
}

func (l *local) Close() error {
	if l.closed.Swap(true) {
		return nil
	}
	for other := range l.Size() {
		l.common.queues[l.rank][other].close()
		l.common.queues[other][l.rank].leave()
	}
	l.common.open.Done()
	all := make(chan struct{})
	go func() {
		l.common.open.Wait()
		close(all)
	}()
	select {
	case <-all:
		return nil
	case <-l.common.run.ended:
		return l.common.run.err
	}
}

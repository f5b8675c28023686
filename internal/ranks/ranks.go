// Package ranks carries messages between the processes that train one model together.
//
// The processes are called ranks, as in MPI, and are numbered from 0, the root. Local connects ranks
// within one process, for tests. Connect connects processes that mpirun or srun started, in builds with
// the tag mpi.
//
// The transport is not trusted. It promises what Transport says as long as nothing is faulty. Who needs
// more than that, such as a sum that must not be lost or doubled, seals what it sends.
package ranks

import (
	"context"
	"errors"
	"fmt"

	"github.com/ditherml/dither/internal/failure"
)

// Window is how many bytes may be on their way from one rank to another: sent, and not received yet. One message may
// be longer, when it is the only one.
const Window = 64 << 20

// Transport carries messages between the processes, the ranks, of one run. Its methods may be called by
// several goroutines. A rank may send to itself.
type Transport interface {
	// Rank returns the number of this rank. 0 is the root.
	Rank() int
	// Size returns the number of ranks.
	Size() int
	// Send sends a message to a rank. Messages between two ranks arrive in order. Send may return before
	// the message arrived; the caller must not modify the slice afterwards. Send waits while more than
	// Window bytes are on their way to that rank. So ranks that send each other much must receive
	// meanwhile, in another goroutine; Exchange does so.
	Send(ctx context.Context, to int, message []byte) error
	// Receive returns the next message of a rank, which may be empty and is not nil. The caller may modify it.
	Receive(ctx context.Context, from int) ([]byte, error)
	// Abort ends the run of all ranks: pending and later calls on every rank return an error that names
	// this rank and the reason, which is an *Ended. When several ranks abort, all of them name the same
	// one, as far as they can reach each other. Once Abort has returned, calls return that error.
	Abort(reason string)
	// Close ends the use of the transport in an orderly way. It returns once all ranks have called it, or
	// the run has ended. A rank that cannot go on calls Abort first, so that others do not wait for it.
	Close() error
}

// Ended is the error of all calls on all ranks after the run ended early.
type Ended struct {
	// Rank is the rank that aborted the run, or that was lost.
	Rank, Size int
	// What says what happened to the rank, as the end of a sentence that begins with its number.
	What string
	// Lost is true when the rank was lost: it was silent, or its process ended.
	Lost bool
	// Speaker is the rank that tells the user, so that a line appears once: the root as long as it is there.
	Speaker int
}

// Error returns one line, such as "rank 3 of 8 has been silent for 30 s".
func (e *Ended) Error() string { return fmt.Sprintf("rank %d of %d %s", e.Rank, e.Size, e.What) }

// Speaks reports whether this rank tells the user about an error. Each rank tells its own errors.
// An end of the run, which all ranks return, is told by its speaker alone.
func Speaks(t Transport, err error) bool {
	var ended *Ended
	return !errors.As(err, &ended) || ended.Speaker == t.Rank()
}

// aborted returns the end of a run that a rank aborted.
func aborted(rank, size int, reason string) *Ended {
	return &Ended{Rank: rank, Size: size, What: "ended the run: " + reason}
}

// alike is an error of Connect that all ranks have.
type alike struct{ error }

func (a alike) Unwrap() error { return a.error }

// Alike reports whether all ranks have the same error of Connect, so that one of them may tell the user.
func Alike(err error) bool {
	var a alike
	return errors.As(err, &a)
}

// errClosed is the error of calls after Close.
var errClosed = failure.Running(errors.New("ranks: the transport is closed"))

// checkRank returns an error when there is no such rank.
func checkRank(rank, size int) error {
	if rank < 0 || rank >= size {
		return fmt.Errorf("ranks: rank is %d, want at least 0 and less than %d", rank, size)
	}
	return nil
}

// Exchange sends message r of outgoing to rank r and returns the messages that came, by rank. All
// ranks call it at the same time. It sends and receives side by side, so that messages may be of
// any length.
func Exchange(ctx context.Context, t Transport, outgoing [][]byte) ([][]byte, error) {
	if len(outgoing) != t.Size() {
		return nil, fmt.Errorf("ranks: messages are %d, want one for each of %d ranks", len(outgoing), t.Size())
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sent := make(chan error, 1)
	go func() {
		for i := range outgoing {
			to := (t.Rank() + i) % t.Size() // each rank begins with itself, so that not all send to one
			if err := t.Send(ctx, to, outgoing[to]); err != nil {
				cancel(err)
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	incoming := make([][]byte, t.Size())
	for i := range incoming {
		from := (t.Rank() + t.Size() - i) % t.Size()
		message, err := t.Receive(ctx, from)
		if err != nil {
			cancel(err)
			<-sent
			return nil, context.Cause(ctx)
		}
		incoming[from] = message
	}
	return incoming, <-sent
}

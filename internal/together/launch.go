package together

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/ranks"
)

// Flags are the flags of a command that several ranks run together.
type Flags struct {
	key      string
	patience time.Duration
}

// flagSet is a set of flags of a command.
type flagSet interface {
	StringVar(p *string, name, value, usage string)
	DurationVar(p *time.Duration, name string, value time.Duration, usage string)
}

// Add adds the flags to a command's.
func (f *Flags) Add(set flagSet) {
	set.StringVar(&f.key, "ranks-key", "", "under mpirun: `FILE` of at least 32 random bytes that all ranks can read and the network cannot; without it the root sends a key through MPI, and whoever can change messages can forge sums")
	set.DurationVar(&f.patience, "ranks-wait", 10*time.Minute, "under mpirun: longest `TIME` that a rank waits for the next message of another, above the time of reading the table")
}

// silent is an error that another rank tells the user.
type silent struct{ error }

func (s silent) Unwrap() error { return s.error }

// IsSilent reports whether another rank tells the user about an error.
func IsSilent(err error) bool {
	var s silent
	return errors.As(err, &s)
}

// Library returns the MPI library of this program and its version, or "".
func Library() string { return ranks.Built() }

// Several annotates the commands that several ranks run together.
const Several = "several-ranks"

// Refuse returns an error if a command that one process runs was started as several ranks.
func Refuse(command string) error {
	if size, several := ranks.Launched(); several {
		return fmt.Errorf("%s was started as %d ranks, want one process; train, query, evaluate --private and sweep run as several", command, size)
	}
	return nil
}

// first is how long other ranks wait for rank 0 to tell the user, before they end and the launcher with them.
const first = 2 * time.Second

// once marks an error that all ranks have alike, so that rank 0 tells the user. Others end after it.
func once(ctx context.Context, err error) error {
	if ranks.Number() == 0 {
		return err
	}
	select {
	case <-ctx.Done():
	case <-time.After(first):
	}
	return silent{failure.Running(err)}
}

// Launch calls a function: once for a process alone, and with the run in its context for each rank that
// mpirun or srun started. Of an error that ends all ranks, one rank tells the user.
func (f *Flags) Launch(ctx context.Context, do func(context.Context) error) error {
	if _, several := ranks.Launched(); !several {
		return do(ctx)
	}
	runtime.GOMAXPROCS(ranks.Processors())
	key, fault := f.read()
	return meet(ctx, connect, fault, func(t ranks.Transport) error {
		run, err := Begin(ctx, t, key, f.patience)
		if err == nil {
			err = do(With(ctx, run))
		}
		return err
	})
}

// met is an error of a process that has met the other ranks, or has tried to.
type met struct{ error }

func (m met) Unwrap() error { return m.error }

func connect(ctx context.Context) (ranks.Transport, error) { return ranks.Connect(ranks.Until(ctx)) }

// meet connects this process to the other ranks and calls a function. A process with a fault calls none, and
// tells the other ranks of its fault. So one rank tells the user of a fault that all ranks have.
func meet(ctx context.Context, connect func(context.Context) (ranks.Transport, error), fault error, do func(ranks.Transport) error) error {
	t, err := connect(ctx)
	switch alike := ranks.Alike(err); {
	case err != nil && fault != nil && alike:
		return met{once(ctx, fault)}
	case err != nil && alike:
		return met{once(ctx, err)}
	case err != nil && fault != nil:
		return met{fault} // which nobody else can tell
	case err != nil:
		return met{err}
	case fault == nil:
		fault = do(t)
	}
	if err = Ended(t, fault); err != nil {
		return met{err}
	}
	return nil
}

// Told returns the error of a command line. It is marked, for IsSilent, where another rank tells the user
// about it. The command has the annotations.
func Told(ctx context.Context, annotations map[string]string, err error) error {
	var m met
	switch _, several := ranks.Launched(); {
	case err == nil || !several || errors.As(err, &m):
		return err
	case annotations[Several] == "":
		return once(ctx, err)
	}
	return meet(ctx, connect, err, nil) // a fault of the flags, before the ranks have met
}

// Output returns where this process prints what all ranks print alike, such as a help text: nowhere, unless
// its rank is 0.
func Output(w io.Writer) io.Writer {
	if _, several := ranks.Launched(); several && ranks.Number() != 0 {
		return io.Discard
	}
	return w
}

// command is a command line.
type command interface {
	Context() context.Context
	SetContext(ctx context.Context)
	SetOut(w io.Writer)
	SetErr(w io.Writer)
}

// Run runs a command: once, or on each rank that mpirun started. Ranks that are not the root print
// nothing, and call the function quiet first.
func (f *Flags) Run(c command, quiet func(), run func() error) error {
	return f.Launch(c.Context(), func(ctx context.Context) error {
		c.SetContext(ctx)
		if !From(ctx).Root() {
			c.SetOut(io.Discard)
			c.SetErr(io.Discard)
			quiet()
		}
		return run()
	})
}

// read returns the key in the file of the flags, or nil without one.
func (f *Flags) read() ([]byte, error) {
	if f.key == "" {
		return nil, nil
	}
	key, err := os.ReadFile(f.key)
	if err != nil {
		return nil, fmt.Errorf("--ranks-key cannot be read: %w, want a file of at least %d random bytes, as of: head -c 32 /dev/urandom", display.Pathless(err), KeyBytes)
	}
	if len(key) < KeyBytes {
		return nil, fmt.Errorf("--ranks-key has %d bytes, want at least %d random ones, as of: head -c 32 /dev/urandom", len(key), KeyBytes)
	}
	return key, nil
}

// MaxBatch bounds the size of a batch that ranks draw together. The root sends the places of all of them
// to each rank.
const MaxBatch = 1 << 24

// Ended ends the part of a rank in a run, with the error of this rank or none, and returns the error of
// the command.
func Ended(t ranks.Transport, err error) error {
	if err == nil {
		if err = t.Close(); err != nil {
			err = failure.Running(err)
		}
		return told(t, err)
	}
	var ended *ranks.Ended
	if !errors.As(err, &ended) {
		if t.Rank() != 0 && errors.Is(err, context.Canceled) {
			err = failure.Running(errors.New("it was stopped")) // what was spent the root knows alone
		}
		t.Abort(display.Redact(err.Error())) // no link is trusted with a password
		// A launcher stops all ranks when one is lost. Then that is the reason.
		_, end := t.Receive(context.Background(), t.Rank())
		if errors.As(end, &ended) && (ended.Lost || ended.Speaker != t.Rank()) {
			err = wrapped(fmt.Errorf("%w: %w", end, err), err)
		}
	}
	_ = t.Close() // which waits until other ranks know of the end
	return told(t, err)
}

// wrapped keeps what a command does with an error: whether it happened while running.
func wrapped(err, of error) error {
	if failure.IsRunning(of) {
		return failure.Running(err)
	}
	return err
}

// told marks an error that another rank tells the user.
func told(t ranks.Transport, err error) error {
	if err != nil && !ranks.Speaks(t, err) {
		return silent{failure.Running(err)}
	}
	return err
}

// Root reports whether this process writes results and messages: it is rank 0, or alone.
func (r *Run) Root() bool { return r == nil || r.Rank() == 0 }

// Expand returns a path with the number of this rank in place of {rank}, and of all ranks in place of
// {ranks}. It changes other texts, such as a query, in the same way. It reports whether {rank} stood in
// one of them. A process that no launcher started has no number, and its texts remain.
func (r *Run) Expand(path string, others ...*string) (expanded string, own bool) {
	rank, size := 0, 1
	switch {
	case r != nil:
		rank, size = r.Rank(), r.Size()
	case !ranks.Alone():
		return path, false
	}
	numbers := strings.NewReplacer("{rank}", strconv.Itoa(rank), "{ranks}", strconv.Itoa(size))
	own = strings.Contains(path, "{rank}")
	for _, text := range others {
		own = own || strings.Contains(*text, "{rank}")
		*text = numbers.Replace(*text)
	}
	return numbers.Replace(path), own
}

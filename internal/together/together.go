// Package together makes one training of several processes, the ranks. Each rank trains the same model
// on other records, in the same steps. Package release adds up what the ranks sum.
package together

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/ranks"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// Run is a run of several ranks, as one of them sees it.
type Run struct {
	ctx          context.Context
	transport    ranks.Transport
	patience     time.Duration
	key          []byte // of this run alone
	communicator *release.Communicator
	exchanged    bool // records were
	told         int  // messages of the root
}

// KeyBytes is the least length of a key of ranks, in bytes.
const KeyBytes = 32

// Uses is the version of the rules by which programs use what was released, such as weights of grids, bins and
// corrections. Raise it with each change of such a rule, since no plan shows it. Ranks with two versions
// would compute gradients of two models, and add them up.
const Uses = 18

// Begin returns the run of a rank. All ranks call it at the same time. The context ends all waiting. A
// key that is given must be the same for all ranks, and keeps the transport from forging messages.
// Without one, the root draws a key and sends it through the transport. Patience is the longest time
// that a rank waits for one message, and 0 is any time.
func Begin(ctx context.Context, t ranks.Transport, key []byte, patience time.Duration) (*Run, error) {
	return begin(ctx, t, key, patience, Uses)
}

// begin is Begin for a program whose rules have a version.
func begin(ctx context.Context, t ranks.Transport, key []byte, patience time.Duration, uses byte) (*Run, error) {
	if key != nil && len(key) < KeyBytes {
		return nil, fmt.Errorf("together: the key of the ranks has %d bytes, want at least %d that cannot be guessed", len(key), KeyBytes)
	}
	r := &Run{ctx: ctx, transport: t, patience: patience}
	given := byte(0)
	if key != nil {
		given = 1
	} else {
		key = fresh()
	}
	own := append(fresh(), given, uses)
	all, err := r.introduce(own)
	if err != nil {
		return nil, err
	}
	for from := range t.Size() {
		theirs := all[from*len(own) : (from+1)*len(own)]
		if version := theirs[KeyBytes+1]; version != uses {
			return nil, fmt.Errorf("together: rank %d uses released numbers by rules of version %d and rank %d by version %d, want one version; start the same program on all ranks", t.Rank(), uses, from, version)
		}
		if theirs[KeyBytes] != given {
			return nil, fmt.Errorf("together: rank %d and rank %d disagree on whether the ranks have a key, want the same flags for all", t.Rank(), from)
		}
	}
	if given == 0 {
		if key, err = r.tell(key); err != nil {
			return nil, err
		}
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(all)
	r.key = mac.Sum(nil)
	return r, nil
}

// Alone returns a context in which this process trains as the only rank of a run.
func Alone(ctx context.Context) (context.Context, error) {
	r, err := Begin(ctx, ranks.Local(1)[0], nil, 0)
	if err != nil {
		return ctx, err
	}
	return With(ctx, r), r.Agree(nil)
}

func fresh() []byte {
	text := make([]byte, KeyBytes)
	rand.Read(text)
	return text
}

// introduce returns the fresh numbers of all ranks, one after the other. They make the key of the run
// new for each rank, so that nothing of another run is accepted.
func (r *Run) introduce(own []byte) ([]byte, error) {
	size, rank := r.transport.Size(), r.transport.Rank()
	if rank != 0 {
		if err := r.Send(0, own); err != nil {
			return nil, err
		}
		all, err := r.Receive(0)
		if err == nil && (len(all) != size*len(own) || !bytes.Equal(all[rank*len(own):(rank+1)*len(own)], own)) {
			err = errIntroduced
		}
		return all, err
	}
	all := bytes.Clone(own)
	for from := 1; from < size; from++ {
		theirs, err := r.Receive(from)
		if err != nil {
			return nil, err
		}
		if len(theirs) != len(own) {
			return nil, errIntroduced
		}
		all = append(all, theirs...)
	}
	return all, r.sendAll(all)
}

var errIntroduced = errors.New("together: a message of a rank is not what ranks of this program send, want the same program on all ranks")

// Tell returns the message of the root to all ranks. Messages of other ranks are not used. The message is
// public, and authenticated by the key of the run.
func (r *Run) Tell(message []byte) ([]byte, error) {
	if r == nil {
		return message, nil
	}
	r.told++
	text, err := r.tell(append(r.mark(message), message...))
	if err != nil || r.Root() {
		return message, err
	}
	if len(text) < sha256.Size || !hmac.Equal(text[:sha256.Size], r.mark(text[sha256.Size:])) {
		return nil, fmt.Errorf("together: rank %d received what the root did not tell in this run and step; the ranks have different keys, or the transport lost or altered a message", r.Rank())
	}
	return text[sha256.Size:], nil
}

// mark is what authenticates a message of the root: no other message of the run has the same.
func (r *Run) mark(message []byte) []byte {
	mac := hmac.New(sha256.New, r.key)
	fmt.Fprintf(mac, "told %d: %s", r.told, message)
	return mac.Sum(nil)
}

// tell is Tell before there is a key.
func (r *Run) tell(message []byte) ([]byte, error) {
	if r.transport.Rank() != 0 {
		return r.Receive(0)
	}
	return message, r.sendAll(message)
}

// TellNumber is Tell for a number.
func (r *Run) TellNumber(v float64) (float64, error) {
	text, err := r.Tell(binary.BigEndian.AppendUint64(nil, math.Float64bits(v)))
	if err == nil && len(text) != 8 {
		err = errIntroduced
	}
	if err != nil {
		return 0, err
	}
	return math.Float64frombits(binary.BigEndian.Uint64(text)), nil
}

func (r *Run) sendAll(message []byte) error {
	for to := 1; to < r.transport.Size(); to++ {
		if err := r.Send(to, bytes.Clone(message)); err != nil {
			return err
		}
	}
	return nil
}

// Agree returns once all ranks have shown that they hold the same key and the same plan. Payer pays
// together from then on. A run agrees once.
func (r *Run) Agree(plan []byte) (err error) {
	switch {
	case r == nil:
		return nil
	case r.communicator != nil:
		return errors.New("together: the ranks agree a second time, want one plan in a run; its messages would be accepted again")
	}
	r.communicator, err = release.Connect(r, r.key, plan)
	return err
}

// Rank returns the number of this rank. 0 is the root.
func (r *Run) Rank() int { return r.transport.Rank() }

// Size returns the number of ranks.
func (r *Run) Size() int { return r.transport.Size() }

// Send sends a message to a rank.
func (r *Run) Send(to int, message []byte) error { return r.transport.Send(r.ctx, to, message) }

// Receive returns the next message of a rank.
func (r *Run) Receive(from int) ([]byte, error) {
	ctx, stop := r.ctx, context.CancelFunc(func() {})
	if r.patience > 0 {
		ctx, stop = context.WithTimeout(ctx, r.patience)
	}
	defer stop()
	message, err := r.transport.Receive(ctx, from)
	if errors.Is(err, context.DeadlineExceeded) && r.ctx.Err() == nil {
		err = failure.Running(fmt.Errorf("together: rank %d of %d sent rank %d nothing for %v, which is the longest wait; the run ends", from, r.Size(), r.Rank(), r.patience))
	}
	return message, err
}

type runKey struct{}

// With returns a context for what the ranks of a run do together.
func With(ctx context.Context, r *Run) context.Context { return context.WithValue(ctx, runKey{}, r) }

// From returns the run of the context, or nil for one process alone.
func From(ctx context.Context) *Run {
	r, _ := ctx.Value(runKey{}).(*Run)
	return r
}

// Payer returns what pays for the releases of the ranks together, or p for one process alone.
func Payer(ctx context.Context, p mechanism.Payer) mechanism.Payer {
	r := From(ctx)
	if r == nil {
		return p
	}
	if r.communicator == nil {
		return disagreed{}
	}
	return r.communicator.Payer(p)
}

// disagreed refuses payments before ranks have agreed.
type disagreed struct{}

func (disagreed) Pay(mechanism.Event) error {
	return errors.New("together: the ranks have not agreed on a plan, want Agree before they release anything")
}

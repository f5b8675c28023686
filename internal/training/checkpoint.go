package training

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/train/neural"
)

// openCheckpoint reads the checkpoint to continue from. The checkpoints of this run go into the
// same file. In another file, a run that continues from the first would not know the steps of this
// run.
func (n *Network) openCheckpoint(asked NetworkRequest) error {
	n.Checkpoint = asked.Checkpoint
	if asked.Resume == "" {
		return nil
	}
	if n.Checkpoint != "" && !sameFile(n.Checkpoint, asked.Resume) {
		return fmt.Errorf("--checkpoint is %s and --resume %s, want one file: its checkpoints count the steps of all runs; leave out --checkpoint", n.Checkpoint, asked.Resume)
	}
	var err error
	if n.Checkpoint, err = filepath.EvalSymlinks(asked.Resume); err != nil { // a link would be replaced, and its file kept
		return fmt.Errorf("--resume %s: there is no such file, want a checkpoint that dither train wrote", asked.Resume)
	}
	if !asked.Dry {
		if n.held, err = holdCheckpoint(n.Checkpoint); err != nil {
			return err
		}
	}
	if n.from, err = neural.ReadCheckpoint(n.Checkpoint); err != nil {
		return fmt.Errorf("%s: %w", n.Checkpoint, err)
	}
	if n.Frozen != nil && !slices.Equal(n.from.Frozen, n.Options.Initial[n.Setup.Network.Trained():]) {
		return fmt.Errorf("the frozen layers of --frozen-from %s are not those of the checkpoint, want the weights that the run began with", n.Frozen.Source)
	}
	n.Options.Initial = nil // the checkpoint has the weights
	resumed, err := n.Setup.Resumed(n.Options, n.from)
	n.whole = resumed.Plan
	return err
}

// sameFile reports whether two paths name one file.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, failed := os.Stat(b)
	return err == nil && failed == nil && os.SameFile(first, second)
}

// holdCheckpoint reserves a checkpoint for this run, as every run that writes checkpoints does. Two
// runs that continue from one checkpoint would each miss the steps of the other.
func holdCheckpoint(path string) (*os.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened: %w; name another checkpoint", path, display.Pathless(err))
	}
	if err = durable.Hold(file, path); errors.Is(err, durable.ErrLocked) {
		file.Close()
		return nil, fmt.Errorf("%s is in use by another run, want a checkpoint of a run that has ended; wait for the other", path)
	}
	return file, nil
}

// takeCheckpoint reserves the name of a new file of checkpoints before anything is spent. For an
// old file it checks that the file can be replaced.
func (n *Network) takeCheckpoint() error {
	if n == nil || n.Checkpoint == "" {
		return nil
	}
	if n.from == nil {
		file, err := os.OpenFile(n.Checkpoint, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s exists, want a new file for checkpoints; name another one, or go on from it with --resume", n.Checkpoint)
		}
		if err != nil {
			return fmt.Errorf("%s cannot be written: %w; name a file in another folder", n.Checkpoint, display.Pathless(err))
		}
		n.held = file
		_ = durable.Lock(file) // it is new; a system without locks has none
	}
	if err := durable.CheckWhole(n.Checkpoint, true, 0o600); err != nil {
		n.closeCheckpoint()
		return err
	}
	return nil
}

// closeCheckpoint releases the file, and removes it if it holds no checkpoint.
func (n *Network) closeCheckpoint() {
	if n == nil || n.held == nil {
		return
	}
	if info, err := n.held.Stat(); err == nil && info.Size() == 0 {
		_ = os.Remove(n.Checkpoint)
	}
	n.held.Close()
	n.held = nil
}

// writeCheckpoint returns a function that replaces the checkpoint by a new one, or nil. recorded is the
// record of the run in a durable ledger, nil for none. sign signs for that record.
func (n *Network) writeCheckpoint(recorded *certificate.LedgerRecord, sign func([]byte) []byte) func(*neural.Checkpoint) error {
	if n.Checkpoint == "" {
		return nil
	}
	var paid []certificate.LedgerRecord
	if recorded != nil {
		paid = append(slices.Clone(recorded.Earlier), certificate.LedgerRecord{Ledger: recorded.Ledger, Sequence: recorded.Sequence, Head: recorded.Head})
	}
	return func(c *neural.Checkpoint) error {
		if c.Paid = paid; paid != nil {
			c.Sign = sign
		}
		next, err := c.Write(n.Checkpoint)
		if err != nil {
			return err
		}
		n.held.Close() // the earlier file may be gone
		n.held = next
		return nil
	}
}

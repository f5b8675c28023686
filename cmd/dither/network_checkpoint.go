package main

import (
	"fmt"
	"slices"

	"github.com/ditherml/dither/deep"
)

// openCheckpoint reads the checkpoint to go on from, and settles where those of this run go: into the same file
// unless another is named.
func (t *trainCommand) openCheckpoint(n *networkFitting) error {
	n.checkpoint = t.network.checkpoint
	if t.network.resume == "" {
		return nil
	}
	if n.checkpoint == "" {
		n.checkpoint = t.network.resume
	}
	if !exists(t.network.resume) {
		return fmt.Errorf("--resume %s: there is no such file, want a checkpoint that dither train wrote", t.network.resume)
	}
	var err error
	if n.from, err = deep.ReadCheckpoint(t.network.resume); err != nil {
		return fmt.Errorf("%s: %w", t.network.resume, err)
	}
	if n.frozen != nil && !slices.Equal(n.from.Frozen, n.options.Initial[n.setup.Network.Trained():]) {
		return fmt.Errorf("the frozen layers of --frozen-from %s are not those of the checkpoint, want the weights that the run began with", n.frozen.Source)
	}
	n.options.Initial = nil // the checkpoint has the weights
	resumed, err := n.setup.Resumed(n.from)
	n.whole = resumed.Plan
	return err
}

// rehearseCheckpoint finds out before anything is spent that checkpoints can be written.
func (t *trainCommand) rehearseCheckpoint(n *networkFitting) error {
	if n.checkpoint == "" {
		return nil
	}
	if exists(n.checkpoint) && n.checkpoint != t.network.resume {
		return fmt.Errorf("%s exists, want a new file for checkpoints; name another one, or go on from it with --resume", n.checkpoint)
	}
	out, err := newOutputFile(n.checkpoint, outputOptions{replace: true, mode: 0o600})
	if err != nil {
		return err
	}
	out.discard()
	return nil
}

// writeCheckpoint returns what puts a checkpoint in the place of the one before, or nil.
func (n *networkFitting) writeCheckpoint() func(*deep.Checkpoint) error {
	if n.checkpoint == "" {
		return nil
	}
	return func(c *deep.Checkpoint) error { return c.Write(n.checkpoint) }
}

// interrupted says what is left of a run that ended before its end.
func (n *networkFitting) interrupted(err error) error {
	return fmt.Errorf("%w; what was released is in %s, and --resume %s goes on from it", err, n.checkpoint, n.checkpoint)
}

package training

import (
	"slices"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/train/neural"
)

// TestEarlierRuns: each record pays for what its run reserved, and the oldest for the runs before it too where no record
// paid for those.
func TestEarlierRuns(t *testing.T) {
	n := &Network{}
	n.whole.Steps, n.whole.NoiseMultiplier, n.whole.CountNoise = 40, 2, 3
	n.whole.Sampling.Kind = option.SamplingFull
	n.whole.Clipping.Groups = slices.Grow(n.whole.Clipping.Groups, 1)[:1]
	n.whole.Clipping.Groups[0].Share = 1
	for _, run := range []struct{ kept, released int }{{10, 14}, {5, 9}, {20, 20}} {
		n.whole.Interrupted = slices.Grow(n.whole.Interrupted, 1)[:len(n.whole.Interrupted)+1]
		last := &n.whole.Interrupted[len(n.whole.Interrupted)-1]
		last.Kept, last.Released = run.kept, run.released
	}
	n.from = &neural.Checkpoint{}
	for records, want := range map[int][]int{0: nil, 1: {1 + 14 + 9 + 20}, 2: {1 + 14 + 9, 20}, 3: {1 + 14, 9, 20}, 4: nil} {
		n.from.Paid = make([]certificate.LedgerRecord, records)
		var got, kept []int
		for _, run := range (&Run{Network: n}).earlier() {
			got, kept = append(got, run.Releases), append(kept, run.Kept)
		}
		if records == 3 && !slices.Equal(kept, []int{1 + 10, 5, 20}) {
			t.Errorf("the states of three runs rest on %v of their releases, want those of the kept steps", kept)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d records pay for %v releases, want %v", records, got, want)
		}
	}
}

// TestPaidCheckpointsWantTheirLedger goes on from checkpoints without a ledger: with runs that made steps
// and with runs that made none, a checkpoint that a ledger paid for is refused.
func TestPaidCheckpointsWantTheirLedger(t *testing.T) {
	for records := range 3 {
		n := &Network{from: &neural.Checkpoint{Paid: make([]certificate.LedgerRecord, records)}}
		n.whole.Interrupted = slices.Grow(n.whole.Interrupted, 2)[:2]
		if err := (&Run{Network: n}).checkUncounted(); (err != nil) != (records > 0) {
			t.Errorf("%d records that paid: got %v", records, err)
		}
	}
	if err := (&Run{Network: &Network{}}).checkUncounted(); err != nil {
		t.Errorf("a run that goes on from nothing is refused: %v", err)
	}
}

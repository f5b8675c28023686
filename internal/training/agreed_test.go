package training

import (
	"bytes"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train/neural"
)

// TestRanksGoOnFromOneCheckpoint wants runs that go on from two states of one plan to be told apart, because
// the gradients of ranks with other weights do not add up.
func TestRanksGoOnFromOneCheckpoint(t *testing.T) {
	s, err := data.ParseSchema("s.yaml", []byte("dither-schema: 1\nrow: one person\nmax-records: 10\ntarget: {column: ill, levels: [a, b]}\ncolumns:\n  age: {numeric: [0, 80], missing: drop, out-of-range: clamp}\n"))
	if err != nil {
		t.Fatal(err)
	}
	agreed := func(from *neural.Checkpoint) []byte {
		r := &Run{Tables: Tables{Schema: s}, Network: &Network{from: from}}
		r.Draft.Neighboring = privacy.AddOrRemoveOne
		plan, failed := r.Agreed()
		if failed != nil {
			t.Fatal(failed)
		}
		return plan
	}
	one, other := agreed(&neural.Checkpoint{Weights: []float64{1}}), agreed(&neural.Checkpoint{Weights: []float64{2}})
	if bytes.Equal(one, other) || bytes.Equal(one, agreed(nil)) {
		t.Error("ranks with two checkpoints agree")
	}
	if !bytes.Equal(one, agreed(&neural.Checkpoint{Weights: []float64{1}})) {
		t.Error("ranks with one checkpoint do not agree")
	}
}

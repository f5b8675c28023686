package train

import (
	"math"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/release"
)

// proposals returns the clipped residuals of all records of a dataset, asked for in blocks of a
// size, or as a list.
func proposals(t *testing.T, s Setup, d *data.Dataset, weights []float64, block int, list bool) []float64 {
	t.Helper()
	encoded, err := s.encode(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.descend(encoded, prepared{features: s.Features})
	if err != nil {
		t.Fatal(err)
	}
	run := &descent{Setup: s, rows: rows}
	scorer := rows.RoundedScorer(weights, s.Plan.Columns)
	var out []float64
	for first := 0; first < d.Records(); first += block {
		n := min(block, d.Records()-first)
		var c kernel.Contributions
		var b release.Block
		if list {
			at := make([]int, n)
			for i := range at {
				at[i] = first + i
			}
			b, err = rows.LoadAt(at, release.Block{})
		} else {
			b, err = rows.Load(first, n, release.Block{})
		}
		if err != nil {
			t.Fatal(err)
		}
		run.propose(&c, b, func(dst []float32) { scorer.Scores(dst, b) })
		out = append(out, c.Coefficients...)
	}
	return out
}

// TestProposalsLookAtOneRecord changes one record, in cells and label, and asks in other blocks:
// what is proposed for every other record must keep its bits, and the changed one's must not.
func TestProposalsLookAtOneRecord(t *testing.T) {
	const n, changed = 40, 17
	s := toySchema(t)
	r := ask()
	r.ClippingNorm = 0.2
	setup, err := NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	weights := make([]float64, setup.Model.Weights())
	for j := range weights {
		weights[j] = math.Sin(float64(j + 1))
	}
	d := toyData(t, s, n)
	columns, target := make([][]float32, 3), append([]float32(nil), d.Target()...)
	for j := range columns {
		columns[j] = append([]float32(nil), d.Column(j)...)
	}
	columns[0][changed], columns[1][changed], columns[2][changed] = 1.99, 99, 0
	target[changed] = 1 - target[changed]
	other, err := data.New(s, columns, target)
	if err != nil {
		t.Fatal(err)
	}
	want := proposals(t, setup, d, weights, n, false)
	for _, block := range []int{1, 3, 8, n} {
		for _, list := range []bool{false, true} {
			got := proposals(t, setup, other, weights, block, list)
			for i := range got {
				same := math.Float64bits(got[i]) == math.Float64bits(want[i])
				if same != (i != changed) {
					t.Fatalf("blocks of %d, list %v: record %d proposes %v, with another record changed %v", block, list, i, want[i], got[i])
				}
			}
		}
	}
}

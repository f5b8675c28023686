package release

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAloneIsTheRecord compares a row alone with what it is among others: its integers, measures
// and label, its scores to the bit, and that its memory is its own.
func TestAloneIsTheRecord(t *testing.T) {
	const n, dim = 19, 70
	r := rand.New(rand.NewPCG(6, 6))
	for _, kind := range rowTypes {
		x, labels := coordinates(r, kind, n, dim), make([]float32, n)
		for i := range labels {
			labels[i] = float32(i)
		}
		text := smallBlocks(t, x, kind, labels)
		for _, f := range frames(r, dim) {
			rows, err := OpenRows(bytes.NewReader(text), int64(len(text)), f)
			if err != nil {
				t.Fatal(err)
			}
			weights := make([]float64, 3*rows.Dim())
			for j := range weights {
				weights[j] = r.NormFloat64()
			}
			var old Block
			for _, scorer := range []*Scorer{rows.Scorer(weights, 3), rows.RoundedScorer(weights, 3), rows.RoundedScorer(weights[:rows.Dim()], 1)} {
				err = rows.Each(0, n, func(b Block) error {
					scores, one := make([]float32, b.Len()*scorer.columns), make([]float32, scorer.columns)
					scorer.Scores(scores, b)
					for i := range b.Len() {
						alone, aloneErr := b.Alone(i, old)
						if aloneErr != nil {
							t.Fatal(aloneErr)
						}
						old = alone
						scorer.Scores(one, alone)
						row, own := make([]int16, dim), make([]int16, dim)
						b.CopyRow(row, i)
						if alone.CopyRow(own, 0); alone.Len() != 1 || alone.Record(0) != b.Record(i) || alone.Labels()[0] != b.Labels()[i] || !slices.Equal(row, own) ||
							alone.n2[0] != b.n2[i] || alone.Norm(0) != b.Norm(i) || alone.beta(0) != b.beta(i) || alone.tail(0) != b.tail(i) {
							t.Fatalf("%v, %+v: row %d is another one alone", kind, f, b.Record(i))
						}
						if !slices.Equal(one, scores[i*scorer.columns:(i+1)*scorer.columns]) {
							t.Fatalf("%v, %+v: row %d has scores %v alone, want %v", kind, f, b.Record(i), one, scores[i*scorer.columns:(i+1)*scorer.columns])
						}
						if alone.x.Same(b.x.Part(i, 1)) {
							t.Fatalf("%v: row %d alone is in the memory of the others", kind, i)
						}
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestAloneIsMeasuredAgain gives each row of a file the measures of its neighbor, as a kernel might
// at any reading after the first. Alone the row has its own ones.
func TestAloneIsMeasuredAgain(t *testing.T) {
	const n, dim = 14, 9
	r := rand.New(rand.NewPCG(6, 7))
	for _, kind := range rowTypes {
		text := smallBlocks(t, coordinates(r, kind, n, dim), kind, make([]float32, n))
		for _, f := range frames(r, dim) {
			rows, err := OpenRows(bytes.NewReader(text), int64(len(text)), f)
			if err != nil {
				t.Fatal(err)
			}
			if f.Whitening != nil || rows.measures.n2 != nil {
				continue
			}
			err = rows.Each(0, n, func(b Block) error {
				want := rows.frame.newMeasures(b.Len(), measures{})
				for i := range b.Len() {
					want.set(i, measured{b.n2[i], b.beta(i), b.tail(i), b.multiplier(i, &rows.frame)})
				}
				for i := range b.Len() {
					k := (i + 1) % b.Len()
					b.set(i, measured{want.n2[k], want.beta(k), want.tail(k), want.multiplier(k, &rows.frame)})
				}
				for i := range b.Len() {
					alone, aloneErr := b.Alone(i, Block{})
					if aloneErr != nil {
						t.Fatal(aloneErr)
					}
					if alone.n2[0] != want.n2[i] || alone.beta(0) != want.beta(i) || alone.tail(0) != want.tail(i) || alone.multiplier(0, &rows.frame) != want.multiplier(i, &rows.frame) {
						t.Fatalf("%v, %+v: row %d has measures of another row alone", kind, f, b.Record(i))
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

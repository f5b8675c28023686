package release

import (
	"bytes"
	"errors"
	"math"
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
// at any reading after the first, or a multiplier of its own that is wrong. Alone the row is
// refused, and a row that is measured rightly is not.
func TestAloneIsMeasuredAgain(t *testing.T) {
	const n, dim = 14, 9
	r, refused := rand.New(rand.NewPCG(6, 7)), 0
	for _, kind := range rowTypes {
		text := smallBlocks(t, coordinates(r, kind, n, dim), kind, make([]float32, n))
		for _, f := range frames(r, dim) {
			rows, err := OpenRows(bytes.NewReader(text), int64(len(text)), f)
			if err != nil {
				t.Fatal(err)
			}
			err = rows.Each(0, n, func(b Block) error {
				want := rows.frame.newMeasures(b.Len(), measures{})
				all := make([]int, b.Len())
				for i := range all {
					all[i] = i
				}
				want.pick(b.measures, all, 0)
				of := func(i int) rowMeasures {
					return rowMeasures{want.n2[i], want.beta(i), want.tail(i), want.multiplier(i, &rows.frame)}
				}
				check := func(i int, given rowMeasures) {
					b.set(i, given)
					_, aloneErr := b.Alone(i, Block{})
					if wrong := given != of(i); errors.Is(aloneErr, ErrComputation) != wrong || aloneErr != nil && !wrong {
						t.Fatalf("%v, %+v: row %d has measures %+v for %+v: got error %v", kind, f, b.Record(i), given, of(i), aloneErr)
					} else if wrong {
						refused++
					}
					b.set(i, of(i))
				}
				for i := range b.Len() {
					check(i, of(i))
					check(i, of((i+1)%b.Len()))
					if given := of(i); want.multipliers != nil && given.multiplier > 0 {
						given.multiplier = float64(math.Nextafter32(float32(given.multiplier), 2))
						check(i, given)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if refused < 1000 {
		t.Errorf("%d rows are refused, want more", refused)
	}
}

// TestAloneIsWhatEntered changes rows of a file to rows of the same squared norm that did not enter:
// alone they are refused, in each frame. A row that adds nothing may be any such row.
func TestAloneIsWhatEntered(t *testing.T) {
	const n, dim = 7, 3
	r := rand.New(rand.NewPCG(6, 8))
	for _, kind := range []RowType{Int16, Uint8} {
		x := coordinates(r, kind, n, dim)
		x[1] = []float64{0.25, 0.5, 0.75}
		for _, f := range frames(r, dim) {
			file := &changing{smallBlocks(t, x, kind, make([]float32, n))}
			rows, err := OpenRows(file, int64(len(file.text)), f)
			if err != nil {
				t.Fatal(err)
			}
			bytes := file.text[kind.RowBytes(dim):][:kind.RowBytes(dim)] // of record 1
			width := len(bytes) / dim
			alone := func() (failed error) {
				err = rows.Each(0, n, func(b Block) error {
					if b.Record(0) == 0 {
						_, failed = b.Alone(1, Block{})
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				return failed
			}
			if err = alone(); err != nil {
				t.Fatal(err)
			}
			last := slices.Clone(bytes[2*width:])
			copy(bytes[width:], slices.Clone(bytes[:2*width]))
			copy(bytes, last)
			if failed := alone(); !errors.Is(failed, ErrComputation) {
				t.Errorf("%v, %+v: a row that changed: got error %v, want %v", kind, f, failed, ErrComputation)
			}
		}
	}
}

// TestRowsThatAddNothingAreRightAlone looks at rows of a file alone, in frames whose intercept is too
// large for any row to add something: they are what entered.
func TestRowsThatAddNothingAreRightAlone(t *testing.T) {
	const n, dim = 14, 3
	r := rand.New(rand.NewPCG(6, 9))
	for _, kind := range rowTypes {
		text := smallBlocks(t, coordinates(r, kind, n, dim), kind, make([]float32, n))
		for _, way := range []Normalize{NormalizeNone, NormalizeClip, NormalizeUnit} {
			f := Standardization{Normalize: way, Radius: 0.7, Center: []float64{0.1, 0.2, 0.3}, Intercept: 1e12}
			rows, err := OpenRows(bytes.NewReader(text), int64(len(text)), f)
			if err != nil {
				t.Fatal(err)
			}
			b, err := rows.Load(0, n, Block{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err = b.Alone(0, Block{}); err != nil || rows.known.n2[0] != 0 {
				t.Errorf("%v, normalized by way %d: a row of n2 %d alone: %v, want n2 0 and no error", kind, way, rows.known.n2[0], err)
			}
		}
	}
}

package pass

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// spottedRecords are so many that of their proposals 32 are computed once more in expectation: all
// are missed with a probability below 1e-13.
const spottedRecords = 1 << 18

// TestProposalsOfNeighborsStopTheRun lets scores look at the record before, in all sums that are
// filled record by record: nothing is sealed. Proposals of the record alone stop nothing, whatever
// bits they have.
func TestProposalsOfNeighborsStopTheRun(t *testing.T) {
	labels := make([]float32, spottedRecords)
	for i := range labels {
		if labels[i] = float32(i%977) / 977; i%5 == 0 {
			labels[i] = float32(math.NaN())
		}
	}
	rows := rowsOf(t, spottedRecords, release.RowsOptions{Dim: 1, Step: 1, Labels: labels})
	full, err := release.Draw(release.Full(), spottedRecords)
	if err != nil {
		t.Fatal(err)
	}
	sampling, err := release.Poisson(0.5)
	if err != nil {
		t.Fatal(err)
	}
	some, err := release.Draw(sampling, spottedRecords)
	if err != nil {
		t.Fatal(err)
	}
	newSum := func(s release.Sample) *release.Sum {
		sum, sumErr := release.NewSum(s, rows, release.SumOptions{Noise: mechanism.NonPrivate{}, Columns: 2, Bound: 1, MaxRecords: spottedRecords})
		if sumErr != nil {
			t.Fatal(sumErr)
		}
		return sum
	}
	for _, looks := range []bool{false, true} {
		propose := func(c *kernel.Contributions, b release.Block) {
			c.Columns, c.Coefficients = 2, make([]float64, 2*b.Len())
			for i, v := range b.Labels() {
				c.Coefficients[2*i], c.Coefficients[2*i+1] = float64(v), -float64(b.Record(i))
				if looks && i > 0 {
					c.Coefficients[2*i+1] += 1e-9 * float64(b.Record(i-1))
				}
			}
		}
		vectors, vectorErr := release.NewVectorSum(full, release.VectorOptions{Noise: mechanism.NonPrivate{}, Norm: release.L2(), Dim: 1, Bound: 1, MaxRecords: spottedRecords})
		if vectorErr != nil {
			t.Fatal(vectorErr)
		}
		group, groupErr := release.NewGroup(newSum(full), newSum(full))
		if groupErr != nil {
			t.Fatal(groupErr)
		}
		for name, got := range map[string]error{
			"all": All(newSum(full), rows, propose), "a sample": Sample(newSum(some), rows, some, propose),
			"a group": Together(group, []*release.Rows{rows, rows}, func() func(c []kernel.Contributions, blocks []release.Block) {
				return func(c []kernel.Contributions, blocks []release.Block) {
					for k := range c {
						propose(&c[k], blocks[k])
					}
				}
			}),
			"vectors": Vectors(vectors, full, 1, func(_ int, dst []float64, records []int) error {
				for i, at := range records {
					if dst[i] = float64(labels[at]); looks && i > 0 {
						dst[i] = float64(records[i-1])
					}
				}
				return nil
			}),
		} {
			if errors.Is(got, release.ErrComputation) != looks || !looks && got != nil {
				t.Errorf("%s, with a look at the neighbor: %v: got error %v", name, looks, got)
			}
		}
	}
}

// TestProposalsInLongBlocksAreRecomputed lets scores look at the record before in the second half of
// the blocks of a file, which are of 2^14 records. One of each 2^13 is computed once more.
func TestProposalsInLongBlocksAreRecomputed(t *testing.T) {
	const n, half = 1 << 14, 1 << 13
	var text bytes.Buffer
	w := release.NewRowsWriter(&text)
	if err := errors.Join(w.Append(rowsOf(t, n, release.RowsOptions{Dim: 1, Step: 1})), w.Close(nil)); err != nil {
		t.Fatal(err)
	}
	rows, err := release.OpenRows(bytes.NewReader(text.Bytes()), int64(text.Len()), release.Standardization{})
	if err != nil {
		t.Fatal(err)
	}
	full, err := release.Draw(release.Full(), n)
	if err != nil {
		t.Fatal(err)
	}
	for _, looks := range []bool{false, true} {
		sum, sumErr := release.NewSum(full, rows, release.SumOptions{Noise: mechanism.NonPrivate{}, Columns: 1, Bound: 1, MaxRecords: n})
		if sumErr != nil {
			t.Fatal(sumErr)
		}
		longest := 0
		got := All(sum, rows, func(c *kernel.Contributions, b release.Block) {
			longest = max(longest, b.Len())
			c.Columns, c.Coefficients = 1, make([]float64, b.Len())
			for i := range b.Len() {
				if c.Coefficients[i] = float64(b.Record(i)); looks && i >= half {
					c.Coefficients[i] = float64(b.Record(i - 1))
				}
			}
		})
		if longest != n || errors.Is(got, release.ErrComputation) != looks || !looks && got != nil {
			t.Errorf("blocks of %d records, with a look at the neighbor: %v: got error %v", longest, looks, got)
		}
	}
}

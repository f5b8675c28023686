package neural

import (
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/network"
)

// TestSparseRowsGiveTheSumsOfWholeOnes compares the exact sums of a network that takes entries over sparse rows with
// those over the same rows kept whole: they have the same bits.
func TestSparseRowsGiveTheSumsOfWholeOnes(t *testing.T) {
	const records, dim = 40, 12
	request := networksUnderTest()["sparse"]
	sparse := testRows(t, records, dim, "sparse")
	block, err := sparse.Load(0, records, release.Block{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := release.NewRows(records, release.RowsOptions{Dim: dim, Step: sparse.Step(), Labels: slices.Clone(block.Labels())}, func(dst []float64, first, n int) {
		row := make([]int16, dim)
		for i := range n {
			block.CopyRow(row, first+i)
			for j, v := range row {
				dst[i*dim+j] = float64(v) * sparse.Step()
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	first, second := testRun(t, request, ClippingRequest{}, sparse), testRun(t, request, ClippingRequest{}, whole)
	if !first.takesEntries() || second.takesEntries() {
		t.Fatal("the runs do not differ in what the network takes")
	}
	copy(second.weights, first.weights)
	second.copyWeights(second.weights)
	got, want := sumsOf(t, first, 3, 1, 4, 15, 9)[0], sumsOf(t, second, 3, 1, 4, 15, 9)[0]
	length := 0.0
	for j := range want {
		if length += want[j] * want[j]; got[j] != want[j] {
			t.Fatalf("number %d is %v, want %v", j, got[j], want[j])
		}
	}
	if !(length > 0) || math.IsInf(length, 1) {
		t.Errorf("the sum has the squared length %v", length)
	}
}

// TestSparseRowsAreRead checks that features that no record has get no gradient, and those of others do.
func TestSparseRowsAreRead(t *testing.T) {
	const dim = 1000
	rows, err := release.NewSparseRows(2, release.RowsOptions{Dim: dim, Step: 1.0 / math.MaxInt16, Labels: []float32{0, 1}}, func(i int, index []uint32, v []float64) ([]uint32, []float64) {
		return append(index, uint32(10+i), 900), append(v, 0.5, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	layers := network.Layers{network.SparseLinear{Outputs: 2}, network.Linear{Outputs: 3}}
	sum := sumsOf(t, testRun(t, Request{Layers: layers}, ClippingRequest{}, rows), 0, 1)[0]
	for feature := range dim {
		has := sum[2*feature] != 0 || sum[2*feature+1] != 0
		if want := feature == 10 || feature == 11 || feature == 900; has != want {
			t.Errorf("feature %d has a gradient: %v, want %v", feature, has, want)
		}
	}
}

// TestRowsWithoutEntriesAreRows takes steps over samples of which some, or all, records have no
// feature that is not zero. A new run has no memory from records before.
func TestRowsWithoutEntriesAreRows(t *testing.T) {
	const records, dim = 8, 12
	for known := range 2 {
		rows, err := release.NewSparseRows(records, release.RowsOptions{Dim: dim, Step: 1.0 / math.MaxInt16, Labels: make([]float32, records)}, func(i int, index []uint32, v []float64) ([]uint32, []float64) {
			if i < known {
				return append(index, 3), append(v, 0.5)
			}
			return index, v
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range clippingsUnderTest() {
			r := testRun(t, networksUnderTest()["sparse"], c, rows)
			sample, err := release.Draw(release.Full(), records)
			if err != nil {
				t.Fatal(err)
			}
			for range 10 {
				if _, err = r.gather(sample); err != nil {
					t.Errorf("%s, %d records with a feature: %v", name, known, err)
				}
			}
		}
	}
}

package release

import (
	"reflect"
	"slices"
	"testing"

	"github.com/ditherml/dither/mechanism"
)

// quiet is priced as Gaussian noise of a large multiplier where its text is read.
type quiet struct{ mechanism.Gaussian }

func (quiet) String() string { return "gaussian(100)" }

// cheap is a choice with a price of its own.
type cheap struct{ mechanism.Exponential }

// TestEventsOfOthersAreRefused makes noise and choices by embedding those of package mechanism: no sum is made for the one, and
// nothing is paid for the other.
func TestEventsOfOthersAreRefused(t *testing.T) {
	rows, sample := made(t, [][]float64{{1, 2}, {3, 4}}, 0.01)
	if _, err := NewSum(sample, rows, SumOptions{Noise: quiet{mechanism.Gaussian{NoiseMultiplier: 1}}, Columns: 1, Bound: 1, MaxRecords: 2}); err == nil {
		t.Error("a sum was made for noise of another package")
	}
	paid := 0
	scores := Scores{&scores{sample: sample, loss: []int64{0, 1}, unit: 1}}
	if _, err := Choose(counting{&paid}, cheap{mechanism.Exponential{Epsilon: 1}}, scores); err == nil || paid != 0 {
		t.Errorf("a choice of another package was made with %d payments", paid)
	}
}

// TestSumsAreClosed wants no field and no method of a sum that fills it past its checks, as one of
// what it embeds would.
func TestSumsAreClosed(t *testing.T) {
	ways := []string{"Add", "AddAt", "AddBlock", "Empty", "EmptyIn", "Merge", "Quantile", "Release", "Seal"}
	for _, sum := range []any{&Sum{}, &Group{}, &VectorSum{}, &ProjectedSum{}, &ProductSum{}, &ScoreSum{}, &Losses{}, &Ranks{}, &PartitionSelection{}} {
		of := reflect.TypeOf(sum)
		for i := range of.NumMethod() {
			if name := of.Method(i).Name; !slices.Contains(ways, name) {
				t.Errorf("%v has the method %s, want one of %v", of, name, ways)
			}
		}
		for _, f := range reflect.VisibleFields(of.Elem()) {
			if f.IsExported() {
				t.Errorf("%v has the field %s, want none that is exported", of, f.Name)
			}
		}
	}
}

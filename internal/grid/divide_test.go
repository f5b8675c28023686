package grid

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/sweep"
)

// TestDivide wants each row in one part, the same parts for the same hashes, and others for others.
func TestDivide(t *testing.T) {
	training, test := Divide(10, SplitFirst, 0.8, nil)
	if len(training) != 8 || !slices.Equal(test, []int{8, 9}) {
		t.Errorf("got %v and %v, want the last two of ten rows as test", training, test)
	}
	one, other := []sweep.Setting{{Name: "data", Value: "aa"}}, []sweep.Setting{{Name: "data", Value: "ab"}}
	training, test = Divide(1000, SplitRandom, 0.2, one)
	all := slices.Concat(training, test)
	slices.Sort(all)
	for i, row := range all {
		if row != i {
			t.Fatalf("got row %d in place %d, want each row once", row, i)
		}
	}
	// The hashes fix the rows: no chance is in this test.
	if len(all) != 1000 || len(test) < 150 || len(test) > 250 {
		t.Errorf("got %d of %d rows as test, want about 200 of 1000", len(test), len(all))
	}
	if _, again := Divide(1000, SplitRandom, 0.2, one); !slices.Equal(test, again) {
		t.Error("got other rows for the same hashes, want the same")
	}
	if _, others := Divide(1000, SplitRandom, 0.2, other); slices.Equal(test, others) {
		t.Error("got the same rows for other hashes, want others")
	}
}

// TestLargestRunRefuses wants the reason why no run has a price.
func TestLargestRunRefuses(t *testing.T) {
	why := errors.New("no plan")
	_, err := largestRun(sweep.RunCountDistribution{}, 1, func(epsilon float64) (sweep.Candidate, error) {
		if math.Abs(epsilon-1e-3) > 1e-12 {
			t.Errorf("got a run of epsilon %v, want a thousandth of 1", epsilon)
		}
		return sweep.Candidate{}, why
	})
	if !errors.Is(err, why) {
		t.Errorf("got %v, want one that unwraps to %v", err, why)
	}
}

// TestBaselines wants settings of the budget gone, and each configuration once.
func TestBaselines(t *testing.T) {
	configurations, err := sweep.Combine([]sweep.Parameter{{Name: "epsilon", Values: []string{"1", "2"}}, {Name: "steps", Values: []string{"5", "6"}}})
	if err != nil {
		t.Fatal(err)
	}
	got := baselines(configurations)
	if len(got) != 2 || !got[0].Baseline || !slices.Equal(got[0].Settings, []sweep.Setting{{Name: "steps", Value: "5"}}) {
		t.Errorf("got %+v, want two configurations without epsilon", got)
	}
}

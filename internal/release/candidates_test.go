package release

import (
	"github.com/ditherml/dither/mechanism"
	"math"
	"testing"
)

// chosenOften counts how often each candidate is chosen for records with these losses.
func chosenOften(t *testing.T, c mechanism.Choice, records [][]float64, draws int) []int {
	t.Helper()
	counts := make([]int, len(records[0]))
	for range draws {
		s, err := Draw(Full(), len(records))
		if err != nil {
			t.Fatal(err)
		}
		l, err := NewLosses(s, LossesOptions{Candidates: len(counts), MaxRecords: 100})
		if err != nil {
			t.Fatal(err)
		}
		part := l.Empty()
		for i, r := range records {
			into := l
			if i%2 == 1 {
				into = part
			}
			if err = into.Add(i, r); err != nil {
				t.Fatal(err)
			}
		}
		if err = l.Merge(part); err != nil {
			t.Fatal(err)
		}
		i, err := Choose(free{}, c, l.Seal())
		if err != nil {
			t.Fatal(err)
		}
		counts[i]++
	}
	return counts
}

// TestLossesAreChosenByTheirLaw compares frequencies with exp(-ε·loss) over their sum. A count of n = 20000
// draws of probability p has a standard deviation of at most √(n·p); 6 of them are passed with a
// probability below 1e-8 in each of 3 counts (Bernstein).
func TestLossesAreChosenByTheirLaw(t *testing.T) {
	const draws, epsilon = 20000, 1.25
	records := [][]float64{{0, 0.5, 1}, {0.2, 0.5, math.NaN()}, {7, 0.25, -3}, {0.1, 0, 1}}
	loss := []float64{1.3, 1.25, 2}
	total := 0.0
	for _, l := range loss {
		total += math.Exp(-epsilon * l)
	}
	for i, n := range chosenOften(t, mechanism.Exponential{Epsilon: epsilon}, records, draws) {
		p := math.Exp(-epsilon*loss[i]) / total
		if d := math.Abs(float64(n) - p*draws); d > 6*math.Sqrt(p*draws)+12 {
			t.Errorf("candidate %d was chosen %d times of %d, want about %v", i, n, draws, p*draws)
		}
	}
}

// TestLossesMoveByOneBound adds a record: every score falls by at most 2 half bounds, none rises, whatever
// the record proposes.
func TestLossesMoveByOneBound(t *testing.T) {
	for _, losses := range [][]float64{{0, 1}, {1e300, -1e300}, {math.Inf(1), math.NaN()}, {0.9999, 1.0001}} {
		s, err := Draw(Full(), 1)
		if err != nil {
			t.Fatal(err)
		}
		l, err := NewLosses(s, LossesOptions{Candidates: 2, MaxRecords: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err = l.Add(0, losses); err != nil {
			t.Fatal(err)
		}
		if l.Add(0, losses) == nil {
			t.Error("a record was added twice")
		}
		sealed := l.Seal()
		for _, v := range sealed.state.loss {
			if v < 0 || v > 2*sealed.state.unit {
				t.Errorf("losses %v: a score moves by %v of unit %v, want 0 to 2 units", losses, v, sealed.state.unit)
			}
		}
		if l.Add(0, losses) == nil {
			t.Error("a record was added to a sealed sum")
		}
	}
}

package account

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/account/internal/allocation"
	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// allocationOf is the upper and lower bound of ε at 1e-6.
func allocationOf(t *testing.T, text string, n privacy.Neighboring) Interval {
	t.Helper()
	v, err := lossDistributions{width: conformanceWidth}.Epsilon(parsed(t, text), 1e-6, n)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestAllocationToOneStep holds that it is the event itself, under every relation.
func TestAllocationToOneStep(t *testing.T) {
	for _, n := range relations {
		for _, a := range All() {
			v, err := a.Epsilon(parsed(t, "repeat(3, random-allocation(1, gaussian(2)))"), 1e-6, n)
			w, failed := a.Epsilon(parsed(t, "repeat(3, gaussian(2))"), 1e-6, n)
			if err != nil || failed != nil || math.Abs(v.Upper/w.Upper-1) > 1e-9 {
				t.Errorf("%s under %v: %v (%v), want %v (%v)", a.Name(), n, v, err, w, failed)
			}
		}
	}
}

// TestAllocationLaws checks laws of the price of an allocation. The price falls with more steps,
// more noise and a larger δ. It never exceeds the price of the step that a record is in, and it is
// larger under replace-one. Several releases at a step are one. Bounds are close under
// add-or-remove-one.
func TestAllocationLaws(t *testing.T) {
	for _, n := range []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne} {
		last := allocationOf(t, "repeat(2, gaussian(1))", n).Upper
		for i, text := range []string{"repeat(2, random-allocation(2, gaussian(1)))", "repeat(2, random-allocation(5, gaussian(1)))",
			"repeat(2, random-allocation(5, gaussian(1.2)))", "random-allocation(5, gaussian(1.2))"} {
			if !thorough && n == privacy.ReplaceOne && i > 1 {
				break // each takes a search for the chords of its pairs
			}
			v := allocationOf(t, text, n)
			if !(v.Upper < last) || n == privacy.AddOrRemoveOne && v.Upper > v.Lower*(1+3e-3) {
				t.Errorf("%s under %v: got %v, want less than %v", text, n, v, last)
			}
			last = v.Upper
		}
	}
	one, two := allocationOf(t, "random-allocation(4, gaussian(1))", privacy.AddOrRemoveOne), allocationOf(t, "random-allocation(4, gaussian(1))", privacy.ReplaceOne)
	if two.Upper < one.Upper || two.Lower != one.Lower || two.Estimate != two.Upper {
		t.Errorf("under replace-one: got %v, under add-or-remove-one %v", two, one)
	}
	joined := fmt.Sprintf("random-allocation(4, repeat(2, gaussian(%v)))", math.Sqrt2)
	if v := allocationOf(t, joined, privacy.AddOrRemoveOne); math.Abs(v.Upper/one.Upper-1) > 1e-6 {
		t.Errorf("%s: got %v, want %v", joined, v, one)
	}
}

// besidePoisson are epochs, steps of each and noise multipliers of the table in docs/accounting.md.
var besidePoisson = []struct {
	epochs, steps int
	noise         float64
}{{1, 4, 4}, {10, 100, 1}, {10, 1000, 1}, {20, 1000, 0.6}, {100, 1000, 2}}

// TestAllocationBesidePoisson holds the table in docs/accounting.md, of the cost of an allocation and of Poisson samples
// of the same expected size. Rows that take long are left to the long run.
func TestAllocationBesidePoisson(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "accounting.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range besidePoisson {
		if i > 0 && !thorough {
			break
		}
		row := fmt.Sprintf("| %d | %d | %v |", c.epochs, c.steps, c.noise)
		for _, n := range []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne} {
			for _, event := range []string{
				fmt.Sprintf("repeat(%d, random-allocation(%d, gaussian(%v)))", c.epochs, c.steps, c.noise),
				fmt.Sprintf("repeat(%d, poisson(%v, gaussian(%v)))", c.epochs*c.steps, 1/float64(c.steps), c.noise),
			} {
				row += fmt.Sprintf(" %.2f |", allocationOf(t, event, n).Upper+0.005)
			}
		}
		if !strings.Contains(string(text), row+"\n") {
			t.Errorf("docs/accounting.md has no row %q", row)
		}
	}
}

// TestAllocationDivergences holds the divergence of both directions for two steps against integrals.
func TestAllocationDivergences(t *testing.T) {
	const noise, step = 0.9, 0.1
	e := mechanism.RandomAllocation{Steps: 2, Event: mechanism.Gaussian{NoiseMultiplier: noise}}
	orders := []float64{1.2, 2, 2.5, 4, 9}
	got, err := newMoments().allocation(e, orders, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	m := allocationMoments{}
	for i, order := range orders {
		remove, add := 0.0, 0.0
		for x := -16.0; x < 16; x += step {
			for y := -16.0; y < 16; y += step {
				mass := math.Exp(-(x*x+y*y)/(2*noise*noise)) / (2 * math.Pi * noise * noise) * step * step
				ratio := (math.Exp((2*x-1)/(2*noise*noise)) + math.Exp((2*y-1)/(2*noise*noise))) / 2
				remove += mass * math.Pow(ratio, order)
				add += mass * math.Pow(ratio, 1-order)
			}
		}
		remove, add = math.Log(remove)/(order-1), math.Log(add)/(order-1)
		if got[i] < max(remove, add)*(1-1e-9) || order == math.Floor(order) && got[i] > remove*(1+1e-6) || order > 2 && got[i] > remove*1.1 {
			t.Errorf("order %v: got %v, want %v and %v at least", order, got[i], remove, add)
		}
		if m = *newAllocationMoments(t, e); m.logAdd(order)/(order-1) < add || m.logAdd(order)/(order-1) > add*(1+1e-2) {
			t.Errorf("order %v: adding has %v, want %v", order, m.logAdd(order)/(order-1), add)
		}
	}
}

// newAllocationMoments are those that a curve keeps.
func newAllocationMoments(t *testing.T, e mechanism.RandomAllocation) *allocationMoments {
	t.Helper()
	all := newMoments()
	if _, err := all.allocation(e, []float64{2}, privacy.AddOrRemoveOne); err != nil {
		t.Fatal(err)
	}
	return all.allocations[e.String()]
}

// TestAllocationsAreKept: the pairs of an allocation are made once for several prices, and none is taken for another's.
func TestAllocationsAreKept(t *testing.T) {
	first := func(steps int, noise float64, n privacy.Neighboring, kind allocation.Kind) *pair.Atom {
		e := mechanism.RandomAllocation{Steps: steps, Event: mechanism.Gaussian{NoiseMultiplier: noise}}
		d, err := allocationPairs(e, n, kind)
		if err != nil {
			t.Fatal(err)
		}
		return &d.remove.(pair.Atoms)[0]
	}
	seen := map[*pair.Atom]bool{}
	for _, kind := range []allocation.Kind{allocation.Upper, allocation.Lower} {
		for _, n := range []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne} {
			seen[first(2, 3, n, kind)] = true
			seen[first(2, 3, n, kind)] = true
		}
	}
	seen[first(2, 4, privacy.AddOrRemoveOne, allocation.Lower)] = true
	seen[first(3, 3, privacy.AddOrRemoveOne, allocation.Lower)] = true
	if len(seen) != 6 {
		t.Errorf("6 different allocations have %d different pairs", len(seen))
	}
	for i := range allocationsKept {
		first(2, 1e9+float64(i), privacy.AddOrRemoveOne, allocation.Lower)
	}
	if kept := len(knownAllocations.list); kept != allocationsKept {
		t.Errorf("%d allocations are kept, want %d", kept, allocationsKept)
	}
	if seen[first(3, 3, privacy.AddOrRemoveOne, allocation.Lower)] {
		t.Error("the pairs kept are not those of the last allocations")
	}
}

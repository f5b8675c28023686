package account

import (
	"math"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestParallelGroupsAreTheWorstDivision prices groups over parts by hand. If i of k records are in
// the first part, its event is priced for i bounds and the other event for k-i, one after the
// other. The price is the largest over i.
func TestParallelGroupsAreTheWorstDivision(t *testing.T) {
	n := privacy.AddOrRemoveOne
	laplace := func(z float64, records int) mechanism.Event {
		return mechanism.Laplace{NoiseMultiplier: z / float64(records)}
	}
	norm := func(z float64, records int) mechanism.Event {
		return mechanism.KNorm{NoiseMultiplier: z / float64(records)}
	}
	gaussian := func(z float64, records int) mechanism.Event {
		return mechanism.Gaussian{NoiseMultiplier: z / float64(records)}
	}
	choices := func(z float64, records int) mechanism.Event {
		return mechanism.Repeat{Event: mechanism.Exponential{Epsilon: float64(records) / z}, Count: 3}
	}
	for name, parts := range map[string][2]func(z float64, records int) mechanism.Event{
		"laplace beside laplace": {laplace, laplace}, "gaussian beside k-norm": {gaussian, norm}, "choices beside gaussian": {choices, gaussian},
	} {
		first, second := func(i int) mechanism.Event { return parts[0](9, i) }, func(i int) mechanism.Event { return parts[1](11, i) }
		for _, k := range []int{1, 2, 4} {
			before := mechanism.Gaussian{NoiseMultiplier: 12 / float64(k)} // of all records
			want := 0.0
			for i := range k + 1 {
				all := mechanism.Sequence{before}
				if i > 0 {
					all = append(all, first(i))
				}
				if i < k {
					all = append(all, second(k-i))
				}
				v, err := For(all).Epsilon(all, 1e-6, n)
				if err != nil {
					t.Fatal(err)
				}
				want = max(want, v.Upper)
			}
			e := mechanism.Sequence{mechanism.Gaussian{NoiseMultiplier: 12}, mechanism.Parallel{first(1), second(1)}}
			got, err := EpsilonGroup(For(e), e, 1e-6, n, k)
			if err != nil || !(math.Abs(got/want-1) < 1e-3) {
				t.Errorf("%s, %d records: got %v (%v), want %v", name, k, got, err, want)
			}
		}
	}
}

// TestManyDivisionsAreOneAfterTheOther holds what is priced where a group can be divided in too many ways: all of
// it in every part.
func TestManyDivisionsAreOneAfterTheOther(t *testing.T) {
	n, a := privacy.AddOrRemoveOne, lossDistributions{width: conformanceWidth}
	e := mechanism.Parallel{mechanism.Laplace{NoiseMultiplier: 90}, mechanism.Laplace{NoiseMultiplier: 70}}
	for _, k := range []int{maxDivisions - 1, maxDivisions} { // of one more ways
		got, err := EpsilonGroup(a, e, 1e-6, n, k)
		together := mechanism.Sequence{mechanism.Laplace{NoiseMultiplier: 90 / float64(k)}, mechanism.Laplace{NoiseMultiplier: 70 / float64(k)}}
		want, failed := a.Epsilon(together, 1e-6, n)
		if all := k == maxDivisions; err != nil || failed != nil || all != (got > want.Upper*(1-2e-3)) || got > want.Upper*(1+2e-3) {
			t.Errorf("%d records: got %v (%v), want %v at most, and just that: %v (%v)", k, got, err, want.Upper, all, failed)
		}
	}
	tail := mechanism.Repeat{Event: e, Count: 2}
	got, err := EpsilonGroup(a, tail, 1e-6, n, 3)
	want, failed := EpsilonGroup(a, mechanism.Repeat{Event: mechanism.Sequence(e), Count: 2}, 1e-6, n, 3)
	if err != nil || failed != nil || math.Abs(got/want-1) > 1e-6 {
		t.Errorf("repeated parts: got %v (%v), want %v (%v)", got, err, want, failed)
	}
}

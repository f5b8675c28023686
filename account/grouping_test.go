package account

import (
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// groupingWidth is the width of pld's intervals in this test.
const groupingWidth = 1e-2

// TestOrderAndGroupingChangeNoBound covers every kind of event. Neither the order nor the grouping
// of releases changes a price beyond its interval. No upper bound is below a lower bound.
func TestOrderAndGroupingChangeNoBound(t *testing.T) {
	other := mechanism.Laplace{NoiseMultiplier: 9}
	for i, s := range samples {
		e := parsed(t, s.event)
		n := relations[slices.IndexFunc(relations, func(n privacy.Neighboring) bool { return mechanism.CheckNeighboring(e, n) == nil })]
		for _, a := range accountants() {
			if _, ok := a.(lossDistributions); ok {
				a = lossDistributions{width: groupingWidth}
			}
			costly := a.Name() == "pld" || a.Name() == "advanced" || a.Name() == "rdp"
			if !thorough && costly && (i%4 != 1 || s.event == slowSample || slices.Contains(slowSamples, s.event)) {
				continue
			}
			price := func(parts ...mechanism.Event) (Interval, error) {
				return a.Epsilon(mechanism.Sequence(parts), conformanceDelta, n)
			}
			times := func(e mechanism.Event, count int) mechanism.Event { return mechanism.Repeat{Event: e, Count: count} }
			want, err := price(times(e, 3), other)
			if a.Name() == "gdp" { // prices no other kind of noise
				want, err = price(times(e, 3))
			}
			if err != nil {
				continue
			}
			lists := map[string][]mechanism.Event{"order": {other, times(e, 3)}, "grouping": {times(e, 1), times(e, 2), other}, "both": {times(e, 2), other, times(e, 1)}}
			if a.Name() == "gdp" {
				lists = map[string][]mechanism.Event{"grouping": {times(e, 1), times(e, 2)}}
			}
			for name, parts := range lists {
				got, failed := price(parts...)
				width := want.Upper - want.Lower
				if want.Lower == 0 || a.Name() != "pld" {
					width = 1e-9 * want.Upper // an upper bound alone
				}
				same := got.Upper == want.Upper || math.Abs(got.Upper-want.Upper) <= width+1e-12
				if failed != nil || !same || !(got.Lower <= got.Upper && got.Lower <= want.Upper && want.Lower <= got.Upper && want.Lower <= want.Upper) {
					t.Errorf("%s of %s under %v, %s: got %v (%v), want %v", a.Name(), s.event, n, name, got, failed, want)
				}
			}
		}
	}
}

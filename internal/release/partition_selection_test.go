package release

import (
	"github.com/ditherml/dither/mechanism"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// selectionOf counts records of one name each.
func selectionOf(t *testing.T, terms PartitionTerms, names ...string) *PartitionSelection {
	t.Helper()
	rows := make([][]string, len(names))
	for i, name := range names {
		rows[i] = []string{name}
	}
	return selectionOfRows(t, terms, rows)
}

func selectionOfRows(t *testing.T, terms PartitionTerms, rows [][]string) *PartitionSelection {
	t.Helper()
	sample, err := Draw(Full(), len(rows))
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewPartitionSelection(sample, terms, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for i, names := range rows {
		if err = d.Add(i, names...); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// TestOneRecordMovesCountsByItsRows compares the counts of a thousand random neighbors, of records with up to 6
// rows of which 4 count: they move by 4 at most in the L1 norm, and so in the L2 norm, and some by all of it.
func TestOneRecordMovesCountsByItsRows(t *testing.T) {
	r, terms, most := rand.New(rand.NewPCG(2, 2)), PartitionTerms{Noise: mechanism.KNorm{NoiseMultiplier: 1}, Delta: 0.1, RowsPerRecord: 4}, int64(0)
	names := func() []string {
		list := make([]string, 1+r.IntN(6))
		for i := range list {
			list[i] = []string{"", "a", "b", "c", "d", "e"}[r.IntN(6)]
		}
		return list
	}
	for range 1000 {
		rows := make([][]string, r.IntN(9))
		for i := range rows {
			rows[i] = names()
		}
		a, b, moved := selectionOfRows(t, terms, rows).counts, selectionOfRows(t, terms, append(rows, names())).counts, int64(0)
		for name := range b {
			moved += b[name] - a[name]
		}
		if most = max(most, moved); moved > 4 || len(b) < len(a) {
			t.Fatalf("a record moves the counts by %d, want at most 4", moved)
		}
	}
	if most < 4 {
		t.Errorf("no record moves the counts by more than %d, want 4", most)
	}
}

// TestNamesOfOneRecordPassSeldom adds up, for every way in which the rows of a record can be spread over names
// of its own, the bounds of the laws on the probability that one of them is released: at most Delta, and some way
// reaches 0.95 of it.
func TestNamesOfOneRecordPassSeldom(t *testing.T) {
	for _, n := range []mechanism.Noise{mechanism.Gaussian{NoiseMultiplier: 3}, mechanism.Gaussian{NoiseMultiplier: 0.2}, mechanism.KNorm{NoiseMultiplier: 2}, mechanism.KNorm{NoiseMultiplier: 0.1}} {
		for _, rows := range []int{1, 2, 3, 7, 12} {
			terms := PartitionTerms{Noise: n, Delta: 0.05, RowsPerRecord: rows}
			g, limit, err := fitPartitions(terms, 1000)
			if err != nil {
				t.Fatal(err)
			}
			pass := func(count int) float64 {
				x := float64(limit-int64(count)*rowOf(terms, g)) / math.Ldexp(1, int(g.bits))
				if _, pure := n.(mechanism.KNorm); pure {
					return math.Exp(-x) / 2
				}
				return math.Erfc(x/math.Sqrt2) / 2
			}
			most := 0.0
			var spread func(left, largest int, sum float64)
			spread = func(left, largest int, sum float64) {
				most = max(most, sum)
				for count := 1; count <= min(left, largest); count++ {
					spread(left-count, count, sum+pass(count))
				}
			}
			spread(rows, rows, 0)
			if most > 0.05 || most < 0.95*0.05 {
				t.Errorf("%v, %d rows: a name of one record passes with a probability of %v, want nearly 0.05 and no more", n, rows, most)
			}
		}
	}
}

// TestSingleRecordsAreSeldomFound releases the name of one record 4000 times at delta 0.05. Of the normal law
// the threshold is that quantile, of the Laplace law as well, so that the name appears 200 times in
// expectation; 276 or more, or 130 or fewer, have a probability below 4e-7 (binomial tails).
func TestSingleRecordsAreSeldomFound(t *testing.T) {
	const runs = 4000
	for _, n := range []mechanism.Noise{mechanism.Gaussian{NoiseMultiplier: 3}, mechanism.KNorm{NoiseMultiplier: 2}} {
		found := 0
		for range runs {
			f, err := selectionOf(t, PartitionTerms{Noise: n, Delta: 0.05, RowsPerRecord: 0}, "a").Release(&payer{})
			if err != nil {
				t.Fatal(err)
			}
			found += len(f)
		}
		if found >= 276 || found <= 130 {
			t.Errorf("%v: found %d times of %d, want about 200", n, found, runs)
		}
	}
}

func TestFrequentNamesAreFoundInOrder(t *testing.T) {
	var names []string
	for range 200 {
		names = append(names, "m", "c", "z", "")
	}
	names = append(names, "once")
	terms := PartitionTerms{Noise: mechanism.Gaussian{NoiseMultiplier: 2}, Delta: 1e-9, RowsPerRecord: 0}
	p := &payer{}
	found, err := selectionOf(t, terms, names...).Release(p)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.Name)
		if math.Abs(f.Count-200) > 20 { // ten standard deviations
			t.Errorf("%s: got %v, want about 200", f.Name, f.Count)
		}
	}
	if !slices.Equal(got, []string{"c", "m", "z"}) { // another outcome has a probability below 1e-8
		t.Errorf("found %v", got)
	}
	if !slices.Equal(p.events, []string{"gaussian(2)", "assumed-dp(0, 1e-09, add-or-remove-one)"}) {
		t.Errorf("paid for %v", p.events)
	}
	if limit, limitErr := PartitionThreshold(terms, 1000); limitErr != nil || math.Abs(limit-(1+2*5.9978)) > 0.001 {
		t.Errorf("threshold: got %v, %v, want 1 + 2·5.9978, the normal quantile", limit, limitErr)
	}
}

func TestPartitionSelectionRefusals(t *testing.T) {
	p := &payer{}
	sample, err := Draw(Full(), 2)
	if err != nil {
		t.Fatal(err)
	}
	for name, terms := range map[string]PartitionTerms{
		"no delta": {Noise: mechanism.KNorm{NoiseMultiplier: 1}, Delta: 0, RowsPerRecord: 1}, "half delta": {Noise: mechanism.KNorm{NoiseMultiplier: 1}, Delta: 0.5, RowsPerRecord: 1}, "other noise": {Noise: mechanism.NonPrivate{}, Delta: 0.1, RowsPerRecord: 1}, "no noise": {Noise: nil, Delta: 0.1, RowsPerRecord: 1}, "negative noise": {Noise: mechanism.Gaussian{NoiseMultiplier: -1}, Delta: 0.1, RowsPerRecord: 1},
		"negative rows": {Noise: mechanism.KNorm{NoiseMultiplier: 1}, Delta: 0.1, RowsPerRecord: -1}, "too many rows": {Noise: mechanism.KNorm{NoiseMultiplier: 1}, Delta: 0.1, RowsPerRecord: maxNamedRows + 1}, "rows without a grid": {Noise: mechanism.KNorm{NoiseMultiplier: 1 << 30}, Delta: 0.1, RowsPerRecord: maxNamedRows},
	} {
		if _, err = NewPartitionSelection(sample, terms, 1000); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	good := PartitionTerms{Noise: mechanism.KNorm{NoiseMultiplier: 1}, Delta: 0.1, RowsPerRecord: 0}
	if found, refused := selectionOf(t, good, "a").Release(nil); refused == nil || found != nil {
		t.Errorf("no payer: got %v and no error", found)
	}
	if len(p.events) > 0 {
		t.Errorf("refused releases were paid for: %v", p.events)
	}
	d := selectionOf(t, good, "a", "b")
	if d.Add(1, "c") == nil {
		t.Error("a record was counted twice")
	}
	if _, err = d.Release(p); err != nil {
		t.Fatal(err)
	}
	if _, err = d.Release(p); err == nil {
		t.Error("the names were released twice")
	}
	poisson, err := Poisson(0.5)
	if err != nil {
		t.Fatal(err)
	}
	if sample, err = Draw(poisson, 3); err != nil {
		t.Fatal(err)
	}
	if _, err = NewPartitionSelection(sample, good, 10); err == nil {
		t.Error("a drawn sample was taken")
	}
}

package mechanism

import (
	"math"
	"slices"
	"testing"
)

func discoveryOf(t *testing.T, names ...string) *Discovery {
	t.Helper()
	sample, err := Full().Draw(len(names))
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDiscovery(sample, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if err = d.Add(0, names); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestSingleRecordsAreSeldomFound releases the name of one record 4000 times at delta 0.05. Of the normal law
// the threshold is that quantile, of the Laplace law as well, so that the name appears 200 times in
// expectation; 276 or more, or 130 or fewer, have a probability below 4e-7 (binomial tails).
func TestSingleRecordsAreSeldomFound(t *testing.T) {
	const runs = 4000
	for _, n := range []Noise{Gaussian{3}, KNorm{2}} {
		found := 0
		for range runs {
			f, err := discoveryOf(t, "a").Release(&payer{}, DiscoveryTerms{n, 0.05})
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
	terms := DiscoveryTerms{Gaussian{2}, 1e-9}
	p := &payer{}
	found, err := discoveryOf(t, names...).Release(p, terms)
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
	if limit, limitErr := terms.Threshold(1000); limitErr != nil || math.Abs(limit-(1+2*5.9978)) > 0.001 {
		t.Errorf("threshold: got %v, %v, want 1 + 2·5.9978, the normal quantile", limit, limitErr)
	}
}

func TestDiscoveryRefusals(t *testing.T) {
	p := &payer{}
	for name, f := range map[string]func() ([]Found, error){
		"no payer":       func() ([]Found, error) { return discoveryOf(t, "a").Release(nil, DiscoveryTerms{KNorm{1}, 0.1}) },
		"no delta":       func() ([]Found, error) { return discoveryOf(t, "a").Release(p, DiscoveryTerms{KNorm{1}, 0}) },
		"half delta":     func() ([]Found, error) { return discoveryOf(t, "a").Release(p, DiscoveryTerms{KNorm{1}, 0.5}) },
		"other noise":    func() ([]Found, error) { return discoveryOf(t, "a").Release(p, DiscoveryTerms{NonPrivate{}, 0.1}) },
		"no noise":       func() ([]Found, error) { return discoveryOf(t, "a").Release(p, DiscoveryTerms{nil, 0.1}) },
		"negative noise": func() ([]Found, error) { return discoveryOf(t, "a").Release(p, DiscoveryTerms{Gaussian{-1}, 0.1}) },
	} {
		if found, err := f(); err == nil || found != nil {
			t.Errorf("%s: got %v and no error", name, found)
		}
	}
	if len(p.events) > 0 {
		t.Errorf("refused releases were paid for: %v", p.events)
	}
	d := discoveryOf(t, "a", "b")
	if d.Add(1, []string{"c"}) == nil {
		t.Error("a record was counted twice")
	}
	if _, err := d.Release(p, DiscoveryTerms{KNorm{1}, 0.1}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Release(p, DiscoveryTerms{KNorm{1}, 0.1}); err == nil {
		t.Error("the names were released twice")
	}
	poisson, err := Poisson(0.5)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := poisson.Draw(3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = NewDiscovery(sample, 10); err == nil {
		t.Error("a drawn sample was taken")
	}
}

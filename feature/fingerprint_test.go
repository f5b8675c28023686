package feature

import (
	"testing"

	"github.com/ditherml/dither/data"
)

// louder is a transform whose code was changed a little.
type louder struct{ transform }

func (l louder) Apply(dst, x []float64, scratch any) {
	l.transform.Apply(dst, x, scratch)
	dst[len(dst)-1] *= 1 + 1e-15
}

// TestFingerprint holds that a fingerprint is that of its chain, and another one for other parameters, other
// order, other inputs and other code.
func TestFingerprint(t *testing.T) {
	plain, err := NewPipeline(nil, pixels(t, 16))
	if err != nil {
		t.Fatal(err)
	}
	two, err := newGroupNorm([]byte(`{"groups": 2}`), 16)
	if err != nil {
		t.Fatal(err)
	}
	four, err := newGroupNorm([]byte(`{"groups": 4}`), 16)
	if err != nil {
		t.Fatal(err)
	}
	of := func(transforms ...transform) [32]byte {
		return (&Pipeline{encoder: plain.encoder, transforms: transforms}).Fingerprint()
	}
	if first, again := of(two, four), of(two, four); first != again {
		t.Error("one chain has two fingerprints")
	}
	seen := map[[32]byte]string{}
	for name, got := range map[string][32]byte{"none": of(), "two": of(two), "four": of(four), "two and four": of(two, four), "four and two": of(four, two), "changed": of(louder{two})} {
		if other, twice := seen[got]; twice {
			t.Errorf("%s and %s have the same fingerprint", name, other)
		}
		seen[got] = name
	}
}

// TestFingerprintSeesBins wants another fingerprint if the bins of one number change, whatever a missing cell is.
func TestFingerprintSeesBins(t *testing.T) {
	for _, missing := range []data.Treatment{data.Zero, data.Indicator} {
		s := &data.Schema{MaxRecords: 9, Target: data.Target{Column: "y", Levels: []string{"0", "1"}}, Columns: []data.Column{
			{Name: "kind", Kind: data.Categorical, Levels: []string{"a", "b", "c"}, Missing: missing, Unknown: data.Other},
			{Name: "pay", Kind: data.Numeric, Upper: 100000, OutOfRange: data.Clamp, Missing: missing},
		}}
		seen := map[[32]byte]bool{}
		for _, text := range []string{`{"pairs": "none", "bins": 64}`, `{"pairs": "none", "bins": 64, "half-logarithmic": "pay"}`} {
			c, err := NewPipeline(nil, s, Spec{"interactions", []byte(text)})
			if err != nil {
				t.Fatal(err)
			}
			seen[c.Fingerprint()] = true
		}
		if len(seen) != 2 {
			t.Errorf("missing cells %v: two kinds of bins have one fingerprint", missing)
		}
	}
	s := &data.Schema{MaxRecords: 9, Target: data.Target{Column: "y", Levels: []string{"0", "1"}}, Columns: []data.Column{
		{Name: "pay", Kind: data.Numeric, Upper: 100000, OutOfRange: data.Clamp, Missing: data.Indicator}}}
	c, err := NewPipeline(nil, s, Spec{"interactions", []byte(`{"pairs": "none", "bins": 1024, "half-logarithmic": "pay"}`)})
	if err != nil {
		t.Fatal(err)
	}
	before := c.Fingerprint()
	for k, cut := range c.transforms[0].(*interactions).columns[0].cuts {
		if cut < 1.0/2048 {
			c.transforms[0].(*interactions).columns[0].cuts[k] /= 2
		}
	}
	if c.Fingerprint() == before {
		t.Error("no row is near the lower end")
	}
}

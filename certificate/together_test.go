package certificate

import (
	"math"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestTogether prices two certificates as all their releases, which is less than the sum of both and
// more than either.
func TestTogether(t *testing.T) {
	a, b := made(t, `{"steps":60,"noise":33}`), made(t, `{"steps":30,"noise":40}`)
	d, err := Combine(1e-6, a, b)
	if err != nil {
		t.Fatal(err)
	}
	price, err := PriceOf(d)
	if err != nil {
		t.Fatal(err)
	}
	want, err := account.GDP.Epsilon(mechanism.Sequence{
		mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: 33}, Count: 60},
		mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: 40}, Count: 30},
	}, 1e-6, privacy.AddOrRemoveOne)
	if err != nil || math.Abs(price.Epsilon/want.Upper-1) > 1e-9 {
		t.Errorf("together: %v, want %v (%v)", price.Epsilon, want.Upper, err)
	}
	if price.Epsilon >= float64(a.Epsilon+b.Epsilon) || price.Epsilon <= float64(a.Epsilon) || d.NoiseDraws != a.NoiseDraws+b.NoiseDraws || price.GroupEpsilon <= price.Epsilon {
		t.Errorf("together %+v of %v and %v", price, a.Epsilon, b.Epsilon)
	}
	other := b
	other.Unit = "one visit"
	replace := b
	replace.Neighboring = privacy.ReplaceOne
	broken := b
	broken.Event = "gaussian("
	for name, c := range map[string]Certificate{"another unit": other, "another relation": replace, "no event": broken} {
		if _, err = Combine(1e-6, a, c); err == nil {
			t.Errorf("%s: put together", name)
		}
	}
	if _, err = Combine(1e-6); err == nil {
		t.Error("nothing was put together")
	}
	if _, err = Combine(-1e-9, a); err == nil {
		t.Error("a delta below 0 was taken")
	}
}

package pair

import (
	"math"
	"testing"
)

// TestFaintWeightsKeepTheirLogarithm holds tails and losses of copies whose weight is subnormal: math.Log gives about -709
// for all such numbers on amd64.
func TestFaintWeightsKeepTheirLogarithm(t *testing.T) {
	const weight, log = 1e-320, -736.827250574 // of float64 nearest to 1e-320
	c, err := NewCurve(Sampled(Normal, 1, weight))
	if err != nil {
		t.Fatal(err)
	}
	if p, _ := c.LogTails(800, false); math.Abs(p-(log+logNormalTail(799))) > 1e-3 {
		t.Errorf("log P(X ≥ 800) is %v, want %v", p, log+logNormalTail(799))
	}
	if got := c.Loss(60); math.Abs(got-0) > 1e-12 {
		t.Errorf("the loss at 60 is %v, want 0", got)
	}
	if got, want := c.Loss(800), log+799.5; math.Abs(got-want) > 1e-3 {
		t.Errorf("the loss at 800 is %v, want %v", got, want)
	}
	if got := (Atom{P: weight, Q: 1}).Loss(); math.Abs(got-log) > 1e-3 {
		t.Errorf("the loss of an atom is %v, want %v", got, log)
	}
	if got := (Atom{P: 1, Q: weight}).Loss(); math.Abs(got+log) > 1e-3 {
		t.Errorf("the loss of an atom is %v, want %v", got, -log)
	}
}

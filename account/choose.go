package account

import (
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// For returns the accountant that prices an event best. It is GDP, which is exact, when the event
// amounts to Gaussian releases alone. It is PLD where all parts have dominating pairs, and RDP
// otherwise.
func For(e mechanism.Event) Accountant {
	if all, err := ways(e); err == nil && isParallel(e) {
		return forAll(all)
	}
	for _, n := range []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ZeroOut, privacy.ReplaceOne} {
		c, err := compose(e, n)
		if check(e, n) != nil {
			continue
		}
		switch {
		case err != nil:
			return RDP{}
		case c.gaussian || c.open:
			return gaussianDP{}
		}
		return lossDistributions{}
	}
	return gaussianDP{}
}

// ForDelta returns the accountant that prices an event best at a delta: Basic at delta 0, else For.
//
// At delta 0 the epsilon of a composition of private releases is the largest loss that any output
// shows. It is at most the sum of the releases' epsilons. It equals the sum where one pair of
// neighbors brings every release to its largest loss at once. For Laplace releases a record at its
// bound in all of them is such a pair. Releases without epsilon at delta 0, such as Gaussian ones,
// cost +Inf.
func ForDelta(e mechanism.Event, delta float64) Accountant {
	if delta == 0 {
		return basicComposition{}
	}
	return For(e)
}

// forAll returns the accountant that prices all of several events. PLD also prices Gaussian
// releases, and RDP prices what PLD prices.
func forAll(events []mechanism.Event) Accountant {
	var chosen Accountant = gaussianDP{}
	for _, e := range events {
		switch For(e).(type) {
		case RDP:
			return RDP{}
		case lossDistributions:
			chosen = lossDistributions{}
		}
	}
	return chosen
}

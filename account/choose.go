package account

import (
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// For returns the recommended accountant for an event. It is GDP, which is exact, if the event is
// equivalent to Gaussian releases. Otherwise it is PLD if every part of the event has a dominating
// pair. For all other events it is RDP.
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

// ForDelta returns the recommended accountant for an event at a delta. It is Basic at delta 0, else
// the result of For.
//
// At delta 0 the epsilon of a composition is its largest privacy loss. Basic bounds it by the sum
// of the releases' epsilons. The sum is exact if one pair of neighbors attains the largest loss of
// every release at once. Laplace releases have such a pair if one record can reach the bound of
// every release. Releases without a finite epsilon at delta 0, such as Gaussian ones, cost +Inf.
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

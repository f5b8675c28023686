package account

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Interval is an estimate of a number and two proven bounds on the number. The number is at least
// Lower and at most Upper. Estimate lies between the bounds and is not proven. Claim Upper only.
type Interval struct{ Lower, Estimate, Upper float64 }

// Accountant computes the privacy cost of events. Implementations are safe for concurrent use.
type Accountant interface {
	// Name returns the accountant's name in flags and certificates.
	Name() string
	// Epsilon returns bounds on the smallest epsilon, in nats, for which the event is (epsilon,
	// delta)-private under the relation. They are +Inf if there is no such epsilon. An event for
	// which the accountant has no proof is an error.
	Epsilon(e mechanism.Event, delta float64, n privacy.Neighboring) (Interval, error)
	// Delta returns bounds on the smallest delta for which the event is (epsilon, delta)-private
	// under the relation. Epsilon is in nats. An event for which the accountant has no proof is an
	// error.
	Delta(e mechanism.Event, epsilon float64, n privacy.Neighboring) (Interval, error)
}

// check refuses arguments that make no sense, before any accountant uses them.
func check(e mechanism.Event, n privacy.Neighboring) error {
	if !n.Valid() {
		return fmt.Errorf("account: neighboring is %v, want a named relation", n)
	}
	if err := mechanism.CheckEvent(e); err != nil {
		return err
	}
	return mechanism.CheckNeighboring(e, n)
}

// unsupported is the error of an accountant without a proof for a simple event.
func unsupported(accountant string, e mechanism.Event) error {
	return fmt.Errorf("account: accountant %s has no proof for %v", accountant, e)
}

// smallestDelta is where float64 begins to lose digits, with room for divisions of δ by
// accountants.
const smallestDelta = 1e-307

func checkDelta(delta float64) error {
	if !(delta >= 0 && delta < 1) {
		return fmt.Errorf("account: delta is %v, want at least 0 and less than 1", delta)
	}
	if delta > 0 && delta < smallestDelta {
		return fmt.Errorf("account: delta is %v, want 0 or at least %v; prices at smaller numbers are not certain", delta, smallestDelta)
	}
	return nil
}

func checkEpsilon(epsilon float64) error {
	if !(epsilon >= 0) {
		return fmt.Errorf("account: epsilon is %v, want at least 0", epsilon)
	}
	return nil
}

// largestEpsilon is where profiles end. δ falls in ε, so δ at largestEpsilon bounds δ beyond it.
const largestEpsilon = 1e100

// within returns a finite ε moved to where float64 can still square it.
func within(epsilon float64) float64 {
	if math.IsInf(epsilon, 1) {
		return epsilon
	}
	return min(epsilon, largestEpsilon)
}

package account

import (
	"errors"
	"fmt"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/numeric"
	"github.com/ditherml/dither/privacy"
)

// Interval holds a quantity between two proven bounds: Lower ≤ truth ≤ Upper, with an
// estimate between them. Upper is what may be claimed.
type Interval struct{ Lower, Estimate, Upper float64 }

// Accountant prices events. Implementations are safe for concurrent use.
type Accountant interface {
	// Name returns the accountant's name as flags and certificates spell it.
	Name() string
	// Epsilon returns the smallest epsilon, in nats, for which the event is
	// (epsilon, delta)-private under the relation; +Inf where there is none.
	Epsilon(e mechanism.Event, delta float64, n privacy.Neighboring) (Interval, error)
	// Delta returns the smallest delta for an epsilon.
	Delta(e mechanism.Event, epsilon float64, n privacy.Neighboring) (Interval, error)
}

// ErrUnreachable is returned by Calibrate when no parameter in range meets the target.
var ErrUnreachable = errors.New("account: no noise in range meets the target")

const (
	calibrateLow, calibrateHigh = 1e-6, 1e9
	calibrateTolerance          = 1e-12
)

// Calibrate returns the smallest parameter, to a relative 1e-12, for which plan's event
// meets the target under accountant a; the result is on the private side. The event
// must cost less as the parameter grows, as it does when the parameter is a noise
// multiplier. Parameters are searched between 1e-6 and 1e9.
func Calibrate(a Accountant, target privacy.Guarantee, plan func(parameter float64) mechanism.Event) (float64, error) {
	if !target.Private() {
		return 0, fmt.Errorf("account: the target is %v, want a finite epsilon", target)
	}
	var failure error
	tooWeak := func(parameter float64) bool {
		v, err := a.Epsilon(plan(parameter), target.Delta(), target.Neighboring())
		if err != nil {
			failure = err
		}
		return !(v.Upper <= target.Epsilon())
	}
	if tooWeak(calibrateHigh) {
		return 0, errors.Join(ErrUnreachable, failure)
	}
	if !tooWeak(calibrateLow) {
		return calibrateLow, failure
	}
	weak := numeric.BisectLog(calibrateLow, calibrateHigh, calibrateTolerance, tooWeak)
	parameter := weak * (1 + calibrateTolerance)
	for tooWeak(parameter) {
		parameter *= 1 + calibrateTolerance
	}
	if failure != nil {
		return 0, failure
	}
	return parameter, nil
}

// check refuses arguments that make no sense, before any accountant looks at them.
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

func checkDelta(delta float64) error {
	if !(delta >= 0 && delta < 1) {
		return fmt.Errorf("account: delta is %v, want at least 0 and less than 1", delta)
	}
	return nil
}

func checkEpsilon(epsilon float64) error {
	if !(epsilon >= 0) {
		return fmt.Errorf("account: epsilon is %v, want at least 0", epsilon)
	}
	return nil
}

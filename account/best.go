package account

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Best is the accountant that combines all others. It returns the least of their upper bounds and
// the largest of their lower bounds. If PLD prices the event, the estimate of Best is the estimate
// of PLD. Otherwise it is the estimate of the first accountant of All that prices the event. An
// estimate outside the combined bounds becomes the nearest bound.
var Best leastBound

// leastBound is the type of Best.
type leastBound struct{}

var _ Accountant = leastBound{}

// Name returns "best".
func (leastBound) Name() string { return "best" }

// All returns one accountant of each kind. The default, PLD, is first, and Best is last.
func All() []Accountant {
	return []Accountant{lossDistributions{}, RDP{}, concentratedDP{}, gaussianDP{}, basicComposition{}, advancedComposition{}, leastBound{}}
}

// Named returns the accountant with this name. An unknown name is an error that lists the known
// names.
func Named(name string) (Accountant, error) {
	names := []string{}
	for _, a := range All() {
		if a.Name() == name {
			return a, nil
		}
		names = append(names, a.Name())
	}
	return nil, fmt.Errorf("account: accountant is %q, want one of %s", name, strings.Join(names, ", "))
}

// Epsilon returns the best bounds on epsilon. It is an error if no accountant has a proof.
func (leastBound) Epsilon(e mechanism.Event, delta float64, n privacy.Neighboring) (Interval, error) {
	if err := checkDelta(delta); err != nil {
		return Interval{}, err
	}
	return best(e, n, func(a Accountant) (Interval, error) { return a.Epsilon(e, delta, n) })
}

// Delta returns the best bounds on delta. It is an error if no accountant has a proof.
func (leastBound) Delta(e mechanism.Event, epsilon float64, n privacy.Neighboring) (Interval, error) {
	if err := checkEpsilon(epsilon); err != nil {
		return Interval{}, err
	}
	return best(e, n, func(a Accountant) (Interval, error) { return a.Delta(e, epsilon, n) })
}

func best(e mechanism.Event, n privacy.Neighboring, ask func(Accountant) (Interval, error)) (Interval, error) {
	if err := check(e, n); err != nil {
		return Interval{}, err
	}
	answer, estimated := Interval{0, math.Inf(1), math.Inf(1)}, false
	var reasons []error
	for _, a := range All() {
		if a.Name() == (leastBound{}).Name() {
			continue
		}
		v, err := ask(a)
		if err != nil {
			if !slices.ContainsFunc(reasons, func(known error) bool { return known.Error() == err.Error() }) {
				reasons = append(reasons, err)
			}
			continue
		}
		answer.Lower, answer.Upper = max(answer.Lower, v.Lower), min(answer.Upper, v.Upper)
		if !estimated {
			answer.Estimate, estimated = v.Estimate, true
		}
	}
	if !estimated {
		return Interval{}, errors.Join(reasons...)
	}
	answer.Estimate = max(answer.Lower, min(answer.Upper, answer.Estimate))
	return answer, nil
}

package account

import (
	"errors"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// ErrUnreachable is the error of a calibration if no parameter in its range meets the target.
var ErrUnreachable = errors.New("account: no parameter in range meets the target")

const (
	calibrateLow, calibrateHigh = 1e-6, 1e9
	// calibrateTolerance is the relative accuracy of a parameter.
	calibrateTolerance = 1e-12
	// maxBackOff is the largest relative move from a parameter that meets the estimate to one that
	// meets the proven bound.
	maxBackOff = 0.1
	// nearTarget is the relative distance of a proven cost from the target at which a search ends.
	// closerTries is the largest number of costs computed for that.
	nearTarget, closerTries = 5e-4, 12
)

// Calibrate returns the smallest parameter from 1e-6 to 1e9 at which an event meets the target
// under accountant a. The function plan returns the event for a parameter. The cost of the event
// must fall as the parameter grows, for example if the parameter is a noise multiplier. The proven
// upper bound of the cost never exceeds the target. The bound reaches the target within a relative
// error. For exact accountants the relative error is 1e-12. For other accountants it is 1e-3 or the
// relative width of their interval, whichever is larger. If no parameter meets the target, the
// error wraps ErrUnreachable.
func Calibrate(a Accountant, target privacy.Guarantee, plan func(parameter float64) mechanism.Event) (float64, error) {
	s, err := newSearch(a, target, plan)
	if err != nil {
		return 0, err
	}
	return s.least(calibrateLow, calibrateHigh)
}

// CalibrateLargest returns the largest parameter in [low, high] at which an event meets the target
// under accountant a. The function plan returns the event for a parameter. Both ends must be
// positive and finite. The cost of the event must rise as the parameter grows, for example if the
// parameter is a sampling probability. If no parameter meets the target, the error wraps
// ErrUnreachable.
func CalibrateLargest(a Accountant, target privacy.Guarantee, low, high float64, plan func(parameter float64) mechanism.Event) (float64, error) {
	if !(low > 0 && low <= high) || math.IsInf(high, 1) {
		return 0, fmt.Errorf("account: parameters are from %v to %v, want positive finite ends in order", low, high)
	}
	s, err := newSearch(a, target, func(x float64) mechanism.Event { return plan(max(low, min(high, 1/x))) })
	if err != nil {
		return 0, err
	}
	x, err := s.least(1/high, 1/low)
	return max(low, min(high, 1/x)), err
}

// CalibrateCount returns the largest count from 1 to limit at which an event meets the target under
// accountant a. The function plan returns the event for a count. An example of a count is the
// number of training steps. The cost of the event must rise with the count. If even a count of 1
// exceeds the target, the error wraps ErrUnreachable.
func CalibrateCount(a Accountant, target privacy.Guarantee, limit int, plan func(count int) mechanism.Event) (int, error) {
	s, err := newSearch(a, target, func(x float64) mechanism.Event { return plan(int(x)) })
	if err != nil {
		return 0, err
	}
	if limit < 1 {
		return 0, fmt.Errorf("account: limit of the count is %d, want at least 1", limit)
	}
	if !s.proven(1) {
		return 0, s.unreachable()
	}
	low, high := 1, limit+1 // the target is met at low, beyond it at high
	for step := 1; low+step < high; step *= 2 {
		if !s.quick(float64(low + step)) {
			high = low + step
			break
		}
		low += step
	}
	for high-low > 1 {
		if mid := low + (high-low)/2; s.quick(float64(mid)) {
			low = mid
		} else {
			high = mid
		}
	}
	for step := 1 + low/100000; low > 1 && !s.proven(float64(low)); step *= 2 {
		low = max(1, low-step)
	}
	return low, nil
}

// search finds the parameter at which a cost meets a target.
type search struct {
	accountant Accountant
	target     privacy.Guarantee
	plan       func(float64) mechanism.Event
	known      map[float64]float64 // estimates so far
	failure    error
}

// estimator is an accountant whose estimate takes much less time than its bounds.
type estimator interface {
	estimateEpsilon(e mechanism.Event, delta float64, n privacy.Neighboring) (float64, error)
}

func newSearch(a Accountant, target privacy.Guarantee, plan func(float64) mechanism.Event) (*search, error) {
	if !target.Private() {
		return nil, fmt.Errorf("account: the target is %v, want a finite epsilon", target)
	}
	return &search{accountant: a, target: target, plan: plan, known: map[float64]float64{}}, nil
}

func (s *search) unreachable() error { return errors.Join(ErrUnreachable, s.failure) }

// upper returns the proven epsilon at a parameter, +Inf where there is none.
func (s *search) upper(parameter float64) float64 {
	v, err := s.accountant.Epsilon(s.plan(parameter), s.target.Delta(), s.target.Neighboring())
	if err != nil {
		s.failure = err
		return math.Inf(1)
	}
	return v.Upper
}

func (s *search) proven(parameter float64) bool { return s.upper(parameter) <= s.target.Epsilon() }

// estimate returns a quick estimate of epsilon at a parameter, or the proven epsilon where the
// accountant has no quick one.
func (s *search) estimate(parameter float64) float64 {
	v, ok := s.known[parameter]
	if !ok {
		v = s.estimateOnce(parameter)
		s.known[parameter] = v
	}
	return v
}

func (s *search) estimateOnce(parameter float64) float64 {
	if quick, ok := s.accountant.(estimator); ok {
		if v, err := quick.estimateEpsilon(s.plan(parameter), s.target.Delta(), s.target.Neighboring()); err == nil {
			return v
		}
	}
	return s.upper(parameter)
}

func (s *search) quick(parameter float64) bool {
	return s.estimate(parameter) <= s.target.Epsilon()
}

// least returns the smallest parameter in range that meets the target.
func (s *search) least(low, high float64) (float64, error) {
	weak, strong, ok := s.bracket(low, high)
	if !ok {
		return 0, s.unreachable()
	}
	parameter := strong
	if weak < strong {
		parameter = s.root(weak, strong)
	}
	first := s.upper(parameter)
	if first <= s.target.Epsilon() {
		return s.closer(parameter, first, low), nil
	}
	// The proven bound lies a little above the estimate: move on in proportion to the excess.
	for move := max(4*calibrateTolerance, 1.2*(first/s.target.Epsilon()-1)); move < maxBackOff; move *= 2 {
		if moved := min(high, parameter*(1+move)); s.proven(moved) {
			return moved, nil
		}
	}
	if s.proven(high) {
		return s.bisect(parameter, high), nil
	}
	return 0, s.unreachable()
}

// closer moves a parameter that meets the target down until its proven cost is within nearTarget of
// the target. It is for pairs that dominate without being attained, whose estimate lies above the
// proven bound.
func (s *search) closer(parameter, cost, low float64) float64 {
	weak := 0.0
	for try := 0; try < closerTries && cost < (1-nearTarget)*s.target.Epsilon() && parameter > low; try++ {
		next := max(low, parameter*cost/s.target.Epsilon())
		if weak > 0 {
			next = max(next, math.Sqrt(weak*parameter))
		}
		if v := s.upper(next); v <= s.target.Epsilon() {
			parameter, cost = next, v
		} else {
			weak = next
		}
	}
	return parameter
}

// bisect returns the strong end of a bracket of 1e-4. It is for bounds far above their estimate.
func (s *search) bisect(weak, strong float64) float64 {
	for strong/weak-1 > 1e-4 {
		if mid := math.Sqrt(weak) * math.Sqrt(strong); s.proven(mid) {
			strong = mid
		} else {
			weak = mid
		}
	}
	return strong
}

// bracket returns a parameter that is too weak and one that meets the target. Both are equal when
// the least parameter in range meets the target. It walks from 1 by growing factors.
func (s *search) bracket(low, high float64) (weak, strong float64, ok bool) {
	at, factor := max(low, min(high, 1)), 2.0
	if s.quick(at) {
		for at > low {
			below := max(low, at/factor)
			if !s.quick(below) {
				return below, at, true
			}
			at, factor = below, factor*factor
		}
		return at, at, true
	}
	for at < high {
		above := min(high, at*factor)
		if s.quick(above) {
			return at, above, true
		}
		at, factor = above, factor*factor
	}
	return 0, 0, false
}

// root narrows a bracket and returns its strong end. It works in the logarithm of the parameter,
// where log ε is nearly straight.
func (s *search) root(weak, strong float64) float64 {
	tolerance := calibrateTolerance
	if _, quick := s.accountant.(estimator); quick {
		tolerance = 1e-8 // the estimate is no more accurate than that
	}
	low, high := math.Log(weak), math.Log(strong)
	parameter := func(x float64) float64 {
		switch x {
		case low:
			return weak
		case high:
			return strong
		}
		return math.Exp(x)
	}
	return parameter(special.Crossing(high, low, tolerance, func(x float64) float64 {
		return math.Log(max(s.estimate(parameter(x)), 1e-15) / s.target.Epsilon())
	}))
}

package model

import (
	"fmt"
	"strings"
)

// LossSpec names a loss and its parameters, as flags and files have them. A parameter that is 0 takes
// the loss's default.
type LossSpec struct {
	Name string `json:"name"`
	// Width of huber, hinge and quantile, in units of the score.
	Width float64 `json:"width,omitempty"`
	// Quantile of the loss of that name, between 0 and 1.
	Quantile float64 `json:"quantile,omitempty"`
	// Middle of the target's range in units of half of it, for poisson; see OverTarget.
	Middle float64 `json:"middle,omitempty"`
}

// parametrized is a loss with parameters.
type parametrized interface {
	// with returns the loss with the parameters of the spec that are not 0.
	with(s LossSpec) (Loss, error)
	// describe writes the parameters to the spec.
	describe(s *LossSpec)
}

// losses is the table of losses with their default parameters; a new one is one file and one line here.
var losses = []Loss{logistic{}, hinge{defaultHingeWidth}, softmax{}, oneVsRest{}, huber{defaultHuberWidth}, squared{}, squaredClasses{},
	smoothedQuantile{defaultQuantile, defaultQuantileWidth}, poisson{1}}

// Losses returns one of each loss, for listings and conformance tests.
func Losses() []Loss { return append([]Loss(nil), losses...) }

// Loss returns the loss that the spec names. Its error lists the names there are.
func (s LossSpec) Loss() (Loss, error) {
	for _, l := range losses {
		if l.Name() != s.Name {
			continue
		}
		if p, ok := l.(parametrized); ok {
			return p.with(s)
		}
		return l, nil
	}
	return nil, fmt.Errorf("model: loss is %q, want %s", s.Name, lossNames(func(Loss) bool { return true }))
}

// SpecOf returns the spec of a loss. A loss of your own has a name only, and an error: it cannot be written
// to a file.
func SpecOf(l Loss) (LossSpec, error) {
	s := LossSpec{Name: l.Name()}
	if p, ok := l.(parametrized); ok {
		p.describe(&s)
	}
	if got, err := s.Loss(); err != nil || got != l {
		return s, fmt.Errorf("model: loss %s is not one that files know, want %s", l.Name(), lossNames(func(Loss) bool { return true }))
	}
	return s, nil
}

// overRange is a loss that depends on the range of the target.
type overRange interface {
	over(low, high float64) (Loss, error)
}

// OverTarget returns the loss for a numeric target that is declared to lie between low and high; most
// losses do not depend on it.
func OverTarget(l Loss, low, high float64) (Loss, error) {
	if r, ok := l.(overRange); ok {
		return r.over(low, high)
	}
	return l, nil
}

// lossNames lists the losses that are wanted, as in "a, b or c".
func lossNames(wanted func(Loss) bool) string {
	var names []string
	for _, l := range losses {
		if wanted(l) {
			names = append(names, l.Name())
		}
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// oneForNumbers, oneForTwo and oneForEach are the number of scores of losses of numeric targets, of
// two classes and of any classes. They are 0 where the loss is for other targets.
func oneForNumbers(classes int) int {
	if classes == 0 {
		return 1
	}
	return 0
}

func oneForTwo(classes int) int {
	if classes == 2 {
		return 1
	}
	return 0
}

func oneForEach(classes int) int {
	if classes < 2 {
		return 0
	}
	return classes
}

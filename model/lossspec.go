package model

import (
	"fmt"
	"strings"
)

// LossSpec is the name of a loss with the parameters of the loss, as in flags and files. If a
// parameter is 0, the loss uses its default.
type LossSpec struct {
	// Name is the name of the loss, such as "huber".
	Name string `json:"name"`
	// Width is the argument width of the functions Huber, Hinge and Quantile, in units of the
	// score. 0 means the default of the loss.
	Width float64 `json:"width,omitempty"`
	// Quantile is the argument quantile of the function Quantile, between 0 and 1. 0 means the
	// default.
	Quantile float64 `json:"quantile,omitempty"`
	// Middle is used by the loss of the function Poisson only. It is the middle of the target's
	// declared range, in units of half the width of the range. LossFor sets it.
	Middle float64 `json:"middle,omitempty"`
}

// parametrized is a loss with parameters.
type parametrized interface {
	// with returns the loss with the parameters of the spec that are not 0.
	with(s LossSpec) (Loss, error)
	// describe writes the parameters to the spec.
	describe(s *LossSpec)
}

// losses is the table of losses with their default parameters. A new loss takes one file and one
// line here.
var losses = []Loss{logistic{}, hinge{defaultHingeWidth}, softmax{}, oneVsRest{}, huber{defaultHuberWidth}, squared{}, squaredClasses{},
	smoothedQuantile{defaultQuantile, defaultQuantileWidth}, poisson{1}}

// Losses returns one loss of each kind, with default parameters.
func Losses() []Loss { return append([]Loss(nil), losses...) }

// Loss returns the loss with the name and parameters of s. If the name is unknown, the error lists
// the known names.
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

// SpecOf returns the name and parameters of a loss. A loss that this package does not define is an
// error, because it cannot be written to a file.
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

// lossNames lists the wanted losses, as in "a, b or c".
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

// oneForNumbers, oneForTwo and oneForEach return the number of scores of losses for numeric
// targets, for two classes and for any classes. They return 0 if the loss is for other targets.
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

package erm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/mechanism"
)

// method is one way to find a private minimizer. A new method needs a file with its type, a section
// of Plan, and a line in the table.
type method interface {
	// name returns the method's name in flags, plans and certificates.
	name() string
	// summary returns a few words on what the method does.
	summary() string
	// plan fills in the method's section, with its noise, from public numbers. It returns an error
	// for requests that the method's theorem does not cover. It may change the model of the setup.
	plan(r Request, s *Setup) error
	// validate returns an error for a plan that the method's theorem does not cover, or whose
	// numbers are out of range. Methods event, draws and fit are called only for plans without such
	// an error.
	validate(p Plan) error
	// event returns the event of a plan, which is reserved and paid.
	event(p Plan) mechanism.Event
	// draws returns the number of random numbers that normal or continuous noise needs.
	draws(p Plan) int
	// steps returns the plan's releases in order, for people to read. The event has the same
	// releases.
	steps(p Plan) []step
	// facts returns the plan's other numbers, for people to read.
	facts(p Plan) []fact
	// fit pays for and makes the releases, and returns the weights, column after column. Its errors
	// do not depend on values of records.
	fit(ctx context.Context, f *fitting) ([]float64, error)
}

// step is one release of a plan.
type step struct {
	// Purpose describes the release in a few words.
	Purpose string
	Event   mechanism.Event
}

// fact is a public setting of a plan, as a name and a value for people to read.
type fact struct{ Name, Value string }

// methods is the table of methods, in the order in which Names returns them.
var methods = slices.Concat([]method{outputPerturbation{}, objectivePerturbation{}, exponential{}, zeroth{}, frankWolfe{}}, linearMethods(), []method{lbfgs{}})

// Names returns the names of all methods.
func Names() []string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.name()
	}
	return names
}

// Summary returns a short description of a method, or "" for an unknown name.
func Summary(name string) string {
	m, err := methodOf(name)
	if err != nil {
		return ""
	}
	return m.summary()
}

// Steps returns the releases of a valid plan, in order. It returns nil for an invalid plan.
func (p Plan) Steps() []step {
	if m, err := methodOf(p.Method); err == nil && m.validate(p) == nil {
		steps := m.steps(p)
		if p.Center != nil {
			steps = append([]step{{"mean row, for centering", p.centerNoise()}}, steps...)
		}
		return steps
	}
	return nil
}

// Facts returns the settings that are specific to the method of a valid plan, as names and values
// in words. It returns nil for an invalid plan.
func (p Plan) Facts() []fact {
	if m, err := methodOf(p.Method); err == nil && m.validate(p) == nil {
		return m.facts(p)
	}
	return nil
}

func methodOf(name string) (method, error) {
	for _, m := range methods {
		if m.name() == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("erm: method is %q, want one of %s", name, strings.Join(Names(), ", "))
}

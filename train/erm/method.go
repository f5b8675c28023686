package erm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/mechanism"
)

// method is one way to a private minimizer. A new method takes a file with its type, a section of
// Plan, and a line in the table.
type method interface {
	// name returns the method's name in flags, plans and certificates.
	name() string
	// summary returns a few words on what the method does.
	summary() string
	// plan fills in the method's section from public numbers, with its noise. It refuses requests
	// that the method's theorem does not cover. It may change the model of the setup.
	plan(r Request, s *Setup) error
	// validate refuses a plan whose numbers make no sense or are not covered. Methods event, draws
	// and fit are only called for plans that pass.
	validate(p Plan) error
	// event returns the event of a plan, which is reserved and paid.
	event(p Plan) mechanism.Event
	// draws returns how many random numbers of normal or continuous noise are drawn.
	draws(p Plan) int
	// steps lists the plan's releases in order for people to read. They are the releases in the
	// event.
	steps(p Plan) []step
	// facts lists the plan's other numbers for people to read.
	facts(p Plan) []fact
	// fit pays, releases, and returns the weights, column after column. Errors do not depend on
	// values of records.
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

// methods is the table of methods, in the order in which they are listed.
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

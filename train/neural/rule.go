package neural

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// level holds the public numbers that gradients are compared with in one step. They are fixed
// before the step.
type level struct {
	// norm is the clipping norm. threshold is the norm up to which the global rules keep a
	// gradient.
	norm, threshold float64
	// stability is the constant of the rules that divide by the norm.
	stability float64
}

// rule is a way to bound gradients. It proposes weights, and the sum verifies the weighted
// gradient, so no rule is trusted. A new rule takes a file with its type and a line in the table.
type rule interface {
	// name returns the rule's name in flags, plans and certificates.
	name() string
	// weight returns the factor of a gradient of this norm. The norm is finite and not negative.
	// The product must not be longer than the clipping norm.
	weight(norm float64, l level) float64
	// needs returns the parameters that the rule takes.
	needs() parameters
}

// parameters are the parameters of Clipping that belong to a rule. The others must be 0.
type parameters struct {
	stability, threshold, adaptive, projection bool
}

// adapting is a rule whose level follows from released counts. Every sum of gradients comes with
// the noisy number of records within the level, from the same sample.
type adapting interface {
	rule
	// within reports whether a gradient of this norm counts.
	within(norm float64, l level) bool
	// adapt returns the level of the next step. The share is the released share of the records that
	// were within.
	adapt(l level, share float64, a adaptivity) level
}

// rules is the table of clipping rules, in the order of option.ClippingRules.
var rules = []rule{flat{}, automaticS{}, automaticV{}, psac{}, global{}, globalAdaptive{}, quantile{}, projected{}}

// ruleNames lists the clipping rules.
func ruleNames() []string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.name()
	}
	return names
}

func ruleOf(name string) (rule, error) {
	at := slices.IndexFunc(rules, func(r rule) bool { return r.name() == name })
	if at < 0 {
		return nil, fmt.Errorf("neural: clipping rule is %q, want one of %s", name, strings.Join(ruleNames(), ", "))
	}
	return rules[at], nil
}

// weighted returns the weight of a gradient with any norm. It is 0 for a norm that is NaN or
// infinite.
func weighted(r rule, norm float64, l level) float64 {
	if !(norm <= math.MaxFloat64) {
		return 0
	}
	w := r.weight(norm, l)
	if !(w >= 0 && w <= math.MaxFloat64) {
		return 0
	}
	return w
}

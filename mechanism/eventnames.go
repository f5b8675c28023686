package mechanism

import (
	"slices"

	"github.com/ditherml/dither/privacy"
)

// eventReaders holds, by name, the reader of each event's arguments. It is filled in init because
// the readers of sampled events refer to it.
var eventReaders map[string]func(*eventParser) Event

func init() {
	eventReaders = map[string]func(*eventParser) Event{
		"gaussian": func(p *eventParser) Event { return Gaussian{p.multiplier()} },
		"laplace":  func(p *eventParser) Event { return Laplace{p.multiplier()} },
		"k-norm":   func(p *eventParser) Event { return KNorm{p.multiplier()} },
		"discrete-gaussian": func(p *eventParser) Event {
			return DiscreteGaussian{p.number("a standard deviation"), p.count64("a sensitivity")}
		},
		"discrete-laplace":    func(p *eventParser) Event { return DiscreteLaplace{p.number("a scale"), p.count64("a sensitivity")} },
		"non-private":         func(*eventParser) Event { return NonPrivate{} },
		"poisson":             func(p *eventParser) Event { return PoissonSampled{p.probability(), p.part()} },
		"without-replacement": func(p *eventParser) Event { return WithoutReplacement{p.records(), p.count("a batch"), p.part()} },
		"with-replacement":    func(p *eventParser) Event { return WithReplacement{p.records(), p.count("a batch"), p.part()} },
		"truncated-poisson": func(p *eventParser) Event {
			return TruncatedPoisson{p.probability(), p.records(), p.count("a largest batch"), p.part()}
		},
		"partition":         func(p *eventParser) Event { return Partition{p.count("a number of parts"), p.part()} },
		"random-allocation": func(p *eventParser) Event { return RandomAllocation{p.steps(), p.part()} },
		"adaptive-clipping": func(p *eventParser) Event { return AdaptiveClipping{p.multiplier(), p.number("a count noise")} },
		"jl-clipping": func(p *eventParser) Event {
			return JLClipping{p.multiplier(), p.count("a number of projections"), p.number("a cap"), p.probability()}
		},
		"mixture-of-gaussians": (*eventParser).mixture,
		"last-iterate":         func(p *eventParser) Event { return LastIterate{p.multiplier(), p.number("a contraction"), p.steps()} },
		"last-iterate-convex":  func(p *eventParser) Event { return LastIterateConvex{p.multiplier(), p.number("a reach"), p.steps()} },
		"tree-aggregation":     func(p *eventParser) Event { return TreeAggregation{p.multiplier(), p.steps()} },
		"banded-matrix": func(p *eventParser) Event {
			return BandedMatrix{p.multiplier(), p.count("a number of bands"), p.steps(), p.probability()}
		},
		"objective-perturbation": func(p *eventParser) Event {
			return ObjectivePerturbation{p.multiplier(), p.number("a smoothness")}
		},
		"repeat-and-select": func(p *eventParser) Event { return RepeatAndSelect{p.number("a shape"), p.number("a mean"), p.part()} },
		"randomized-response": func(p *eventParser) Event {
			return RandomizedResponse{p.probability(), p.count("a number of outcomes")}
		},
		"exponential":      func(p *eventParser) Event { return Exponential{p.number("an epsilon")} },
		"permute-and-flip": func(p *eventParser) Event { return PermuteAndFlip{p.number("an epsilon")} },
		"assumed-dp": func(p *eventParser) Event {
			return AssumedDP{p.number("an epsilon"), p.number("a delta"), p.relation()}
		},
		"assumed-zcdp": func(p *eventParser) Event { return AssumedZCDP{p.number("a rho"), p.relation()} },
		"assumed-xi-zcdp": func(p *eventParser) Event {
			return AssumedXiZCDP{p.number("a xi"), p.number("a rho"), p.relation()}
		},
		"repeat":   (*eventParser).repeat,
		"sequence": (*eventParser).sequence,
		"parallel": (*eventParser).parallel,
	}
}

// EventNames returns the names of all events that ParseEvent knows, sorted.
func EventNames() []string {
	names := make([]string, 0, len(eventReaders))
	for name := range eventReaders {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (p *eventParser) multiplier() float64  { return p.number("a noise multiplier") }
func (p *eventParser) probability() float64 { return p.number("a probability") }
func (p *eventParser) records() int         { return p.count("a number of records") }
func (p *eventParser) steps() int           { return p.count("a number of steps") }

func (p *eventParser) relation() privacy.Neighboring {
	p.argument("a relation")
	n, err := privacy.ParseNeighboring(p.word())
	if err != nil {
		p.want("a relation before it")
	}
	return n
}

func (p *eventParser) mixture() Event {
	m := MixtureOfGaussians{NoiseMultiplier: p.multiplier()}
	for p.more() {
		m.Sensitivities = append(m.Sensitivities, p.number("a sensitivity"))
		m.Probabilities = append(m.Probabilities, p.probability())
	}
	return m
}

func (p *eventParser) repeat() Event {
	count := p.count("a count")
	return Repeat{p.part(), count}
}

func (p *eventParser) sequence() Event {
	s := Sequence{}
	for p.more() {
		s = append(s, p.part())
	}
	return s
}

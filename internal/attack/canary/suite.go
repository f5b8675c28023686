package canary

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/neural"
)

// delta is the δ of all plans under attack.
const delta = 1e-5

// planned is a run with canaries before its coins. It depends on public numbers alone.
type planned struct {
	event    mechanism.Event
	relation privacy.Neighboring
	delta    float64
	// independent says that the scores of a run are independent of each other.
	independent bool
	run         func(ctx context.Context) (audit.Scores, error)
	training    *training // nil where each canary has a run of its own
}

// training is a run of all canaries together.
type training struct {
	world *world
	run   func(ctx context.Context, fresh *world) (trace, error)
	score func(t trace) func(level int) float64
}

// train returns p with a training on fresh coins.
func (p planned) train(t training) planned {
	p.training = &t
	p.run = func(ctx context.Context) (audit.Scores, error) {
		fresh := t.world.again()
		seen, err := t.run(ctx, fresh)
		if err != nil {
			return audit.Scores{}, err
		}
		return fresh.scores(t.score(seen)), nil
	}
	return p
}

// plan plans a run with this many canaries.
type plan func(canaries int) (planned, error)

// setting is a run under attack.
type setting struct {
	name  string
	share float64 // of the canaries of a full audit
	plan  plan
}

// settings are the runs under attack: gradient descent at several ε, relations and noises, and every
// kind in turn.
func settings() []setting {
	const one, replace = privacy.AddOrRemoveOne, privacy.ReplaceOne
	list := []setting{}
	descent := func(name string, r train.Request) {
		r.ClippingNorm = clip
		list = append(list, setting{"descent, " + name, 1, linear(func(int) train.Request { return r })})
	}
	for _, epsilon := range []float64{1, 2, 4, 8} {
		descent(fmt.Sprintf("all records, epsilon %v", epsilon), train.Request{Epsilon: epsilon, Neighboring: one, Steps: 4})
	}
	descent("replace-one", train.Request{Epsilon: 4, Neighboring: replace, Steps: 4})
	descent("zero-out", train.Request{Epsilon: 4, Neighboring: privacy.ZeroOut, Steps: 4})
	descent("less noise in later steps", train.Request{Epsilon: 4, Neighboring: one, Steps: 6, NoiseContraction: 0.8})
	for _, k := range kinds() {
		if k.reason() == "" {
			list = append(list, setting{k.name(), k.share(), k.plan()})
		}
	}
	return list
}

// relation returns the relation of an attack on a kind: batches of one size and permuted records have
// a proof under replace-one alone.
func (k kind) relation() privacy.Neighboring {
	if k.sampling == option.SamplingFixedSize || k.clipping == option.SolverPermuted {
		return privacy.ReplaceOne
	}
	return privacy.AddOrRemoveOne
}

// plan returns the attack on a kind.
func (k kind) plan() plan {
	switch k.method {
	case option.MethodGD, option.MethodSGD:
		return linear(func(canaries int) train.Request { return k.descent(k.relation(), canaries) })
	case option.MethodNetwork:
		return networks(func(canaries int) neural.Request { return k.network(k.relation(), canaries) })
	case option.MethodQuery:
		return k.question()
	case option.MethodEvaluation:
		return k.measurement()
	}
	return minimizers(k.minimizer(k.relation()))
}

// Options are the settings of the attacks.
type Options struct {
	// Canaries is the number of canaries in the largest attacks.
	Canaries int
	// Alarm is the false-alarm probability of all attacks together.
	Alarm float64
	// Progress, if not nil, is called before each attack with its name and the finished share of
	// the attacks.
	Progress func(attack string, done float64)
	// Kept, if not nil, keeps plans and claims for the next attack with the same number of
	// canaries. They depend on public numbers only.
	Kept *Kept
}

// Kept holds plans and claims by name. Its zero value is empty. Only one attack at a time may use
// it.
type Kept struct {
	plans  map[string]planned
	claims map[string]auditing.Claim
}

// kept returns what was kept under a name, or makes it.
func kept[T any](all *map[string]T, name string, make func() (T, error)) (T, error) {
	if v, known := (*all)[name]; known {
		return v, nil
	}
	v, err := make()
	if err == nil {
		if *all == nil {
			*all = map[string]T{}
		}
		(*all)[name] = v
	}
	return v, err
}

// leastCanaries is how few canaries an attack has.
const leastCanaries = 20

// Attack attacks every kind of training. All attacks have equal shares of the false-alarm
// probability. It returns an error if a training fails or ctx ends.
func Attack(ctx context.Context, o Options) ([]auditing.Section, error) {
	list := settings()
	if o.Kept == nil {
		o.Kept = &Kept{}
	}
	var sections []auditing.Section
	for i, s := range list {
		if o.Progress != nil {
			o.Progress(s.name, float64(i)/float64(len(list)))
		}
		start := time.Now()
		section, err := s.attack(ctx, o, o.Alarm/float64(len(list)))
		if err != nil {
			return nil, fmt.Errorf("canaries: %s: %w", s.name, err)
		}
		section.Seconds = time.Since(start).Seconds()
		sections = append(sections, section)
	}
	return sections, nil
}

// attack runs with canaries and judges their scores.
func (s setting) attack(ctx context.Context, o Options, alarm float64) (auditing.Section, error) {
	canaries := max(leastCanaries, int(math.Ceil(float64(o.Canaries)*s.share)))
	p, err := kept(&o.Kept.plans, fmt.Sprint(s.name, " ", canaries), func() (planned, error) { return s.plan(canaries) })
	if err != nil {
		return auditing.Section{}, err
	}
	scores, err := p.run(ctx)
	if err != nil {
		return auditing.Section{}, err
	}
	claim, err := kept(&o.Kept.claims, fmt.Sprint(p.event, p.relation, p.delta), p.claim)
	if err != nil {
		return auditing.Section{}, err
	}
	return p.judge(s.name, claim, scores, alarm)
}

// claim returns the claim of a run.
func (p planned) claim() (auditing.Claim, error) {
	return auditing.EventClaim(p.event, p.relation, p.delta)
}

// judge judges the scores of a run by a claim.
func (p planned) judge(name string, claim auditing.Claim, scores audit.Scores, alarm float64) (auditing.Section, error) {
	a := auditing.Attack{Group: "canaries", Name: name, Design: audit.Design{Coins: true, Independent: p.independent}, Confidence: 1 - alarm}
	return a.OfScores(claim, scores)
}

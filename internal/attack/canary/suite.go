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
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// delta is the δ of all plans under attack.
const delta = 1e-5

// outcome is what a run with canaries gave.
type outcome struct {
	event    mechanism.Event
	relation privacy.Neighboring
	delta    float64
	scores   audit.Scores
}

// run trains on canaries.
type run func(ctx context.Context, canaries int) (outcome, error)

// setting is a training under attack.
type setting struct {
	name  string
	share float64 // of the canaries of a full audit
	run   run
}

// settings are the trainings under attack: methods, samplings, clipping rules, relations and units
// in turn.
func settings() []setting {
	const one, replace = privacy.AddOrRemoveOne, privacy.ReplaceOne
	list := []setting{}
	for _, epsilon := range []float64{1, 2, 4, 8} {
		list = append(list, setting{fmt.Sprintf("descent, all records, epsilon %v", epsilon), 1, linear(train.Request{Epsilon: epsilon, Neighboring: one, Steps: 4}, 1)})
	}
	list = append(list,
		setting{"descent, poisson samples", 1, linear(train.Request{Epsilon: 4, Neighboring: one, Steps: 8, SamplingProbability: 0.25}, 1)},
		setting{"descent, batches of one size", 1, linear(train.Request{Epsilon: 4, Neighboring: replace, Steps: 8, BatchSize: 250}, 1)},
		setting{"descent, parts in turn", 1, linear(train.Request{Epsilon: 4, Neighboring: one, Steps: 8, Parts: 4}, 1)},
		setting{"descent, replace-one", 1, linear(train.Request{Epsilon: 4, Neighboring: replace, Steps: 4}, 1)},
		setting{"descent, less noise in later steps", 1, linear(train.Request{Epsilon: 4, Neighboring: one, Steps: 6, NoiseContraction: 0.8}, 1)},
		setting{"descent, rows clipped", 1, linear(train.Request{Epsilon: 4, Neighboring: one, Steps: 4, ClippingMode: option.ClipExample}, 1)},
		setting{"descent, persons of three rows", 0.25, linear(train.Request{Epsilon: 4, Neighboring: one, Steps: 4}, 3)},
	)
	for _, rule := range []string{"flat", "auto-s", "quantile"} {
		list = append(list, setting{"network, " + rule + " clipping", 1, networks(neural.Request{Epsilon: 4, Neighboring: one, Steps: 4, Sampling: neural.Sampling{Kind: "full"}, Clipping: neural.ClippingRequest{Rule: rule}})})
	}
	list = append(list,
		setting{"network, poisson samples", 1, networks(neural.Request{Epsilon: 4, Neighboring: one, Steps: 8, Sampling: neural.Sampling{Kind: "poisson", Probability: 0.25}})},
		setting{"network, noise correlated over steps", 1, networks(neural.Request{Epsilon: 4, Neighboring: one, Steps: 8, Correlation: option.CorrelatedBanded, Sampling: neural.Sampling{Kind: "partition", Parts: 4}})},
	)
	for _, m := range []struct {
		name    string
		share   float64
		numeric bool
	}{{"output-perturbation", 0.05, false}, {"objective-perturbation", 0.003, false}, {"exponential", 0.05, false}, {"zeroth-order", 0.005, false}, {"frank-wolfe", 0.003, false},
		{"newton", 0.02, false}, {"least-squares", 0.05, false}, {"sufficient-statistics", 0.05, true}, {"adassp", 0.05, true}} {
		list = append(list, setting{"method " + m.name, m.share, minimizer(erm.Request{Method: m.name, Epsilon: 4, Neighboring: one}, m.numeric)})
	}
	return list
}

// Options say how large the attacks are.
type Options struct {
	// Canaries is how many canaries the largest attacks have.
	Canaries int
	// Alarm is the false-alarm probability of all attacks together.
	Alarm float64
	// Progress, if not nil, is told before each attack, and which share of them is done.
	Progress func(attack string, done float64)
}

// leastCanaries is how few canaries an attack has.
const leastCanaries = 20

// Attack attacks every kind of training. Each attack has one share of the false alarm. An error
// says that a training failed, or that ctx ended.
func Attack(ctx context.Context, o Options) ([]auditing.Section, error) {
	list := settings()
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

// attack trains on canaries and judges their scores.
func (s setting) attack(ctx context.Context, o Options, alarm float64) (auditing.Section, error) {
	found, err := s.run(ctx, max(leastCanaries, int(math.Ceil(float64(o.Canaries)*s.share))))
	if err != nil {
		return auditing.Section{}, err
	}
	return judge(s.name, found, alarm)
}

// judge judges the scores of a training by its claim.
func judge(name string, found outcome, alarm float64) (auditing.Section, error) {
	claim, err := auditing.EventClaim(found.event, found.relation, found.delta)
	if err != nil {
		return auditing.Section{}, err
	}
	a := auditing.Attack{Group: "canaries", Name: name, Design: audit.Design{Coins: true, Independent: true}, Confidence: 1 - alarm}
	return a.OfScores(claim, found.scores)
}

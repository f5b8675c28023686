package planaudit

import (
	"context"
	"fmt"
	"time"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/neural"
)

// tableOfModels is the schema of the trainings that FinalModels attacks.
const tableOfModels = `dither-schema: 1
row: one made-up record
max-records: 4000
target: {column: label, levels: ["no", "yes"]}
defaults: {missing: zero, out-of-range: clamp, unknown: other}
columns:
  x[0:8]: {numeric: [0, 1]}
  town: {levels: [here, there, elsewhere]}
  pay: {bounds: private, range: [0, 1000]}
`

// kindOfModel is a training whose final model is attacked.
type kindOfModel struct {
	name string
	plan func(s *data.Schema) (*Plan, error)
}

// kindsOfModels are trainings with everything that a plan may release before its steps, on samples,
// with a part held out, and of a network.
func kindsOfModels() []kindOfModel {
	const add = privacy.AddOrRemoveOne
	all := train.Request{Epsilon: 4, Delta: 1e-5, Neighboring: add, Steps: 20, Center: train.Yes, Whiten: train.Yes, Balance: true}
	samples := train.Request{Epsilon: 4, Delta: 1e-5, Neighboring: add, Steps: 20, SamplingProbability: 0.25}
	part := train.Request{Epsilon: 4, Delta: 1e-5, Neighboring: add, Steps: 20, Holdout: &train.HoldoutRequest{Share: 0.2}}
	layers := neural.Request{Epsilon: 4, Delta: 1e-5, Neighboring: add, Steps: 20, Sampling: neural.Sampling{Kind: "full"},
		Layers: network.Layers{network.Linear{Outputs: 16}, network.Activation{Function: "tanh"}, network.Linear{Outputs: 1}}}
	return []kindOfModel{
		{"descent with learned facts", func(s *data.Schema) (*Plan, error) { return descentOf(all, s) }},
		{"descent on samples", func(s *data.Schema) (*Plan, error) { return descentOf(samples, declared(s)) }},
		{"descent with a part held out", func(s *data.Schema) (*Plan, error) { return descentOf(part, declared(s)) }},
		{"network", func(s *data.Schema) (*Plan, error) { return networkOf(layers, declared(s)) }},
	}
}

// declared returns a schema without the column that is to be learned.
func declared(s *data.Schema) *data.Schema {
	out := *s
	out.Columns = s.Columns[:len(s.Columns)-1]
	return &out
}

// descentOf returns the plan of a request.
func descentOf(r train.Request, s *data.Schema) (*Plan, error) {
	setup, err := train.NewPlan(r, s)
	if err != nil {
		return nil, err
	}
	subject, err := ofPlan("", setup.Plan)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(subject)
	if err == nil {
		err = p.useDescent(setup)
	}
	return p, err
}

// networkOf is descentOf for a network.
func networkOf(r neural.Request, s *data.Schema) (*Plan, error) {
	setup, err := neural.NewSetup(r, s)
	if err != nil {
		return nil, err
	}
	subject, err := ofPlan("", setup.Plan)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(subject)
	if err == nil {
		err = p.useNetwork(setup)
	}
	return p, err
}

// Kept are plans of FinalModels by name, with their claims. They depend on public numbers alone. The
// zero value is empty. One audit at a time may use it.
type Kept struct{ plans map[string]*Plan }

// plan returns a kept plan, or makes it.
func (k *Kept) plan(of kindOfModel, s *data.Schema) (*Plan, error) {
	if p, known := k.plans[of.name]; known {
		return p, nil
	}
	p, err := of.plan(s)
	if err == nil {
		if k.plans == nil {
			k.plans = map[string]*Plan{}
		}
		k.plans[of.name] = p
	}
	return p, err
}

// FinalModels trains by a few plans on made-up records, with one canary in each run, and attacks the
// final models. All attacks together have the false-alarm probability. Progress is told what goes on
// and which share is done. Plans are kept for the next audit. An error says that a training failed,
// or that ctx ended.
func FinalModels(ctx context.Context, alarm float64, runs int, kept *Kept, progress func(what string, done float64)) ([]auditing.Section, error) {
	schema, err := data.ParseSchema("made up", []byte(tableOfModels))
	if err != nil {
		return nil, err
	}
	kinds := kindsOfModels()
	var sections []auditing.Section
	for i, k := range kinds {
		start := time.Now()
		p, err := kept.plan(k, schema)
		if err != nil {
			return nil, fmt.Errorf("models: %s: %w", k.name, err)
		}
		a := running{Plan: p, Options: Options{Runs: runs, Canaries: 1, Effort: 1}}
		section, err := a.finalModel(ctx, 1-alarm/float64(len(kinds)), func(_ string, done float64) {
			progress("models: "+k.name, (float64(i)+done)/float64(len(kinds)))
		})
		if err != nil {
			return nil, fmt.Errorf("models: %s: %w", k.name, err)
		}
		section.Group, section.Name, section.Seconds = "models", k.name, time.Since(start).Seconds()
		sections = append(sections, section)
	}
	return sections, nil
}

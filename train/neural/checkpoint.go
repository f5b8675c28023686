package neural

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/optimizer"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/ledger"
)

// Checkpoint is the state of a training between two steps. It contains only released numbers: no
// key, no sample and no noise. A training that continues from it draws new keys, samples and noise.
// A checkpoint is as public as the model.
type Checkpoint struct {
	// Plan is the plan of the training. It includes earlier runs of the training that were
	// interrupted.
	Plan Plan
	// Taken is the number of steps that led to this state. Ahead is an upper bound on the number of
	// further steps that the run may have made before it was interrupted. Ahead is 0 in a
	// checkpoint from the end of a run.
	Taken, Ahead int
	// Divisor is the declared or noisy number of records, by which sums are divided.
	Divisor float64
	// Levels has two numbers for each group of parameters: the clipping norm and the threshold of
	// the clipping rule.
	Levels [][2]float64
	// Weights are the trained parameters of the network.
	Weights []float64
	// Frozen are the frozen parameters of the network.
	Frozen []float32
	// Optimizers has the state of the optimizer of each group of parameters.
	Optimizers []optimizer.State
	// Averaged is the number of iterates in AverageSum.
	Averaged int
	// AverageSum is the sum of the iterates for an average of the weights. It is nil if the result
	// is not an average.
	AverageSum []float64
	// Paid are the records of a durable ledger that paid for the steps, oldest first. The last
	// record paid for the run that wrote the checkpoint. Paid is empty if no durable ledger counts
	// that run.
	Paid []certificate.LedgerRecord
	// Sign returns a signature of the SHA-256 of a checkpoint that is being written, made with the
	// key of the last record in Paid. Nil means that the checkpoint is not signed.
	Sign func(digest []byte) []byte
	// Digest is the SHA-256 of a checkpoint that was read. Signature is its signature. Both are nil
	// if the checkpoint is not signed.
	Digest, Signature []byte
	settings          settings // the options that the state belongs to
}

// settings are the options that a resumed run must share, with defaults filled in.
type settings struct {
	Optimizer    string  `json:"optimizer"`
	Momentum     float64 `json:"momentum"`
	LearningRate float64 `json:"learning-rate"`
	Schedule     string  `json:"schedule"`
	WarmUp       int     `json:"warm-up"`
	Average      string  `json:"average"`
	AverageDecay float64 `json:"average-decay"`
	Ridge        float64 `json:"ridge"`
	L1           float64 `json:"l1"`
	WeightDecay  float64 `json:"weight-decay"`
	FeatureBits  int     `json:"feature-bits"`
	// Rows is a hash of the schema, the transforms, the normalization of rows and the version of their rules.
	Rows string `json:"rows"`
}

// settings returns what a resumed run must share.
func (s Setup) settings(o Options) (settings, error) {
	line, err := optimizerOf(o.Optimizer)
	if err != nil {
		return settings{}, err
	}
	average, err := o.newAverage(s.Plan.Steps)
	if err != nil {
		return settings{}, err
	}
	rows, err := s.hashRows()
	return settings{line.name, o.momentum(), s.rate(o), o.schedule(), o.WarmUp, average.rule, average.decay,
		o.Ridge, o.L1, o.decay(line), cmp.Or(o.FeatureBits, 16), rows}, err
}

// hashRows returns a hash of what turns records into rows of the network.
func (s Setup) hashRows() (string, error) {
	schema, err := s.Schema.YAML()
	if err != nil {
		return "", fmt.Errorf("neural: schema: %w", err)
	}
	specs, err := json.Marshal(s.Features.Pipeline.Specs())
	if err != nil {
		return "", fmt.Errorf("neural: transforms: %w", err)
	}
	h := sha256.New()
	rows := *s.Features
	rows.Pipeline = nil
	fmt.Fprintf(h, "%d\n%s\n%s\n%+v", together.Uses, specs, schema, rows) // a hash accepts every write
	return hex.EncodeToString(h.Sum(nil)), nil
}

// state returns the checkpoint of the run at the current step. It shares the run's memory.
func (r *run) state(ahead int) *Checkpoint {
	c := &Checkpoint{Plan: r.Plan, Taken: r.taken, Ahead: ahead, Divisor: r.divisor, Weights: r.weights, Frozen: r.numbers[len(r.weights):],
		Averaged: r.average.count, AverageSum: r.average.sum, settings: r.shared}
	for _, l := range r.levels {
		c.Levels = append(c.Levels, [2]float64{l.norm, l.threshold})
	}
	for _, g := range r.groups {
		c.Optimizers = append(c.Optimizers, g.optimizer.State())
	}
	return c
}

// checkpoint hands out the state at the beginning of a run, every this number of steps, and at its
// end. The one at the beginning records a resumed run that stops before its next checkpoint.
func (r *run) checkpoint(end bool) error {
	if r.options.Checkpoint == nil {
		return nil
	}
	every := r.options.CheckpointEvery
	if every == 0 {
		every = max(1, r.Plan.Steps/100)
	}
	switch done := r.taken - r.Plan.kept(); {
	case end:
		return r.options.Checkpoint(r.state(0))
	case done%every == 0:
		return r.options.Checkpoint(r.state(every))
	}
	return nil
}

// Resume continues a training from a checkpoint. The plan, the options and the data set must be the
// same as in the interrupted training. Keys, samples and noise are drawn anew. The reserved event
// covers the steps that earlier runs may have made, and the remaining steps. The plan of the result
// states these steps.
func Resume(ctx context.Context, l *ledger.Ledger, s Setup, d *data.Dataset, o Options, from *Checkpoint) (*Result, error) {
	if err := from.check(s, o); err != nil {
		return nil, err
	}
	if o.Initial != nil {
		return nil, fmt.Errorf("neural: there are weights to begin with and a checkpoint, want one of them")
	}
	s.Plan = from.Plan.interruptedAfter(from.Taken, from.Ahead)
	return fit(ctx, l, s, d, o, from)
}

// check refuses a checkpoint of another plan or other options, or an inconsistent one.
func (c *Checkpoint) check(s Setup, o Options) error {
	plan, own := c.Plan, s.Plan
	plan.Interrupted, own.Interrupted = nil, nil
	switch {
	case !reflect.DeepEqual(plan, own):
		return fmt.Errorf("neural: the checkpoint is of another plan, want the plan of the run that it was made in: %s; ask for the same once more", different(own, plan))
	case c.Taken < c.Plan.kept() || c.Taken > c.Plan.Steps || c.Ahead < 0:
		return fmt.Errorf("neural: the checkpoint is after step %d of %d with %d more, want one within the run", c.Taken, c.Plan.Steps, c.Ahead)
	case len(c.Levels) != len(c.Plan.Clipping.Groups) || len(c.Optimizers) != len(c.Levels) || len(c.Weights) != s.Network.Trained() ||
		len(c.Weights)+len(c.Frozen) != s.Network.Weights() || c.AverageSum != nil && len(c.AverageSum) != len(c.Weights) || (c.Averaged > 0) != (c.AverageSum != nil):
		return fmt.Errorf("neural: the checkpoint holds other numbers than the network has, want one that this network's run made")
	case !positive(c.Divisor):
		return fmt.Errorf("neural: the checkpoint has divisor %v, want a positive finite number", c.Divisor)
	}
	for _, l := range c.Levels {
		if !positive(l[0]) || !(l[1] >= 0) {
			return fmt.Errorf("neural: the checkpoint has clipping norm %v and threshold %v, want positive finite numbers", l[0], l[1])
		}
	}
	return c.checkSettings(s, o)
}

// different returns words for the fields of a plan that differ from the wanted plan, as in "steps is 9, want 8". It names
// at most three.
func different(got, want Plan) string {
	own, wanted := map[string]string{}, map[string]string{}
	flatten(own, "", jsonOf(got))
	flatten(wanted, "", jsonOf(want))
	var out []string
	for name := range own {
		if _, both := wanted[name]; !both {
			wanted[name] = "none"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if v := cmp.Or(own[name], "none"); v != wanted[name] {
			out = append(out, name+" is "+v+", want "+wanted[name])
		}
	}
	if more := len(out) - 3; more > 0 {
		out = append(out[:3], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

// jsonOf returns a plan as maps, lists, texts and numbers.
func jsonOf(p Plan) (v any) {
	text, err := json.Marshal(p)
	if err != nil || json.Unmarshal(text, &v) != nil {
		return nil
	}
	return v
}

// flatten adds the fields of an object and the entries of a list to out, by their paths such as "clipping.norm". Entries
// count from 1.
func flatten(out map[string]string, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			flatten(out, strings.TrimPrefix(path+"."+name, "."), field)
		}
	case []any:
		for i, entry := range v {
			flatten(out, path+"."+strconv.Itoa(i+1), entry)
		}
	default:
		out[path] = fmt.Sprint(v)
	}
}

// checkSettings refuses a checkpoint whose run saw other rows or had other options.
func (c *Checkpoint) checkSettings(s Setup, o Options) error {
	own, err := s.settings(o)
	if err != nil || own == c.settings {
		return err
	}
	if own.Rows != c.settings.Rows {
		return fmt.Errorf("neural: the checkpoint is of another schema, of other rows or of another version, want those of its run; have the same again, or begin anew")
	}
	got, want := reflect.ValueOf(own), reflect.ValueOf(c.settings)
	for k := range got.NumField() {
		if !got.Field(k).Equal(want.Field(k)) {
			return fmt.Errorf("neural: the option %s is %v, want %v, as in the run of the checkpoint; give all options as that run had them", got.Type().Field(k).Tag.Get("json"), got.Field(k), want.Field(k))
		}
	}
	return nil
}

// resume restores the state of a checkpoint and pays for the runs before.
func (r *run) resume(from *Checkpoint) error {
	r.divisor, r.taken = from.Divisor, from.Taken
	r.weights = slices.Clone(from.Weights)
	copy(r.numbers[len(r.weights):], from.Frozen)
	r.copyWeights(r.weights)
	for k, l := range from.Levels {
		r.levels[k].norm, r.levels[k].threshold = l[0], l[1]
	}
	r.average.count, r.average.sum = from.Averaged, slices.Clone(from.AverageSum)
	if err := r.group(); err != nil {
		return err
	}
	for k, g := range r.groups {
		state := from.Optimizers[k]
		vectors := make([][]float64, len(state.Vectors))
		for i, v := range state.Vectors {
			vectors[i] = slices.Clone(v)
		}
		if err := g.optimizer.Resume(optimizer.State{Taken: state.Taken, Vectors: vectors}, g.to-g.from); err != nil {
			return err
		}
	}
	return r.Plan.payEarlier(r.grant)
}

package neural

import (
	"encoding/json"
	"fmt"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// Plan contains every number that determines the guarantee of the training of a network. It is
// fixed before a record is read. It is part of the certificate.
type Plan struct {
	certificate.Subject
	// Person states that all rows of a person form one record. If it is nil, a record is a row.
	Person *train.PersonUnit `json:"person,omitempty"`
	// CountNoise is the noise multiplier for the number of records. If the schema does not declare
	// that number, or if a record is a person, training first releases a noisy number. Otherwise
	// CountNoise is 0.
	CountNoise float64 `json:"count-noise-multiplier,omitempty"`
	// Network describes the trained network, without its parameters.
	Network struct {
		// Input is the shape of one record.
		Input network.Shape `json:"input"`
		// Layers are the layers of the network.
		Layers network.Layers `json:"layers"`
		// Trained is the number of trained parameters.
		Trained int `json:"trained"`
	} `json:"network"`
	// Loss is the loss with its parameters.
	Loss model.LossSpec `json:"loss"`
	// Clipping states how the gradient of each record is bounded.
	Clipping Clipping `json:"clipping"`
	// Sampling states how the records of a step are selected.
	Sampling Sampling `json:"sampling"`
	// Correlated, if not nil, describes how the noise of different steps is correlated.
	Correlated *Correlated `json:"correlated-noise,omitempty"`
	// Steps is the number of steps.
	Steps int `json:"steps"`
	// NoiseMultiplier is the noise multiplier of one Gaussian release that costs as much as all
	// releases of one step together. If a step releases a single sum of gradients, it is the
	// standard deviation of the noise divided by the bound on one record's gradient. It is 0 in a
	// plan without privacy.
	NoiseMultiplier float64 `json:"noise-multiplier"`
	// Interrupted lists earlier runs of the training that were interrupted. This run continues from
	// the steps of those runs.
	Interrupted []abandonedRun `json:"interrupted,omitempty"`
	// NonPrivate marks a baseline without privacy: the same computation without noise. Its epsilon
	// is +Inf.
	NonPrivate bool `json:"non-private,omitempty"`
}

// network returns the described network.
func (p Plan) network() (*network.Network, error) {
	n, err := network.New(p.Network.Input, p.Network.Layers...)
	if err != nil {
		return nil, err
	}
	if n.Trained() != p.Network.Trained || p.Network.Trained < 1 {
		return nil, fmt.Errorf("neural: trained numbers are %d, want %d, which the network has, and at least 1", p.Network.Trained, n.Trained())
	}
	return n, nil
}

// Event returns the event of the plan: the release of the number of records, unless it is declared,
// and then every step.
func (p Plan) Event() mechanism.Event {
	steps, err := p.steps(p.NoiseMultiplier)
	if err != nil {
		return mechanism.NonPrivate{} // Validate refuses such a plan
	}
	if !p.countsRecords() {
		return steps
	}
	return mechanism.Sequence{p.noise(p.CountNoise), steps}
}

// noise returns the noise of a multiplier under the plan.
func (p Plan) noise(multiplier float64) mechanism.Noise {
	if p.NonPrivate {
		return mechanism.NonPrivate{}
	}
	return mechanism.Gaussian{NoiseMultiplier: multiplier}
}

// noises returns the noise of each release of a step, in order.
func (p Plan) noises(multiplier float64) ([]mechanism.Noise, error) {
	releases := len(p.Clipping.Groups)
	if p.Clipping.Adaptive != nil {
		releases++
	}
	out := make([]mechanism.Noise, releases)
	if p.NonPrivate {
		for i := range out {
			out[i] = mechanism.NonPrivate{}
		}
		return out, nil
	}
	gaussians, err := p.Clipping.noises(multiplier)
	if err != nil {
		return nil, err
	}
	for i, g := range gaussians {
		if out[i] = g; p.Clipping.Projection != nil {
			out[i] = p.Clipping.Projection.noise(g.NoiseMultiplier)
		}
	}
	return out, nil
}

// steps returns the event of all steps. Each costs as much as this multiplier.
func (p Plan) steps(multiplier float64) (mechanism.Event, error) {
	var runs mechanism.Sequence
	for _, steps := range p.runs() {
		event, count, err := p.run(multiplier, steps)
		if err != nil {
			return nil, err
		}
		runs = append(runs, mechanism.Repeat{Event: event, Count: count})
	}
	if len(runs) == 1 {
		return runs[0], nil
	}
	return runs, nil
}

// run returns the event of a run with this number of steps, and how many times it happens.
func (p Plan) run(multiplier float64, steps int) (mechanism.Event, int, error) {
	if p.Correlated != nil {
		event, count := p.series(multiplier, steps)
		return event, count, nil
	}
	step, err := p.step(multiplier)
	return step, p.rounds(steps), err
}

// step returns the event of one step, or of one round of a partition. The sampling prices it.
func (p Plan) step(multiplier float64) (mechanism.Event, error) {
	sampler, err := p.sampler()
	if err != nil {
		return nil, err
	}
	inner, err := p.released(multiplier)
	if err != nil {
		return nil, err
	}
	return sampler.Price(inner)
}

// rounds returns how many times the event of a step happens in a run with this number of steps. In
// a partition a record pays for one step of every round.
func (p Plan) rounds(steps int) int {
	if p.Sampling.inRounds() {
		return (steps + p.Sampling.Parts - 1) / p.Sampling.Parts
	}
	return steps
}

// released returns the event of the releases of one step, without sampling.
func (p Plan) released(multiplier float64) (mechanism.Event, error) {
	noises, err := p.noises(multiplier)
	if err != nil {
		return nil, err
	}
	if len(noises) == 1 || p.NonPrivate && p.Sampling.Kind != option.SamplingFull {
		return noises[0], nil // without noise, the releases from one sample are one
	}
	sequence := make(mechanism.Sequence, len(noises))
	for i, n := range noises {
		sequence[i] = n
	}
	return sequence, nil
}

// Filter returns an accountant that a ledger can use as its filter, if the ledger pays for this
// plan and others. It is account.GDP if all releases are Gaussian. Otherwise it is account.RDP at
// the order with the lowest cost for this plan. The choice depends on public numbers only. A ledger
// for this plan alone needs no filter; see ledger.NewSingle.
func (p Plan) Filter() (account.Accountant, error) {
	if account.For(p.Event()).Name() == account.GDP.Name() {
		return account.GDP, nil
	}
	_, order, err := account.RDP{}.Best(p.Event(), p.Delta, p.Neighboring)
	return account.RDP{Orders: []float64{order}}, err
}

// noiseDraws returns how many random numbers the plan's noise takes.
func (p Plan) noiseDraws() int {
	if p.NonPrivate {
		return 0
	}
	step := p.Network.Trained
	if p.Clipping.Adaptive != nil {
		step += len(p.Clipping.Groups)
	}
	if p.Clipping.Projection != nil {
		step += release.DirectionDraws(p.Clipping.Projection.Directions, p.Network.Trained)
	}
	draws := 0
	for _, steps := range p.runs() {
		draws += p.Correlated.draws(steps) * step
	}
	if p.countsRecords() {
		draws++
	}
	return draws
}

// derivation returns the claims that the plan implies, for the certificate.
func (p Plan) derivation() certificate.Claim {
	return certificate.Claim{Event: p.Event(), NoiseDraws: p.noiseDraws(), Neighboring: p.Neighboring, Delta: p.Delta,
		Unit: privacy.Unit{Row: p.Unit, RowsPerPerson: p.RowsPerPerson}, Assumptions: p.Premises().Assumptions(certificate.Certificate{})}
}

// maxSteps and maxNumbers bound a plan far above any use, so that nothing overflows.
const maxSteps, maxNumbers = 1 << 24, 1 << 31

// Validate returns an error if a number of the plan is invalid.
func (p Plan) Validate() error {
	if err := certificate.CheckSubject("neural", p.Subject, false); err != nil {
		return err
	}
	switch {
	case p.Steps < 1 || p.Steps > maxSteps || p.Network.Trained > maxNumbers:
		return fmt.Errorf("neural: steps is %d with %d numbers, want 1 to %d steps and at most %d numbers", p.Steps, p.Network.Trained, maxSteps, maxNumbers)
	case p.NonPrivate && (p.NoiseMultiplier != 0 || p.CountNoise != 0) || !p.NonPrivate && !positive(p.NoiseMultiplier):
		return fmt.Errorf("neural: noise multiplier is %v, of counts %v, want positive finite numbers, or 0 in a plan without privacy", p.NoiseMultiplier, p.CountNoise)
	case (p.CountNoise != 0) != (p.countsRecords() && !p.NonPrivate):
		return fmt.Errorf("neural: noise on the number of records is %v with %d declared records and persons as records: %v, want it where no number is declared, and for persons", p.CountNoise, p.Records, p.Person != nil)
	}
	if err := p.validateModel(); err != nil {
		return err
	}
	if err := p.validatePerson(); err != nil {
		return err
	}
	if err := p.validateSampling(); err != nil {
		return err
	}
	if err := p.validateCorrelated(); err != nil {
		return err
	}
	if err := p.validateInterrupted(); err != nil {
		return err
	}
	if _, err := p.steps(p.NoiseMultiplier); err != nil {
		return err
	}
	if err := mechanism.CheckEvent(p.Event()); err != nil {
		return err
	}
	if err := p.checkSeries(); err != nil {
		return err
	}
	return mechanism.CheckNeighboring(p.Event(), p.Neighboring)
}

// validateModel checks network, loss and clipping.
func (p Plan) validateModel() error {
	n, err := p.network()
	if err != nil {
		return err
	}
	if _, err = p.Loss.Loss(); err != nil {
		return err
	}
	return p.Clipping.validate(len(n.Blocks()))
}

// json returns the plan as the certificate holds it.
func (p Plan) json() (json.RawMessage, error) { return json.Marshal(p) }

// Certificate returns the certificate of the plan, including its price. The fields for the program,
// the time and the hashes are empty.
func (p Plan) Certificate() (certificate.Certificate, error) {
	text, err := p.json()
	if err != nil {
		return certificate.Certificate{}, err
	}
	return certificate.New(option.MethodNetwork, text, p.derivation())
}

// Methods returns the certificate.Method functions of this package by name.
func Methods() map[string]certificate.Method {
	return map[string]certificate.Method{option.MethodNetwork: func(text json.RawMessage) (certificate.Claim, error) {
		p, err := strict.ReadPlan[Plan]("neural", text)
		if err != nil {
			return certificate.Claim{}, err
		}
		return p.derivation(), nil
	}}
}

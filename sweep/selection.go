package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
)

// ErrAllDiverged is the error of a private selection in which no run had finite weights. The
// selection then releases only this fact.
var ErrAllDiverged = errors.New("sweep: the weights of every run did not stay finite, so that there is no model")

// Selection is the plan of a private selection of settings (Papernot & Steinke, "Hyperparameter
// Tuning with Renyi Differential Privacy", ICLR 2022, theorems 2 and 6,
// https://arxiv.org/abs/2110.03620). It makes a random number of runs, each with a configuration
// drawn uniformly at random. Every model is scored on public records. Only the model with the best
// score is released. If several models have the best score, the first of them is released. Other
// models, their scores and the number of runs stay secret.
//
// The theorems cover independent runs with equal distributions. So all configurations must have the
// same event, which is the event of the plan in the field Run. Drawing a configuration reads no
// records, so it never increases a Rényi divergence of a run.
//
// The theorems need a total order of the results. Among equal scores the first model counts as the
// best. Because runs have equal distributions, this rule is equivalent to a random choice among
// equal scores. A run with weights that are not finite counts as the worst result. The run's noisy
// sums determine whether weights are finite, so the run stays as private as its event. The number
// of runs is drawn before the first run and does not change. If a run with weights that are not
// finite were repeated, or ended the selection, the number of runs would depend on the records.
type Selection struct {
	// RunCountDistribution is the distribution of the number of runs.
	RunCountDistribution
	// Configurations is the number of configurations among which the selection chooses.
	Configurations int `json:"configurations"`
	// RunMethod is the method of the winner's plan, as in the certificate of a single run.
	RunMethod string `json:"run-method"`
	// Run is the winner's plan, as in the certificate of a single run.
	Run json.RawMessage `json:"run"`
}

// ErrNoRuns is the error of a private selection with 0 runs, which the Poisson distribution allows.
// The selection then releases only this fact. The selection is paid for nevertheless, because its
// event includes this outcome.
var ErrNoRuns = errors.New("sweep: the random number of runs came up as 0, so that there is no model")

// NewSelection returns the plan of a private selection among candidates. The result's fields
// RunMethod and Run are the method and the plan of the first candidate. All candidates must train
// linear models by gradient descent, and their events must be equal. Other candidates are an error.
func NewSelection(candidates []Candidate, law RunCountDistribution) (Selection, error) {
	if err := law.validate(); err != nil {
		return Selection{}, err
	}
	if len(candidates) == 0 || len(candidates) > maxConfigurations {
		return Selection{}, fmt.Errorf("sweep: there are %d configurations, want 1 to %d", len(candidates), maxConfigurations)
	}
	first := &candidates[0]
	for i := range candidates {
		c := &candidates[i]
		a, b := c.Certificate, first.Certificate
		switch {
		case c.Linear == nil || !a.Private || c.Linear.Plan.Holdout != nil:
			return Selection{}, fmt.Errorf("sweep: the configuration %s is no private descent of a linear model on all of its rows, want that for a private choice", c.Words())
		case a.Event != b.Event || a.NoiseDraws != b.NoiseDraws || a.Delta != b.Delta || a.Neighboring != b.Neighboring || a.Unit != b.Unit || a.GroupRows != b.GroupRows || a.Method != b.Method:
			return Selection{}, fmt.Errorf("sweep: runs of %s release %s and runs of %s %s, want one event for all, for which the proof of a private choice is; vary settings that do not change the noise, such as the learning rate or the clipping norm", first.Words(), b.Event, c.Words(), a.Event)
		}
	}
	return Selection{law, len(candidates), first.Certificate.Method, first.Certificate.Plan}, nil
}

// of returns the selection with another winner.
func (s Selection) of(c *Candidate) Selection {
	s.RunMethod, s.Run = c.Certificate.Method, c.Certificate.Plan
	return s
}

// derivation returns the claims that the plan implies, given the claims of a run. It counts the
// draws of noise of the number of runs that is exceeded with probability below 2^-180. It counts
// one more for that probability, which is no larger than the error of one draw's tail.
func (s Selection) derivation(run certificate.Claim) certificate.Claim {
	out := run
	out.Event = s.event(run.Event)
	out.NoiseDraws = math.MaxInt
	runs := s.tailRuns()
	if most := (math.MaxInt - 1) / runs; run.NoiseDraws <= most {
		out.NoiseDraws = runs*run.NoiseDraws + 1
	}
	return out
}

// validate refuses a plan that NewSelection would not make.
func (s Selection) validate() error {
	if s.Configurations < 1 || s.Configurations > maxConfigurations {
		return fmt.Errorf("sweep: the selection has %d configurations, want 1 to %d", s.Configurations, maxConfigurations)
	}
	return s.RunCountDistribution.validate()
}

// ReadSelection returns the plan in a JSON text. An unknown field or an invalid plan is an error.
func ReadSelection(text json.RawMessage) (Selection, error) {
	var s Selection
	if err := strict.Decode(text, &s); err != nil {
		return s, fmt.Errorf("sweep: plan: %w", err)
	}
	return s, s.validate()
}

// SelectionMethods returns the certificate.Method of private selections, by name. The argument runs
// contains the methods of single runs by name.
func SelectionMethods(runs map[string]certificate.Method) map[string]certificate.Method {
	return map[string]certificate.Method{option.MethodSelection: func(text json.RawMessage) (certificate.Claim, error) {
		s, err := ReadSelection(text)
		if err != nil {
			return certificate.Claim{}, err
		}
		method, known := runs[s.RunMethod]
		if !known {
			return certificate.Claim{}, fmt.Errorf("sweep: the method of a run is %q, which a selection does not take", s.RunMethod)
		}
		run, err := method(s.Run)
		if err != nil {
			return certificate.Claim{}, err
		}
		return s.derivation(run), nil
	}}
}

// Certificate returns the certificate of a selection with this winner. The fields for the program,
// the time and the hashes are empty.
func (s Selection) Certificate(winner *Candidate) (certificate.Certificate, error) {
	plan := s.of(winner)
	text, err := json.Marshal(plan)
	if err != nil {
		return certificate.Certificate{}, err
	}
	return certificate.New(option.MethodSelection, text, plan.derivation(winner.Linear.Plan.Derivation()))
}

// Selected is the released result of a private selection.
type Selected struct {
	// Winner is the selected candidate.
	Winner *Candidate
	// Model is the model of the winner.
	Model *model.Model
	// Certificate states the guarantee of the whole selection.
	Certificate certificate.Certificate
}

// Select returns the result of a private selection among the candidates. It reserves the whole cost
// from the ledger before the first run. Models are scored by the metric on the records of
// s.Examiner, which must be public. The largest score wins, or the smallest if smaller is true.
// Select does not use s.Journal and s.Progress, because both would reveal the number of runs.
// Anyone who can measure the duration of Select also learns about that number. If the distribution
// allows 0 runs, the error may be ErrNoRuns.
func (s *Sweep) Select(ctx context.Context, l *ledger.Ledger, plan Selection, metric string, smaller bool) (Selected, error) {
	if _, err := NewSelection(s.Candidates, plan.RunCountDistribution); err != nil {
		return Selected{}, err
	}
	if s.Examiner == nil {
		return Selected{}, fmt.Errorf("sweep: there is nothing to score models on, want public records")
	}
	if err := plan.pay(l, s.Candidates[0].Linear.Plan.Derivation()); err != nil {
		return Selected{}, err
	}
	runs := Sweep{Candidates: s.Candidates, Training: s.Training, Examiner: s.Examiner}
	runs.reset()
	at, m, err := plan.best(newCoin(), len(s.Candidates), func(at int) (float64, *model.Model, error) {
		return runs.scored(ctx, &s.Candidates[at], metric, smaller)
	})
	if err != nil {
		return Selected{}, err
	}
	out := Selected{Winner: &s.Candidates[at], Model: m}
	out.Certificate, err = plan.Certificate(out.Winner)
	return out, err
}

// pay reserves the whole choice and pays for it before the first run: a ledger gives back what
// nobody paid.
func (s Selection) pay(l *ledger.Ledger, run certificate.Claim) error {
	event := s.derivation(run).Event
	grant, err := l.Reserve(event, option.MethodSelection)
	if err != nil {
		return err
	}
	return grant.Pay(event)
}

// best draws the number of runs K and makes exactly K, each of a candidate drawn uniformly. It
// returns the best model, or the first of several best, and its candidate. K is drawn once, before
// the first run, and no run changes it: the price is for K runs (theorems 2 and 6). A run without a
// model is one of the K.
func (l RunCountDistribution) best(c *coin, candidates int, run func(at int) (float64, *model.Model, error)) (int, *model.Model, error) {
	count, err := l.draw(c)
	if err != nil {
		return 0, nil, err
	}
	if count == 0 {
		return 0, nil, ErrNoRuns
	}
	best, won, winner := math.Inf(-1), 0, (*model.Model)(nil)
	for range count {
		at := int(c.below(uint64(candidates)))
		if c.err != nil {
			return 0, nil, c.err
		}
		score, m, failed := run(at)
		if failed != nil {
			return 0, nil, failed
		}
		if m != nil && (winner == nil || score > best) {
			best, won, winner = score, at, m
		}
	}
	if winner == nil {
		return 0, nil, ErrAllDiverged
	}
	return won, winner, nil
}

// scored trains and scores one model. An undefined score is the least, except that a run that
// diverged, which has no model, is below it.
func (s *Sweep) scored(ctx context.Context, c *Candidate, metric string, smaller bool) (float64, *model.Model, error) {
	if err := s.prepare(c); err != nil {
		return 0, nil, err
	}
	m, _, err := s.fit(ctx, c)
	if errors.Is(err, model.ErrNotFinite) {
		return math.Inf(-1), nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	metrics, err := s.Examiner.measure(m)
	if err != nil {
		return 0, nil, err
	}
	score := Measurement{Metrics: metrics}.Value(metric)
	if smaller {
		score = -score
	}
	if math.IsNaN(score) {
		score = math.Inf(-1)
	}
	return score, m, nil
}

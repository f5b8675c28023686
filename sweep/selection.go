package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
)

// ErrAllDiverged says that no run of a private choice had finite weights. It is what the choice releases then.
var ErrAllDiverged = errors.New("sweep: the weights of every run did not stay finite, so that there is no model")

// MethodSelection is the method of a model that was chosen privately, as certificates name it.
const MethodSelection = "dp-select"

// Selection is the plan of a private choice of settings (Papernot & Steinke, "Hyperparameter Tuning
// with Renyi Differential Privacy", ICLR 2022, theorems 2 and 6, https://arxiv.org/abs/2110.03620).
// A random number of runs is made, each with one of the configurations, drawn at random with equal
// chances. Every model is scored on public records; the best is released, of several the first.
// Nothing else leaves: neither the other models and scores nor how many runs there were. The
// theorem holds for independent runs of one distribution, which must be private as Run's event says
// whatever the configuration: hence all configurations have that event. That a configuration is
// drawn without looking at records changes no divergence of a run for the worse. Among equal scores
// the first is released, which for runs of one distribution is the same as a random one, a total
// order of what they return. A run that diverges is one of its outcomes, the least in that order:
// whether it does follows from the noisy sums that it released. So a run stays private as its event
// says, and the number of runs is drawn before the first and does not change with it. Were the
// choice to stop there, or to draw anew, the number of runs would depend on the records.
type Selection struct {
	// RunCountDistribution is that of the number of runs.
	RunCountDistribution
	// Configurations is how many there were to draw from.
	Configurations int `json:"configurations"`
	// RunMethod and Run are method and plan of the winner, in the form of its own certificate.
	RunMethod string          `json:"run-method"`
	Run       json.RawMessage `json:"run"`
}

// ErrNoRuns says that the number of runs of a private choice came up as 0, which the Poisson
// distribution allows. Nothing is released but that, and the choice is paid for: its event counts
// this outcome in.
var ErrNoRuns = errors.New("sweep: the random number of runs came up as 0, so that there is no model")

// NewSelection returns the plan of a choice among candidates, with the first of them as Run. It refuses what the theorem
// does not cover: candidates whose runs cost differently, that have no privacy, or that are not linear models by descent.
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

// of is the selection with another winner.
func (s Selection) of(c *Candidate) Selection {
	s.RunMethod, s.Run = c.Certificate.Method, c.Certificate.Plan
	return s
}

// derivation returns what the plan implies, given what a run implies. The draws of noise are those
// of this many runs as are exceeded with probability below 2^-180, and one more for that: as much
// as one draw's tail may be off.
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

// ReadSelection reads and validates a plan in JSON; an unknown field is an error.
func ReadSelection(text json.RawMessage) (Selection, error) {
	var s Selection
	if err := strict.Decode(text, &s); err != nil {
		return s, fmt.Errorf("sweep: plan: %w", err)
	}
	return s, s.validate()
}

// SelectionMethods returns the certificate method of private choices among runs of these methods.
func SelectionMethods(runs map[string]certificate.Method) map[string]certificate.Method {
	return map[string]certificate.Method{MethodSelection: func(text json.RawMessage) (certificate.Claim, error) {
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

// Certificate returns the certificate of the choice with this winner, without provenance and hash.
func (s Selection) Certificate(winner *Candidate) (certificate.Certificate, error) {
	plan := s.of(winner)
	text, err := json.Marshal(plan)
	if err != nil {
		return certificate.Certificate{}, err
	}
	return certificate.New(MethodSelection, text, plan.derivation(winner.Linear.Plan.Derivation()))
}

// Selected is what a private choice releases.
type Selected struct {
	Winner      *Candidate
	Model       *model.Model
	Certificate certificate.Certificate
}

// Select makes a private choice: the whole is reserved from the ledger before the first run. Metric
// is what models are scored by on the examiner's records, which must be public: the largest wins,
// or with smaller the smallest. The journal is not used and progress is not told: both would show
// how many runs there are. How long it takes shows that too, to who waits for it. Under a
// distribution that allows no run, ErrNoRuns is an outcome.
func (s *Sweep) Select(ctx context.Context, l *ledger.Ledger, plan Selection, metric string, smaller bool) (Selected, error) {
	if _, err := NewSelection(s.Candidates, plan.RunCountDistribution); err != nil {
		return Selected{}, err
	}
	if s.Examiner == nil {
		return Selected{}, fmt.Errorf("sweep: there is nothing to score models on, want public records")
	}
	if _, err := l.Reserve(plan.derivation(s.Candidates[0].Linear.Plan.Derivation()).Event, MethodSelection); err != nil {
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

// best draws the number of runs K and makes exactly K, each of one of some candidates with equal chances. It returns
// the best model, of several the first, and its candidate. K is drawn once, before the first run, and no run changes
// it: the price is that of K runs (theorems 2 and 6). A run without a model is one of the K.
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

// scored trains and scores one model. A score that is not defined is the least, but for that of a run that diverged,
// which has no model.
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

package evaluate

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/related"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// Between defaultLowScore and defaultHighScore the bins of two levels are of equal width in
// log-odds. They are the same for every table. At 60 bins the width is 0.214, such as from 0.500 to
// 0.553 and from 0.0100 to 0.0124.
const defaultLowScore, defaultHighScore = 0.002, 0.998

// defaultThreshold is the probability above which the second of two levels is predicted.
const defaultThreshold = 0.5

// Request contains the user's choices for a private evaluation. NewPlan turns it into a plan.
type Request struct {
	// Epsilon is the budget in nats. Epsilon and Delta are required.
	Epsilon, Delta float64
	// Neighboring is the neighboring relation of the guarantee. It is required.
	Neighboring privacy.Neighboring
	// Noise is "laplace" or "gaussian". "" means "laplace".
	Noise string
	// Person states that all rows of a person form one record. If it is nil, a record is a row.
	Person *query.Person
	// MaxRecords is a declared public upper bound on the number of rows. If it is 0, the MaxRecords
	// of the schema is used.
	MaxRecords int
	// Bins is the number of bins for scores. 0 means option.DefaultScoreBins for two levels, and 1
	// for more levels.
	Bins int
	// LowScore and HighScore are probabilities. Between them, bins for scores have equal width in
	// log-odds. One bin covers the scores below LowScore, and one the scores above HighScore. If
	// both are 0, the default depends on the number of bins. For two levels with at least three
	// bins it is 0.002 and 0.998. Otherwise all bins have equal width in probability.
	LowScore, HighScore float64
	// Threshold is the decision threshold if the target has two levels. 0 means 0.5.
	Threshold float64
	// ResidualBound is the magnitude at which residuals are clipped, in units of the target. 0
	// means the distance between the target's bounds.
	ResidualBound float64
	// GroupColumn, if not "", is a categorical column. The release is split by the declared levels
	// of this column.
	GroupColumn string
}

// NewPlan returns the plan of a request for a schema, from public numbers alone. It chooses the
// least noise whose cost is within the budget of the request. It is an error if the request is
// invalid, does not fit the schema, or has a budget that no amount of noise meets.
func NewPlan(r Request, s *data.Schema) (Plan, error) {
	subject := certificate.Subject{Neighboring: r.Neighboring, Unit: s.Row, RowsPerPerson: s.RowsPerPerson,
		Delta: r.Delta, MaxRecords: r.MaxRecords}
	p := Plan{Subject: subject, Person: r.Person, Noise: r.Noise, NoiseMultiplier: 1}
	p.Related = s.Related.Words()
	if r.Person != nil && len(p.Related) > 0 {
		return Plan{}, related.Refused("evaluate")
	}
	if r.Person != nil {
		p.Unit = fmt.Sprintf("all rows with one %s, of which at most %d are used", r.Person.Column, r.Person.MaxRows)
		p.RowsPerPerson = 0
	}
	if p.MaxRecords == 0 {
		p.MaxRecords = s.MaxRecords
	}
	if p.Noise == "" {
		p.Noise = noiseLaplace
	}
	if err := p.aim(r, s.Target); err != nil {
		return Plan{}, err
	}
	p.Form = p.form()
	var err error
	if p.GroupColumn, p.Groups, err = declaredGroups(r.GroupColumn, s); err != nil {
		return Plan{}, err
	}
	if err = p.Validate(); err != nil {
		return Plan{}, err
	}
	return p.calibrated(r.Epsilon)
}

// aim sets the fields that belong to the kind of target.
func (p *Plan) aim(r Request, t data.Target) error {
	if t.Regression() {
		if r.Bins != 0 || r.LowScore != 0 || r.HighScore != 0 || r.Threshold != 0 {
			return fmt.Errorf("evaluate: score bins or a threshold are asked for with a target that is a number, want none")
		}
		p.Lower, p.Upper, p.ResidualBound = t.Lower, t.Upper, r.ResidualBound
		if p.ResidualBound == 0 {
			p.ResidualBound = t.Upper - t.Lower
		}
		return nil
	}
	p.Levels = slices.Clone(t.Levels)
	if r.ResidualBound != 0 {
		return fmt.Errorf("evaluate: a bound on residuals is asked for with a target of levels, want none")
	}
	if len(p.Levels) == 2 {
		p.Threshold = r.Threshold
		if p.Threshold == 0 {
			p.Threshold = defaultThreshold
		}
	} else if r.Threshold != 0 {
		return fmt.Errorf("evaluate: a threshold is asked for with %d levels, want 2", len(p.Levels))
	}
	var err error
	p.Edges, err = r.edges(len(p.Levels), p.Threshold)
	return err
}

// edges returns the ends of the bins, with the threshold among them.
func (r Request) edges(levels int, threshold float64) ([]float64, error) {
	bins := r.Bins
	if bins == 0 && levels > 2 {
		bins = 1
	} else if bins == 0 {
		bins = option.DefaultScoreBins
	}
	if bins < 1 || bins > maxBins {
		return nil, fmt.Errorf("evaluate: the number of score bins is %d, want 1 to %d", bins, maxBins)
	}
	var edges []float64
	if r.LowScore == 0 && r.HighScore == 0 && levels == 2 && bins >= 3 {
		r.LowScore, r.HighScore = defaultLowScore, defaultHighScore
	}
	if r.LowScore == 0 && r.HighScore == 0 {
		for i := range bins + 1 {
			edges = append(edges, float64(i)/float64(bins))
		}
	} else {
		if !(r.LowScore > 0 && r.LowScore < r.HighScore && r.HighScore < 1) || bins < 3 {
			return nil, fmt.Errorf("evaluate: scores are from %v to %v in %d bins, want 0 < low < high < 1 and at least 3 bins", r.LowScore, r.HighScore, bins)
		}
		low, high := logOdds(r.LowScore), logOdds(r.HighScore)
		edges = append(edges, 0)
		for i := range bins - 1 {
			odds := low + (high-low)*float64(i)/float64(bins-2)
			edges = append(edges, 1/(1+math.Exp(-odds)))
		}
		edges = append(edges, 1)
	}
	if levels > 2 {
		return edges, nil
	}
	if !(threshold > 0 && threshold < 1) {
		return nil, fmt.Errorf("evaluate: the threshold is %v, want more than 0 and less than 1", threshold)
	}
	for i, v := range edges {
		if math.Abs(v-threshold) < 1e-9 { // another rounding of the same end
			edges[i] = threshold
		}
	}
	if at, found := slices.BinarySearch(edges, threshold); !found {
		edges = slices.Insert(edges, at, threshold)
	}
	return edges, nil
}

func logOdds(p float64) float64 { return math.Log(p / (1 - p)) }

// declaredGroups returns the name and the levels of the group column.
func declaredGroups(name string, s *data.Schema) (string, []string, error) {
	if name == "" {
		return "", nil, nil
	}
	for _, c := range s.Features() {
		if c.Name == name && c.Kind == data.Categorical {
			return name, slices.Clone(c.Levels), nil
		}
	}
	return "", nil, fmt.Errorf("evaluate: the group column is %q, want a categorical feature of the schema; the texts of other columns are not declared", name)
}

// calibrated returns the plan with the noise that the budget allows.
func (p Plan) calibrated(epsilon float64) (Plan, error) {
	target, err := privacy.NewGuarantee(epsilon, p.Delta, p.Neighboring, privacy.Unit{Row: p.Unit, RowsPerPerson: p.RowsPerPerson})
	if err != nil {
		return Plan{}, err
	}
	if !target.Private() {
		return Plan{}, fmt.Errorf("evaluate: epsilon is %v, want a finite number", epsilon)
	}
	if p.Noise == noiseLaplace { // pure: epsilon holds without delta
		p.NoiseMultiplier = p.Neighboring.Movement() / target.Epsilon()
		return p, p.Validate()
	}
	if target, err = certificate.Aim(target, p.noiseDraws()); err != nil {
		return Plan{}, fmt.Errorf("evaluate: epsilon %v is not reached at delta %v, because what the samplers round counts e^epsilon times: %w", epsilon, p.Delta, err)
	}
	plan := func(z float64) mechanism.Event {
		q := p
		q.NoiseMultiplier = z
		return q.Event()
	}
	if p.NoiseMultiplier, err = account.Calibrate(account.For(plan(1)), target, plan); err != nil {
		return Plan{}, err
	}
	return p, p.Validate()
}

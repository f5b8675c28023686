package sweep

import (
	"context"
	"fmt"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// Candidate is one configuration of a sweep, with its training plan. Exactly one of Linear, Other
// and Network is set.
type Candidate struct {
	// Settings are the values of the settings that the sweep varies, in the order of the sweep.
	Settings []Setting
	// Baseline marks a configuration that trains without privacy, for comparison. Its Settings omit
	// the settings of the budget.
	Baseline bool
	// Linear is the plan of gradient descent for a linear model, or nil.
	Linear *train.Setup
	// Options are the options of Linear. The field FeatureBits also applies to Other.
	Options train.Options
	// Other is the plan of another method for a linear model, or nil.
	Other *erm.Setup
	// Network is the plan of the training of a network, or nil.
	Network *neural.Setup
	// NetworkOptions are the options of Network.
	NetworkOptions neural.Options
	// Certificate is the certificate of the plan, with its event and its price. The fields for the
	// program, the time and the hashes are empty.
	Certificate certificate.Certificate
}

// Certify computes the certificate of the candidate's plan and stores it in c.Certificate.
func (c *Candidate) Certify() (err error) {
	switch {
	case c.Linear != nil && c.Other == nil && c.Network == nil:
		c.Certificate, err = c.Linear.Plan.Certificate()
	case c.Other != nil && c.Linear == nil && c.Network == nil:
		c.Certificate, err = c.Other.Plan.Certificate()
	case c.Network != nil && c.Linear == nil && c.Other == nil:
		c.Certificate, err = c.Network.Plan.Certificate()
	default:
		return fmt.Errorf("sweep: the configuration %s has no plan or several, want exactly one", c.Words())
	}
	return err
}

// check returns the error that a run of the candidate would return before it reads records.
func (c *Candidate) check(ctx context.Context) (err error) {
	switch {
	case c.Linear != nil:
		err = c.Linear.Check(ctx, c.Options)
	case c.Other != nil:
		err = c.Other.Check(ctx)
	case c.Network != nil:
		err = c.Network.Check(ctx, c.NetworkOptions)
	}
	if err != nil {
		return fmt.Errorf("sweep: the configuration %s: %w", c.Words(), err)
	}
	return nil
}

// event returns the event of one run of the candidate.
func (c *Candidate) event() mechanism.Event {
	switch {
	case c.Linear != nil:
		return c.Linear.Plan.Event()
	case c.Other != nil:
		return c.Other.Plan.Event()
	}
	return c.Network.Plan.Event()
}

// Words returns the configuration as text, such as "epsilon 0.5, clipping norm 1".
func (c *Candidate) Words() string {
	parts := make([]string, 0, len(c.Settings)+1)
	if c.Baseline {
		parts = append(parts, "without privacy")
	}
	for _, s := range c.Settings {
		parts = append(parts, strings.ReplaceAll(s.Name, "-", " ")+" "+s.Value)
	}
	if len(parts) == 0 {
		return "the only configuration"
	}
	return strings.Join(parts, ", ")
}

// key returns a key that is unique among the candidates of one sweep.
func (c *Candidate) key() string { return runKey(c.Settings, c.Baseline) }

// runKey returns the key for the settings of a candidate.
func runKey(settings []Setting, baseline bool) string {
	var b strings.Builder
	if baseline {
		b.WriteString("baseline")
	}
	for _, s := range settings {
		fmt.Fprintf(&b, "\x00%s\x00%s", s.Name, s.Value)
	}
	return b.String()
}

// together reports whether runs of the candidate can share passes over the records with others.
// They can under gradient descent on all records whose rows are common to all (train.FitMany).
func (c *Candidate) together() bool {
	return c.Linear != nil && c.Linear.Plan.Method() == option.MethodGD && c.Linear.SharesPasses() && len(c.Linear.Schema.Private()) == 0
}

// Runs returns the number of runs of the candidate, if the sweep asks for this number of repeats.
// If noise or sampling makes the training random, the result is repeats. Otherwise all runs would
// be equal, and the result is 1.
func (c *Candidate) Runs(repeats int) int {
	if c.together() && c.Linear.Plan.NonPrivate {
		return min(1, repeats)
	}
	return repeats
}

// tabled reports whether runs of the candidate can share rows that were encoded once.
func (c *Candidate) tabled() bool {
	return c.Linear != nil && c.Linear.Plan.Holdout == nil && len(c.Linear.Schema.Private()) == 0
}

// rows returns a key for the encoding of rows: transforms and bits of a feature.
func (c *Candidate) rows() string {
	return fmt.Sprintf("%s\x00%d", transformsOf(c.Linear.Features.Pipeline), c.Options.FeatureBits)
}

// sparseWork is the time of a feature in a sparse row, in units of that of a feature in a dense row.
const sparseWork = 8

// work returns a guess of the multiply-adds of one run at this number of records, from public
// numbers. It is for showing progress and is no bound.
func (c *Candidate) work(records int) float64 {
	n := float64(records)
	switch {
	case c.Linear != nil:
		p := c.Linear.Plan
		share, dim := p.Share(), float64(p.Dim)
		if of, most := c.Linear.Features.Entries(); of != nil {
			dim = min(dim, sparseWork*float64(most))
		}
		return n*dim + float64(p.Steps*p.Columns)*(2*share*n*dim+20*float64(p.Dim))
	case c.Other != nil:
		p := c.Other.Plan
		return n * float64(p.Dim*p.Columns) * 200
	}
	p := c.Network.Plan
	return float64(p.Steps) * (p.Share()*n*6 + 40) * float64(max(p.Network.Trained, 1)) * reuse(c.Network)
}

// stepWork returns a guess of the multiply-adds of one step.
func (c *Candidate) stepWork(records int) float64 {
	switch {
	case c.Linear != nil:
		return c.work(records) / float64(c.Linear.Plan.Steps)
	case c.Other != nil:
		return c.work(records) / 100
	}
	return c.work(records) / float64(c.Network.Plan.Steps)
}

// reuse returns a guess of how often a number of a network is used for one record. It is once in
// fully connected layers.
func reuse(s *neural.Setup) float64 {
	reuse := 1.0
	if len(s.Network.Input()) > 1 {
		reuse = 20
	}
	return reuse
}

package grid

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"slices"
	"strconv"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/sweep"
)

// Options are the options of a sweep except the settings of its runs, in the spelling of flags.
type Options struct {
	Split, Select, Mark, Out                      string
	Repeats                                       int
	Baseline, DataPublic, PrintNotPrivate, DryRun bool
}

// Base is the part that all runs of a sweep share.
type Base struct {
	Schema *data.Schema
	// Table and Test are the values of the flags for the training and measured tables. Name is the
	// table's name.
	Table, Test, Name string
	// TestName describes the records that models are measured on.
	TestName   string
	TestPublic bool
	// Files are the files that are read, by the flags that name them. Built-in tables have none.
	Files []sweep.Setting
	// Databases are the tables of databases, by the flags that name them. Train and ReadTest read
	// them. A flag without a database has nil.
	Databases map[string]*tabular.Hashed
	// Related are the related tables by name. Train reads them too.
	Related map[string]data.Source
	// Train and ReadTest read the tables. ReadTest returns nil if there is no table to measure on.
	Train, ReadTest func(context.Context) (*data.Dataset, error)
	// Run plans a run: the settings in text become the plan, options and draft of the candidate.
	Run func(ctx context.Context, settings []sweep.Setting, c *sweep.Candidate) error
	// Program is the program with its version. Command is the command line of the same sweep.
	Program, Command string
}

// Plan is everything that is decided before a sweep runs.
type Plan struct {
	Options
	Base
	Fixed      []sweep.Setting
	Varied     []sweep.Parameter
	Candidates []sweep.Candidate
	// Choice is a private choice among the candidates, nil if all runs are shown.
	Choice *Choice
	// Pay returns the ledger that pays for a private choice of this draft, and notes its record
	// there. If it is nil, the draft's own ledger pays.
	Pay func(*certificate.Certificate) (*ledger.Ledger, error)
	// Watch returns the context in which the training records of a choice are read, and Tell is
	// called after that. Both may be nil.
	Watch func(context.Context) context.Context
	Tell  func()
	// Key signs the certificate of a private choice, nil for no signature.
	Key     ed25519.PrivateKey
	parts   parts
	records int            // for training, at all ranks together
	cost    sweep.Cost     // of all runs
	marked  outcome.Marked // by Mark
}

// Check refuses options that do not apply to a sweep of these settings.
func Check(o Options, fixed []sweep.Setting, varied []sweep.Parameter) error {
	if o.Repeats < 1 {
		return fmt.Errorf("--repeats is %d, want at least 1", o.Repeats)
	}
	p := Plan{Fixed: fixed, Varied: varied}
	for _, name := range p.all("method") {
		if o.Baseline && !option.HasBaseline(name) {
			return fmt.Errorf("--baseline is given with --method %s, which does not run without privacy, want other methods with it; %s has the same minimizer and a baseline", name, option.MethodOutput)
		}
	}
	return nil
}

// New returns a plan for settings that Check accepts. It reads no table and plans no run; Divide
// and Price do.
func New(o Options, b Base, fixed []sweep.Setting, varied []sweep.Parameter) (*Plan, error) {
	p := &Plan{Options: o, Base: b, Fixed: fixed, Varied: varied}
	var err error
	p.parts, err = p.measuredOn()
	return p, err
}

// Public reports whether neither the table nor the measured records are private.
func (p *Plan) Public() bool { return p.parts.dataPublic }

// secret reports whether metrics are private. Private metrics are shown on this terminal only.
func (p *Plan) secret() bool { return !p.parts.testPublic }

// Price plans every run and prices all of them, or the private choice among them.
func (p *Plan) Price(ctx context.Context) (err error) {
	if p.Select != "" {
		p.Choice, err = p.choice(ctx)
		return err
	}
	if err = p.plan(ctx); err != nil {
		return err
	}
	if err = p.checkMark(); err != nil {
		return err
	}
	p.cost, err = sweep.CostOf(p.Candidates, func(c *sweep.Candidate) int { return c.Runs(p.Repeats) })
	return err
}

// plan plans every configuration, several at a time.
func (p *Plan) plan(ctx context.Context) error {
	configurations, err := sweep.Combine(p.Varied)
	if err != nil {
		return err
	}
	for _, settings := range configurations {
		p.Candidates = append(p.Candidates, sweep.Candidate{Settings: settings})
	}
	if p.Baseline {
		p.Candidates = append(p.Candidates, baselines(configurations)...)
	}
	errs := make([]error, len(p.Candidates))
	parallel.Items(len(errs), func(i int) { errs[i] = p.candidate(ctx, &p.Candidates[i]) })
	for i, failed := range errs {
		if failed != nil && len(p.Varied) > 0 {
			return fmt.Errorf("%s: %w", p.Candidates[i].Words(), failed)
		}
		if failed != nil {
			return failed
		}
	}
	return nil
}

// candidate fills in the plan of one configuration. Of the settings of the budget, a run without
// privacy has delta only.
func (p *Plan) candidate(ctx context.Context, c *sweep.Candidate) error {
	var settings []sweep.Setting
	noise := ""
	for _, one := range slices.Concat(p.Fixed, c.Settings) {
		switch {
		case one.Name == noiseFlag:
			noise = one.Value
		case c.Baseline && ofBudget(one.Name) && one.Name != "delta":
		default:
			settings = append(settings, one)
		}
	}
	err := p.Run(ctx, settings, c)
	if err != nil || c.Baseline || noise == "" {
		return err
	}
	if err = setNoise(c, noise); err != nil || c.Linear == nil {
		return err
	}
	// Rules on public numbers read the epsilon of a run, here the one that its noise costs.
	again, epsilon := *c, strconv.FormatFloat(float64(c.Certificate.Epsilon), 'g', -1, 64)
	if p.Run(ctx, append(settings, sweep.Setting{Name: "epsilon", Value: epsilon}), &again) == nil && setNoise(&again, noise) == nil {
		*c = again
	}
	return nil
}

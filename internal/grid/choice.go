package grid

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/internal/process"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/internal/training"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/sweep"
)

// Choice is a private choice of settings, with its largest cost and its mean number of runs.
type Choice struct {
	Draft certificate.Certificate `json:"certificate"` // of the first configuration
	Plan  sweep.Selection         `json:"selection"`
	// Files are the files of the winner's folder, once there is one.
	Files map[string][]byte `json:"-"`
}

// choice makes a private choice. The epsilon is the epsilon of the whole. Each run gets the largest
// epsilon that keeps the whole within it.
func (p *Plan) choice(ctx context.Context) (*Choice, error) {
	law, err := sweep.ParseLaw(p.Select)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--select: %s", strings.TrimPrefix(err.Error(), "sweep: "))
	case p.Repeats != 1 || p.Baseline || p.PrintNotPrivate || p.Mark != "":
		return nil, fmt.Errorf("--select is given with --repeats, --baseline, --mark or --print-not-private, want none of them: a private choice shows its winner alone")
	case !p.parts.testPublic:
		return nil, fmt.Errorf("--select is given without public records to score models on, want --test FILE --test-public; scores on private records would have to be paid for")
	case p.varies("epsilon") || p.varies("epsilon-per-step") || p.varies("delta") || p.varies(noiseFlag):
		return nil, fmt.Errorf("--select is given with several budgets, want one budget; the choice takes no more than that")
	}
	asked := 0.0
	if len(p.all(noiseFlag)) == 0 && len(p.all("epsilon-per-step")) == 0 {
		if asked, err = p.fitBudget(ctx, law); err != nil {
			return nil, err
		}
	}
	if err = p.plan(ctx); err != nil {
		return nil, err
	}
	out := &Choice{}
	if out.Plan, err = sweep.NewSelection(p.Candidates, law); err != nil {
		return nil, err
	}
	if out.Draft, err = out.Plan.Certificate(&p.Candidates[0]); err == nil && asked > 0 && max(float64(out.Draft.Epsilon), out.Draft.Charge()) <= asked {
		out.Draft.Asked = certificate.Epsilon(asked)
	}
	return out, err
}

// fitBudget replaces the epsilon of the whole by the largest epsilon of a run within it. It bisects
// the logarithm, and returns the epsilon of the whole.
func (p *Plan) fitBudget(ctx context.Context, law sweep.RunCountDistribution) (float64, error) {
	whole := 1.0
	if given := p.all("epsilon"); len(given) == 1 {
		var err error
		if whole, err = strconv.ParseFloat(given[0], 64); err != nil || !(whole > 0) {
			return 0, fmt.Errorf("--epsilon is %q, want a positive number", given[0])
		}
	}
	configurations, err := sweep.Combine(p.Varied)
	if err != nil {
		return 0, err
	}
	epsilon, err := largestRun(law, whole, func(epsilon float64) (c sweep.Candidate, err error) {
		at := *p
		at.setEpsilon(epsilon)
		c.Settings = configurations[0]
		err = at.candidate(ctx, &c)
		return c, err
	})
	if err != nil {
		return 0, err
	}
	p.setEpsilon(epsilon)
	return whole, nil
}

// setEpsilon fixes the epsilon of a run.
func (p *Plan) setEpsilon(epsilon float64) {
	var fixed []sweep.Setting
	for _, one := range p.Fixed {
		if one.Name != "epsilon" {
			fixed = append(fixed, one)
		}
	}
	p.Fixed = append(fixed, sweep.Setting{Name: "epsilon", Value: strconv.FormatFloat(epsilon, 'g', -1, 64)})
}

// ChoiceText returns a description of a private choice and its cost.
func (p *Plan) ChoiceText() []byte {
	c := p.Choice
	return fmt.Appendf(nil, "dry run: nothing was trained, spent or written\n\nguarantee  %s\n\n%s to draw from; a random number of runs, %d on average (%s), each of epsilon %s;\nthe best on %s is released%s\n",
		wording.Guarantee(c.Draft), display.Count(len(p.Candidates), "configuration"), c.Plan.Mean, c.Plan.RunCountDistribution, p.Candidates[0].Certificate.Epsilon.Rounded(), display.OneLine(p.measuredName()), wording.NoRuns(c.Plan))
}

// Chosen is the released result of a private choice, and its folder.
type Chosen struct {
	Certificate certificate.Certificate `json:"certificate"`
	Folder      string                  `json:"folder"`
	Settings    []sweep.Setting         `json:"settings"`
}

// Text returns the lines for a terminal.
func (c Chosen) Text() []byte {
	words := (&sweep.Candidate{Settings: c.Settings}).Words()
	return fmt.Appendf(nil, "model      %s\nguarantee  %s\nchosen     %s\n\ncheck the guarantee: dither verify %s\n", c.Folder, wording.Guarantee(c.Certificate), display.Printable(words), c.Folder)
}

// Choose makes the private choice and writes the winner's model folder. "" means the first free
// name. It writes notes for people to messages.
func (p *Plan) Choose(ctx context.Context, folder string, messages io.Writer, quiet bool) (Chosen, error) {
	if together.From(ctx) != nil {
		return Chosen{}, errors.New("--select is given to several ranks, want one process; a private choice is no sum")
	}
	if folder != "" && display.Exists(folder) {
		return Chosen{}, fmt.Errorf("%s exists, want a new folder; give another --out", folder) // there is no --replace
	}
	place, err := artefact.Claim(folder, false, messages)
	if err != nil {
		return Chosen{}, err
	}
	defer place.Close()
	place.SignWith(p.Key)
	budget, err := p.ledger()
	if err != nil {
		return Chosen{}, err
	}
	if err = p.read(ctx); err != nil {
		return Chosen{}, err
	}
	examiner, err := sweep.NewEvaluator(p.parts.test)
	if err != nil {
		return Chosen{}, err
	}
	if !quiet {
		fmt.Fprintln(messages, "choosing; how far it is would tell what is not released")
	}
	runs := sweep.Sweep{Candidates: p.Candidates, Repeats: 1, Training: p.parts.training, Examiner: examiner}
	process.OutliveReaders()
	if err = place.Spend(p.Choice.Draft); err != nil {
		return Chosen{}, err
	}
	won, err := runs.Select(ctx, budget, p.Choice.Plan, sweep.Metrics(p.Schema.Target)[0], false)
	if err != nil {
		return Chosen{}, choiceFailure(place, budget, err)
	}
	study := p.study()
	study.Folder = place.Path()
	var table database.Table
	if hashed := p.Databases["data"]; hashed != nil {
		table = hashed
	}
	declared := training.Declared(p.TestPublic && p.TestName != "", display.OneLine(p.measuredName()), table)
	files, err := study.WinnerFiles(won, outcome.Origin{Program: p.Program, Asked: p.Choice.Draft.Asked,
		Recorded: p.Choice.Draft.Recorded, Declared: declared})
	if err != nil {
		return Chosen{}, place.Failure(err)
	}
	p.Choice.Files = files
	return Chosen{won.Certificate, place.Path(), won.Winner.Settings}, place.Write(files)
}

// ledger returns the ledger that pays for a private choice.
func (p *Plan) ledger() (*ledger.Ledger, error) {
	if p.Pay != nil {
		return p.Pay(&p.Choice.Draft)
	}
	return p.Choice.Draft.Ledger()
}

// choiceFailure marks the error of a choice for which nothing may have been reserved.
func choiceFailure(place *artefact.Folder, budget *ledger.Ledger, err error) error {
	if len(budget.Event()) == 0 {
		err = place.Unspend(err)
	}
	switch {
	case errors.Is(err, ledger.ErrOverBudget):
		return err
	case errors.Is(err, sweep.ErrNoRuns):
		err = fmt.Errorf("the random number of runs came up as 0: nothing was trained or written; a larger mean makes that rarer")
	case errors.Is(err, sweep.ErrAllDiverged):
		err = fmt.Errorf("the weights of every run did not stay finite: there is no model; lower the learning rates")
	}
	return place.Failure(err)
}

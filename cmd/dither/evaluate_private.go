package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/bookkeeping"
	"github.com/ditherml/dither/internal/glossary"
	"github.com/ditherml/dither/internal/measures"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/signature"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/internal/values"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// privateFlags are the flags of a private evaluation.
type privateFlags struct {
	flags                           *pflag.FlagSet
	private                         bool
	epsilon, delta                  float64
	neighboring, noise, unit        string
	maxRecordsPerPerson, maxRecords int
	bins                            int
	scoreRange                      string
	residualBound                   float64
	out                             string
	wish                            bookkeeping.Wish
	key                             signature.Private
	replace                         bool
	ranks                           together.Flags
}

// privateNames are the flags that go with --private alone.
var privateNames = []string{"epsilon", "delta", "neighboring", "noise", "unit", "max-records-per-person", "max-records", "bins", "score-range", "residual-bound", "out", "replace", "ledger", "population", "purpose", "sign"}

func (p *privateFlags) add(f *pflag.FlagSet) {
	p.flags = f
	f.BoolVar(&p.private, "private", false, "measure private records: everything is computed from one noisy release, which --epsilon pays for")
	f.Float64Var(&p.epsilon, "epsilon", 0, "with --private: privacy budget of the evaluation, in nats; required")
	f.Float64Var(&p.delta, "delta", 1e-6, "with --private: "+glossary.Short("delta")+"; 0 with laplace noise")
	f.StringVar(&p.neighboring, "neighboring", privacy.AddOrRemoveOne.String(), "with --private: "+glossary.Short("neighboring"))
	f.StringVar(&p.noise, "noise", "laplace", "with --private: laplace or gaussian")
	f.StringVar(&p.unit, "unit", "row", "with --private: what is protected: row, or person:COLUMN for all rows with one text in a column")
	f.IntVar(&p.maxRecordsPerPerson, "max-records-per-person", 0, "with --private: rows of a person that are used, with --unit person:COLUMN")
	f.IntVar(&p.maxRecords, "max-records", 0, "with --private: declared public bound on the number of rows, instead of the schema's")
	f.IntVar(&p.bins, "bins", 0, fmt.Sprintf("with --private: score bins (default %d for two levels, of equal width in log-odds; 1 for more)", option.DefaultScoreBins))
	f.StringVar(&p.scoreRange, "score-range", "", "with --private: LOW:HIGH, declared probabilities between which bins are of equal width in log-odds")
	f.Float64Var(&p.residualBound, "residual-bound", 0, "with --private: where residuals of a numeric target are cut (default: the range of the target)")
	addWish(f, &p.wish, &p.key)
	addCharge(f, &p.wish)
	p.ranks.Add(f)
	f.StringVar(&p.out, "out", "", "with --private: folder to write: evaluation.json, certificate.json and report.html")
	f.BoolVar(&p.replace, "replace", false, "with --private: replace the folder if it exists")
}

// request returns the request that the flags describe.
func (p *privateFlags) request(group string, threshold float64) (evaluate.Request, error) {
	r := evaluate.Request{Epsilon: p.epsilon, Delta: p.delta, Noise: p.noise, MaxRecords: p.maxRecords, Bins: p.bins, ResidualBound: p.residualBound, GroupColumn: group, Threshold: threshold}
	switch given := p.flags.Changed("epsilon"); {
	case !given && p.wish.Charge == "":
		return r, fmt.Errorf("--epsilon is missing, want the budget of the private evaluation, such as 0.5; it adds to what was spent on these records before")
	case given && (!(p.epsilon > 0) || math.IsInf(p.epsilon, 1)):
		return r, fmt.Errorf("--epsilon is %v, want a positive finite number", p.epsilon)
	}
	if p.maxRecords < 0 {
		return r, fmt.Errorf("--max-records is %d, want a positive number", p.maxRecords)
	}
	var err error
	if r.Neighboring, err = privacy.ParseNeighboring(p.neighboring); err != nil {
		return r, err
	}
	if r.LowScore, r.HighScore, err = values.ScoreRange(p.scoreRange); err != nil {
		return r, err
	}
	unit, err := (&planFlags{unit: p.unit, maxRecordsPerPerson: p.maxRecordsPerPerson}).person()
	if err == nil && unit != nil {
		r.Person = &query.Person{Column: unit.Column, MaxRows: unit.MaxRows}
	}
	return r, err
}

// runPrivate measures the model on private records.
func (e *evaluateCommand) runPrivate(c *cobra.Command, m *model.Model, modelPath, table string) error {
	request, err := e.private.request(e.group, e.threshold)
	if err != nil {
		return err
	}
	source, err := e.table.Source(table)
	if err != nil {
		return err
	}
	var draft certificate.Certificate
	most := e.private.wish.Most(request.Epsilon, c.Flags().Changed("epsilon"))
	plan, err := within(c.Context(), c.ErrOrStderr(), c.ErrOrStderr(), e.private.wish, m.Schema(), most, func(epsilon float64) (p evaluate.Plan, _ *certificate.Certificate, err error) {
		request.Epsilon = epsilon
		p, draft, err = measures.Draft(request, m, source.Database)
		return p, &draft, err
	})
	if err != nil {
		return err
	}
	out := &artefact.Folder{}
	if e.private.key.Key != nil && e.private.out == "" {
		return errUnsigned
	}
	if e.private.out != "" {
		if out, err = artefact.Claim(e.private.out, e.private.replace, c.ErrOrStderr()); err != nil {
			return err
		}
		defer out.Close()
		out.SignWith(e.private.key.Key)
	}
	modelText, err := artefact.ReadPart(modelPath, model.FileName)
	if err != nil {
		return err
	}
	purse, err := e.private.wish.Purse(c.Context(), m.Schema())
	if err != nil {
		return err
	}
	var files map[string][]byte
	budget, err := purse.Pay(c.Context(), &draft)
	if err == nil {
		files, err = e.release(c, purse, m, table, plan, draft, budget, out, certificate.Hash(modelText))
	}
	if err == nil && purse == nil && !strings.HasPrefix(table, builtinPrefix) {
		fmt.Fprintln(c.ErrOrStderr(), bookkeeping.UncountedEvaluation)
	}
	return purse.End(c.Context(), files, c.ErrOrStderr(), err)
}

// release reads the records, measures the model on them and writes the results.
func (e *evaluateCommand) release(c *cobra.Command, purse *bookkeeping.Purse, m *model.Model, table string, plan evaluate.Plan, draft certificate.Certificate, budget *ledger.Ledger, out *artefact.Folder, hash string) (map[string][]byte, error) {
	d, err := readTable(purse.Watch(c.Context()), &e.table, m.Schema(), table, measures.Person(plan), measures.ReadOptions(plan, m.Schema()), draft.Event+string(draft.Plan)+hash, tabular.ReadTest)
	if err != nil {
		return nil, err
	}
	purse.Tell(c.ErrOrStderr())
	records, err := evaluate.RecordsOf(c.Context(), m, plan, d)
	if err != nil {
		return nil, interruption(c.Context(), err)
	}
	file, err := measures.Release(c.Context(), out, plan, draft, budget, records)
	if err != nil {
		return nil, err
	}
	file.ModelSHA256 = hash
	files, err := measures.Files(out.Path(), file, draft, m)
	if err != nil {
		return nil, out.Failure(err)
	}
	if e.private.out != "" {
		if err = out.Write(files); err != nil {
			return nil, err
		}
	}
	result := measures.NoisyOf(file.Measures, draft, out.Path())
	if e.json {
		return files, out.Unprinted(files, writeJSON(c.OutOrStdout(), result))
	}
	return files, out.Unprinted(files, written(result.WriteText(c.OutOrStdout())))
}

package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/process"
	"github.com/ditherml/dither/internal/progress"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
	"github.com/spf13/cobra"
)

const queryLong = `Answer one question about a table with differential privacy, with its noise, an interval
that holds the answer without noise, and what it costs. The statistics are

  count                      number of rows
  sum EXPRESSION             sum over the rows; mean and variance likewise
  mean EXPRESSION
  variance EXPRESSION
  histogram EXPRESSION       rows for each level of a column, or between --edges of a number
  quantiles EXPRESSION       --quantiles of a number, chosen among --points between its bounds
  bounds EXPRESSION          an interval that holds all but a --share of a number
  covariance EXPRESSION...   of two or more numbers, all pairs in one release
  correlation EXPRESSION...  likewise
  categories COLUMN          the frequent texts of a column whose levels nobody declared
  radius EXPRESSION...       the median length of the vector that some numbers of a row make
  aggregate EXPRESSION...    --of mean, median, deviation or correlation of each of --blocks random
                             blocks of the rows, and the median of what they give

An expression is made of numeric columns, numbers, + - *, clamp(expression, low, high) and
comparisons, which count as 0 or 1. --where takes a condition: comparisons of numbers, or of a
column with one of its levels, joined by and, or, not. Names with spaces or other marks stand
in back quotes, such levels in quotation marks. Bounds follow from the schema; nothing is taken from
the rows but what is paid for.

Rows and cells follow the schema: rows that it drops count nowhere, and neither does a row where
a missing cell leaves the number or the condition open. The schema needs no target.

With --unit person:COLUMN --max-records-per-person K a record is all rows with one text in a column,
of which the first K that meet the condition count; what they add up to is bounded together.

Each answer is a release of its own, and releases add up: with --out FOLDER the certificate is
kept, and dither account FOLDER FOLDER... prices several of them together. Exit status 3 when
--noise-multiplier would cost more than --epsilon.`

const queryExample = `  dither query count --data people.csv --schema people.yaml --where "age >= 30 and sex = f" --epsilon 0.5
  dither query mean "hours * rate" --data people.csv --schema people.yaml --by sex
  dither query histogram age --edges 30,40,50 --data people.csv --schema people.yaml --noise gaussian
  dither query quantiles income --quantiles 0.25,0.5,0.75 --data people.csv --schema people.yaml --json
  dither query mean cost --data visits.csv --schema visits.yaml --unit person:patient --max-records-per-person 5
  dither query aggregate income --of median --blocks 40 --data people.csv --schema people.yaml`

// queryCommand holds the flags of dither query.
type queryCommand struct {
	table           tableFlags
	path, schema    string
	plan            query.Plan
	neighboring     string
	unit            string
	rowsOfPerson    int
	epsilon         float64
	noiseMultiplier float64
	share           float64
	out             string
	json            bool
	changed         func(string) bool
}

func newQuery() *cobra.Command {
	k := &queryCommand{}
	c := &cobra.Command{
		Use: "query STATISTIC [EXPRESSION...]", Short: "Answer a question about a table, privately", Long: queryLong, Example: queryExample,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return k.run(c, args) },
	}
	k.changed = c.Flags().Changed
	k.add(c)
	return c
}

func (k *queryCommand) add(c *cobra.Command) {
	f := c.Flags()
	k.table.add(c)
	f.StringVar(&k.path, "data", "", "table of records, or builtin:NAME, required")
	f.StringVar(&k.schema, "schema", "", "schema that declares the table, required but for built-in data sets")
	f.StringVar(&k.plan.Where, "where", "", "condition that a row must meet to count")
	f.StringVar(&k.plan.By, "by", "", "column of levels: one answer for each level, in one release")
	f.Float64SliceVar(&k.plan.Edges, "edges", nil, "ascending edges between the cells of a histogram (default: the bins of the schema)")
	f.Float64SliceVar(&k.plan.Quantiles, "quantiles", []float64{0.5}, "quantiles, whole numbers of thousandths")
	f.IntVar(&k.plan.Points, "points", 0, "number of points of the grid that is chosen from (default 1000)")
	f.StringVar(&k.plan.Of, "of", "mean", "statistic of each block of an aggregate: "+strings.Join(query.AggregateNames(), ", "))
	f.IntVar(&k.plan.Blocks, "blocks", 40, "number of blocks of an aggregate")
	f.StringVar(&k.unit, "unit", "row", "what is protected: row, or person:COLUMN for all rows with one text in a column")
	f.IntVar(&k.rowsOfPerson, "max-records-per-person", 0, "rows of a person that are used, with --unit person:COLUMN; further rows count nowhere")
	f.Float64Var(&k.share, "share", 0.05, "share of the rows outside bounds, half of it on either side")
	f.StringVar(&k.plan.Noise, "noise", "", "laplace (the default where it can be), gaussian, or discrete: the discrete gaussian on whole numbers")
	f.Float64Var(&k.epsilon, "epsilon", 1, "what the answer may cost, in nats")
	f.Float64Var(&k.noiseMultiplier, "noise-multiplier", 0, "scale of the noise over the bound of one record, instead of the least that --epsilon allows")
	f.Float64Var(&k.plan.Delta, "delta", 1e-6, short("delta")+"; 0 where the answer is purely private")
	f.StringVar(&k.neighboring, "neighboring", privacy.AddOrRemoveOne.String(), short("neighboring"))
	f.Float64Var(&k.plan.Confidence, "confidence", 0.95, "confidence of the intervals")
	f.StringVar(&k.out, "out", "", "new folder for the answer and its certificate, for dither verify")
	f.BoolVar(&k.json, "json", false, "print JSON")
}

func (k *queryCommand) run(c *cobra.Command, args []string) error {
	q, err := k.question(args)
	if err != nil {
		return err
	}
	q, draft, err := k.priced(c, q)
	if err != nil {
		return err
	}
	grant, err := k.reserve(q.Plan(), &draft)
	if err != nil {
		return err
	}
	target, err := k.target(c.ErrOrStderr())
	if err != nil {
		return err
	}
	defer target.Close()
	d, err := readTrainingTable(c.Context(), q.Schema(), k.path, k.table, q.ReadOptions())
	if err != nil {
		return err
	}
	process.OutliveReaders()
	if err = target.Spend(draft); err != nil {
		return err
	}
	rows, err := q.Ask(grant, d)
	if err != nil {
		return target.Failure(err)
	}
	return k.tell(c, target, query.NewFile(q.Plan(), draft, rows))
}

// priced settles the noise and drafts the certificate; it stops with its command.
func (k *queryCommand) priced(c *cobra.Command, q *query.Question) (*query.Question, certificate.Certificate, error) {
	type priced struct {
		question *query.Question
		draft    certificate.Certificate
	}
	p, err := progress.Await(c.Context(), c.ErrOrStderr(), calibrating, func() (p priced, err error) {
		if p.question, err = k.settleNoise(q); err == nil {
			p.draft, err = p.question.Plan().Certificate()
		}
		return p, err
	})
	return p.question, p.draft, err
}

// target takes the name of --out; without it the answer is printed and kept nowhere.
func (k *queryCommand) target(tell io.Writer) (*artefact.Folder, error) {
	if k.out == "" {
		return &artefact.Folder{}, nil
	}
	if exists(k.out) {
		return nil, fmt.Errorf("%s exists, want a new folder; give another --out", k.out)
	}
	return artefact.Claim(k.out, false, tell)
}

// tell keeps the answer, if asked to, and prints it. An answer that can be neither is kept
// elsewhere.
func (k *queryCommand) tell(c *cobra.Command, target *artefact.Folder, answer query.File) error {
	printed := answer
	files, err := answer.Seal(program())
	if err != nil {
		return target.Failure(err)
	}
	if k.out != "" {
		printed = answer
		if err = target.Write(files); err != nil {
			return err
		}
	}
	if k.json {
		err = writeJSON(c.OutOrStdout(), printed)
	} else {
		var text []byte
		if text, err = wording.Answer(printed); err == nil {
			err = writeAll(c.OutOrStdout(), text)
		}
	}
	return target.Unprinted(files, err)
}

// settleNoise takes the noise that is given, or finds the least that the budget allows.
func (k *queryCommand) settleNoise(q *query.Question) (*query.Question, error) {
	if k.changed("noise-multiplier") {
		return q.WithNoise(k.noiseMultiplier)
	}
	p := q.Plan()
	target, err := privacy.NewGuarantee(k.epsilon, p.Delta, p.Neighboring, privacy.Unit{Row: p.Unit, RowsPerPerson: p.RowsPerPerson})
	if err != nil {
		return nil, err
	}
	if err = checkEpsilon(k.epsilon, "take a smaller one"); err != nil && !math.IsInf(k.epsilon, 1) {
		return nil, err
	}
	if math.IsInf(k.epsilon, 1) {
		return nil, fmt.Errorf("--epsilon is infinite, want a finite number; an answer without noise is not private")
	}
	within, err := q.Within(target)
	if errors.Is(err, account.ErrUnreachable) {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "query: "))
	}
	return within, err
}

// reserve sets the cost of the plan aside under the budget.
func (k *queryCommand) reserve(p query.Plan, c *certificate.Certificate) (*ledger.Grant, error) {
	if math.IsInf(float64(c.Epsilon), 1) && !math.IsInf(k.epsilon, 1) {
		return nil, fmt.Errorf("--epsilon is %v, want one that a certificate can state; what the samplers round counts e^epsilon times, take a smaller one", k.epsilon)
	}
	price := max(float64(c.Epsilon), c.Charge())
	if !k.changed("noise-multiplier") || k.changed("epsilon") {
		if price > k.epsilon {
			return nil, fmt.Errorf("%w: the answer costs epsilon %s, want at most %v; take more noise or raise --epsilon", ledger.ErrOverBudget, epsilonText(price), k.epsilon)
		}
		c.Asked = certificate.Epsilon(k.epsilon)
	}
	budget, err := ledgerOf(*c)
	if err != nil {
		return nil, err
	}
	return budget.Reserve(p.Event(), "a "+string(p.Statistic))
}

package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/asking"
	"github.com/ditherml/dither/internal/bookkeeping"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/glossary"
	"github.com/ditherml/dither/internal/signature"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/internal/values"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
	"github.com/spf13/cobra"
)

// queryCommand holds the flags of dither query.
type queryCommand struct {
	table           tabular.Flags
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
	wish            bookkeeping.Wish
	key             signature.Private
	ranks           together.Flags
	changed         func(string) bool
}

func newQuery() *cobra.Command {
	k := &queryCommand{}
	c := &cobra.Command{
		Annotations: map[string]string{together.Several: "yes"}, Use: "query STATISTIC [EXPRESSION...]", Short: "Answer a question about a table, privately", Long: values.QueryLong, Example: values.QueryExample,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return k.ranks.Run(c, func() { k.out, k.key = "", signature.Private{} }, func() error { return k.run(c, args) })
		},
	}
	k.changed = c.Flags().Changed
	k.add(c)
	return c
}

func (k *queryCommand) add(c *cobra.Command) {
	f := c.Flags()
	k.table.Add(c.Flags())
	f.StringVar(&k.path, "data", "", "table of records, or builtin:NAME, required")
	f.StringVar(&k.schema, "schema", "", "schema that declares the table, required but for built-in data sets")
	f.StringVar(&k.plan.Where, "where", "", "condition that a row must meet to count")
	f.StringVar(&k.plan.By, "by", "", "column of levels: one answer for each level, in one release")
	f.Float64SliceVar(&k.plan.Edges, "edges", nil, "ascending edges between the cells of a histogram (default: the bins of the schema)")
	f.Float64SliceVar(&k.plan.Quantiles, "quantiles", []float64{0.5}, "quantiles, multiples of 0.001")
	f.IntVar(&k.plan.Points, "points", 0, "number of points of the grid that is chosen from (default 1000)")
	f.StringVar(&k.plan.Of, "of", "mean", "statistic of each block of an aggregate: "+strings.Join(query.AggregateNames(), ", "))
	f.IntVar(&k.plan.Blocks, "blocks", 40, "number of blocks of an aggregate")
	f.StringVar(&k.unit, "unit", "row", "what is protected: row, or person:COLUMN for all rows with one text in a column")
	f.IntVar(&k.rowsOfPerson, "max-records-per-person", 0, "rows of a person that are used, with --unit person:COLUMN; further rows count nowhere")
	f.Float64Var(&k.share, "share", 0.05, "share of the rows outside bounds, half of it on either side")
	f.StringVar(&k.plan.Noise, "noise", "", "laplace (the default where it can be), gaussian, or discrete: the discrete gaussian on integers")
	f.Float64Var(&k.epsilon, "epsilon", 1, "what the answer may cost, in nats")
	f.Float64Var(&k.noiseMultiplier, "noise-multiplier", 0, "scale of the noise over the bound of one record, instead of the least that --epsilon allows")
	f.Float64Var(&k.plan.Delta, "delta", 1e-6, glossary.Short("delta")+"; 0 where the answer is purely private")
	f.StringVar(&k.neighboring, "neighboring", privacy.AddOrRemoveOne.String(), glossary.Short("neighboring"))
	f.Float64Var(&k.plan.Confidence, "confidence", 0.95, "confidence of the intervals")
	f.StringVar(&k.out, "out", "", "new folder for the answer and its certificate, for dither verify")
	addWish(f, &k.wish, &k.key)
	addCharge(f, &k.wish)
	k.ranks.Add(f)
	f.BoolVar(&k.json, "json", false, "print JSON")
}

func (k *queryCommand) run(c *cobra.Command, args []string) error {
	q, err := k.question(args)
	if err != nil {
		return err
	}
	source, err := k.table.Source(k.path)
	if err != nil {
		return err
	}
	budget := asking.Budget{Epsilon: k.epsilon, Limited: k.changed("epsilon")}
	if k.changed("noise-multiplier") {
		budget.Noise = &k.noiseMultiplier
	} else if err = checkEpsilon(k.epsilon, "take a smaller one"); err != nil && !math.IsInf(k.epsilon, 1) {
		return err
	}
	most := k.wish.Most(k.epsilon, k.changed("epsilon"))
	priced, err := within(c.Context(), c.ErrOrStderr(), c.ErrOrStderr(), k.wish, q.Schema(), most, func(epsilon float64) (asking.Priced, *certificate.Certificate, error) {
		budget.Epsilon = epsilon
		p, failed := budget.Price(q)
		draft.ComeFrom(p.Draft(), source.Database)
		return p, p.Draft(), failed
	})
	if err != nil {
		return err
	}
	target, err := k.target(c.ErrOrStderr())
	if err != nil {
		return err
	}
	defer target.Close()
	purse, err := k.wish.Purse(c.Context(), q.Schema())
	if err != nil {
		return err
	}
	files, err := k.pay(c, purse, priced, target)
	if err == nil && purse == nil && !strings.HasPrefix(k.path, builtinPrefix) {
		fmt.Fprintln(c.ErrOrStderr(), bookkeeping.Uncounted)
	}
	return purse.End(c.Context(), files, c.ErrOrStderr(), err)
}

// pay reserves the price of a question before a record is read, asks it, and returns the files of the answer.
func (k *queryCommand) pay(c *cobra.Command, purse *bookkeeping.Purse, priced asking.Priced, target *artefact.Folder) (map[string][]byte, error) {
	q := priced.Question
	budget, err := purse.Pay(c.Context(), priced.Draft())
	if err == nil {
		err = priced.Reserve(c.Context(), budget)
	}
	if err != nil {
		return nil, err
	}
	d, err := readTable(purse.Watch(c.Context()), &k.table, q.Schema(), k.path, priced.Person(), q.ReadOptions(), priced.Agreed(), tabular.ReadTrain)
	if err != nil {
		return nil, err
	}
	purse.Tell(c.ErrOrStderr())
	answer, err := priced.Answer(c.Context(), target, d)
	if err != nil {
		return nil, err
	}
	files, err := asking.Write(target, answer)
	if err != nil {
		return nil, err
	}
	return files, target.Unprinted(files, printed(c, k.json, answer, func() ([]byte, error) { return wording.Answer(answer) }))
}

// target returns the folder of --out. Without it the answer is printed but not kept.
func (k *queryCommand) target(tell io.Writer) (*artefact.Folder, error) {
	switch {
	case k.out == "" && k.key.Key != nil:
		return nil, errUnsigned
	case k.out == "":
		return &artefact.Folder{}, nil
	}
	if display.Exists(k.out) {
		return nil, fmt.Errorf("%s exists, want a new folder; give another --out", k.out)
	}
	out, err := artefact.Claim(k.out, false, tell)
	if err == nil {
		out.SignWith(k.key.Key)
	}
	return out, err
}

package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/report"
	"github.com/spf13/cobra"
)

const accountLong = `Say what releases cost in privacy: the smallest epsilon at a delta, or with --epsilon the
smallest delta, by every accountant that has a proof.

What is priced is an event expression, or the plan or certificate in a JSON file (also what
dither train --dry-run --json prints), or the certificate of a model folder; without an
argument, --steps steps of gradient descent, each with normal noise of --noise-multiplier
times the clipping norm on a sample that takes each record with --sampling-probability.

Several arguments are priced together: all their releases from the same records, as if all had been
planned before the first.

A bound that is proven is printed rounded to its safe side: "from" down, "to" up. The number
that may be claimed is the one in the column "to" of the line that says so. What an attacker
can do at most is derived from it.

--textbook prints beside it what formulas of courses give for the event, and whether each
is a guarantee. Without anything to price, it works through a known exercise: 1000 runs of
a (0.4, 1e-6)-private algorithm, on samples of 1 % of the records.

Every number follows from public ones; no record is read. A long computation says so on standard
error and stops at Ctrl-C.`

const accountExample = `  dither account "repeat(1000, poisson(0.01, gaussian(1.1)))"
  dither account --noise-multiplier 1.1 --sampling-probability 0.01 --steps 1000 --delta 1e-5
  dither account dither-model --rows-per-person 10
  dither account model-of-may model-of-june "laplace(10)"
  dither account "gaussian(1)" --epsilon 2
  dither account --textbook`

// defaultDelta is the delta at which commands price what names none.
const defaultDelta = 1e-6

// accountCommand holds the flags of dither account.
type accountCommand struct {
	steps       stepFlags
	delta       float64
	epsilon     float64
	neighboring string
	accountant  string
	rows        int
	textbook    bool
	json        bool
	plot        string
	replace     bool
	changed     func(flag string) bool
}

func newAccount() *cobra.Command {
	a := &accountCommand{}
	c := &cobra.Command{
		Use: "account [EVENT | FILE | MODEL-FOLDER]...", Short: "Say what releases cost in privacy", Long: accountLong, Example: accountExample,
		RunE: func(c *cobra.Command, args []string) error { return a.run(c, args) },
	}
	f := c.Flags()
	a.steps.add(f)
	f.Float64Var(&a.delta, "delta", defaultDelta, short("delta")+" (default of a file: its own)")
	f.Float64Var(&a.epsilon, "epsilon", 0, "ask for the smallest delta at this epsilon instead")
	f.StringVar(&a.neighboring, "neighboring", privacy.AddOrRemoveOne.String(), short("neighboring")+" (default of a file: its own)")
	f.StringVar(&a.accountant, "accountant", "", "one accountant: "+strings.Join(accountantNames(), ", ")+" (default: all)")
	f.IntVar(&a.rows, "rows-per-person", 0, "state the epsilon of this many rows together, too (default of a file: as declared)")
	f.BoolVar(&a.textbook, "textbook", false, "compare with formulas of courses")
	f.BoolVar(&a.json, "json", false, "print JSON")
	f.StringVar(&a.plot, "plot", "", "draw epsilon over the steps, and the errors of an attacker, into this SVG file")
	f.BoolVar(&a.replace, "replace", false, "replace the file of --plot if it exists")
	a.changed = f.Changed
	return c
}

func accountantNames() []string {
	all := account.All()
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = a.Name()
	}
	return names
}

func (a *accountCommand) run(c *cobra.Command, args []string) error {
	if a.replace && a.plot == "" {
		return fmt.Errorf("--replace goes with --plot FILE")
	}
	if a.textbook && len(args) == 0 && !a.steps.any(a.changed) {
		return a.runExercise(c)
	}
	s, err := a.subject(args)
	if err != nil {
		return err
	}
	question, err := a.question(s)
	if err != nil {
		return err
	}
	type answer struct {
		explain.Cost
		picture report.CostPlot
	}
	all, err := computed(c.Context(), c.ErrOrStderr(), "computing what the releases cost", func() (answer, error) {
		cost, trade, failure := a.answer(s, question)
		if failure != nil || a.plot == "" {
			return answer{Cost: cost}, failure
		}
		return answer{cost, question.Plot(cost, trade)}, nil
	})
	if err != nil {
		return err
	}
	out := all.Cost
	if a.plot != "" {
		if err = a.writePlot(all.picture); err != nil {
			return err
		}
	}
	if a.json {
		return writeJSON(c.OutOrStdout(), out)
	}
	text, err := out.Text(a.plot)
	if err != nil {
		return failed{err}
	}
	return writeAll(c.OutOrStdout(), text)
}

// answer computes everything that is to be printed, and the trade-off curve behind it.
func (a *accountCommand) answer(s subject, q explain.Question) (explain.Cost, account.TradeOff, error) {
	out, trade, err := q.Answer()
	if err != nil {
		return out, trade, err
	}
	if s.stated != nil && q.Delta == s.delta && q.Neighboring == s.neighboring && !q.ForDelta {
		out.Stated = s.stated
	}
	if a.textbook {
		if !(out.Claim.Delta > 0 && out.Claim.Delta < 1) {
			return out, trade, fmt.Errorf("--textbook is asked for at delta %v, want more than 0 and less than 1; the formulas divide by it", out.Claim.Delta)
		}
		if out.Textbook, err = q.Textbook(out.Claim); err != nil {
			return out, trade, err
		}
	}
	out.Next = a.nextStep(q, out.Claim)
	return out, trade, nil
}

// writePlot writes the picture into the file of --plot.
func (a *accountCommand) writePlot(picture report.CostPlot) error {
	return durable.WriteWhole(a.plot, a.replace, 0o644, func(w io.Writer) error {
		if err := picture.WriteSVG(w); err != nil {
			return failed{err}
		}
		return nil
	})
}

// question settles the terms: flags before what the file says.
func (a *accountCommand) question(s subject) (explain.Question, error) {
	q := explain.Question{Event: s.event, Neighboring: s.neighboring, Delta: s.delta, Epsilon: a.epsilon, ForDelta: a.changed("epsilon"), Accountants: account.All()}
	var err error
	if s.neighboring == 0 || a.changed("neighboring") {
		if q.Neighboring, err = privacy.ParseNeighboring(a.neighboring); err != nil {
			return q, err
		}
	}
	if !s.file || a.changed("delta") {
		q.Delta = a.delta
	}
	if q.Rows = s.rows; a.changed("rows-per-person") {
		q.Rows = a.rows
	}
	if a.accountant != "" {
		named, unknown := account.Named(a.accountant)
		if unknown != nil {
			return q, unknown
		}
		q.Accountants = []account.Accountant{named}
	}
	if err = a.checkNumbers(q); err != nil {
		return q, err
	}
	return q, mechanism.CheckNeighboring(q.Event, q.Neighboring)
}

// mostRows bounds the group of --rows-per-person.
const mostRows = 1_000_000

func (a *accountCommand) checkNumbers(q explain.Question) error {
	switch {
	case q.ForDelta && a.changed("delta"):
		return fmt.Errorf("--epsilon and --delta are both given, want one of them; the other is computed")
	case q.ForDelta && a.changed("rows-per-person"):
		return fmt.Errorf("--rows-per-person goes with --delta: the epsilon of several rows is computed at a delta")
	case q.ForDelta && !(q.Epsilon >= 0 && !math.IsInf(q.Epsilon, 1)):
		return fmt.Errorf("--epsilon is %v, want a finite number of at least 0", q.Epsilon)
	case !q.ForDelta && !(q.Delta >= 0 && q.Delta < 1):
		return fmt.Errorf("--delta is %v, want at least 0 and less than 1; 1e-6 is a common choice", q.Delta)
	case a.changed("rows-per-person") && (q.Rows < 1 || q.Rows > mostRows):
		return fmt.Errorf("--rows-per-person is %d, want 1 to %d", q.Rows, mostRows)
	}
	return nil
}

// runExercise prints the exercise.
func (a *accountCommand) runExercise(c *cobra.Command) error {
	for _, flag := range []string{"delta", "epsilon", "neighboring", "accountant", "rows-per-person", "plot"} {
		if a.changed(flag) {
			return fmt.Errorf("--%s is given with --textbook and nothing to price, want an event; without one, --textbook works through an exercise with numbers of its own", flag)
		}
	}
	e := explain.NewExercise()
	if a.json {
		return writeJSON(c.OutOrStdout(), e)
	}
	return writeAll(c.OutOrStdout(), e.Text())
}

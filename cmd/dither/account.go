package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/internal/calibration"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/glossary"
	"github.com/ditherml/dither/internal/progress"
	"github.com/ditherml/dither/internal/textbook"
	"github.com/ditherml/dither/internal/values"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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

// defaultDelta is the delta at which commands price events that name none.
const defaultDelta = calibration.DefaultDelta

// termFlags name the terms at which an event is priced.
type termFlags struct {
	delta, epsilon float64
	neighboring    string
	accountant     string
	rows           int
	changed        func(flag string) bool
}

// accountCommand holds the flags of dither account.
type accountCommand struct {
	termFlags
	steps                   calibration.Steps
	textbook, json, replace bool
	plot                    string
}

func newAccount() *cobra.Command {
	a := &accountCommand{}
	c := &cobra.Command{
		Use: "account [EVENT | FILE | MODEL-FOLDER]...", Short: "Say what releases cost in privacy", Long: accountLong, Example: accountExample,
		RunE: func(c *cobra.Command, args []string) error { return a.run(c, args) },
	}
	f := c.Flags()
	addSteps(f, &a.steps)
	f.Float64Var(&a.delta, "delta", defaultDelta, glossary.Short("delta")+" (default of a file: its own)")
	f.Float64Var(&a.epsilon, "epsilon", 0, "ask for the smallest delta at this epsilon instead")
	f.StringVar(&a.neighboring, "neighboring", privacy.AddOrRemoveOne.String(), glossary.Short("neighboring")+" (default of a file: its own)")
	f.StringVar(&a.accountant, "accountant", "", "one accountant: "+strings.Join(values.Accountants(), ", ")+" (default: all)")
	f.IntVar(&a.rows, "rows-per-person", 0, "state the epsilon of this many rows together, too (default of a file: as declared)")
	f.BoolVar(&a.textbook, "textbook", false, "compare with formulas of courses")
	f.BoolVar(&a.json, "json", false, "print JSON")
	f.StringVar(&a.plot, "plot", "", "draw epsilon over the steps, and the errors of an attacker, into this SVG file")
	f.BoolVar(&a.replace, "replace", false, "replace the file of --plot if it exists")
	a.changed = f.Changed
	return c
}

// addSteps adds the flags that describe steps of gradient descent.
func addSteps(f *pflag.FlagSet, s *calibration.Steps) {
	f.Float64Var(&s.NoiseMultiplier, calibration.Noise, 0, glossary.Short("noise-multiplier"))
	f.Float64Var(&s.SamplingProbability, calibration.Probability, 1, glossary.Short("sampling-probability"))
	f.IntVar(&s.Count, calibration.Count, 1, "number of steps")
}

// stepsGiven reports whether one of the flags of addSteps is given.
func stepsGiven(changed func(string) bool) bool {
	return changed(calibration.Noise) || changed(calibration.Probability) || changed(calibration.Count)
}

func (a *accountCommand) run(c *cobra.Command, args []string) error {
	switch {
	case a.replace && a.plot == "":
		return fmt.Errorf("--replace goes with --plot FILE")
	case a.textbook && len(args) == 0 && !stepsGiven(a.changed):
		return a.runExercise(c)
	}
	q, err := a.question(args)
	if err != nil {
		return err
	}
	type answer struct {
		cost explain.Cost
		plot func(io.Writer) error
	}
	out, err := progress.Await(c.Context(), c.ErrOrStderr(), "computing what the releases cost", func() (answer, error) {
		cost, failure := a.answer(q)
		if failure != nil || a.plot == "" {
			return answer{cost: cost}, failure
		}
		return answer{cost, cost.WritePlot}, nil
	})
	if err != nil {
		return err
	}
	if a.plot != "" {
		if err = durable.WriteWhole(a.plot, a.replace, 0o644, func(w io.Writer) error { return running(out.plot(w)) }); err != nil {
			return err
		}
	}
	return printed(c, a.json, out.cost, func() ([]byte, error) { return out.cost.Text(a.plot) })
}

// answer computes everything to be printed.
func (a *accountCommand) answer(q explain.Question) (explain.Cost, error) {
	out, err := q.Answer()
	if err != nil {
		return out, err
	}
	if a.textbook && out.Textbook == nil {
		return out, fmt.Errorf("--textbook is asked for at delta %v, want more than 0 and less than 1; the formulas divide by it", out.Claim.Delta)
	}
	var steps *calibration.Steps
	if stepsGiven(a.changed) {
		steps = &a.steps
	}
	out.Next = calibration.Next(q.Event, q.Neighboring, float64(out.Claim.Epsilon), out.Claim.Delta, q.ForDelta, steps)
	return out, nil
}

// question reads the event to price and its terms.
func (a *accountCommand) question(args []string) (explain.Question, error) {
	switch given := stepsGiven(a.changed); {
	case len(args) == 0 && !given:
		return explain.Question{}, fmt.Errorf("nothing to price, want an event, a file, a model folder or --noise-multiplier; see dither account --help")
	case len(args) > 0 && given:
		return explain.Question{}, fmt.Errorf("an argument is given together with --noise-multiplier, --sampling-probability or --steps, want one or the other")
	case len(args) == 0 && !a.changed(calibration.Noise):
		return explain.Question{}, fmt.Errorf("--noise-multiplier is missing, want it beside --steps and --sampling-probability; dither calibrate finds one for an epsilon")
	case len(args) == 0:
		if err := a.steps.Check(""); err != nil {
			return explain.Question{}, err
		}
		return a.settle(explain.Question{Event: a.steps.Event(), Textbook: a.textbook})
	}
	q, err := explain.Read(args...)
	if err != nil {
		return q, err
	}
	q.Textbook = a.textbook
	return a.settle(q)
}

// settle lets terms from flags override terms from a file.
func (a *termFlags) settle(stated explain.Question) (explain.Question, error) {
	q, err := stated, error(nil)
	q.Epsilon, q.ForDelta = a.epsilon, a.changed("epsilon")
	if q.Neighboring == 0 || a.changed("neighboring") {
		if q.Neighboring, err = privacy.ParseNeighboring(a.neighboring); err != nil {
			return q, err
		}
	}
	if stated.Neighboring == 0 || a.changed("delta") {
		q.Delta = a.delta
	}
	if a.changed("rows-per-person") {
		q.Rows = a.rows
	}
	if q.ForDelta || q.Delta != stated.Delta || q.Neighboring != stated.Neighboring {
		q.Stated = nil
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

func (a *termFlags) checkNumbers(q explain.Question) error {
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
	e := textbook.NewExercise()
	return printed(c, a.json, e, func() ([]byte, error) { return e.Text(), nil })
}

package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/calibration"
	"github.com/ditherml/dither/internal/glossary"
	"github.com/ditherml/dither/internal/progress"
	"github.com/ditherml/dither/privacy"
	"github.com/spf13/cobra"
)

const calibrateLong = `Find what meets a privacy target: the least noise, the most steps or the largest sampling
probability for which gradient descent costs at most --epsilon at --delta.

--find names what is looked for, and the other two are given: --noise-multiplier, --steps
(default 1), --sampling-probability (default 1, full batch). Or --event names any event, with
X in place of the number that is looked for. The cost must fall as X grows, as with a noise
multiplier; for a number with which the cost grows, such as a count or a probability, say
--falling=false and perhaps where to look, with --low and --high.

The value is rounded to the private side, and the cost that is printed is that of the
rounded value: its proven upper bound is at most the target.

Exit status 2 when nothing in range meets the target.`

const calibrateExample = `  dither calibrate --epsilon 1 --steps 1000 --sampling-probability 0.01
  dither calibrate --epsilon 1 --find steps --noise-multiplier 1.1 --sampling-probability 0.01
  dither calibrate --epsilon 1 --find sampling-probability --noise-multiplier 1.1 --steps 1000
  dither calibrate --epsilon 2 --delta 1e-5 --event "sequence(gaussian(5), repeat(100, gaussian(X)))"
  dither calibrate --epsilon 1 --delta 0 --event "repeat(X, laplace(50))" --falling=false`

// calibrateCommand holds the flags of dither calibrate.
type calibrateCommand struct {
	steps       calibration.Steps
	epsilon     float64
	delta       float64
	neighboring string
	find        string
	event       string
	falling     bool
	low, high   float64
	accountant  string
	json        bool
	changed     func(flag string) bool
}

func newCalibrate() *cobra.Command {
	k := &calibrateCommand{}
	c := &cobra.Command{
		Use: "calibrate --epsilon E", Short: "Find the noise, steps or sampling that meet a privacy target", Long: calibrateLong, Example: calibrateExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("dither calibrate has %d arguments, want flags only; an event goes behind --event, in quotation marks", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return k.run(c) },
	}
	f := c.Flags()
	f.Float64Var(&k.epsilon, "epsilon", 0, "the target, in nats; required")
	f.Float64Var(&k.delta, "delta", defaultDelta, glossary.Short("delta"))
	f.StringVar(&k.neighboring, "neighboring", privacy.AddOrRemoveOne.String(), glossary.Short("neighboring"))
	f.StringVar(&k.find, "find", calibration.Noise, "what is looked for: noise-multiplier, steps or sampling-probability")
	addSteps(f, &k.steps)
	f.StringVar(&k.event, "event", "", `any event instead, with X in place of the number that is looked for`)
	f.BoolVar(&k.falling, "falling", true, "the cost of --event falls as X grows; =false: it grows")
	f.Float64Var(&k.low, "low", 1e-9, "least X, with --falling=false")
	f.Float64Var(&k.high, "high", 1e9, "largest X, with --falling=false")
	f.StringVar(&k.accountant, "accountant", "", "accountant (default: the one that prices the event best)")
	f.BoolVar(&k.json, "json", false, "print JSON")
	k.changed = f.Changed
	return c
}

func (k *calibrateCommand) run(c *cobra.Command) error {
	target, err := k.target()
	if err != nil {
		return err
	}
	p, err := k.problem(target)
	if err != nil {
		return err
	}
	out, err := progress.Await(c.Context(), c.ErrOrStderr(), "calibrating", p.Solve)
	if err != nil {
		return err
	}
	return printed(c, k.json, out, out.Text)
}

// problem returns the problem to solve.
func (k *calibrateCommand) problem(target privacy.Guarantee) (p calibration.Problem, err error) {
	ranged := k.changed("low") || k.changed("high")
	switch {
	case !k.changed("event") && (ranged || k.changed("falling")):
		return p, fmt.Errorf("--falling, --low and --high go with --event")
	case !k.changed("event") && slices.Contains(calibration.Numbers, k.find) && k.changed(k.find):
		return p, fmt.Errorf("--%s is given, but it is what is looked for; leave it out, or name another number with --find", k.find)
	case !k.changed("event"):
		p, err = k.steps.Problem(k.find, target)
		if slices.Contains(calibration.Numbers, k.find) && k.find != calibration.Noise && !k.changed(calibration.Noise) {
			return p, fmt.Errorf("--%s is missing, want it beside --find %s", calibration.Noise, k.find)
		}
	case k.changed("find") || stepsGiven(k.changed):
		return p, fmt.Errorf("--event is given together with --find, --noise-multiplier, --sampling-probability or --steps, want one or the other")
	case k.falling && ranged:
		return p, fmt.Errorf("--low and --high go with --falling=false")
	default:
		p, err = calibration.Of(k.event, k.falling, k.low, k.high, target)
	}
	if err == nil && k.accountant != "" {
		p.Accountant, err = account.Named(k.accountant)
	}
	return p, err
}

// target returns the guarantee that must be met.
func (k *calibrateCommand) target() (privacy.Guarantee, error) {
	switch {
	case !k.changed("epsilon"):
		return privacy.Guarantee{}, fmt.Errorf("--epsilon is missing, want the target; 1 is a common choice")
	case !(k.epsilon > 0) || math.IsInf(k.epsilon, 1):
		return privacy.Guarantee{}, fmt.Errorf("--epsilon is %v, want a finite number of more than 0; 1 is a common choice", k.epsilon)
	case !(k.delta >= 0 && k.delta < 1):
		return privacy.Guarantee{}, fmt.Errorf("--delta is %v, want at least 0 and less than 1; 1e-6 is a common choice", k.delta)
	}
	n, err := privacy.ParseNeighboring(k.neighboring)
	if err != nil {
		return privacy.Guarantee{}, err
	}
	return privacy.NewGuarantee(k.epsilon, k.delta, n, privacy.Unit{})
}

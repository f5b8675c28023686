package main

import (
	"fmt"
	"strings"

	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/glossary"
	"github.com/ditherml/dither/internal/progress"
	"github.com/ditherml/dither/internal/values"
	"github.com/spf13/cobra"
)

// explainCommand holds the flags of dither explain.
type explainCommand struct {
	termFlags
	json bool
}

func newExplain() *cobra.Command { return (&explainCommand{}).command() }

func (e *explainCommand) command() *cobra.Command {
	c := &cobra.Command{
		Use: "explain [FOLDER | certificate.json | EVENT | TERM]", Short: "Put a certificate, an event or a term into plain words", Long: values.ExplainLong, Example: values.ExplainExample,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return e.run(c, strings.Join(args, "")) },
	}
	f := c.Flags()
	f.Float64Var(&e.delta, "delta", defaultDelta, "of an event: "+glossary.Short("delta"))
	f.StringVar(&e.neighboring, "neighboring", "add-or-remove-one", "of an event: "+glossary.Short("neighboring"))
	f.IntVar(&e.rows, "rows-per-person", 0, "of an event: state the epsilon of this many rows together, too")
	f.BoolVar(&e.json, "json", false, "print JSON")
	e.changed = f.Changed
	return c
}

func (e *explainCommand) run(c *cobra.Command, subject string) error {
	out, err := progress.Await(c.Context(), c.ErrOrStderr(), "computing what is explained", func() (explain.Explanation, error) { return e.explain(subject) })
	if err != nil {
		return err
	}
	err = printed(c, e.json, out, out.Text)
	if err == nil && out.Verified != nil && !*out.Verified {
		err = failure.Running(fmt.Errorf("%s: not verified: %s; do not rely on it", subject, out.Disagreements[0]))
	}
	return err
}

// explain explains a subject. A certificate has its own terms; the flags are for events.
func (e *explainCommand) explain(subject string) (explain.Explanation, error) {
	out, err := explain.Of(subject, e.settle)
	if err != nil || out.Verified == nil {
		return out, err
	}
	for _, flag := range []string{"delta", "neighboring", "rows-per-person"} {
		if e.changed(flag) {
			return out, fmt.Errorf("--%s is given with a certificate, which states its own, want an event; dither account prices a certificate at other terms", flag)
		}
	}
	return out, nil
}

// settle leaves the choice of a relation to package explain if neither flags nor subject name one.
func (e *explainCommand) settle(q explain.Question) (explain.Question, error) {
	if q.Neighboring != 0 || e.changed("neighboring") {
		return e.termFlags.settle(q)
	}
	q.Delta, q.Rows = e.delta, e.rows
	return q, e.checkNumbers(q)
}

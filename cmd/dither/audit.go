package main

import (
	"github.com/ditherml/dither/internal/attack"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/format/readers"
	"github.com/ditherml/dither/internal/scoreaudit"
	"github.com/spf13/cobra"
)

func newAudit() *cobra.Command {
	var q scoreaudit.Request
	c := &cobra.Command{Use: "audit [MODEL-FOLDER | PLAN | EVENT]", Short: "Try to refute a claim of privacy", Long: scoreaudit.Long, Example: scoreaudit.Example, Args: cobra.MaximumNArgs(1)}
	c.RunE = func(c *cobra.Command, args []string) error {
		if q.Part != "" {
			return attack.WritePart(c.Context(), c.OutOrStdout(), q.Part)
		}
		subject, err := scoreaudit.Subject(args)
		if err == nil {
			err = q.Check(subject)
		}
		if err != nil {
			return err
		}
		r, err := q.Run(c.Context(), c.ErrOrStderr(), subject, readers.All(), func() (auditing.Report, error) {
			return attack.Program(c.Context(), c.ErrOrStderr(), q.Effort, "audit", "--part")
		})
		if err == nil { // what took minutes is printed even if no folder can be made
			err = printed(c, q.JSON, r, r.Text)
		}
		if err == nil {
			err = q.Write(r)
		}
		if err == nil {
			err = r.Err()
		}
		return err
	}
	q.AddFlags(c.Flags())
	return c
}

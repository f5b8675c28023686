package main

import (
	"fmt"

	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/bookkeeping"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/progress"
	"github.com/spf13/cobra"
)

const verifyLong = `Recompute what follows from the plan in the certificate of a folder that train, query, evaluate --private or
sweep --select wrote: the events, epsilon, the assumptions, and what plan and model say of one another. Everything
else is held by hashes, and a file that the certificate does not know is refused. Prints what was checked and what is
guaranteed.

Exit status 0 when everything agrees, 1 when something does not (each disagreement is
printed), 2 when a file is missing or cannot be read.

No file can show that training really ran as the plan says, or that the assumptions in the certificate hold: for that
you trust whoever trained the model. Whoever rewrites every file alike has a folder that verifies, and claims another
plan. docs/verification.md lists what is free.`

const verifyExample = `  dither verify dither-model
  dither verify dither-model --json`

func newVerify() *cobra.Command {
	asJSON, where := false, ""
	c := &cobra.Command{
		Use: "verify MODEL-FOLDER", Short: "Recompute the certificate of a model", Long: verifyLong, Example: verifyExample,
		Args: arguments("MODEL-FOLDER"),
		RunE: func(c *cobra.Command, args []string) error { return runVerify(c, args[0], where, asJSON) },
	}
	c.Flags().StringVar(&where, "ledger", "", "durable ledger that paid for the run: hold it and the certificate against each other")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func runVerify(c *cobra.Command, folder, where string, asJSON bool) error {
	w := c.OutOrStdout()
	v, err := progress.Await(c.Context(), c.ErrOrStderr(), "verifying", func() (artefact.Verification, error) { return artefact.Verify(folder) })
	if err == nil && where != "" {
		var found []string
		found, err = bookkeeping.Holds(c.Context(), where, folder)
		v.Refuse(found...)
	}
	if err != nil {
		return err
	}
	if asJSON {
		err = writeJSON(w, v)
	} else {
		err = writeAll(w, []byte(v.Text()))
	}
	if err == nil && !v.Verified {
		err = failure.Running(fmt.Errorf("%s: not verified: %s%s; do not rely on it", folder, v.Disagreements[0], andMore(len(v.Disagreements)-1)))
	}
	return err
}

// andMore returns words for n more disagreements.
func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}

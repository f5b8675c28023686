package main

import (
	"fmt"

	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/bookkeeping"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/progress"
	"github.com/ditherml/dither/internal/signature"
	"github.com/ditherml/dither/internal/training"
	"github.com/ditherml/dither/internal/values"
	"github.com/spf13/cobra"
)

func newVerify() *cobra.Command {
	asJSON, where, keys := false, "", signature.Public{}
	c := &cobra.Command{
		Use: "verify MODEL-FOLDER", Short: "Recompute the certificate of a model", Long: values.VerifyLong, Example: values.VerifyExample,
		Args: arguments("MODEL-FOLDER"),
		RunE: func(c *cobra.Command, args []string) error { return runVerify(c, args[0], where, keys, asJSON) },
	}
	c.Flags().StringVar(&where, "ledger", "", "durable ledger that paid for the run: hold it and the certificate against each other")
	c.Flags().Var(&keys, "signed-by", "public Ed25519 key that must have signed the certificate, or the one file that is given; once for each key")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func runVerify(c *cobra.Command, folder, where string, keys signature.Public, asJSON bool) error {
	w := c.OutOrStdout()
	v, err := progress.Await(c.Context(), c.ErrOrStderr(), "verifying", func() (artefact.Verification, error) { return training.Verify(folder, keys.Keys, keys.Paths) })
	if err == nil && where != "" {
		err = bookkeeping.Hold(c.Context(), where, folder, &v)
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

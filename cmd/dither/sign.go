package main

import (
	"fmt"

	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/progress"
	"github.com/ditherml/dither/internal/signature"
	"github.com/ditherml/dither/internal/values"
	"github.com/spf13/cobra"
)

func newSign() *cobra.Command {
	asJSON, key := false, signature.Private{}
	c := &cobra.Command{
		Use: "sign MODEL-FOLDER|FILE", Short: "Sign a certificate, a page or an archive", Long: values.SignLong, Example: values.SignExample,
		Args: arguments("MODEL-FOLDER or FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			if key.Key == nil {
				return fmt.Errorf("--key is missing, want the file of a private key; openssl genpkey -algorithm ed25519 -out key.pem makes one")
			}
			s, err := progress.Await(c.Context(), c.ErrOrStderr(), "verifying", func() (artefact.Signature, error) { return artefact.Sign(args[0], key.Key) })
			if err != nil {
				return err
			}
			return printed(c, asJSON, s, s.Text)
		},
	}
	c.Flags().Var(&key, "key", "private Ed25519 key in PKCS #8, required")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

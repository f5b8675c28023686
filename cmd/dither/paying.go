package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/bookkeeping"
	"github.com/ditherml/dither/internal/progress"
	"github.com/ditherml/dither/internal/signature"
	"github.com/spf13/pflag"
)

// addWish adds the flags of a run that a durable ledger pays for, and whose certificate a key signs.
func addWish(f *pflag.FlagSet, w *bookkeeping.Wish, key *signature.Private) {
	f.Var(key, "sign", "private Ed25519 key in PKCS #8 that signs the certificate: openssl genpkey -algorithm ed25519 makes one")
	f.StringVar(&w.Where, "ledger", "", "durable ledger that pays for the run: a file or the URL of a PostgreSQL ledger, as dither ledger create takes it (default: the ledger that the schema names)")
	f.StringVar(&w.Population, "population", "", "with a ledger: population that the records are of (default: all)")
	f.StringVar(&w.Purpose, "purpose", "", "with a ledger: what the run is for, in a few words")
}

// addCharge adds the flag of a command that calibrates its noise to its charge.
func addCharge(f *pflag.FlagSet, w *bookkeeping.Wish) {
	f.Func("charge", "with a ledger: most that its filter may charge for the run: a `share` of the budget, as 25%, or left for all that is left; the noise is calibrated to it, and --epsilon, if given, bounds the plan's own guarantee (default: the share of --epsilon in the ledger's epsilon)", w.SetCharge)
}

// within is bookkeeping.Within with progress of each plan. It tells what was done.
func within[R any](ctx context.Context, stderr, tell io.Writer, w bookkeeping.Wish, s *data.Schema, most float64, plan func(float64) (R, *certificate.Certificate, error)) (R, error) {
	run, words, err := bookkeeping.Within(ctx, w, s, most, func(epsilon float64) (r R, c *certificate.Certificate, err error) {
		fetch, err := progress.Await(ctx, stderr, "calibrating the noise", func() (func() (R, *certificate.Certificate), error) {
			planned, draft, failed := plan(epsilon)
			return func() (R, *certificate.Certificate) { return planned, draft }, failed
		})
		if err == nil {
			r, c = fetch()
		}
		return r, c, err
	})
	if err == nil && words != "" {
		fmt.Fprintln(tell, words)
	}
	return run, err
}

// errUnsigned is the error of a signature where nothing is written.
var errUnsigned = errors.New("--sign is given without --out, want the place of what is signed")

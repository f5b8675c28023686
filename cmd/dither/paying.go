package main

import (
	"context"
	"fmt"
	"io"

	"github.com/ditherml/dither/internal/bookkeeping"
	"github.com/spf13/pflag"
)

// addWish adds the flags of a run that a durable ledger pays for.
func addWish(f *pflag.FlagSet, w *bookkeeping.Wish) {
	f.StringVar(&w.Where, "ledger", "", "durable ledger that pays for the run: a file or the URL of a PostgreSQL ledger, as dither ledger create takes it (default: the ledger that the schema names)")
	f.StringVar(&w.Population, "population", "", "with a ledger: population that the records are of (default: all)")
	f.StringVar(&w.Purpose, "purpose", "", "with a ledger: what the run is for, in a few words")
}

// closePurse ends the payment of a run, and says what is left. It returns the error of the run, or its own.
func closePurse(ctx context.Context, p *bookkeeping.Purse, files map[string][]byte, w io.Writer, failed error) error {
	words, err := p.Close(ctx, files)
	if failed != nil || err != nil {
		if failed == nil {
			failed = err
		}
		return failed
	}
	if words != "" {
		fmt.Fprintln(w, words)
	}
	return nil
}

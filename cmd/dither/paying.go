package main

import (
	"errors"

	"github.com/ditherml/dither/internal/bookkeeping"
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

// errUnsigned is the error of a signature where nothing is written.
var errUnsigned = errors.New("--sign is given without --out, want the place of what is signed")

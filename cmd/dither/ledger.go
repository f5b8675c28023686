package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/bookkeeping"
	"github.com/ditherml/dither/internal/glossary"
	"github.com/ditherml/dither/internal/signature"
	"github.com/ditherml/dither/privacy"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ledgerCommand holds the flags of the commands of dither ledger.
type ledgerCommand struct {
	request               bookkeeping.Request
	json, csv             bool
	page, population, who string
	forfeit               string
	out                   outputFlags
	key                   signature.Private
}

// signWords are the help of the flag that signs what is written.
const signWords = "private Ed25519 key that signs the file: the signature stands beside it, in FILE.sig"

// ledgerResult is what a command of the family prints.
type ledgerResult interface{ Text() ([]byte, error) }

func newLedger() *cobra.Command {
	k := &ledgerCommand{}
	c := k.part("", func(c *cobra.Command, _ []string) error { return c.Help() })
	asJSON := func(f *pflag.FlagSet) { f.BoolVar(&k.json, "json", false, "print JSON") }
	who := func(f *pflag.FlagSet) {
		f.StringVar(&k.who, "who", "", "who does this, for the ledger (default: the name of the user)")
	}
	population := func(f *pflag.FlagSet) {
		f.StringVar(&k.population, "population", "", "population that the plan is about (default: all)")
	}
	add := func(name string, run func(context.Context, []string) (ledgerResult, error), flags ...func(*pflag.FlagSet)) {
		one := k.part(name, func(c *cobra.Command, args []string) error {
			r, err := run(c.Context(), args)
			return k.print(c, r, err)
		})
		for _, each := range append(flags, asJSON) {
			each(one.Flags())
		}
		c.AddCommand(one)
	}
	add("create", func(ctx context.Context, args []string) (ledgerResult, error) {
		return bookkeeping.Create(ctx, append(args, "")[0], k.request)
	}, k.addTerms)
	add("show", opened(k.show), k.addShow)
	add("check", opened(func(_ context.Context, l *bookkeeping.Ledger, args []string) (ledgerResult, error) {
		return l.Check(args...)
	}))
	add("price", opened(func(ctx context.Context, l *bookkeeping.Ledger, args []string) (ledgerResult, error) {
		return l.Price(ctx, k.population, args...)
	}), population)
	add("import", opened(func(ctx context.Context, l *bookkeeping.Ledger, args []string) (ledgerResult, error) {
		return l.Import(ctx, k.population, k.who, args...)
	}), population, who)
	add("merge", func(ctx context.Context, args []string) (ledgerResult, error) {
		return bookkeeping.Merge(ctx, k.out.path, k.who, args...)
	}, who, func(f *pflag.FlagSet) { f.StringVar(&k.out.path, "out", "", "file of the new ledger, required") })
	add("repair", func(ctx context.Context, args []string) (ledgerResult, error) {
		if k.forfeit != "" {
			return bookkeeping.Forfeit(ctx, args[0], k.forfeit, k.who)
		}
		return bookkeeping.Repair(ctx, args[0], k.who)
	}, who, func(f *pflag.FlagSet) {
		f.StringVar(&k.forfeit, "forfeit", "", "give up all that an intact ledger has left, for this reason")
	})
	c.AddCommand(k.export())
	return c
}

func (k *ledgerCommand) export() *cobra.Command {
	c := k.part("export", func(c *cobra.Command, args []string) error {
		l, err := bookkeeping.Open(c.Context(), args[0])
		if err != nil {
			return err
		}
		defer l.Close()
		switch {
		case k.out.path != "":
			return artefact.WriteSigned(k.out.path, k.out.replace, k.key.Key, l.Export)
		case k.key.Key != nil:
			return errUnsigned
		}
		return k.out.write(c, 0o600, l.Export)
	})
	k.out.add(c, "file for the records")
	c.Flags().Var(&k.key, "sign", signWords)
	return c
}

// part returns a command of the family. Package bookkeeping has its help, which names its arguments.
func (k *ledgerCommand) part(name string, run func(*cobra.Command, []string) error) *cobra.Command {
	m := bookkeeping.Manuals[name]
	return &cobra.Command{Use: m.Use, Short: m.Short, Long: m.Long, Example: m.Example, RunE: run, Args: func(c *cobra.Command, args []string) error {
		if m.Takes(len(args)) {
			return nil
		}
		return fmt.Errorf("%s has %d arguments, want %s; see %s --help", c.CommandPath(), len(args), strings.Join(strings.Fields(m.Use)[1:], " "), c.CommandPath())
	}}
}

// opened is a command on the ledger that its first argument names.
func opened(run func(context.Context, *bookkeeping.Ledger, []string) (ledgerResult, error)) func(context.Context, []string) (ledgerResult, error) {
	return func(ctx context.Context, args []string) (ledgerResult, error) {
		l, err := bookkeeping.Open(ctx, args[0])
		if err != nil {
			return nil, err
		}
		defer l.Close()
		return run(ctx, l, args[1:])
	}
}

// print prints a result, unless there is none. A result may be one that is a refusal.
func (k *ledgerCommand) print(c *cobra.Command, r ledgerResult, err error) error {
	if err != nil {
		return err
	}
	text := r.Text
	if a, is := r.(bookkeeping.Account); is && k.csv {
		text = a.CSV
	}
	err = printed(c, k.json, r, text)
	if refusal, is := r.(interface{ Err() error }); is && err == nil {
		err = refusal.Err()
	}
	return err
}

func (k *ledgerCommand) show(_ context.Context, l *bookkeeping.Ledger, _ []string) (ledgerResult, error) {
	a := l.Account()
	switch {
	case k.csv && k.json:
		return a, fmt.Errorf("--csv and --json are both given, want one of them")
	case k.page != "":
		return a, artefact.WriteSigned(k.page, k.out.replace, k.key.Key, func(w io.Writer) error { return running(a.WritePage(w)) })
	case k.out.replace || k.key.Key != nil:
		return a, fmt.Errorf("--replace and --sign go with --page FILE")
	}
	return a, nil
}

func (k *ledgerCommand) addShow(f *pflag.FlagSet) {
	f.BoolVar(&k.csv, "csv", false, "print the releases as CSV")
	f.StringVar(&k.page, "page", "", "write a page for the officer into this HTML file, too")
	f.BoolVar(&k.out.replace, "replace", false, "replace the file of --page if it exists")
	f.Var(&k.key, "sign", signWords)
}

func (k *ledgerCommand) addTerms(f *pflag.FlagSet) {
	r := &k.request
	f.StringVar(&r.Schema, "schema", "", "schema that declares the data: gives --data, --row, --rows-per-person and FILE")
	f.StringVar(&r.Data, "data", "", "declared name of the data, required without --schema")
	f.Float64Var(&r.Epsilon, "epsilon", 0, "cap of all releases together, in nats, required")
	f.Float64Var(&r.Delta, "delta", 0, glossary.Short("delta")+"; 0 with --filter basic alone")
	f.StringVar(&r.Neighboring, "neighboring", privacy.AddOrRemoveOne.String(), glossary.Short("neighboring"))
	f.StringVar(&r.Row, "row", "", "what one row is, as row: of the schema says, required without --schema")
	f.StringVar(&r.Unit, "unit", "row", "what is protected: row, person for all rows of a person, or person:COLUMN where plans protect those")
	f.IntVar(&r.Rows, "rows-per-person", 0, "rows that one person has at most, as rows-per-person: of the schema says")
	f.StringVar(&r.Filter, "filter", "", "what is added up: rdp, gdp, zcdp or basic (default: rdp, and zcdp with --unit person)")
	f.Float64SliceVar(&r.Orders, "order", nil, "orders of --filter rdp; delta is divided evenly over them (default: the one with most room for Gaussian noise)")
	f.StringArrayVar(&r.Populations, "population", nil, `"NAME: WHO IS IN IT", once for each part of the data that shares no person with the others`)
	f.StringVar(&r.Who, "who", "", "who makes the ledger (default: the name of the user)")
}

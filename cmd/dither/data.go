package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/internal/cache"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/format"
	"github.com/ditherml/dither/internal/tabular"
)

const dataLong = `List the built-in data sets, and the tables that stand in the folder that the environment
variable DITHER_DATA names, and the encoded tables that train --stream and --cache-features keep. A built-in data set is named builtin:NAME where a command wants a
table: train reads its training split, predict and evaluate its public test split.`

const dataExample = `  dither data
  dither data show randhie
  dither data export randhie ./randhie
  DITHER_DATA=~/tables dither data list`

// dataVariable names the environment variable with the folder of a person's own tables.
const dataVariable = tabular.Variable

func newData() *cobra.Command {
	asJSON := false
	list := func(c *cobra.Command, _ []string) error { return listData(c, asJSON) }
	c := &cobra.Command{Use: "data", Short: "List, show and export data sets", Long: dataLong, Example: dataExample, Args: cobra.NoArgs, RunE: list}
	lister := &cobra.Command{Use: "list", Short: "List data sets", Long: dataLong, Example: "  dither data list --json", Args: cobra.NoArgs, RunE: list}
	for _, each := range []*cobra.Command{c, lister} {
		each.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	}
	c.AddCommand(lister, newDataShow(), newDataExport())
	return c
}

func newDataShow() *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Print where a built-in data set comes from", Args: arguments("NAME"),
		Long:    "Print the page of a built-in data set: its origin, licence and making, and the meaning of\na row and of each column.",
		Example: "  dither data show randhie",
		RunE: func(c *cobra.Command, args []string) error {
			set, err := builtin.Open(args[0])
			if err != nil {
				return err
			}
			return writeAll(c.OutOrStdout(), []byte(set.Origin))
		},
	}
}

func newDataExport() *cobra.Command {
	return &cobra.Command{
		Use: "export NAME FOLDER", Short: "Write the files of a built-in data set", Args: arguments("NAME", "FOLDER"),
		Long:    "Write the tables, the schema and the page of a built-in data set into a folder, which is made\nif it does not exist. No file is replaced.",
		Example: "  dither data export randhie ./randhie",
		RunE:    func(c *cobra.Command, args []string) error { return exportData(c, args[0], args[1]) },
	}
}

// dataListing is the JSON output of dither data.
type dataListing struct {
	tabular.Listing
	// Cache is the cache folder. Encoded lists the tables in it, which dither clean removes.
	Cache   string        `json:"cache"`
	Encoded []cache.Entry `json:"encoded"`
}

func listData(c *cobra.Command, asJSON bool) (err error) {
	var listing dataListing
	if listing.Listing, err = tabular.List(); err != nil {
		return err
	}
	if listing.Cache, err = cache.Folder(); err != nil {
		return err
	}
	if listing.Encoded, err = cache.List(listing.Cache); err != nil {
		return err
	}
	if asJSON {
		return writeJSON(c.OutOrStdout(), listing)
	}
	return writeAll(c.OutOrStdout(), []byte(listing.Text()+listing.cacheText()))
}

// cacheText lists the encoded tables, if there are any.
func (l dataListing) cacheText() string {
	if len(l.Encoded) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nencoded tables in %s (dither clean removes them)\n", display.Printable(l.Cache))
	_ = display.WriteColumns(&b, cache.Rows(l.Encoded)) // a strings.Builder accepts every write
	return b.String()
}

// tableWords lists, in words, the possible names of a table.
func tableWords() string {
	return format.Names() + ", also in " + format.CompressionNames() + "; a folder or pattern of parts, such as \"part-*.csv\"; - for standard input; or the address of a PostgreSQL database"
}

// exportData writes the files of a built-in data set, all or none.
func exportData(c *cobra.Command, name, folder string) error {
	set, err := builtin.Open(name)
	if err != nil {
		return err
	}
	if err = tabular.Export(set, folder); err != nil {
		return err
	}
	return writeAll(c.OutOrStdout(), fmt.Appendf(nil, "wrote %d files to %s\n", len(set.Files), display.Printable(folder)))
}

// readTable is Flags.ReadShared that says when it was stopped.
func readTable(ctx context.Context, f *tabular.Flags, s *data.Schema, path, person string, o data.ReadOptions, plan string,
	read func(context.Context, *data.Schema, data.Source, data.ReadOptions) (*data.Dataset, error)) (*data.Dataset, error) {
	d, err := f.ReadShared(ctx, s, path, person, o, plan, read)
	return d, interruption(ctx, err)
}

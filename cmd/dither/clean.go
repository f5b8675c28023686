package main

import (
	"github.com/ditherml/dither/internal/cache"
	"github.com/spf13/cobra"
)

const cleanLong = `Remove the encoded tables that "dither train" keeps in the cache folder with --stream or --cache-features, and the results
of "dither sweep" with --print-not-private. Both hold records, readable by you alone. A run that needs a table makes it anew. The results are the
only record of runs that are paid for: move them elsewhere to keep it. Nothing else is removed. "dither data" lists them.`

func newClean() *cobra.Command {
	var dryRun, asJSON bool
	c := &cobra.Command{
		Use: "clean", Short: "Remove encoded tables from the cache", Long: cleanLong, Args: cobra.NoArgs,
		Example: "  dither clean --dry-run\n  dither clean\n  " + cache.Variable + "=/scratch/dither dither clean",
		RunE:    func(c *cobra.Command, _ []string) error { return clean(c, dryRun, asJSON) },
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be removed, and remove nothing")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func clean(c *cobra.Command, dryRun, asJSON bool) error {
	done, err := cache.Clean(dryRun)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(c.OutOrStdout(), done)
	}
	return writeAll(c.OutOrStdout(), []byte(done.Text()))
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

const cleanLong = `Remove the encoded tables that "dither train" keeps in the cache folder with --stream or --cache-features. They hold
records, readable by you alone, as do the measures that "dither sweep" keeps there with --print-not-private; a run that needs one again makes it anew. Nothing else is
removed. "dither data" lists them.`

// cleaned is what dither clean prints as JSON.
type cleaned struct {
	Folder  string       `json:"folder"`
	Removed []cacheEntry `json:"removed"`
	Bytes   int64        `json:"bytes"`
	DryRun  bool         `json:"dry-run,omitempty"`
}

func newClean() *cobra.Command {
	var dryRun, asJSON bool
	c := &cobra.Command{
		Use: "clean", Short: "Remove encoded tables from the cache", Long: cleanLong, Args: cobra.NoArgs,
		Example: "  dither clean --dry-run\n  dither clean\n  " + cacheVariable + "=/scratch/dither dither clean",
		RunE:    func(c *cobra.Command, _ []string) error { return clean(c, dryRun, asJSON) },
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be removed, and remove nothing")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func clean(c *cobra.Command, dryRun, asJSON bool) error {
	folder, err := cacheFolder()
	if err != nil {
		return err
	}
	entries, err := listCache(folder)
	if err != nil {
		return err
	}
	done := cleaned{Folder: folder, Removed: []cacheEntry{}, DryRun: dryRun}
	for _, e := range entries {
		if !dryRun {
			if err = os.Remove(filepath.Join(folder, e.File)); err != nil {
				return failed{fmt.Errorf("%s cannot be removed: %w; mend its permissions, or those of its folder", filepath.Join(folder, e.File), pathless(err))}
			}
		}
		done.Removed = append(done.Removed, e)
		done.Bytes += e.Bytes
	}
	if asJSON {
		return writeJSON(c.OutOrStdout(), done)
	}
	return writeAll(c.OutOrStdout(), []byte(done.text()))
}

func (d cleaned) text() string {
	if len(d.Removed) == 0 {
		return fmt.Sprintf("there is nothing in %s\n", printable(d.Folder))
	}
	var b strings.Builder
	verb := "removed"
	if d.DryRun {
		verb = "would remove"
	}
	fmt.Fprintf(&b, "%s from %s, %s in all\n", verb, printable(d.Folder), sizeText(d.Bytes))
	_ = writeColumns(&b, cacheRows(d.Removed)) // a strings.Builder takes everything
	return b.String()
}

// cacheRows are the lines of a listing.
func cacheRows(entries []cacheEntry) [][]string {
	var rows [][]string
	for _, e := range entries {
		from := "left by a run that was interrupted"
		switch {
		case e.Table != "":
			from = "of " + printable(e.Table)
		case strings.HasSuffix(e.File, sweepEnding):
			from = "measures of a sweep on records that are not public"
		}
		rows = append(rows, []string{e.File, sizeText(e.Bytes), from})
	}
	return rows
}

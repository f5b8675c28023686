package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/internal/cache"
	"github.com/ditherml/dither/internal/durable"
	"github.com/spf13/cobra"
)

const dataLong = `List the built-in data sets, and the tables that stand in the folder that the environment
variable DITHER_DATA names, and the encoded tables that train --stream and --cache-features keep. A built-in data set is named builtin:NAME where a command wants a
table: train reads its training split, predict and evaluate its public test split.`

const dataExample = `  dither data
  dither data show randhie
  dither data export randhie ./randhie
  DITHER_DATA=~/tables dither data list`

// dataVariable names the environment variable with the folder of a person's own tables.
const dataVariable = "DITHER_DATA"

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
		Long:    "Print the page of a built-in data set: its origin, licence and making, what a row is, and\nwhat each column means.",
		Example: "  dither data show randhie",
		RunE: func(c *cobra.Command, args []string) error {
			set, err := builtin.Open(args[0])
			if err != nil {
				return err
			}
			return writeAll(c.OutOrStdout(), []byte(set.Origin()))
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

// dataListing is what dither data prints as JSON.
type dataListing struct {
	Builtin []builtinEntry `json:"builtin"`
	// Folder is the value of DITHER_DATA, empty when it is not set.
	Folder string       `json:"folder"`
	Tables []tableEntry `json:"tables"`
	// Cache is the cache folder, Encoded the tables in it, which dither clean removes.
	Cache   string        `json:"cache"`
	Encoded []cache.Entry `json:"encoded"`
}

type builtinEntry struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

type tableEntry struct {
	// Path is relative to the folder.
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

func listData(c *cobra.Command, asJSON bool) error {
	listing := dataListing{Builtin: []builtinEntry{}, Folder: os.Getenv(dataVariable), Tables: []tableEntry{}}
	for _, set := range builtin.List() {
		listing.Builtin = append(listing.Builtin, builtinEntry{set.Name, set.Title})
	}
	if listing.Folder != "" {
		tables, err := findTables(listing.Folder)
		if err != nil {
			return err
		}
		listing.Tables = tables
	}
	var err error
	if listing.Cache, err = cache.Folder(); err != nil {
		return err
	}
	if listing.Encoded, err = cache.List(listing.Cache); err != nil {
		return err
	}
	if asJSON {
		return writeJSON(c.OutOrStdout(), listing)
	}
	return writeAll(c.OutOrStdout(), []byte(listing.text()+listing.cacheText()))
}

func (l dataListing) text() string {
	var b strings.Builder
	b.WriteString("built in (dither data show NAME)\n")
	var rows [][]string
	for _, set := range l.Builtin {
		rows = append(rows, []string{builtinPrefix + set.Name, set.Title})
	}
	_ = writeColumns(&b, rows) // a strings.Builder takes everything
	if l.Folder == "" {
		fmt.Fprintf(&b, "\n%s is not set: set it to a folder to have the tables in it listed, as\n  export %s=~/tables\n", dataVariable, dataVariable)
		return b.String()
	}
	fmt.Fprintf(&b, "\nin %s (%s)\n", printable(l.Folder), dataVariable)
	if len(l.Tables) == 0 {
		b.WriteString("  no tables: none of the files ends in " + strings.Join(tableEndings(), ", ") + ", plain or .gz\n")
	}
	rows = nil
	for _, t := range l.Tables {
		rows = append(rows, []string{t.Path, sizeText(t.Bytes)})
	}
	_ = writeColumns(&b, rows)
	return b.String()
}

// cacheText lists the encoded tables, if there are any.
func (l dataListing) cacheText() string {
	if len(l.Encoded) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nencoded tables in %s (dither clean removes them)\n", printable(l.Cache))
	_ = writeColumns(&b, cache.Rows(l.Encoded)) // a strings.Builder takes everything
	return b.String()
}

// tableWords says what may stand where a table is wanted.
func tableWords() string {
	return data.FormatNames() + ", also gzip; a folder or pattern of parts, such as \"part-*.csv\"; or - for standard input"
}

// tableEndings are how the names of files end that can be read as tables.
func tableEndings() []string {
	var endings []string
	for _, f := range data.FileFormats() {
		endings = append(endings, f.Endings...)
	}
	return endings
}

func isTable(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	for _, ending := range tableEndings() {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

// findTables lists the tables in a folder and in the folders directly in it, by their names
// alone: no file is opened. What cannot be looked into is passed by.
func findTables(folder string) ([]tableEntry, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("%s is %s: %w, want a folder; set it to one, or unset it", dataVariable, folder, pathless(err))
	}
	tables := []tableEntry{}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		info, err := os.Stat(path)
		switch {
		case err != nil:
		case !info.IsDir():
			tables = appendTable(tables, entry.Name(), info)
		default:
			inner, _ := os.ReadDir(path)
			for _, file := range inner {
				if info, err := os.Stat(filepath.Join(path, file.Name())); err == nil {
					tables = appendTable(tables, filepath.Join(entry.Name(), file.Name()), info)
				}
			}
		}
	}
	return tables, nil
}

func appendTable(tables []tableEntry, name string, info fs.FileInfo) []tableEntry {
	if !info.Mode().IsRegular() || !isTable(name) {
		return tables
	}
	return append(tables, tableEntry{name, info.Size()})
}

// exportData writes the files of a built-in data set, all or none.
func exportData(c *cobra.Command, name, folder string) error {
	set, err := builtin.Open(name)
	if err != nil {
		return err
	}
	made, err := exportFiles(set.Files(), folder)
	if err != nil {
		for i := len(made) - 1; i >= 0; i-- {
			_ = os.Remove(made[i])
		}
		return err
	}
	return writeAll(c.OutOrStdout(), fmt.Appendf(nil, "wrote %d files to %s\n", len(set.Files()), printable(folder)))
}

// exportFiles writes files into a folder, which it makes unless it is there, and returns
// what it made, also on an error.
func exportFiles(files []builtin.File, folder string) (made []string, err error) {
	switch err := os.Mkdir(folder, 0o755); {
	case err == nil:
		made = append(made, folder)
	case !errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("%s cannot be made: %w; name a folder in one that exists", folder, pathless(err))
	}
	for _, file := range files {
		path := filepath.Join(folder, file.Name)
		err := durable.WriteWhole(path, false, 0o644, func(w io.Writer) error { return writeAll(w, file.Text) })
		if err != nil {
			return made, err
		}
		made = append(made, path)
	}
	return made, nil
}

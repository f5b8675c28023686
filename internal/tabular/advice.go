package tabular

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/format"
)

// Drafting describes how a draft was made.
type Drafting struct {
	Array    bool // the table is an array, whose header alone was read
	Source   data.Source
	Named    bool // the columns were named by whoever drafts
	RowTaken bool // nobody declared what a row is
}

// WriteAdvice lists for a terminal what a person must still declare in a draft.
func (d Drafting) WriteAdvice(w io.Writer, schema *data.Schema) {
	if d.Array {
		fmt.Fprintln(w, "The shape of a record and the type of its numbers were read, and no record. Columns are named by their places; the range of bytes is that of their type.")
	} else if d.Source.Database != nil {
		fmt.Fprintln(w, "Names, types, conditions and comments were read from the catalog of the database, and no row. They are in the draft as declared there; take out what the public may not know.")
	} else if d.Named {
		fmt.Fprintln(w, "The columns have the names that --columns gives, in the order of the file; none was read from it.")
	} else if isDescribed(d.Source) {
		fmt.Fprintln(w, "Names, types and comments were read from the file's description of itself, and no row. Take out of the draft what the public may not know.")
	} else {
		fmt.Fprintln(w, "The first line of the table was taken for the names of its columns. If it is a record, delete this draft: it names what the record holds.")
	}
	if schema.Tainted() {
		names := make([]string, len(schema.FromData))
		for i, name := range schema.FromData {
			names[i] = display.Printable(name)
		}
		fmt.Fprintf(w, "\nWARNING: COPIED OUT OF THE RECORDS: %s.\n", strings.Join(names, ", "))
		fmt.Fprintln(w, "These bounds and levels are not protected by any guarantee. Replace them by what is known in\npublic and take the names out of from-data. Until then train asks for --assume-public, and the\ncertificate names them.")
	}
	if d.RowTaken {
		fmt.Fprintln(w, "\nOne row was taken to be one person, which is what the guarantee will speak of. If that is wrong,\nmend row:, and say with rows-per-person: how many rows one person has at most.")
	}
	if len(schema.Undeclared) == 0 && d.Array {
		fmt.Fprintln(w, "\nNothing is left open. Look over it, then: dither train --schema SCHEMA --data TABLE")
		return
	}
	if len(schema.Undeclared) == 0 {
		fmt.Fprintln(w, "\nNothing is left open. Look over the treatment of bad cells, then: dither schema check SCHEMA TABLE")
		return
	}
	fmt.Fprintln(w, "\nA person must declare, from public knowledge, before this schema can be used:")
	for _, open := range schema.Undeclared {
		fmt.Fprintln(w, "  - "+display.Printable(open))
	}
}

// isDescribed reports whether a file describes its columns itself. Of a folder or a pattern the first file counts.
func isDescribed(source data.Source) bool {
	path := source.Path
	if found, err := filepath.Glob(path); err == nil && len(found) > 0 && format.IsParts(path) {
		path = found[0]
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return err == nil && startsAs(path, source.Formats)
	}
	described := false
	_ = filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), "_") {
			return nil
		}
		described = startsAs(path, source.Formats)
		return fs.SkipAll
	})
	return described
}

// startsAs reports whether a file begins as files do that hold a table column by column.
func startsAs(path string, formats []columnar.Format) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 8)
	n, _ := io.ReadFull(f, head) // of a shorter file it is the beginning
	for _, known := range formats {
		if table, ok := known.(columnar.Table); ok && table.Knows(head[:n]) {
			return true
		}
	}
	return false
}

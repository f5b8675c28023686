package tabular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/format"
)

// Variable names the environment variable with the folder of a person's own tables.
const Variable = "DITHER_DATA"

// Listing is what dither data prints of tables as JSON.
type Listing struct {
	Builtin []Set `json:"builtin"`
	// Folder is the value of Variable, empty when it is not set.
	Folder string `json:"folder"`
	Tables []File `json:"tables"`
}

// Set is a built-in data set in a listing.
type Set struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// File is a table in a listing.
type File struct {
	// Path is relative to the folder.
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

// List returns the built-in data sets and the tables of the folder that Variable names.
func List() (Listing, error) {
	l := Listing{Builtin: []Set{}, Folder: os.Getenv(Variable), Tables: []File{}}
	for _, set := range builtin.List() {
		l.Builtin = append(l.Builtin, Set{set.Name, set.Title})
	}
	if l.Folder == "" {
		return l, nil
	}
	var err error
	l.Tables, err = find(l.Folder)
	return l, err
}

// Text returns the listing for a terminal.
func (l Listing) Text() string {
	var b strings.Builder
	b.WriteString("built in (dither data show NAME)\n")
	var rows [][]string
	for _, set := range l.Builtin {
		rows = append(rows, []string{Prefix + set.Name, set.Title})
	}
	_ = display.WriteColumns(&b, rows) // a strings.Builder takes everything
	if l.Folder == "" {
		fmt.Fprintf(&b, "\n%s is not set: set it to a folder to have the tables in it listed, as\n  export %s=~/tables\n", Variable, Variable)
		return b.String()
	}
	fmt.Fprintf(&b, "\nin %s (%s)\n", display.Printable(l.Folder), Variable)
	if len(l.Tables) == 0 {
		b.WriteString("  no tables: none of the files ends in " + strings.Join(endings(), ", ") + ", plain or compressed\n")
	}
	rows = nil
	for _, t := range l.Tables {
		rows = append(rows, []string{t.Path, display.Size(t.Bytes)})
	}
	_ = display.WriteColumns(&b, rows)
	return b.String()
}

// endings are how the names of files end that can be read as tables.
func endings() []string {
	var out []string
	for _, f := range format.Kinds() {
		out = append(out, f.Endings...)
	}
	return out
}

func isTable(name string) bool {
	name = format.Unpacked(name)
	for _, ending := range endings() {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

// find lists the tables in a folder and in the folders directly in it, by their names
// alone: no file is opened. What cannot be looked into is passed by.
func find(folder string) ([]File, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("%s is %s: %w, want a folder; set it to one, or unset it", Variable, folder, display.Pathless(err))
	}
	found := []File{}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		info, err := os.Stat(path)
		switch {
		case err != nil:
		case !info.IsDir():
			found = appendTable(found, entry.Name(), info)
		default:
			inner, _ := os.ReadDir(path)
			for _, file := range inner {
				if info, err := os.Stat(filepath.Join(path, file.Name())); err == nil {
					found = appendTable(found, filepath.Join(entry.Name(), file.Name()), info)
				}
			}
		}
	}
	return found, nil
}

func appendTable(tables []File, name string, info fs.FileInfo) []File {
	if !info.Mode().IsRegular() || !isTable(name) {
		return tables
	}
	return append(tables, File{name, info.Size()})
}

// Export writes the files of a built-in data set into a folder, which it makes unless it is there:
// all or none. No file is replaced.
func Export(set builtin.Set, folder string) error {
	made, err := export(set.Files, folder)
	if err != nil {
		for i := len(made) - 1; i >= 0; i-- {
			_ = os.Remove(made[i])
		}
	}
	return err
}

// export returns what it made, also on an error.
func export(files []builtin.File, folder string) (made []string, err error) {
	switch err := os.Mkdir(folder, 0o755); {
	case err == nil:
		made = append(made, folder)
	case !errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("%s cannot be made: %w; name a folder in one that exists", folder, display.Pathless(err))
	}
	for _, file := range files {
		path := filepath.Join(folder, file.Name)
		err := durable.WriteWhole(path, false, 0o644, func(w io.Writer) error {
			_, err := w.Write(file.Text)
			return err
		})
		if err != nil {
			return made, err
		}
		made = append(made, path)
	}
	return made, nil
}

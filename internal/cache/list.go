package cache

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/release"
)

// Entry is an encoded table as it is listed.
type Entry struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	// Table is the file that it was made from, empty when the entry cannot be read.
	Table string `json:"table,omitempty"`
}

// List returns the tables in the cache folder, and the remains of interrupted writers.
func List(folder string) ([]Entry, error) {
	files, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return []Entry{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the cache folder %s cannot be read: %w; set %s to another one", folder, display.Pathless(err), Variable)
	}
	entries := []Entry{}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(f.Name(), ending) && !strings.HasSuffix(f.Name(), SweepEnding) && !strings.HasPrefix(f.Name(), durable.Prefix) {
			continue
		}
		entries = append(entries, Entry{f.Name(), info.Size(), tableOf(filepath.Join(folder, f.Name()), info.Size())})
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].File < entries[j].File })
	return entries, nil
}

// tableOf returns the table that an encoded one was made from, if that can be read.
func tableOf(path string, size int64) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	var of key
	note, err := release.FileNote(file, size)
	if err != nil || json.Unmarshal(note, &of) != nil {
		return ""
	}
	return of.Table
}

// Cleaned is what Clean removed, or would remove.
type Cleaned struct {
	Folder  string  `json:"folder"`
	Removed []Entry `json:"removed"`
	Bytes   int64   `json:"bytes"`
	DryRun  bool    `json:"dry-run,omitempty"`
}

// Clean removes what List lists, or with dryRun nothing.
func Clean(dryRun bool) (Cleaned, error) {
	folder, err := Folder()
	if err != nil {
		return Cleaned{}, err
	}
	entries, err := List(folder)
	done := Cleaned{Folder: folder, Removed: []Entry{}, DryRun: dryRun}
	for _, e := range entries {
		path := filepath.Join(folder, e.File)
		if !dryRun {
			if err = os.Remove(path); err != nil {
				return done, failure.Running(fmt.Errorf("%s cannot be removed: %w; mend its permissions, or those of its folder", path, display.Pathless(err)))
			}
		}
		done.Removed = append(done.Removed, e)
		done.Bytes += e.Bytes
	}
	return done, err
}

// Text returns what was removed, in words.
func (d Cleaned) Text() string {
	if len(d.Removed) == 0 {
		return fmt.Sprintf("there is nothing in %s\n", display.Printable(d.Folder))
	}
	var b strings.Builder
	verb := "removed"
	if d.DryRun {
		verb = "would remove"
	}
	fmt.Fprintf(&b, "%s from %s, %s in all\n", verb, display.Printable(d.Folder), display.Size(d.Bytes))
	_ = display.WriteColumns(&b, Rows(d.Removed)) // a strings.Builder takes everything
	return b.String()
}

// Rows returns the lines of a listing.
func Rows(entries []Entry) [][]string {
	var rows [][]string
	for _, e := range entries {
		from := "left by a run that was interrupted"
		switch {
		case e.Table != "":
			from = "of " + display.Printable(e.Table)
		case strings.HasSuffix(e.File, SweepEnding):
			from = "measures of a sweep on records that are not public, and the record of its runs"
		}
		rows = append(rows, []string{e.File, display.Size(e.Bytes), from})
	}
	return rows
}

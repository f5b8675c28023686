package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ditherml/dither/internal/durable"
)

// leftoverAge is how long nothing was written to what a dead process left before it is removed. Programs
// without locks may be at work on younger ones.
const leftoverAge = time.Hour

// sweepLeftovers removes the hidden files that dead processes of this user left in a folder, and such
// folders without results. Folders with results, whose budget is spent, are kept, and told of. What a
// process holds is left alone.
func sweepLeftovers(parent string, tell io.Writer) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), temporaryPrefix) {
			continue
		}
		path := filepath.Join(parent, e.Name())
		if held := durable.Abandoned(path); held != nil {
			sweepLeftover(path, held, tell)
			held.Close()
		}
	}
}

// sweepLeftover removes one, or tells of it.
func sweepLeftover(path string, held *os.File, tell io.Writer) {
	info, err := held.Stat()
	if err != nil {
		return
	}
	old := time.Since(info.ModTime()) > leftoverAge
	if !info.IsDir() {
		if old {
			_ = os.Remove(path)
		}
		return
	}
	files, err := os.ReadDir(path)
	switch {
	case err != nil:
	case len(files) == 0 || len(files) == 1 && files[0].Name() == spentName: // the results took the place of the latter
		if old {
			_ = os.Remove(filepath.Join(path, spentName))
			_ = os.Remove(path)
		}
	default:
		fmt.Fprintf(tell, "note: %s was left by a run that was killed, or replaced by one; its budget is spent; move it to a name of its own, or remove it\n", printable(path))
	}
}

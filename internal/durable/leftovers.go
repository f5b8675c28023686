package durable

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// leftoverAge is the time without writing after which a dead process's leftover is removed.
// Programs without locks may be using younger leftovers.
const leftoverAge = time.Hour

// Prefix is the prefix of names of files and folders that are being written.
const Prefix = ".dither-writing-"

// TraceName is the file that a folder holds from before anything is spent until the results replace
// it.
const TraceName = "spent.json"

// RemoveLeftovers removes the hidden files that dead processes of this user left in a folder, and
// such folders without results. Folders with results are kept, and tell is called with their paths.
// Files and folders that a process holds are left alone.
func RemoveLeftovers(parent string, tell func(path string)) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), Prefix) {
			continue
		}
		path := filepath.Join(parent, e.Name())
		if held := Abandoned(path); held != nil {
			removeLeftover(path, held, tell)
			held.Close()
		}
	}
}

// RemoveFiles removes the hidden files that dead processes of this user left in a folder, however young they are.
// Files that a process holds are left alone, and so are all files where the system has no locks.
func RemoveFiles(folder string) {
	entries, _ := os.ReadDir(folder) // whoever reads the folder next finds the error
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if !strings.HasPrefix(e.Name(), Prefix) || !e.Type().IsRegular() {
			continue
		}
		if held := Abandoned(path); held != nil {
			_ = os.Remove(path)
			held.Close()
		}
	}
}

// removeLeftover removes one leftover, or calls tell.
func removeLeftover(path string, held *os.File, tell func(path string)) {
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
	case len(files) == 0 || len(files) == 1 && files[0].Name() == TraceName: // the results replaced the trace
		if old {
			_ = os.Remove(filepath.Join(path, TraceName))
			_ = os.Remove(path)
		}
	default:
		tell(path)
	}
}

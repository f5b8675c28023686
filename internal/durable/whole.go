package durable

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/failure"
)

// outputFile is a file that appears under its name complete or not at all. It is written next to
// its place, made safe on disk and then given its name.
type outputFile struct {
	path, temporary string
	replace         bool
	file            *os.File
	buffer          *bufio.Writer
}

// WriteWhole writes the file at path through write, with mode before the umask. With replace it may
// replace an existing file. If write fails, or the file cannot be finished, nothing is left and an
// old file stays. A name in use or an unwritable folder is detected before write is called.
func WriteWhole(path string, replace bool, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := newOutputFile(path, replace, mode)
	if err != nil {
		return err
	}
	defer f.discard()
	if err := write(f.buffer); err != nil {
		return err
	}
	if err := f.commit(); err != nil {
		return failure.Running(fmt.Errorf("%s cannot be written: %w", path, display.Pathless(err)))
	}
	return nil
}

// CheckWhole returns the error that WriteWhole would return before it calls write. It leaves
// nothing.
func CheckWhole(path string, replace bool, mode fs.FileMode) error {
	f, err := newOutputFile(path, replace, mode)
	if err != nil {
		return err
	}
	f.discard()
	return nil
}

func newOutputFile(path string, replace bool, mode fs.FileMode) (*outputFile, error) {
	if err := checkFree(path, replace); err != nil {
		return nil, err
	}
	folder := filepath.Dir(path)
	RemoveLeftovers(folder, func(string) {}) // runs that make folders report these
	file, temporary, err := Temporary(folder, Prefix, mode)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written in: %w; name a file in another folder", folder, display.Pathless(err))
	}
	return &outputFile{path, temporary, replace, file, bufio.NewWriterSize(file, 1<<16)}, nil
}

// checkFree refuses a name that is in use. Even to replace it, it refuses anything but a plain
// file, because renaming over a device or a pipe would remove it.
func checkFree(path string, replace bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s cannot be looked at: %w; name another file", path, display.Pathless(err))
	case info.IsDir():
		return fmt.Errorf("%s is a folder, want a file; name a file in it", path)
	case !replace:
		return fmt.Errorf("%s exists, want a new file; name another one, or add --replace", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no plain file, want one that can be replaced; name another file", path)
	}
	return nil
}

// commit gives the finished file its name. After an error the temporary file still exists, for
// discard.
func (f *outputFile) commit() error {
	if err := f.buffer.Flush(); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	if err := f.place(); err != nil {
		return err
	}
	SyncFolder(filepath.Dir(f.path))
	_ = f.file.Close() // it is on disk
	return nil
}

// place renames the temporary file. Without replace it links instead, because a link, unlike a
// rename, never takes the name of a file that appeared meanwhile.
func (f *outputFile) place() error {
	if f.replace {
		return Replace(f.temporary, f.path)
	}
	err := os.Link(f.temporary, f.path)
	if err == nil {
		return os.Remove(f.temporary)
	}
	// Some file systems have no links.
	if err := checkFree(f.path, false); err != nil {
		return err
	}
	return Replace(f.temporary, f.path)
}

// discard removes the unfinished file. After commit there is nothing to remove.
func (f *outputFile) discard() {
	_ = f.file.Close()
	_ = os.Remove(f.temporary)
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/durable"
)

// outputFile is a file that appears under its name whole or not at all: it is written
// beside its place, made safe on disk and then given its name.
type outputFile struct {
	path, temporary string
	replace         bool
	file            *os.File
	buffer          *bufio.Writer
}

// outputOptions say how a file may be put in its place.
type outputOptions struct {
	// replace allows an existing file to be replaced.
	replace bool
	// mode is the file's permissions, before the umask.
	mode fs.FileMode
}

// writeFile writes the file at path through write. Whatever write returns, and when the
// file cannot be finished, nothing is left and an old file stands. That the name is taken
// or the folder cannot be written is found out before write is called.
func writeFile(path string, o outputOptions, write func(io.Writer) error) error {
	f, err := newOutputFile(path, o)
	if err != nil {
		return err
	}
	defer f.discard()
	if err := write(f.buffer); err != nil {
		return err
	}
	if err := f.commit(); err != nil {
		return failed{fmt.Errorf("%s cannot be written: %w", path, pathless(err))}
	}
	return nil
}

// temporaryPrefix is how the names of files begin that are being written.
const temporaryPrefix = artefact.TemporaryPrefix

func newOutputFile(path string, o outputOptions) (*outputFile, error) {
	if err := checkFree(path, o.replace); err != nil {
		return nil, err
	}
	folder := filepath.Dir(path)
	sweepLeftovers(folder, io.Discard) // folders are told of by the runs that make folders
	file, temporary, err := durable.Temporary(folder, temporaryPrefix, o.mode)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written in: %w; name a file in another folder", folder, pathless(err))
	}
	return &outputFile{path, temporary, o.replace, file, bufio.NewWriterSize(file, 1<<16)}, nil
}

// checkFree refuses a name that is taken, and, even to replace it, what is no plain file:
// to rename over a device or a pipe would remove it.
func checkFree(path string, replace bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s cannot be looked at: %w; name another file", path, pathless(err))
	case info.IsDir():
		return fmt.Errorf("%s is a folder, want a file; name a file in it", path)
	case !replace:
		return fmt.Errorf("%s exists, want a new file; name another one, or add --replace", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no plain file, want one that can be replaced; name another file", path)
	}
	return nil
}

// commit gives the finished file its name. On an error the temporary file is still there,
// for discard.
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
	durable.SyncFolder(filepath.Dir(f.path))
	_ = f.file.Close() // it is on disk
	return nil
}

// place renames the temporary file. Where nothing may be replaced it links, because a link,
// unlike a rename, never takes the name of a file that appeared meanwhile.
func (f *outputFile) place() error {
	if f.replace {
		return durable.Replace(f.temporary, f.path)
	}
	err := os.Link(f.temporary, f.path)
	if err == nil {
		return os.Remove(f.temporary)
	}
	// Some file systems have no links.
	if err := checkFree(f.path, false); err != nil {
		return err
	}
	return durable.Replace(f.temporary, f.path)
}

// discard removes what was written so far; after commit there is nothing to remove.
func (f *outputFile) discard() {
	_ = f.file.Close()
	_ = os.Remove(f.temporary)
}

// outputFlags are the flags by which commands write a file instead of standard output.
type outputFlags struct {
	path    string
	replace bool
}

func (o *outputFlags) add(c *cobra.Command, what string) {
	c.Flags().StringVar(&o.path, "out", "", what+", whole or not at all (default: standard output)")
	c.Flags().BoolVar(&o.replace, "replace", false, "replace the file of --out if it exists")
}

// write writes through fill to the file, made with these permissions, or to standard
// output.
func (o *outputFlags) write(c *cobra.Command, mode fs.FileMode, fill func(io.Writer) error) error {
	switch {
	case o.path != "":
		return writeFile(o.path, outputOptions{o.replace, mode}, fill)
	case o.replace:
		return fmt.Errorf("--replace goes with --out FILE")
	}
	w := bufio.NewWriter(c.OutOrStdout())
	if err := fill(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return failed{fmt.Errorf("standard output cannot be written: %w", pathless(err))}
	}
	return nil
}

package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/failure"
	"github.com/spf13/cobra"
)

// writeJSON writes v in the form of display.JSON.
func writeJSON(w io.Writer, v any) error {
	text, err := display.JSON(v)
	if err != nil {
		return failure.Running(err)
	}
	return writeAll(w, text)
}

// printed prints a command's result as JSON, or as text for a terminal.
func printed(c *cobra.Command, asJSON bool, v any, text func() ([]byte, error)) error {
	if asJSON {
		return writeJSON(c.OutOrStdout(), v)
	}
	out, err := text()
	if err != nil {
		return failure.Running(err)
	}
	return writeAll(c.OutOrStdout(), out)
}

// running marks an error, if there is one, as a failure while running.
func running(err error) error {
	if err != nil {
		return failure.Running(err)
	}
	return nil
}

// writeAll writes to standard output or to a file. A failure to do so is a failure while running.
func writeAll(w io.Writer, text []byte) error {
	if _, err := w.Write(text); err != nil {
		return failure.Running(fmt.Errorf("the output cannot be written: %w", display.Pathless(err)))
	}
	return nil
}

// arguments returns a check that a command has exactly these arguments.
func arguments(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		return fmt.Errorf("%s has %d arguments, want %s; see %s --help", c.CommandPath(), len(args), cmp.Or(strings.Join(names, " "), "none"), c.CommandPath())
	}
}

// errInterrupted is the error of a command that a person stops.
var errInterrupted = errors.New("stopped before the end; no file was written")

// outputFlags are the flags by which commands write a file instead of standard output.
type outputFlags struct {
	path    string
	replace bool
}

func (o *outputFlags) add(c *cobra.Command, what string) {
	c.Flags().StringVar(&o.path, "out", "", what+", whole or not at all (default: standard output)")
	c.Flags().BoolVar(&o.replace, "replace", false, "replace the file of --out if it exists")
}

// write calls fill with the file, made with these permissions, or with standard output.
func (o *outputFlags) write(c *cobra.Command, mode fs.FileMode, fill func(io.Writer) error) error {
	switch {
	case o.path != "":
		return durable.WriteWhole(o.path, o.replace, mode, fill)
	case o.replace:
		return fmt.Errorf("--replace goes with --out FILE")
	}
	w := bufio.NewWriter(c.OutOrStdout())
	if err := fill(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return failure.Running(fmt.Errorf("standard output cannot be written: %w", display.Pathless(err)))
	}
	return nil
}

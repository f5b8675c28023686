package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/ditherml/dither/internal/display"
	"github.com/spf13/cobra"
)

// writeJSON writes v indented. Characters that a terminal could obey, which JSON allows
// within strings, are escaped.
func writeJSON(w io.Writer, v any) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return failed{err}
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		switch {
		case r == '\n' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('\n')
	return writeAll(w, b.Bytes())
}

// writeAll writes to standard output or to a file; that it cannot is a failure while
// running.
func writeAll(w io.Writer, text []byte) error {
	if _, err := w.Write(text); err != nil {
		return failed{fmt.Errorf("the output cannot be written: %w", pathless(err))}
	}
	return nil
}

// Short names of what package display writes.
var (
	printable    = display.Printable
	wrapped      = display.Wrapped
	writeColumns = display.WriteColumns
	sizeText     = display.Size
	rounded      = display.Rounded
	plainly      = display.Plain
)

// arguments wants exactly these words behind a command's name.
func arguments(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		return fmt.Errorf("%s has %d arguments, want %s; see %s --help", c.CommandPath(), len(args), strings.Join(names, " "), c.CommandPath())
	}
}

// errInterrupted is what remains to be said when a person stops a command.
var errInterrupted = errors.New("stopped before the end; no file was written")

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf16"

	"github.com/spf13/cobra"
)

// printable replaces every character that is invisible, changes the direction of text or
// gives an order to a terminal, line ends and tabs included.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

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

// writeColumns writes rows of cells as aligned columns, two spaces in. Cells are made
// printable.
func writeColumns(w io.Writer, rows [][]string) error {
	aligned := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = printable(cell)
		}
		// The error, if any, stays in the writer and comes out of Flush.
		_, _ = fmt.Fprintln(aligned, "  "+strings.Join(cells, "\t"))
	}
	return aligned.Flush()
}

// wrapped breaks text between words into lines of at most 78 characters.
func wrapped(text string) string {
	const width = 78
	var b strings.Builder
	used := 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case used == 0:
		case used+1+n > width:
			b.WriteByte('\n')
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String() + "\n"
}

// sizeText writes a number of bytes as people read it.
func sizeText(n int64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	v, unit := float64(n), 0
	for v >= 1000 && unit < len(units)-1 {
		v /= 1000
		unit++
	}
	if unit == 0 {
		return strconv.FormatInt(n, 10) + " " + units[0]
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " " + units[unit]
}

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

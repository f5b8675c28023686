package display

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
)

// Printable returns a text with a mark in place of characters that are invisible, change the
// direction of text or control a terminal. Line ends and tabs are among them.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// WriteColumns writes rows of cells as aligned columns, two spaces in. Cells are made
// printable.
func WriteColumns(w io.Writer, rows [][]string) error {
	aligned := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = Printable(cell)
		}
		// The error, if any, stays in the writer; Flush returns it.
		_, _ = fmt.Fprintln(aligned, "  "+strings.Join(cells, "\t"))
	}
	return aligned.Flush()
}

// Wrapped returns text broken between words into lines of at most 78 characters.
func Wrapped(text string) string {
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

// Size returns a number of bytes as text for people.
func Size(n int64) string {
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

// Duration returns seconds as text for people.
func Duration(seconds float64) string {
	switch {
	case seconds < 1.5:
		return "a second"
	case seconds < 120:
		return fmt.Sprintf("%.0f seconds", seconds)
	}
	return fmt.Sprintf("%.0f minutes", seconds/60)
}

// Memory returns a number of bytes of memory as text for people, in powers of two.
func Memory(bytes int64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%d MB", bytes>>20)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/(1<<30))
}

// Quoted returns the value of a flag, quoted for a shell.
func Quoted(value string) string {
	if strings.ContainsAny(value, " \t'\"\\$&|;<>()*?") {
		return "\"" + value + "\""
	}
	return value
}

// Bullet returns a sentence as an item of a list.
func Bullet(sentence string) string {
	return "  - " + strings.ReplaceAll(strings.TrimRight(Wrapped(Printable(sentence)), "\n"), "\n", "\n    ") + "\n"
}

// Indent returns a text with every line moved to the right.
func Indent(text string, by int) string {
	space := strings.Repeat(" ", by)
	return space + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+space) + "\n"
}

// Count returns a number with the name of the counted things, with an s for other numbers than one.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

package data

import (
	"fmt"
	"strconv"
	"strings"
)

// FileError says what is wrong with a file, where, what was wanted and how to
// mend it. None of its texts holds what a file of records holds: positions and
// the schema's own declared names only.
type FileError struct {
	File string
	// Line and Column count from 1; 0 means that the fault has no such place. In
	// a table Column counts cells, in a schema file it counts characters.
	Line, Column int
	// Problem is what was found, Want what was wanted (may be empty), Remedy what
	// a person can do.
	Problem, Want, Remedy string
	// Err is the cause, or nil.
	Err error
}

// Error is one line: "data: file line 3, column 2: problem, want want; remedy".
func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString("data: ")
	b.WriteString(printable(e.File))
	if e.Line > 0 {
		fmt.Fprintf(&b, " line %d", e.Line)
	}
	if e.Line > 0 && e.Column > 0 {
		b.WriteString(",")
	}
	if e.Column > 0 {
		fmt.Fprintf(&b, " column %d", e.Column)
	}
	b.WriteString(": " + e.Problem)
	if e.Want != "" {
		b.WriteString(", want " + e.Want)
	}
	if e.Remedy != "" {
		b.WriteString("; " + e.Remedy)
	}
	return b.String()
}

// Unwrap returns the cause, so that errors.Is finds fs.ErrNotExist.
func (e *FileError) Unwrap() error { return e.Err }

// printable keeps an error on one line whatever a file is called.
func printable(name string) string {
	for _, r := range name {
		if !strconv.IsPrint(r) {
			return strconv.Quote(name)
		}
	}
	return name
}

package data

import (
	"fmt"
	"strconv"
	"strings"
)

// FileError states what is wrong with a file and where, what was expected, and how to mend it. Its
// texts never quote a file of records: they hold only positions and the schema's own declared
// names.
type FileError struct {
	File string
	// Line and Column count from 1; 0 means that the fault has no such place. In a table Column
	// counts cells, in a schema file it counts characters.
	Line, Column int
	// Problem is what was found, Want what was expected (may be empty), and Remedy what a person
	// can do.
	Problem, Want, Remedy string
	// Err is the cause, or nil.
	Err error
}

// Error returns one line: "data: file line 3, column 2: problem, want want; remedy".
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

// printable returns a name of a file that keeps an error on one line.
func printable(name string) string {
	for _, r := range name {
		if !strconv.IsPrint(r) {
			return strconv.Quote(name)
		}
	}
	return name
}

package data

import (
	"fmt"
	"strconv"
	"strings"
)

// FileError states the fault of a file, its place, the expected content, and a remedy. Its texts
// never quote a file of records: they contain only positions and names that the schema declares.
type FileError struct {
	File string
	// Line and Column count from 1; 0 means unknown. Column counts cells in a table and characters
	// in a schema file.
	Line, Column int
	// Problem is the content that was found. Want is the expected content, or empty. Remedy is an
	// action for the user.
	Problem, Want, Remedy string
	// Err is the cause, or nil.
	Err error
}

// Error returns one line with the place and the three texts: "data: FILE line 3, column 2: PROBLEM,
// want WANT; REMEDY".
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

// Unwrap returns the cause, for errors.Is and errors.As.
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

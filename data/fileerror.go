package data

import (
	"fmt"
	"strconv"
	"strings"
)

// FileError describes a fault in a file: its place, what was found, what was expected, and a
// remedy. Its texts never quote a file of records. They contain only positions and names that the
// schema declares.
type FileError struct {
	// File is the name of the file.
	File string
	// Line and Column are the place of the fault. They count from 1, and 0 means unknown. In a
	// table Column counts cells, and in a schema file it counts characters.
	Line, Column int
	// Problem states what was found. Want states what was expected, or is empty. Remedy states what
	// the user can do.
	Problem, Want, Remedy string
	// Err is the underlying error, or nil.
	Err error
}

// Error returns one line with the place, the problem, the expected content and the remedy. Its form
// is "data: FILE line 3, column 2: PROBLEM, want WANT; REMEDY".
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

// Unwrap returns the underlying error, for errors.Is and errors.As.
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

package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// These are widths of texts: on a page that is no terminal, and the least and the largest on a
// terminal.
const (
	plainWidth = 118
	leastWidth = 72
	mostWidth  = 180
)

// isTerminal reports whether w writes to a terminal.
func isTerminal(w io.Writer) bool {
	file, isFile := w.(*os.File)
	return isFile && term.IsTerminal(int(file.Fd()))
}

// pageWidth returns the width, in characters, of the terminal w, or of a page.
func pageWidth(w io.Writer) int {
	file, isFile := w.(*os.File)
	if !isFile {
		return plainWidth
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return plainWidth
	}
	return max(leastWidth, min(width, mostWidth))
}

package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Widths of texts: on a page that is no terminal, and the least and the most on a terminal.
const (
	plainWidth = 118
	leastWidth = 72
	mostWidth  = 180
)

// isTerminal reports whether what is written to w is seen on a terminal.
func isTerminal(w io.Writer) bool {
	file, isFile := w.(*os.File)
	return isFile && term.IsTerminal(int(file.Fd()))
}

// pageWidth is the width, in characters, of the terminal that w is, or of a page.
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

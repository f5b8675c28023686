package data

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxCellBytes bounds one cell, so that a quote that is never closed cannot fill memory with a
// whole file.
const maxCellBytes = 1 << 20

// guard passes text on to the CSV reader and stops at bytes that no table holds: a NUL byte, bytes
// that are not UTF-8, or a cell longer than maxCellBytes. It fails with a *FileError that names the
// line, after it has passed on the lines before. After a failure every Read fails. The way that the
// text is cut into chunks changes nothing.
type guard struct {
	r         io.Reader
	file      string
	delimiter string
	noQuotes  bool   // a quote is a character like others
	line      int    // lines passed so far
	inQuotes  bool   // an odd number of quotes has passed
	cell      int    // bytes of the cell that is open
	cellLine  int    // the line on which the open cell began
	partial   []byte // the first bytes of a rune that a chunk cut in two
	pending   error  // returned by the next Read
	err       error  // the error of an earlier Read
}

func newGuard(r io.Reader, file string, delimiter rune, noQuotes bool) *guard {
	return &guard{r: r, file: file, delimiter: string(delimiter), noQuotes: noQuotes, cellLine: 1}
}

func (g *guard) Read(p []byte) (int, error) {
	if g.pending != nil {
		g.err = g.pending
	}
	if g.err != nil {
		return 0, g.err
	}
	n, err := g.r.Read(p)
	if at, fault := g.check(p[:n], err == io.EOF); fault != nil {
		n, err = at, fault
	}
	if n > 0 {
		g.pending = err
		return n, nil
	}
	g.err = err
	return 0, err
}

// check checks the next chunk. With a fault it returns the number of bytes of the chunk before the
// line of the fault.
func (g *guard) check(p []byte, last bool) (int, error) {
	if i := bytes.IndexByte(p, 0); i >= 0 {
		return g.fail(p[:i], "a NUL byte was found", "text")
	}
	if i := g.invalid(p, last); i >= 0 {
		return g.fail(p[:i], "bytes were found that are not UTF-8", "text in UTF-8")
	}
	end := len(p)
	if (g.noQuotes || bytes.IndexByte(p, '"') < 0) && !g.inQuotes && len(p) < maxCellBytes {
		g.plain(p)
	} else {
		end = g.quoted(p)
	}
	if g.cell > maxCellBytes {
		e := &FileError{File: g.file, Line: g.cellLine, Problem: "a cell is longer than 1 MiB", Want: "short cells", Remedy: "look for a quote that is never closed"}
		return bytes.LastIndexByte(p[:max(0, end-g.cell)], '\n') + 1, e
	}
	return 0, nil
}

func (g *guard) fail(before []byte, problem, want string) (int, error) {
	return bytes.LastIndexByte(before, '\n') + 1, &FileError{File: g.file, Line: g.line + 1 + bytes.Count(before, []byte{'\n'}),
		Problem: problem, Want: want, Remedy: "save the table as CSV in UTF-8"}
}

// invalid returns the position of the first byte that is not UTF-8, or -1. A rune that the chunk
// cuts in two is checked together with the next chunk.
func (g *guard) invalid(p []byte, last bool) int {
	for len(g.partial) > 0 && len(p) > 0 && !utf8.FullRune(g.partial) {
		g.partial = append(g.partial, p[0])
		p = p[1:]
	}
	if len(g.partial) > 0 && (last || utf8.FullRune(g.partial)) {
		if !utf8.Valid(g.partial) {
			return 0
		}
		g.partial = g.partial[:0]
	}
	if utf8.Valid(p) {
		return -1
	}
	for i := 0; i < len(p); {
		r, size := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && size == 1 {
			if !last && !utf8.FullRune(p[i:]) {
				g.partial = append(g.partial, p[i:]...)
				return -1
			}
			return i
		}
		i += size
	}
	return -1
}

// plain follows the cells of a chunk without quotes. The chunk is shorter than the longest cell, so
// only its ends matter.
func (g *guard) plain(p []byte) {
	first := nearest(bytes.Index(p, []byte(g.delimiter)), bytes.IndexByte(p, '\n'))
	last := max(bytes.LastIndex(p, []byte(g.delimiter)), bytes.LastIndexByte(p, '\n'))
	if first < 0 {
		g.cell += len(p)
		return
	}
	if g.cell += first; g.cell > maxCellBytes {
		return
	}
	g.line += bytes.Count(p, []byte{'\n'})
	g.cell, g.cellLine = len(p)-last-1, g.line+1
}

// nearest returns the smaller of two positions, where -1 means none.
func nearest(a, b int) int {
	if a < 0 || b < 0 {
		return max(a, b)
	}
	return min(a, b)
}

// quoted follows the cells of a chunk byte by byte, and returns the position where it stops. A
// doubled quote toggles twice.
func (g *guard) quoted(p []byte) int {
	end := g.delimiter[len(g.delimiter)-1]
	for i, b := range p {
		g.cell++
		if b == '\n' {
			g.line++
		}
		switch {
		case b == '"' && !g.noQuotes:
			g.inQuotes = !g.inQuotes
		case !g.inQuotes && (b == '\n' || b == end):
			g.cell, g.cellLine = 0, g.line+1
		}
		if g.cell > maxCellBytes {
			return i + 1
		}
	}
	return len(p)
}

// detectDelimiter returns the most frequent of the marks , ; tab and | outside quotes in the first
// line, and the comma when there is none.
func detectDelimiter(head []byte, noQuotes bool) rune {
	var counts [128]int
	inQuotes := false
	for _, b := range head {
		if b == '"' && !noQuotes {
			inQuotes = !inQuotes
		}
		if !inQuotes && b == '\n' {
			break
		}
		if !inQuotes && b < 128 {
			counts[b]++
		}
	}
	best := ','
	for _, r := range ";\t|" {
		if counts[r] > counts[best] {
			best = r
		}
	}
	return best
}

// delimiterWords returns the name of a delimiter for an error.
func delimiterWords(r rune) string {
	if name := delimiterName(r); name != string(r) {
		return name
	}
	return fmt.Sprintf("%q", r)
}

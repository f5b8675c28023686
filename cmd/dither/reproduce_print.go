package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ditherml/dither/sweep"
	"golang.org/x/term"
)

// Widths of the table of comparisons: of a page that is no terminal, and the least.
const (
	plainWidth = 118
	leastWidth = 72
)

// writeReproduction prints one result: its title, its table, its notes.
func writeReproduction(w io.Writer, r sweep.Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Name, printable(r.Title))
	fmt.Fprint(&b, indented(wrapped("Source: "+printable(r.Source)+"."), "  "))
	if r.Missing != nil {
		fmt.Fprintf(&b, "  skipped: no folder %s among the data sets; say with --data where they are\n\n", printable(strings.Join(r.Missing, ", ")))
		return writeAll(w, []byte(b.String()))
	}
	rows := [][]string{{"QUANTITY", "PUBLISHED", "OURS", "WHY THEY DIFFER"}}
	for _, c := range r.Comparisons {
		ours := c.Shown()
		if !c.Agrees() {
			ours += fmt.Sprintf(" (NOT %v)", c.Golden.Value)
		}
		rows = append(rows, []string{c.Quantity, c.Published, ours, c.Why})
	}
	writeWrapped(&b, rows, []int{30, 14, 18, 38}, pageWidth(w))
	for _, note := range r.Notes {
		fmt.Fprint(&b, indented(wrapped(printable(note)), "  "))
	}
	fmt.Fprintln(&b)
	return writeAll(w, []byte(b.String()))
}

// pageWidth is the width of the terminal that w is, or of a page.
func pageWidth(w io.Writer) int {
	file, isFile := w.(*os.File)
	if !isFile {
		return plainWidth
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return plainWidth
	}
	return max(leastWidth, min(width, 180))
}

// writeWrapped writes rows as columns whose widths are in proportion to shares, cells broken between words, with
// an empty line between rows.
func writeWrapped(b *strings.Builder, rows [][]string, shares []int, width int) {
	total := 0
	for _, share := range shares {
		total += share
	}
	widths := make([]int, len(shares))
	for j, share := range shares {
		widths[j] = share * (width - 2 - 2*len(shares)) / total
	}
	for i, row := range rows {
		cells, lines := make([][]string, len(row)), 0
		for j, cell := range row {
			cells[j] = broken(printable(cell), widths[j])
			lines = max(lines, len(cells[j]))
		}
		for k := range lines {
			line := ""
			for j := range row {
				text := ""
				if k < len(cells[j]) {
					text = cells[j][k]
				}
				line += "  " + text + strings.Repeat(" ", widths[j]-len([]rune(text)))
			}
			fmt.Fprintln(b, strings.TrimRight(line, " "))
		}
		if i > 0 {
			fmt.Fprintln(b)
		}
	}
}

// broken divides text between words, and words that are too long, into lines of at most width characters.
func broken(text string, width int) []string {
	var lines []string
	var line []rune
	for _, word := range strings.Fields(text) {
		letters := []rune(word)
		if len(line) > 0 && len(line)+1+len(letters) > width {
			lines, line = append(lines, string(line)), nil
		}
		if len(line) > 0 {
			line = append(line, ' ')
		}
		line = append(line, letters...)
		for len(line) > width {
			lines, line = append(lines, string(line[:width])), line[width:]
		}
	}
	if len(line) > 0 {
		lines = append(lines, string(line))
	}
	return lines
}

// forecast tells how far a list of experiments is, and about how long the rest takes.
type forecast struct {
	out             io.Writer
	quiet, terminal bool
	left            []sweep.Reproduction
	total, done     int
	began           time.Time
	told            time.Time
}

func newForecast(out io.Writer, quiet bool, all []sweep.Reproduction) *forecast {
	file, isFile := out.(*os.File)
	return &forecast{out: out, quiet: quiet, terminal: isFile && term.IsTerminal(int(file.Fd())), left: all, total: len(all), began: time.Now()}
}

// rest estimates what is left, from what this experiment has taken so far and what the others are said to.
func (f *forecast) rest(done float64) time.Duration {
	if len(f.left) == 0 {
		return 0
	}
	took := time.Since(f.began)
	declared := time.Duration(f.left[0].Minutes * float64(time.Minute))
	rest := time.Duration((1 - done) * float64(declared))
	if done > 0.05 {
		rest = time.Duration(float64(took) * (1 - done) / done)
	}
	for _, r := range f.left[1:] {
		rest += time.Duration(r.Minutes * float64(time.Minute))
	}
	return rest
}

// show prints one line, which on a terminal is written over.
func (f *forecast) show(what string, done float64) {
	if f.quiet || len(f.left) == 0 || !f.terminal && time.Since(f.told) < 5*time.Second {
		return
	}
	f.told = time.Now()
	line := fmt.Sprintf("%d of %d, %s: %s, %.0f %%, about %s left", f.done+1, f.total, f.left[0].Name, printable(what), 100*done, minutesText(f.rest(done).Minutes()))
	if f.terminal {
		fmt.Fprintf(f.out, "\r\x1b[K%s", line)
		return
	}
	fmt.Fprintln(f.out, line)
}

// finished moves on to the next experiment.
func (f *forecast) finished(r sweep.Result) {
	if f.terminal && !f.quiet {
		fmt.Fprint(f.out, "\r\x1b[K")
	}
	if r.Missing == nil && len(f.left) > 0 {
		f.left, f.done, f.began = f.left[1:], f.done+1, time.Now()
	}
}

package reproduce

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/experiment"
)

// Text returns one result for a terminal of this width: its title, its table, its notes.
func Text(r experiment.Result, width int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s\n", r.Name, display.Printable(r.Title))
	fmt.Fprint(&b, display.Indent(display.Wrapped("Source: "+display.Printable(r.Source)+"."), 2))
	if r.Missing != nil {
		fmt.Fprintf(&b, "  skipped: no folder %s among the data sets; say with --data where they are\n\n", display.Printable(strings.Join(r.Missing, ", ")))
		return b.Bytes()
	}
	rows := [][]string{{"QUANTITY", "PUBLISHED", "OURS", "EXPLANATION"}}
	for _, c := range r.Comparisons {
		ours := c.Shown()
		if !c.Agrees() {
			ours += fmt.Sprintf(" (NOT %v)", c.Golden.Value)
		}
		rows = append(rows, []string{c.Quantity, c.Published, ours, c.Why})
	}
	writeWrapped(&b, rows, []int{30, 14, 18, 38}, width)
	for _, note := range r.Notes {
		fmt.Fprint(&b, display.Indent(display.Wrapped(display.Printable(note)), 2))
	}
	fmt.Fprintln(&b)
	return b.Bytes()
}

// writeWrapped writes rows as columns whose widths are in proportion to shares. Cells break between
// words, with an empty line between rows.
func writeWrapped(b *bytes.Buffer, rows [][]string, shares []int, width int) {
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
			cells[j] = broken(display.Printable(cell), widths[j])
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

// broken divides text into lines of at most width characters, between words. Words that are too
// long are divided too.
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

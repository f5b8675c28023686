package tabular

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/display"
)

// mostNamed is the largest number of columns that Cells names in one line.
const mostNamed = 8

// Cells returns a text whose lines count the cells of a table that a model treats in a special way, by column: unseen
// levels, missing cells and clamped numbers. The last line counts the rows without a prediction. A count of 0 has
// no line.
func Cells(d *data.Dataset) string {
	var lines []string
	counts, features := d.CellCounts(), d.Schema().Features()
	for _, kind := range []struct {
		name string
		of   func(data.CellCounts) int
	}{
		{"cells with an undeclared level", func(n data.CellCounts) int { return n.Unknown }},
		{"missing cells", func(n data.CellCounts) int { return n.Missing }},
		{"numbers moved to a bound of their column", func(n data.CellCounts) int { return n.Clamped }},
	} {
		total := 0
		var columns []int
		for j, n := range counts {
			if cells := kind.of(n); cells > 0 {
				total += cells
				columns = append(columns, j)
			}
		}
		if total == 0 {
			continue
		}
		slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(kind.of(counts[b]), kind.of(counts[a])) })
		var named []string
		for _, j := range columns[:min(len(columns), mostNamed)] {
			named = append(named, fmt.Sprintf("%s %d", display.Printable(features[j].Name), kind.of(counts[j])))
		}
		if rest := len(columns) - len(named); rest > 0 {
			named = append(named, fmt.Sprintf("and %d more columns", rest))
		}
		lines = append(lines, fmt.Sprintf("%s: %d (%s)", kind.name, total, strings.Join(named, ", ")))
	}
	dropped := 0
	for i := range d.Records() {
		if d.Dropped(i) {
			dropped++
		}
	}
	if dropped > 0 {
		lines = append(lines, fmt.Sprintf("rows without a prediction, since the schema drops them: %d of %d", dropped, d.Records()))
	}
	return strings.Join(append(lines, ""), "\n")
}

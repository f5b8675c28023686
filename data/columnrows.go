package data

import (
	"context"
	"io"
	"strconv"

	"github.com/ditherml/dither/internal/columnar"
)

// columnRows reads a columnar file row by row, as texts, for sinks that look at single cells.
type columnRows struct {
	table  *columnTable
	levels [][]string       // by position, of a column whose numbers mean levels
	dates  []bool           // by position, whether dates are texts
	cells  []columnar.Cells // by position
	texts  []string
	from   int // the row at which cells begin
	count  int // of rows in cells
	row    int
}

func (c *columnTable) newRows() *columnRows {
	n := len(c.columns)
	return &columnRows{table: c, levels: make([][]string, n), dates: make([]bool, n), cells: make([]columnar.Cells, n), texts: make([]string, n)}
}

// next returns the cells of the next row, valid until the next call, and its number from 1. Cells
// of a column that is not read are empty. The error is io.EOF at the end.
func (r *columnRows) next() ([]string, int, error) {
	c := r.table
	if r.row == c.records {
		return nil, 0, io.EOF
	}
	if r.row == r.from+r.count {
		r.from, r.count = r.row, min(c.step(), c.records-r.row)
		for i, reader := range c.readers {
			if reader == nil {
				continue
			}
			cells, err := c.next(i, r.count)
			if err != nil {
				return nil, 0, err
			}
			r.cells[i] = cells
		}
	}
	for i, reader := range c.readers {
		if reader != nil {
			r.texts[i] = r.text(i, r.row-r.from)
		}
	}
	r.row++
	return r.texts, r.row, nil
}

// text returns a cell as CSV would hold it.
func (r *columnRows) text(i, at int) string {
	cells, levels := r.cells[i], r.levels[i]
	if !r.table.columns[i].Kind.InNumbers() {
		code := cells.Codes[at]
		texts := textsFor(r.table.columns[i].Kind, cells.Texts, levels)
		if code < 0 || int(code) >= len(texts) {
			return ""
		}
		return string(texts[code])
	}
	v := cells.Numbers[at]
	if !finite(v) {
		return ""
	}
	if exact, is := cells.Exact[at]; is && (!isDated(r.table.columns[i]) || r.dates[i]) {
		return exact
	}
	if said := r.table.columns[i]; isDated(said) && r.dates[i] {
		return string(appendDated(nil, said, v))
	}
	if levels != nil && !hasText(v) {
		return ""
	}
	if level := numberLevel(levels, v); level >= 0 {
		return levels[level]
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// rows passes all rows to a checker.
func (c *columnTable) rows(ctx context.Context, check *checker) error {
	rows := c.newRows()
	for j, at := range check.layout.features {
		rows.levels[at] = check.features[j].texts()
		rows.dates[at] = check.features[j].isText()
	}
	if check.hasTarget {
		rows.dates[check.layout.target] = !check.schema.Target.isNumber()
		rows.levels[check.layout.target] = check.schema.Target.Levels
	}
	for {
		if err := ctx.Err(); rows.row%256 == 0 && err != nil {
			return err
		}
		cells, row, err := rows.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		check.cells(row, cells)
	}
}

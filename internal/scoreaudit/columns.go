package scoreaudit

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/ditherml/dither/internal/columnar"
)

// chunk is the number of rows that are read at once.
const chunk = 1 << 14

// readColumns reads a file that holds its table column by column.
func (t *table) readColumns(f columnar.Table, in io.ReaderAt, size int64) error {
	file, err := f.Open(in, size)
	if err != nil {
		return t.columnFault("", err)
	}
	columns := file.Columns()
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	p, err := t.find(names)
	if err != nil {
		return err
	}
	if n := file.Records(); n > mostRows {
		return fmt.Errorf("%s has too many rows, want at most %d", t.file, mostRows)
	}
	if columns[p.score].Kind != columnar.Numbers {
		return fmt.Errorf("%s: the column score holds no numbers, want numbers", t.file)
	}
	open := map[int]columnar.Reader{}
	for _, at := range []int{p.score, p.included, p.run} {
		if at < 0 {
			continue
		}
		if refused := columns[at].Refused; refused != nil {
			return t.columnFault(columns[at].Name, refused)
		}
		open[at] = file.Reader(at)
		defer open[at].Close()
	}
	for left := int(file.Records()); left > 0; left -= chunk {
		if err = t.addChunk(columns, open, p, min(left, chunk)); err != nil {
			return err
		}
	}
	return t.check()
}

// addChunk takes over the next rows of all columns.
func (t *table) addChunk(columns []columnar.Column, open map[int]columnar.Reader, p places, n int) error {
	cells := map[int]columnar.Cells{}
	for at, r := range open {
		next, err := r.Next(n)
		if err != nil {
			return t.columnFault(columns[at].Name, err)
		}
		cells[at] = next
	}
	for i := range n {
		included, ok := truth(cell(columns[p.included].Kind, cells[p.included], i))
		if !ok {
			return t.fault(t.rows+1, "included is neither 0, 1, true nor false", "one of them")
		}
		run := ""
		if p.run >= 0 {
			run = cell(columns[p.run].Kind, cells[p.run], i)
		}
		if err := t.add(t.rows+1, cells[p.score].Numbers[i], included, run); err != nil {
			return err
		}
	}
	return nil
}

// cell returns a cell as text, "" for a missing one.
func cell(kind columnar.Kind, c columnar.Cells, i int) string {
	switch {
	case kind.InNumbers() && math.IsNaN(c.Numbers[i]), !kind.InNumbers() && c.Codes[i] < 0:
		return ""
	case kind.InNumbers():
		return strconv.FormatFloat(c.Numbers[i], 'g', -1, 64)
	case kind == columnar.Bools:
		return strconv.Itoa(int(c.Codes[i]))
	}
	return string(c.Texts[c.Codes[i]])
}

// columnFault is a fault of the file or one of its columns. Other errors than problems may quote the file, and
// are replaced.
func (t *table) columnFault(column string, err error) error {
	var p *columnar.Problem
	if !errors.As(err, &p) {
		p = &columnar.Problem{Problem: "the file cannot be read", Want: "a whole file"}
	}
	if column != "" {
		return fmt.Errorf("%s: column %s: %w", t.file, column, p)
	}
	return fmt.Errorf("%s: %w", t.file, p)
}

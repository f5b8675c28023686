package data

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/parallel"
)

// columnCells is the approximate number of cells of a columnar file that are read at once.
const columnCells = 1 << 20

// columnTable is a columnar file that is being read.
type columnTable struct {
	file    string
	columns []columnar.Column
	readers []columnar.Reader // by position, nil for a column that is not read
	records int
}

// tableOf checks what a file says about itself. It returns the file with its header.
func tableOf(q request, columns columnar.File) (*columnTable, *table, error) {
	c := &columnTable{file: q.file, columns: columns.Columns()}
	header := &table{file: q.file}
	for _, column := range c.columns {
		header.header = append(header.header, strings.TrimSpace(column.Name))
	}
	limit := q.maxBytes
	if limit == 0 {
		limit = defaultMaxBytes
	}
	switch records, size := columns.Records(), columns.Bytes(); {
	case records < 0 || size < 0:
		return nil, nil, columnFailure(q.file, 0, nil)
	case size > limit:
		return nil, nil, &FileError{File: q.file, Problem: "the file is too large", Want: fmt.Sprintf("at most %d bytes after decompression", limit), Remedy: "split the file or raise the limit"}
	case q.maxRecords >= 0 && records > int64(q.maxRecords):
		c.records = q.maxRecords + 1
	default:
		c.records = int(records)
	}
	return c, header, nil
}

// open begins to read columns.
func (c *columnTable) open(columns columnar.File, positions []int) error {
	c.readers = make([]columnar.Reader, len(c.columns))
	for _, i := range positions {
		if i < 0 || c.readers[i] != nil {
			continue
		}
		if refused := c.columns[i].Refused; refused != nil {
			return columnFailure(c.file, i+1, refused)
		}
		c.readers[i] = columns.Reader(i)
	}
	return nil
}

func (c *columnTable) close() {
	for _, r := range c.readers {
		if r != nil {
			_ = r.Close()
		}
	}
}

// step returns the number of rows that are read at once.
func (c *columnTable) step() int { return max(64, min(columnCells/max(1, len(c.columns)), 1<<16)) }

// next reads cells at a position.
func (c *columnTable) next(i, count int) (columnar.Cells, error) {
	cells, err := c.readers[i].Next(count)
	if err == nil && (c.columns[i].Kind.InNumbers() && len(cells.Numbers) != count || !c.columns[i].Kind.InNumbers() && len(cells.Codes) != count) {
		err = fmt.Errorf("data: a reader returned another number of cells")
	}
	if err != nil {
		return columnar.Cells{}, columnFailure(c.file, i+1, err)
	}
	return cells, nil
}

// scanColumns passes the rows of a columnar file to the sink.
func scanColumns(ctx context.Context, q request, columns columnar.File) error {
	c, header, err := tableOf(q, columns)
	if err != nil {
		return err
	}
	l, err := matchHeader(q, header)
	if err != nil {
		return err
	}
	switch {
	case c.records == 0:
		return noRecords(q.file)
	case q.maxRecords >= 0 && c.records > q.maxRecords:
		return tooMany(q, 0)
	}
	defer c.close()
	if err = c.open(columns, append(append([]int{l.target}, l.features...), l.extra...)); err != nil {
		return err
	}
	for j, f := range q.schema.Features() {
		if kind := c.columns[l.features[j]].Kind; f.Date != nil && (kind == columnar.Numbers || kind == columnar.Bools) {
			return &FileError{File: q.file, Column: l.features[j] + 1, Problem: "the column holds numbers, and the schema declares dates", Want: "a column of dates, moments or texts", Remedy: "mend the schema or the file"}
		} else if isDated(c.columns[l.features[j]]) && !f.isText() && !f.countsDates {
			return &FileError{File: q.file, Column: l.features[j] + 1, Problem: "the column holds dates, and the schema declares numbers", Want: "a column of numbers", Remedy: declareDate}
		}
	}
	q.sink.begin(l)
	*q.rows += c.records
	if check, ok := q.sink.(*checker); ok {
		return c.rows(ctx, check)
	}
	parts, ok := q.sink.(partSink)
	if !ok {
		return fmt.Errorf("data: a sink takes no columns")
	}
	return c.parts(ctx, parts, parts.plan(q, header))
}

// parts passes all rows to a sink, a part at a time. The columns of a part are read in parallel.
func (c *columnTable) parts(ctx context.Context, s partSink, plan *rowPlan) error {
	workers := make([]columnWorker, runtime.GOMAXPROCS(0))
	next := 0
	for i, r := range c.readers {
		if r != nil {
			w := &workers[next%len(workers)]
			w.positions = append(w.positions, i)
			next++
		}
	}
	p := &part{}
	for from := 0; from < c.records; from += c.step() {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.open(plan, min(c.step(), c.records-from))
		parallel.Each(len(workers), func(i int) { workers[i].read(c, p) })
		for i := range workers {
			if err := workers[i].err; err != nil {
				return err
			}
			for row, dropped := range workers[i].dropped {
				p.dropped[row] = p.dropped[row] || dropped
				p.anyDrop = p.anyDrop || dropped
			}
		}
		s.join(p)
	}
	return nil
}

// open allocates whole columns of rows.
func (p *part) open(plan *rowPlan, rows int) {
	p.begin(plan, nil, rows)
	p.rows, p.room = rows, rows
	p.columns = resized(p.columns, plan.features*rows)
	p.target = resized(p.target, rows)
	p.dropped = resized(p.dropped, rows)
	clear(p.dropped)
}

func resized[T any](values []T, n int) []T {
	if cap(values) < n {
		return make([]T, n)
	}
	return values[:n]
}

// columnWorker reads some of the columns of a part.
type columnWorker struct {
	positions []int
	dropped   []bool
	err       error
	values    []float32 // of texts, and whether they are known and keep the row
	known     []textFate
}

type textFate uint8

const (
	fateOpen textFate = iota
	fateKept
	fateClamped
	fateDropped
)

func (w *columnWorker) read(c *columnTable, p *part) {
	w.dropped = resized(w.dropped, p.rows)
	clear(w.dropped)
	for _, i := range w.positions {
		cells, err := c.next(i, p.rows)
		if err == nil && c.columns[i].Kind == columnar.Bools {
			err = checkCodes(cells.Codes, 2)
		} else if err == nil && c.columns[i].Kind == columnar.Texts {
			err = checkCodes(cells.Codes, len(cells.Texts))
		}
		if err != nil {
			w.err = columnFailure(c.file, i+1, err)
			return
		}
		w.cells(&p.plan.cells[i], p, c.columns[i], cells)
	}
}

func checkCodes(codes []int32, texts int) error {
	for _, code := range codes {
		if code < -1 || int(code) >= texts {
			return fmt.Errorf("data: a code is out of range")
		}
	}
	return nil
}

// cells adds the cells of one position to a feature, the target and the extras.
func (w *columnWorker) cells(c *cellPlan, p *part, said columnar.Column, cells columnar.Cells) {
	kind, days := said.Kind, cells.Numbers
	if isDated(said) && (c.column != nil && c.column.isText() || c.target && !p.plan.target.isNumber() || len(c.extra) > 0) {
		kind, cells = columnar.Texts, datedTexts(said, cells)
	}
	if c.column != nil && c.column.Kind == Text {
		w.hash(c, p, kind, cells)
	} else if c.column != nil {
		dst := p.columns[c.feature*p.room : c.feature*p.room+p.rows]
		number := c.number
		if c.column.Kind == Categorical {
			number = p.plan.unmarked(c.number, func(text []byte) (float32, bool) { return p.plan.featureCell(c, text) })
		}
		if kind == columnar.Numbers || isDated(said) && !c.column.isText() {
			if c.column.Kind == Categorical && len(cells.Exact) > 0 {
				w.exact(dst, cells, number, func(text []byte) (float32, bool) { return p.plan.featureCell(c, text) })
			} else {
				w.numbers(dst, days, number)
			}
		} else {
			w.texts(dst, cells.Codes, textsFor(kind, cells.Texts, c.column.texts()), c.counted.clamped, func(text []byte) (float32, bool) { return p.plan.featureCell(c, text) })
		}
	}
	for k := range c.more {
		m := &c.more[k]
		w.texts(p.columns[m.feature*p.room:m.feature*p.room+p.rows], cells.Codes, cells.Texts, m.counted.clamped, func(text []byte) (float32, bool) { return p.plan.featureCell(m, text) })
	}
	if c.target {
		if t := p.plan.target; kind == columnar.Numbers || isDated(said) && t.isNumber() {
			number := p.plan.unmarked(t.number, p.plan.targetCell)
			if !t.isNumber() && len(cells.Exact) > 0 {
				w.exact(p.target, cells, number, p.plan.targetCell)
			} else {
				w.numbers(p.target, days, number)
			}
		} else {
			w.texts(p.target, cells.Codes, textsFor(kind, cells.Texts, p.plan.target.Levels), new(atomic.Int64), p.plan.targetCell)
		}
	}
	for _, i := range c.extra {
		p.extra[i].addCells(kind, cells, p.plan.marks)
	}
}

// unmarked returns a treatment of numbers that treats the text of a number that marks a missing cell.
func (p *rowPlan) unmarked(number func(v float64) (float32, bool), text func(text []byte) (float32, bool)) func(v float64) (float32, bool) {
	if !p.numberMarks {
		return number
	}
	var written []byte
	return func(v float64) (float32, bool) {
		if written = numberText(written[:0], v); p.marks.has(written) {
			return text(written)
		}
		return number(v)
	}
}

func (w *columnWorker) numbers(dst []float32, numbers []float64, treat func(v float64) (float32, bool)) {
	for row, v := range numbers {
		stored, ok := treat(v)
		dst[row] = stored
		w.dropped[row] = w.dropped[row] || !ok
	}
}

// exact is numbers for levels. It treats numbers that a float64 does not hold by their texts.
func (w *columnWorker) exact(dst []float32, cells columnar.Cells, number func(v float64) (float32, bool), text func(text []byte) (float32, bool)) {
	for row, v := range cells.Numbers {
		var stored float32
		ok := false
		if exact, is := cells.Exact[row]; is {
			stored, ok = text([]byte(exact))
		} else {
			stored, ok = number(v)
		}
		dst[row] = stored
		w.dropped[row] = w.dropped[row] || !ok
	}
}

// texts treats each text once. The argument clamped is the number of clamped cells that treat counts. No other
// worker adds to it.
func (w *columnWorker) texts(dst []float32, codes []int32, texts [][]byte, clamped *atomic.Int64, treat func(text []byte) (float32, bool)) {
	w.values, w.known = resized(w.values, len(texts)+1), resized(w.known, len(texts)+1)
	clear(w.known)
	for row, code := range codes {
		at := int(code) + 1 // 0 is a missing cell
		if w.known[at] == fateClamped {
			clamped.Add(1)
		}
		if w.known[at] == fateOpen {
			before := clamped.Load()
			var text []byte
			if code >= 0 {
				text = bytes.TrimSpace(texts[code])
			}
			v, ok := treat(text)
			w.values[at], w.known[at] = v, fateKept
			if clamped.Load() > before {
				w.known[at] = fateClamped
			}
			if !ok {
				w.known[at] = fateDropped
			}
		}
		dst[row] = w.values[at]
		w.dropped[row] = w.dropped[row] || w.known[at] == fateDropped
	}
}

// textsFor returns the texts of codes. For false and true it returns the form of the levels, or
// else 0 and 1.
func textsFor(kind columnar.Kind, texts [][]byte, levels []string) [][]byte {
	if kind == columnar.Texts {
		return texts
	}
	bools := columnar.BoolTexts(levels)
	return [][]byte{[]byte(bools[0]), []byte(bools[1])}
}

// addCells adds cells, and numbers as builder.number does.
func (e *dictionary) addCells(kind columnar.Kind, cells columnar.Cells, marks MissingSet) {
	texts := cells.Texts
	if kind == columnar.Bools {
		texts = textsFor(kind, nil, boolLevels())
	}
	var buffer [32]byte
	for i, v := range cells.Numbers {
		if exact, is := cells.Exact[i]; is {
			e.add(exact, marks)
			continue
		}
		e.addBytes(numberText(buffer[:0], v), marks)
	}
	for _, code := range cells.Codes {
		var text []byte
		if code >= 0 {
			text = bytes.TrimSpace(texts[code])
		}
		e.addBytes(text, marks)
	}
}

// boolLevels names false and true.
func boolLevels() []string { return []string{"false", "true"} }

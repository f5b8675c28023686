package data

import (
	"bytes"
	"slices"
)

// part holds the rows of one block of a CSV text, as a builder holds the rows of a table.
type part struct {
	plan  *rowPlan
	limit int // of rows
	rows  int
	// columns holds the features one after the other, each in room cells.
	columns []float32
	room    int
	target  []float32
	dropped []bool
	anyDrop bool
	extra   []dictionary
	// err is the fault of the first row that cannot be read, and rows the number of rows before it.
	err   error
	texts []textCells // of each text feature
	cells [][]byte    // of the current row, for a row with quotes
}

// partSink is a sink that takes rows by the block, in order.
type partSink interface {
	plan(q request, t *table) *rowPlan
	reserve(rows int)
	join(p *part)
}

// rowPlan is the way to store the cells of a row. Parts share it and do not change it.
type rowPlan struct {
	q         request
	delimiter byte
	cells     []cellPlan // one for each position
	features  int
	texts     int     // of the features
	target    *Target // nil where it is not read
	levels    map[string]int
	marks     MissingSet
	// numberMarks reports that some text that marks a missing cell is a number.
	numberMarks bool
}

// cellPlan is the way to store the cells at one position.
type cellPlan struct {
	column    *Column // nil where the position is no feature
	counted   counted
	feature   int
	text      int // the number of the text feature, where it is one
	index     map[string]int
	numeric   bool // a numeric feature and nothing else
	low, high float32
	target    bool
	extra     []int
	more      []cellPlan // of further features that are made of the cell
}

// plan returns the plan of the rows of a table, after begin.
func (b *builder) plan(q request, t *table) *rowPlan {
	p := &rowPlan{q: q, delimiter: byte(t.delimiter), cells: make([]cellPlan, b.layout.width), features: len(b.features), marks: b.marks}
	if b.hasTarget {
		p.target = &b.schema.Target
		p.levels = levelIndexes([]Column{{Kind: Categorical, Levels: p.target.Levels}})[0]
		p.cells[b.layout.target].target = true
	}
	for mark := range b.marks {
		_, n := scanDecimal([]byte(mark))
		p.numberMarks = p.numberMarks || n > 0 && n == len(mark)
	}
	for i := range p.cells {
		c := &p.cells[i]
		c.extra = b.extraAt[i]
		j := b.byColumn[i]
		if j < 0 {
			continue
		}
		c.column, c.counted, c.feature, c.index = &b.features[j], b.feature(j), j, b.indexes[j]
		c.low, c.high = within(c.column.Lower, c.column.Lower, c.column.Upper), within(c.column.Upper, c.column.Lower, c.column.Upper)
		if c.column.Kind == Text {
			c.text = countTexts(b.features[:j])
			p.texts++
		}
		for k, at := range b.layout.features {
			if at == i && k != j {
				c.more = append(c.more, cellPlan{column: &b.features[k], counted: b.feature(k), feature: k, index: b.indexes[k]})
			}
		}
		c.numeric = !c.column.isText() && !c.target && len(c.extra) == 0
	}
	return p
}

// begin allocates the rows of a text, up to a largest number. A row has at least a byte for each of
// its cells except the last row.
func (p *part) begin(plan *rowPlan, text []byte, limit int) {
	p.plan, p.limit, p.rows, p.anyDrop, p.err = plan, limit, 0, false, nil
	p.room = 1 + min(bytes.Count(text, []byte{'\n'}), len(text)/len(plan.cells))
	p.columns = slices.Grow(p.columns[:0], plan.features*p.room)[:plan.features*p.room]
	p.target = slices.Grow(p.target[:0], p.room)
	p.dropped = slices.Grow(p.dropped[:0], p.room)
	p.extra = p.extra[:0]
	p.beginTexts()
	for _, name := range plan.q.extra {
		p.extra = append(p.extra, dictionary{name: name, index: map[string]int32{}})
	}
}

// plainRow takes a row without quotes.
func (p *part) plainRow(line int, row []byte) {
	if !p.accept(line, bytes.Count(row, []byte{p.plan.delimiter})+1) {
		return
	}
	at := 0
	for i := range p.plan.cells {
		c, rest := &p.plan.cells[i], row[at:]
		if c.numeric {
			if v, n := scanDecimal(rest); n > 0 && (n == len(rest) || rest[n] == p.plan.delimiter) {
				stored, ok := c.number(v)
				p.store(c, stored)
				p.drop(ok)
				at += n + 1
				continue
			}
		}
		n := bytes.IndexByte(rest, p.plan.delimiter)
		if n < 0 {
			n = len(rest)
		}
		p.cell(c, rest[:n])
		at += n + 1
	}
	p.rows++
}

// accept opens a row. It refuses a row without the cells of the header, and a row too many.
func (p *part) accept(line, cells int) bool {
	switch {
	case cells != len(p.plan.cells):
		p.err = ragged(p.plan.q.file, line, cells, len(p.plan.cells))
	case p.rows == p.limit:
		p.err = tooMany(p.plan.q, line)
	default:
		p.dropped = append(p.dropped, false)
		return true
	}
	return false
}

// marked reports whether the text of a number marks a missing cell.
func (p *rowPlan) marked(text []byte) bool { return p.numberMarks && p.marks.has(text) }

// cell stores a cell of the open row, by the rules of builder.cells.
func (p *part) cell(c *cellPlan, cell []byte) {
	if c.column == nil && !c.target && len(c.extra) == 0 {
		return
	}
	cell = bytes.TrimSpace(cell)
	switch {
	case c.column == nil:
	case c.column.Kind == Text:
		p.drop(p.addText(c, cell))
	default:
		v, ok := p.plan.featureCell(c, cell)
		p.store(c, v)
		p.drop(ok)
	}
	for k := range c.more {
		v, ok := p.plan.featureCell(&c.more[k], cell)
		p.store(&c.more[k], v)
		p.drop(ok)
	}
	if c.target {
		v, ok := p.plan.targetCell(cell)
		p.target = append(p.target, v)
		p.drop(ok)
	}
	for _, i := range c.extra {
		p.extra[i].addBytes(cell, p.plan.marks)
	}
}

// featureCell returns Column.Cell for a trimmed cell. A level is never a missing mark.
func (p *rowPlan) featureCell(c *cellPlan, cell []byte) (v float32, ok bool) {
	if c.column.Date != nil {
		return c.counted.treat(c.column.classify(string(cell), p.marks, nil))
	}
	if c.column.Kind == Categorical {
		if level := c.column.search(c.index).bytes(cell); level >= 0 {
			return float32(level), true
		}
	} else if v, n := scanDecimal(cell); n > 0 && n == len(cell) {
		return c.number(v)
	}
	return c.counted.treat(c.column.classify(string(cell), p.marks, c.index))
}

// number returns Column.Number; see builder.plainNumbers.
func (c *cellPlan) number(v float64) (float32, bool) {
	if c.column.Kind == Numeric && v >= c.column.Lower && v <= c.column.Upper && !c.column.isAbsent(v) {
		return min(max(float32(v), c.low), c.high), true
	}
	return c.counted.treat(c.column.classifyNumber(v, c.index))
}

func (p *part) store(c *cellPlan, v float32) { p.columns[c.feature*p.room+p.rows] = v }

func (p *part) drop(ok bool) {
	if !ok {
		p.dropped[p.rows] = true
		p.anyDrop = true
	}
}

// targetCell returns Target.Cell for a trimmed cell.
func (p *rowPlan) targetCell(cell []byte) (float32, bool) {
	t := p.target
	if !t.Regression() && t.Threshold == nil {
		if level := (levelSearch{levels: t.Levels, index: p.levels}).bytes(cell); level >= 0 {
			return float32(level), true
		}
	} else if v, n := scanDecimal(cell); n > 0 && n == len(cell) && !p.marked(cell) {
		return t.number(v)
	}
	return t.Cell(string(cell), p.marks)
}

// join appends the rows of a part.
func (b *builder) join(p *part) {
	if b.entries != nil {
		b.joinTexts(p)
	}
	for j := range b.columns {
		b.columns[j] = append(b.columns[j], p.columns[j*p.room:j*p.room+p.rows]...)
	}
	if b.hasTarget {
		b.target = append(b.target, p.target[:p.rows]...)
	}
	b.dropped = append(b.dropped, p.dropped[:p.rows]...)
	b.anyDrop = b.anyDrop || p.anyDrop
	for i := range b.extra {
		b.extra[i].join(&p.extra[i])
	}
}

package data

import (
	"bytes"

	"github.com/ditherml/dither/internal/columnar"
)

// textCells are the cells of one text column in a part: for each row the buckets that are not 0.
type textCells struct {
	hashed
	ends    []int // of each row in buckets and values
	buckets []uint32
	values  []float32
}

// begin removes all rows.
func (t *textCells) begin() { t.ends, t.buckets, t.values = t.ends[:0], t.buckets[:0], t.values[:0] }

// add appends the cell of the next row; nil is a missing one.
func (t *textCells) add(h *Hashing, cell []byte) {
	if len(cell) > 0 {
		buckets, values := t.text(h, cell)
		t.buckets, t.values = append(t.buckets, buckets...), append(t.values, values...)
	}
	t.ends = append(t.ends, len(t.buckets))
}

// row returns the cell of a row.
func (t *textCells) row(i int) ([]uint32, []float32) {
	from := 0
	if i > 0 {
		from = t.ends[i-1]
	}
	return t.buckets[from:t.ends[i]], t.values[from:t.ends[i]]
}

// textOffsets returns where the values of each feature begin in a row, or nil where each has one.
func textOffsets(features []Column) (offsets []uint32, values int) {
	some := false
	for j := range features {
		offsets = append(offsets, uint32(values))
		values += features[j].Width()
		some = some || features[j].Kind == Text
	}
	if !some {
		return nil, values
	}
	return offsets, values
}

// keepTexts makes the builder of a schema with a text column hold cells in place of columns.
func (b *builder) keepTexts() {
	if _, values := textOffsets(b.features); values > len(b.features) {
		b.columns, b.entries = nil, newEntries(b.schema, b.features)
	}
}

// textRow adds the features of a row of a table with a text column.
func (b *builder) textRow(row int, cells []string) {
	for j, at := range b.layout.features {
		c, offset := b.feature(j), b.entries.offsets[j]
		if c.Kind != Text {
			v, ok := c.treat(c.classify(cells[at], b.marks, b.indexes[j]))
			b.entries.add(int(offset), v)
			b.drop(row, ok)
			continue
		}
		state, _ := c.classify(cells[at], b.marks, nil)
		if _, ok := c.treat(state, 0); state != good {
			b.drop(row, ok)
			continue
		}
		buckets, values := b.texts.text(c.Hashing, []byte(cells[at]))
		b.entries.addText(offset, buckets, values)
	}
	b.entries.end()
}

// joinTexts appends the features of a part of a table with a text column.
func (b *builder) joinTexts(p *part) {
	for row := range p.rows {
		text := 0
		for j, offset := range b.entries.offsets {
			if b.features[j].Kind != Text {
				b.entries.add(int(offset), p.columns[j*p.room+row])
				continue
			}
			buckets, values := p.texts[text].row(row)
			b.entries.addText(offset, buckets, values)
			text++
		}
		b.entries.end()
	}
}

// addText appends the cells of a text to the current record, which end completes.
func (e *entries) addText(offset uint32, buckets []uint32, values []float32) {
	for _, bucket := range buckets {
		e.column = append(e.column, offset+bucket)
	}
	e.value = append(e.value, values...)
}

// beginTexts allocates the text columns of a part.
func (p *part) beginTexts() {
	for len(p.texts) < p.plan.texts {
		p.texts = append(p.texts, textCells{})
	}
	for k := range p.texts {
		p.texts[k].begin()
	}
}

// addText adds the trimmed cell of a text column, in the order of the rows, and reports whether its
// row is kept.
func (p *part) addText(c *cellPlan, cell []byte) bool {
	ok := true
	if p.plan.marks.has(cell) {
		_, ok = c.column.treatMissing()
		cell = nil
	}
	p.texts[c.text].add(c.column.Hashing, cell)
	return ok
}

// refuseTexts returns the error of a file that holds numbers only, under a schema with a text
// column.
func refuseTexts(q request, what string) error {
	if !q.schema.HasText() {
		return nil
	}
	return &FileError{File: q.file, Problem: "the schema has a text column and the file is " + what, Want: "a table that can hold texts, as CSV or Parquet", Remedy: "write the table as CSV, or declare numbers"}
}

// countTexts returns the number of text columns.
func countTexts(columns []Column) int {
	n := 0
	for j := range columns {
		if columns[j].Kind == Text {
			n++
		}
	}
	return n
}

// hash adds the cells of a text column, numbers as their texts.
func (w *columnWorker) hash(c *cellPlan, p *part, kind columnar.Kind, cells columnar.Cells) {
	texts := textsFor(kind, cells.Texts, boolLevels())
	var buffer [32]byte
	for row := range p.rows {
		cell := buffer[:0]
		exact, is := cells.Exact[row]
		switch {
		case kind == columnar.Numbers && is:
			cell = append(cell, exact...)
		case kind == columnar.Numbers:
			cell = numberText(cell, cells.Numbers[row])
		case kind != columnar.Numbers && cells.Codes[row] >= 0:
			cell = bytes.TrimSpace(texts[cells.Codes[row]])
		}
		if !p.addText(c, cell) {
			w.dropped[row] = true
		}
	}
}

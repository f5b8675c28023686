package data

import (
	"strconv"
	"strings"
)

// builder is the sink that makes a Dataset. Every column grows by one value a
// row; the rows that are dropped are squeezed out at the end.
type builder struct {
	schema    *Schema
	features  []Column
	marks     MissingSet
	layout    layout
	indexes   []map[string]int // of the levels of each feature, nil for few
	byColumn  []int            // the feature at a position of a matrix, or -1
	extraAt   [][]int          // the extras at a position of a matrix
	columns   [][]float32
	target    []float32
	hasTarget bool
	dropped   []bool
	anyDrop   bool
	extra     []dictionary
}

// manyLevels is from how many levels on a map is faster than a search.
const manyLevels = 8

func newBuilder(s *Schema, withTarget bool, extra []string) *builder {
	b := &builder{schema: s, features: s.Features(), marks: s.Marks(), hasTarget: withTarget}
	b.columns = make([][]float32, len(b.features))
	b.indexes = levelIndexes(b.features)
	for _, name := range extra {
		b.extra = append(b.extra, dictionary{name: name, index: map[string]int32{}})
	}
	return b
}

// levelIndexes returns a map of levels for every column that has many.
func levelIndexes(columns []Column) []map[string]int {
	indexes := make([]map[string]int, len(columns))
	for j, c := range columns {
		if c.Kind == Categorical && len(c.Levels) >= manyLevels {
			indexes[j] = make(map[string]int, len(c.Levels))
			for i, level := range c.Levels {
				indexes[j][level] = i
			}
		}
	}
	return indexes
}

func (b *builder) begin(l layout) {
	b.layout = l
	b.byColumn = l.featureAt()
	b.extraAt = make([][]int, l.width+1)
	for i, at := range l.extra {
		b.extraAt[at] = append(b.extraAt[at], i)
	}
}

// featureAt returns which feature stands at a position, or -1.
func (l layout) featureAt() []int {
	at := make([]int, l.width+1)
	for i := range at {
		at[i] = -1
	}
	for j, i := range l.features {
		at[i] = j
	}
	return at
}

func (b *builder) cells(_ int, cells []string) {
	row := len(b.dropped)
	b.dropped = append(b.dropped, false)
	for j, at := range b.layout.features {
		c := &b.features[j]
		v, ok := c.treat(c.classify(cells[at], b.marks, b.indexes[j]))
		b.columns[j] = append(b.columns[j], v)
		b.drop(row, ok)
	}
	if b.hasTarget {
		v, ok := b.schema.Target.Cell(cells[b.layout.target], b.marks)
		b.target = append(b.target, v)
		b.drop(row, ok)
	}
	for i, at := range b.layout.extra {
		b.extra[i].add(strings.TrimSpace(cells[at]), b.marks)
	}
}

func (b *builder) number(row, column int, v float64) {
	if row == len(b.dropped) {
		b.dropped = append(b.dropped, false)
	}
	if j := b.byColumn[column]; j >= 0 {
		c := &b.features[j]
		v, ok := c.treat(c.classifyNumber(v, b.indexes[j]))
		b.columns[j] = append(b.columns[j], v)
		b.drop(row, ok)
	}
	if b.hasTarget && column == b.layout.target {
		v, ok := b.schema.Target.Number(v)
		b.target = append(b.target, v)
		b.drop(row, ok)
	}
	for _, i := range b.extraAt[column] {
		text := ""
		if finite(v) {
			text = strconv.FormatFloat(v, 'f', -1, 64)
		}
		b.extra[i].add(text, b.marks)
	}
}

func (b *builder) drop(row int, ok bool) {
	if !ok {
		b.dropped[row] = true
		b.anyDrop = true
	}
}

// dataset returns what was read. Unless keepDropped, the rows that a Drop
// treatment leaves out are removed.
func (b *builder) dataset(keepDropped bool) *Dataset {
	d := &Dataset{schema: b.schema, features: b.features, records: len(b.dropped), groups: map[string]group{}}
	if keepDropped {
		d.dropped = b.dropped
	} else if b.anyDrop {
		for j := range b.columns {
			b.columns[j] = squeeze(b.columns[j], b.dropped)
		}
		b.target = squeeze(b.target, b.dropped)
		for i := range b.extra {
			b.extra[i].codes = squeeze(b.extra[i].codes, b.dropped)
			b.extra[i].forget()
		}
		d.records = countFalse(b.dropped)
	}
	d.columns = b.columns
	if b.hasTarget {
		d.target = b.target
		if d.target == nil {
			d.target = []float32{}
		}
	}
	for _, e := range b.extra {
		d.groups[e.name] = group{e.codes, e.levels}
	}
	return d
}

// squeeze removes the dropped rows of a column in place.
func squeeze[T any](column []T, dropped []bool) []T {
	kept := column[:0]
	for i, v := range column {
		if !dropped[i] {
			kept = append(kept, v)
		}
	}
	return kept
}

func countFalse(flags []bool) int {
	n := 0
	for _, f := range flags {
		if !f {
			n++
		}
	}
	return n
}

// dictionary keeps a column as codes into its texts, in order of appearance.
type dictionary struct {
	name   string
	index  map[string]int32
	levels []string
	codes  []int32
}

func (e *dictionary) add(text string, marks MissingSet) {
	if marks.Has(text) {
		e.codes = append(e.codes, -1)
		return
	}
	code, ok := e.index[text]
	if !ok {
		text = strings.Clone(text) // the cell is part of a whole row
		code = int32(len(e.levels))
		e.index[text] = code
		e.levels = append(e.levels, text)
	}
	e.codes = append(e.codes, code)
}

// forget numbers the texts anew and leaves out those of no row, after rows were removed.
func (e *dictionary) forget() {
	var levels []string
	renamed := make([]int32, len(e.levels)) // 0: not seen yet
	for i, code := range e.codes {
		if code < 0 {
			continue
		}
		if renamed[code] == 0 {
			levels = append(levels, e.levels[code])
			renamed[code] = int32(len(levels))
		}
		e.codes[i] = renamed[code] - 1
	}
	e.levels = levels
}

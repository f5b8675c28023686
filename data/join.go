package data

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/ditherml/dither/internal/format"
	"github.com/ditherml/dither/internal/related"
	"github.com/ditherml/dither/internal/witness"
)

// relatedBlock is the number of rows of a related table that are read at once.
const relatedBlock = 1 << 14

// relatedRows are the rows of a related table that are kept, by person.
type relatedRows struct {
	// persons are the numbers of persons by key. If it is nil, persons have the numbers of records.
	persons  map[string]int32
	rows     *related.Rows
	features []related.Feature
}

// join adds the features of related tables to a table of people. The record of a person is a
// function of the rows with the person's key, in all tables. If several rows of the people table
// have one key, all of them are dropped. Which of them comes first could depend on other persons. Rows
// without a key are dropped, too.
type join struct {
	schema  *Schema
	own     *Schema
	tables  []relatedRows
	made    []Column // the features of related tables
	clamped []atomic.Int64
	// repeatedKeys are the keys of several rows. It is nil if the first data set is the whole table.
	repeatedKeys map[string]bool
	// repeated and seen hold, for each key so far, whether it is the key of several rows, and
	// whether a row had it.
	repeated, seen []bool
}

// hasRelated reports whether a table must be read by a join.
func hasRelated(s *Schema, src Source) bool { return len(s.Related) > 0 || len(src.Related) > 0 }

// newJoin checks everything that can be wrong before a file is opened, and reads no row.
func newJoin(s *Schema, src Source, o ReadOptions) (*join, error) {
	if err := checkRequest(s, o); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(src.Related)) {
		if !slices.ContainsFunc(s.Related, func(t relatedTable) bool { return t.Name == name }) {
			return nil, fmt.Errorf("data: related table %q is not in the schema, want one that related: declares; declare it, or leave it out", name)
		}
	}
	for i := range s.Related {
		name := s.Related[i].Name
		if !hasKeyOf(src.Related, name) {
			return nil, fmt.Errorf("data: related table %q is not given, want its rows; name them with --related %s=FILE, or in Source.Related", name, name)
		}
		if _, err := storedTable(src, name); err != nil {
			return nil, err
		}
	}
	return newRecords(s, o)
}

// storedTable returns the source of a related table. In a database it must be a stored table: a query or
// a view can mix persons.
func storedTable(src Source, name string) (Source, error) {
	out := src.Related[name]
	if out.Database == nil {
		return out, nil
	}
	table, err := out.Database.Stored()
	if err != nil {
		return out, fmt.Errorf("data: related table %q: %w", name, err)
	}
	out.Database = table
	return out, nil
}

// newRecords returns a join without its related rows.
func newRecords(s *Schema, o ReadOptions) (*join, error) {
	for _, name := range o.Extra {
		if slices.ContainsFunc(s.Columns[len(s.ownColumns()):], func(c Column) bool { return c.Name == name }) {
			return nil, fmt.Errorf("data: column to read is %q, which is made of a related table, want a column of the table itself; name another", name)
		}
	}
	features := s.Features()
	own := s.own()
	return &join{schema: s, own: own, made: features[len(own.Features()):], clamped: make([]atomic.Int64, len(features))}, nil
}

func hasKeyOf(sources map[string]Source, name string) bool {
	_, ok := sources[name]
	return ok
}

// peopleOptions returns the options by which the people table is read: with keys, and with the rows
// that the schema drops, which do not count as rows with a repeated key.
func (j *join) peopleOptions(o ReadOptions) ReadOptions {
	if key := j.schema.peopleKey(); !slices.Contains(o.Extra, key) {
		o.Extra = append(slices.Clip(o.Extra), key)
	}
	return o
}

// read reads the related tables.
func (j *join) read(ctx context.Context, src Source, o ReadOptions) error {
	for i := range j.schema.Related {
		t := &j.schema.Related[i]
		source, err := storedTable(src, t.Name)
		if err != nil {
			return err
		}
		rows, err := readRelated(ctx, j.schema, t, source, o.MaxBytes)
		if err != nil {
			return err
		}
		j.tables = append(j.tables, rows)
	}
	return nil
}

// readRelated reads a related table. It holds at most twice MaxRows rows of a person. A table
// without rows is no error.
func readRelated(ctx context.Context, s *Schema, t *relatedTable, src Source, maxBytes int64) (relatedRows, error) {
	q, b := makeRequest(t.schema(s), src.Path, src.Delimiter, ReadOptions{WithoutTarget: true, Extra: t.extra(), MaxBytes: maxBytes})
	q.related = t.Name
	collected := newCollector(t)
	err := readBlocks(ctx, q, b, src, false, relatedBlock, collected.add)
	if errors.Is(err, errNoRecords) {
		err = nil
	}
	return collected.found(), err
}

// collector collects the rows of a related table.
type collector struct {
	table *relatedTable
	rows  *related.Rows
	keys  []string
	cells []float32
}

func newCollector(t *relatedTable) *collector {
	return &collector{table: t, rows: related.New(t.Name, t.Keep, t.MaxRows, len(t.features()))}
}

// add adds the rows of a block. A row without a key belongs to nobody.
func (c *collector) add(d *Dataset) error {
	codes, keys, err := d.Group(c.table.Key)
	if err != nil {
		return err
	}
	var order []int32
	if c.table.OrderBy != "" {
		var texts []string
		if order, texts, err = d.Group(c.table.OrderBy); err != nil {
			return err
		}
		c.rows.Orders(texts)
	}
	c.keys = keys
	for i, person := range codes {
		if person < 0 {
			continue
		}
		at := int32(-1)
		if order != nil {
			at = order[i]
		}
		c.cells = d.Row(c.cells, i)
		c.rows.Add(int(person), keys[person], at, c.cells)
	}
	return nil
}

func (c *collector) found() relatedRows {
	persons := make(map[string]int32, len(c.keys))
	for i, key := range c.keys {
		persons[key] = int32(i)
	}
	return relatedRows{persons: persons, rows: c.rows, features: c.table.Features}
}

// under returns the records of a table of people with the features of related tables.
func (j *join) under(d *Dataset, keepDropped, keepKey bool) (*Dataset, error) {
	codes, keys, err := d.Group(j.schema.peopleKey())
	if err != nil {
		return nil, err
	}
	return j.complete(d, codes, keys, true, keepDropped, keepKey)
}

// complete is under for given keys. If records are keyed, those without a key are dropped: a person
// might have several.
func (j *join) complete(d *Dataset, codes []int32, keys []string, keyed, keepDropped, keepKey bool) (*Dataset, error) {
	j.note(d, codes, keys)
	n := d.Records()
	columns, dropped := make([][]float32, len(j.made)), make([]bool, n)
	for k := range columns {
		columns[k] = make([]float32, n)
	}
	values := make([]float64, len(j.made))
	for i, code := range codes {
		person := ""
		if code >= 0 {
			person = keys[code]
		}
		dropped[i] = d.Dropped(i) || code < 0 && keyed || code >= 0 && j.repeated[code]
		j.values(values, person, i)
		for k, v := range values {
			at := len(d.features) + k
			c := counted{&j.made[k], &j.clamped[at]}
			found, ok := c.treat(c.classifyFeature(v))
			columns[k][i] = found
			dropped[i] = dropped[i] || !ok
		}
	}
	out := j.extended(d, columns)
	if !keepKey {
		delete(out.groups, j.schema.peopleKey())
	}
	if keepDropped {
		out.dropped = dropped
		return out, nil
	}
	out.dropped = nil
	if !slices.Contains(dropped, true) {
		return out, nil
	}
	kept := make([]int, 0, n)
	for i, drop := range dropped {
		if !drop {
			kept = append(kept, i)
		}
	}
	return out.Take(kept), nil
}

// values writes the features of a person, who may be "": an empty text is a missing key, and no
// related row has it.
func (j *join) values(dst []float64, person string, record int) {
	for i := range j.tables {
		t := &j.tables[i]
		at, ok := t.persons[person]
		switch {
		case t.persons == nil:
			at = int32(record)
		case !ok:
			at = -1
		}
		t.rows.Values(dst[:len(t.features)], int(at), t.features)
		dst = dst[len(t.features):]
	}
}

// classifyFeature returns the class of a feature of related rows. NaN is a missing one. The value of
// a categorical feature is a stored cell: a position in the levels, or their number for others.
func (c *Column) classifyFeature(v float64) (state, float64) {
	if c.Kind == Categorical && v == v {
		return good, v
	}
	return c.classifyNumber(v, nil)
}

// note notes the keys of a data set. Codes go on from one block to the next. Rows that the schema
// drops do not count. A table that is read twice may change in between. Then note also finds a key
// that is new in several rows.
func (j *join) note(d *Dataset, codes []int32, keys []string) {
	for _, key := range keys[len(j.seen):] {
		j.seen, j.repeated = append(j.seen, false), append(j.repeated, j.repeatedKeys[key])
	}
	for i, code := range codes {
		if code >= 0 && !d.Dropped(i) {
			j.repeated[code] = j.repeated[code] || j.seen[code]
			j.seen[code] = true
		}
	}
}

// keysOfSeveral returns the keys that several rows have.
func (j *join) keysOfSeveral(keys []string) map[string]bool {
	several := map[string]bool{}
	for code, repeated := range j.repeated {
		if repeated {
			several[keys[code]] = true
		}
	}
	return several
}

// extended returns a data set with more features.
func (j *join) extended(d *Dataset, columns [][]float32) *Dataset {
	out := *d
	out.schema, out.features, out.clamped = j.schema, j.schema.Features(), j.clamped
	for i := range d.clamped {
		out.clamped[i].Store(d.clamped[i].Load())
	}
	out.groups = maps.Clone(d.groups)
	if d.sparse == nil {
		out.columns = append(slices.Clip(d.columns), columns...)
		return &out
	}
	e := newEntries(j.schema, out.features)
	for i := range d.records {
		at, cells := d.sparse.cells(i)
		e.column, e.value = append(e.column, at...), append(e.value, cells...)
		for k := range columns {
			e.add(e.position(len(d.features)+k), columns[k][i])
		}
		e.end()
	}
	out.sparse = e
	return &out
}

// readJoined is Read for a schema with related tables.
func readJoined(ctx context.Context, s *Schema, src Source, o ReadOptions) (*Dataset, error) {
	j, err := newJoin(s, src, o)
	if err != nil {
		return nil, err
	}
	if err = j.read(ctx, src, o); err != nil {
		return nil, err
	}
	q, b := makeRequest(j.own, src.Path, src.Delimiter, j.peopleOptions(o))
	if err = o.emptied(scan(ctx, q, src)); err != nil {
		return nil, err
	}
	return j.under(b.dataset(true), o.KeepDropped, slices.Contains(o.Extra, s.peopleKey()))
}

// readJoinedBlocks is ReadBlocks for a schema with related tables. It reads the people table twice,
// to know the keys of several rows before the first block.
func readJoinedBlocks(ctx context.Context, s *Schema, src Source, o ReadOptions, records int, each func(*Dataset) error) error {
	j, err := newJoin(s, src, o)
	switch {
	case err != nil:
		return err
	case src.Path == format.StandardInput:
		return &FileError{File: src.Path, Problem: "a table with related tables is read twice", Want: "a file or a database", Remedy: "write it into a file, or read it into memory"}
	}
	if err = j.read(ctx, src, o); err != nil {
		return err
	}
	people := j.peopleOptions(o)
	q, b := makeRequest(j.own, src.Path, src.Delimiter, people)
	var keys []string
	err = readBlocks(witness.With(ctx, nil), q, b, src, true, records, func(d *Dataset) (err error) {
		var codes []int32
		if codes, keys, err = d.Group(s.peopleKey()); err == nil {
			j.note(d, codes, keys)
		}
		return err
	})
	if err != nil {
		return err
	}
	j.repeatedKeys, j.repeated, j.seen = j.keysOfSeveral(keys), nil, nil
	keepKey := slices.Contains(o.Extra, s.peopleKey())
	q, b = makeRequest(j.own, src.Path, src.Delimiter, people)
	passed, last := false, (*Dataset)(nil)
	err = readBlocks(ctx, q, b, src, true, records, func(d *Dataset) (err error) {
		if last, err = j.under(d, o.KeepDropped, keepKey); err != nil || last.Records() == 0 {
			return err
		}
		passed = true
		return each(last)
	})
	if err != nil || passed {
		return err
	}
	return each(last)
}

// checkJoinedHeaders is checkTables for a schema with related tables.
func checkJoinedHeaders(ctx context.Context, s *Schema, src Source, o ReadOptions) error {
	j, err := newJoin(s, src, o)
	if err != nil {
		return err
	}
	if err = checkHeaders(ctx, j.own, src, j.peopleOptions(o)); err != nil {
		return err
	}
	for i := range s.Related {
		t := &s.Related[i]
		var source Source
		if source, err = storedTable(src, t.Name); err != nil {
			return err
		}
		err = checkHeaders(ctx, t.schema(s), source, ReadOptions{WithoutTarget: true, Extra: t.extra(), MaxBytes: o.MaxBytes})
		if err != nil && !errors.Is(err, errNoRecords) {
			return err
		}
	}
	return nil
}

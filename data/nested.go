package data

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/related"
)

// fromNested is FromSlice for a schema with related tables. A record has the rows of a related table
// in a field, which is a slice of structs. If the records have a field for the key of persons,
// records that share a key or have none are dropped. Otherwise each record is a person.
func fromNested(s *Schema, records reflect.Value, o ReadOptions) (*Dataset, error) {
	if err := checkRequest(s, o); err != nil {
		return nil, err
	}
	j, err := newRecords(s, o)
	if err != nil {
		return nil, err
	}
	kind, people, key := records.Type().Elem(), o, s.peopleKey()
	if kind.Kind() == reflect.Struct {
		if _, missing := fieldOf(s, kind, key); missing == nil {
			people = j.peopleOptions(o)
		}
	}
	q, b := makeRequest(j.own, "", 0, people)
	if err = addStructs(q, b, records); err != nil {
		return nil, err
	}
	d := b.dataset(true)
	codes, keys := slices.Repeat([]int32{-1}, d.Records()), []string(nil)
	keyed := slices.Contains(people.Extra, key) // even if no record has a key, so that keys is nil
	if keyed {
		if codes, keys, err = d.Group(key); err != nil {
			return nil, err
		}
	}
	keyOf := func(record int) string {
		if codes[record] < 0 {
			return ""
		}
		return keys[codes[record]]
	}
	for i := range s.Related {
		rows, err := nestedRows(s, &s.Related[i], records, keyOf)
		if err != nil {
			return nil, err
		}
		j.tables = append(j.tables, rows)
	}
	return j.complete(d, codes, keys, keyed, o.KeepDropped, slices.Contains(o.Extra, key))
}

// nestedRows reads the rows of a related table in a field of the records. The rows belong to the
// record, whatever its key is.
func nestedRows(s *Schema, t *relatedTable, records reflect.Value, keyOf func(record int) string) (relatedRows, error) {
	found := relatedRows{rows: related.New(t.Name, t.Keep, t.MaxRows, len(t.features())), features: t.Features}
	index, kind, err := nestedField(records.Type().Elem(), t.Name)
	if err != nil {
		return found, err
	}
	o := ReadOptions{WithoutTarget: true}
	if t.OrderBy != "" {
		o.Extra = []string{t.OrderBy}
	}
	q, b := makeRequest(t.schema(s), "", 0, o)
	rows, owners := reflect.MakeSlice(kind, 0, records.Len()), []int(nil)
	for i := range records.Len() {
		own, failed := records.Index(i).FieldByIndexErr(index)
		if failed != nil { // within an embedded pointer that is nil
			continue
		}
		rows = reflect.AppendSlice(rows, own)
		owners = append(owners, slices.Repeat([]int{i}, own.Len())...)
	}
	if err = addStructs(q, b, rows); err != nil {
		return found, fmt.Errorf("%w; it is in the rows of related table %q", err, t.Name)
	}
	d := b.dataset(true)
	order := slices.Repeat([]int32{-1}, d.Records())
	if t.OrderBy != "" {
		var texts []string
		if order, texts, err = d.Group(t.OrderBy); err != nil {
			return found, err
		}
		found.rows.Orders(texts)
	}
	var cells []float32
	for i, owner := range owners {
		if cells = d.Row(cells, i); !d.Dropped(i) {
			found.rows.Add(owner, keyOf(owner), order[i], cells)
		}
	}
	return found, nil
}

// nestedField returns the field of a related table, and its type.
func nestedField(t reflect.Type, table string) (index []int, kind reflect.Type, err error) {
	for _, f := range reflect.VisibleFields(t) {
		tag, tagged := f.Tag.Lookup(structTag)
		named := tagged && tag == table || !tagged && strings.EqualFold(f.Name, table)
		if f.IsExported() && named && f.Type.Kind() == reflect.Slice && index == nil {
			index, kind = f.Index, f.Type
		}
	}
	if index == nil {
		err = fmt.Errorf("data: number of fields of %v for related table %q is 0, want a slice of structs; name the table in the tag of a field, as `%s:%q`", t, table, structTag, table)
	}
	return index, kind, err
}

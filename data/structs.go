package data

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// structTag is the key of the tag that names the column of a field.
const structTag = "dither"

// FromStructs returns a Dataset of records in memory. It equals the result of Read for a CSV file
// with one row for each record. The records are copied.
//
// A field belongs to the column in its tag, as in `dither:"hours-per-week"`. A field without a tag
// belongs to the column with the field's name, ignoring case. Fields with the tag "-" and fields
// without a column are ignored. Each feature column of the schema and each column of o.Extra needs
// a field. The target needs a field too if o.WithoutTarget is false. o.MaxBytes has no effect.
//
// The type of a field is a number, a string, a bool, or a pointer to one of these. A nil pointer, a
// NaN and an infinity are missing cells. In a categorical column a bool is the text true or false.
// In any other column it is 1 or 0. String methods are not called. Fields that do not fit the
// schema are an error. An example is a number in a column whose levels are not numbers. More
// records than the schema allows are an error too.
func FromStructs[T any](s *Schema, records []T, o ReadOptions) (*Dataset, error) {
	return FromSlice(s, records, o)
}

// FromSlice returns the result of FromStructs for a slice of structs whose type is known only at
// run time.
func FromSlice(s *Schema, slice any, o ReadOptions) (*Dataset, error) {
	records := reflect.ValueOf(slice)
	if !records.IsValid() || records.Kind() != reflect.Slice {
		return nil, fmt.Errorf("data: type of the records is %T, want a slice of structs", slice)
	}
	q, b, err := newRequest(s, "", 0, o)
	if err != nil {
		return nil, err
	}
	if records.Len() > q.maxRecords {
		return nil, fmt.Errorf("data: there are more records than the declared bound %d; raise max-records", q.maxRecords)
	}
	var l layout
	fields, err := structFields(q, records.Type().Elem(), &l)
	if err != nil {
		return nil, err
	}
	b.begin(l)
	cells := make([]string, len(fields))
	for i := range records.Len() {
		v := records.Index(i)
		for j, f := range fields {
			cells[j] = f.text(v)
		}
		b.cells(i+1, cells)
	}
	return b.dataset(o.KeepDropped), nil
}

// structField is the source of the cells of a column.
type structField struct {
	index []int
	// levels are the levels of the column, nil where it is a number or text.
	levels []string
}

// structFields returns the fields of the columns that are read, and fills in the layout.
func structFields(q request, t reflect.Type, l *layout) ([]structField, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("data: type of a record is %v, want a struct, no pointer to one; give each column a field", t)
	}
	var fields []structField
	find := func(column string, levels []string) (int, error) {
		f, err := fieldOf(t, column)
		if err == nil {
			err = checkLevels(f, column, levels)
		}
		fields = append(fields, structField{f.Index, levels})
		return len(fields) - 1, err
	}
	for _, c := range q.schema.Features() {
		at, err := find(c.Name, c.Levels)
		if err != nil {
			return nil, err
		}
		l.features = append(l.features, at)
	}
	l.target = -1
	if target := q.schema.Target; !q.withoutTarget {
		levels := target.Levels
		if target.Threshold != nil {
			levels = nil // the cell is a number
		}
		at, err := find(target.Column, levels)
		if err != nil {
			return nil, err
		}
		l.target = at
	}
	for _, name := range q.extra {
		at, err := find(name, nil)
		if err != nil {
			return nil, err
		}
		l.extra = append(l.extra, at)
	}
	l.width = len(fields)
	return fields, nil
}

// fieldOf returns the field of a column. Tags come before names.
func fieldOf(t reflect.Type, column string) (reflect.StructField, error) {
	var found []reflect.StructField
	for _, f := range reflect.VisibleFields(t) {
		tag, tagged := f.Tag.Lookup(structTag)
		if f.IsExported() && (tagged && tag == column || !tagged && strings.EqualFold(f.Name, column)) {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		return reflect.StructField{}, fmt.Errorf("data: number of fields of %v for column %q is %d, want 1; name the column in the tag of a field, as `%s:%q`", t, column, len(found), structTag, column)
	}
	f := found[0]
	kind := f.Type
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	switch k := kind.Kind(); {
	case k >= reflect.Bool && k <= reflect.Float64 && k != reflect.Uintptr, k == reflect.String:
		return f, nil
	}
	return f, fmt.Errorf("data: type of field %s for column %q is %v, want a number, a string, a bool or a pointer to one", f.Name, column, f.Type)
}

// checkLevels returns an error if no value of a field can be one of the levels: a number where no
// level is a number, a bool where no level is true or false. The answer depends on the type and the
// schema only.
func checkLevels(f reflect.StructField, column string, levels []string) error {
	kind := f.Type
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	if len(levels) == 0 || kind.Kind() == reflect.String {
		return nil
	}
	for _, level := range levels {
		_, err := strconv.ParseFloat(level, 64)
		if isBool := level == "true" || level == "false"; (kind.Kind() == reflect.Bool) == isBool && (isBool || err == nil) {
			return nil
		}
	}
	return fmt.Errorf("data: type of field %s for column %q is %v, whose values are none of its levels %q, want a string; convert each value to its level", f.Name, column, f.Type, levels)
}

// text returns the cell of a record as CSV would hold it.
func (f structField) text(record reflect.Value) string {
	v, err := record.FieldByIndexErr(f.index)
	if err != nil { // within an embedded pointer that is nil
		return ""
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	switch k := v.Kind(); {
	case k == reflect.String:
		return v.String()
	case k == reflect.Bool && f.levels != nil:
		return strconv.FormatBool(v.Bool())
	case k == reflect.Bool && v.Bool():
		return "1"
	case k == reflect.Bool:
		return "0"
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	}
	return f.number(v.Float())
}

// number returns a number as CSV would hold it: the level that it is, if the column has such a
// level.
func (f structField) number(v float64) string {
	if !finite(v) {
		return ""
	}
	if level := numberLevel(f.levels, nil, v); level >= 0 {
		return f.levels[level]
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

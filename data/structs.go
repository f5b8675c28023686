package data

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
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
// The type of a field is a number, a string, a bool, or a pointer to one of these. A column of dates
// has a field of type time.Time, whose zero value is a missing cell, or a string. A nil pointer, a
// NaN and an infinity are missing cells. In a categorical column a bool is the text true or false.
// In any other column it is 1 or 0. String methods are not called. Fields that do not fit the
// schema are an error. An example is a number in a column whose levels are not numbers. More
// records than the schema allows are an error too.
//
// The rows of a related table are in a field that is a slice of structs. The name of the field, or
// its tag, is the name of the table. The records need no field for the key. If they have one,
// records that share a key are dropped.
func FromStructs[T any](s *Schema, records []T, o ReadOptions) (*Dataset, error) {
	return FromSlice(s, records, o)
}

// FromSlice returns the result of FromStructs for a slice of structs whose type is known only at
// run time.
func FromSlice(s *Schema, slice any, o ReadOptions) (*Dataset, error) {
	records := reflect.ValueOf(slice)
	if !records.IsValid() || records.Kind() != reflect.Slice {
		return nil, notSlice(slice)
	}
	if len(s.Related) > 0 {
		return fromNested(s, records, o)
	}
	q, b, err := newRequest(s, "", 0, o)
	if err != nil {
		return nil, err
	}
	if err = addStructs(q, b, records); err != nil {
		return nil, err
	}
	return b.dataset(o.KeepDropped), nil
}

// addStructs adds records to a sink.
func addStructs(q request, b *builder, records reflect.Value) error {
	if records.Len() > q.maxRecords {
		return fmt.Errorf("data: there are more records than the declared bound %d; raise max-records", q.maxRecords)
	}
	var l layout
	fields, err := structFields(q, records.Type().Elem(), &l)
	if err != nil {
		return err
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
	return nil
}

// notSlice says what to do about a value that is no slice. One struct becomes a slice of one.
func notSlice(records any) error {
	const want = "data: type of the records is %T, want a slice of structs"
	switch t := reflect.TypeOf(records); {
	case t != nil && t.Kind() == reflect.Struct:
		return fmt.Errorf(want+"; write []%v{record} for a single record", records, t)
	case t != nil && t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Slice:
		return fmt.Errorf(want+"; pass the slice, not a pointer to it", records)
	case t != nil && t.Kind() == reflect.Array:
		return fmt.Errorf(want+"; pass a slice of the array, as records[:]", records)
	}
	return fmt.Errorf(want, records)
}

// structField is the source of the cells of a column.
type structField struct {
	index []int
	// levels are the levels of the column, nil where it is a number or text.
	levels []string
	// exact states that the cells are texts, such as levels or keys.
	exact bool
}

// structFields returns the fields of the columns that are read, and fills in the layout.
func structFields(q request, t reflect.Type, l *layout) ([]structField, error) {
	switch {
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		return nil, fmt.Errorf("data: type of a record is %v, want a struct, no pointer to one; copy the records into a []%v", t, t.Elem())
	case t.Kind() != reflect.Struct:
		return nil, fmt.Errorf("data: type of a record is %v, want a struct; give each column a field", t)
	}
	var fields []structField
	find := func(column string, levels []string) (int, error) {
		f, err := fieldOf(q.schema, t, column)
		if err == nil && q.schema.isDated(column) {
			err = checkDate(f, column)
		} else if err == nil {
			err = checkLevels(f, column, levels)
		}
		fields = append(fields, structField{index: f.Index, levels: levels})
		return len(fields) - 1, err
	}
	for _, c := range q.schema.Features() {
		texts := c.texts()
		if c.Date != nil {
			texts = nil
		}
		at, err := find(c.source(), texts)
		if err != nil {
			return nil, err
		}
		fields[at].exact = c.Kind != Numeric
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
		fields[at].exact = levels != nil
		l.target = at
	}
	for _, name := range q.extra {
		at, err := find(name, nil)
		if err != nil {
			return nil, err
		}
		fields[at].exact = true
		l.extra = append(l.extra, at)
	}
	l.width = len(fields)
	return fields, nil
}

// fieldOf returns the field of a column. Tags come before names.
func fieldOf(s *Schema, t reflect.Type, column string) (reflect.StructField, error) {
	var found []reflect.StructField
	for _, f := range reflect.VisibleFields(t) {
		tag, tagged := f.Tag.Lookup(structTag)
		if f.IsExported() && (tagged && tag == column || !tagged && strings.EqualFold(f.Name, column)) {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		return reflect.StructField{}, notOneField(s, t, column, found)
	}
	f := found[0]
	kind := f.Type
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	switch k := kind.Kind(); {
	case k >= reflect.Bool && k <= reflect.Float64 && k != reflect.Uintptr, k == reflect.String:
		return f, nil
	case kind == reflect.TypeFor[time.Time]() && s.isDated(column):
		return f, nil
	}
	remedy := "copy its value into such a field"
	if kind == reflect.TypeFor[time.Time]() {
		remedy = "declare the column with date: in the schema, or copy its days since a fixed date into a field of numbers"
	}
	return f, fmt.Errorf("data: type of field %s for column %q is %v, want a number, a string, a bool or a pointer to one; "+
		"%s, and give this field the tag `%s:\"-\"`", f.Name, column, f.Type, remedy, structTag)
}

// isDated reports whether a column of a table is declared as dates.
func (s *Schema) isDated(column string) bool {
	return slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Date != nil && c.Date.Column == column })
}

// checkDate returns an error if no value of a field can be a date.
func checkDate(f reflect.StructField, column string) error {
	kind := f.Type
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	if kind.Kind() == reflect.String || kind == reflect.TypeFor[time.Time]() {
		return nil
	}
	return fmt.Errorf("data: type of field %s for column %q is %v, which is no date, want time.Time or a string; convert each value", f.Name, column, f.Type)
}

// notOneField says what to do if a column has no field, or several. The words depend on the type
// and the schema only.
func notOneField(s *Schema, t reflect.Type, column string, found []reflect.StructField) error {
	if len(found) > 1 {
		names := make([]string, len(found))
		for i, f := range found {
			names[i] = f.Name
		}
		return fmt.Errorf("data: number of fields of %v for column %q is %d, want 1 of %s; give each other the tag `%s:\"-\"`",
			t, column, len(found), strings.Join(names, ", "), structTag)
	}
	remedy := fmt.Sprintf("name the column in the tag of a field, as `%s:%q`", structTag, column)
	for _, f := range reflect.VisibleFields(t) {
		tag, tagged := f.Tag.Lookup(structTag)
		switch {
		case !f.IsExported() && (tag == column || !tagged && strings.EqualFold(f.Name, column)):
			return fmt.Errorf("data: field %s of %v for column %q is not exported, want an exported field; "+
				"begin the name with a capital letter", f.Name, t, column)
		case !tagged && strings.Contains(string(f.Tag), structTag+":"):
			remedy = fmt.Sprintf("write the tag of field %s with quotes, as `%s:%q`", f.Name, structTag, column)
		case tagged && tag != "-" && !s.declares(tag):
			remedy = fmt.Sprintf("the tag of field %s names %q, which is no column of the schema: "+
				"write `%s:%q` if it is this one", f.Name, tag, structTag, column)
		}
	}
	return fmt.Errorf("data: number of fields of %v for column %q is 0, want 1; %s", t, column, remedy)
}

// declares reports whether a column of the schema, or its target, has a name.
func (s *Schema) declares(name string) bool {
	return name == s.Target.Column || slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Name == name })
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
	remedy := "convert each value to its level"
	if kind.Kind() == reflect.Bool {
		remedy = `declare levels: ["false", "true"] in the schema, or ` + remedy
	}
	return fmt.Errorf("data: type of field %s for column %q is %v, whose values are none of its levels %q, want a string; %s", f.Name, column, f.Type, levels, remedy)
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
	if at, is := v.Interface().(time.Time); is {
		if at.IsZero() {
			return ""
		}
		return at.UTC().Format("2006-01-02 15:04:05.999999")
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
	if !finite(v) || f.exact && !hasText(v) {
		return ""
	}
	if level := numberLevel(f.levels, v); level >= 0 {
		return f.levels[level]
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

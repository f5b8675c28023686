package parquet

import (
	"math"

	"github.com/ditherml/dither/data"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// describe says what a field holds, or why it cannot be read.
func describe(field *parquet.Column) data.FileColumn {
	c := data.FileColumn{Name: field.Name()}
	switch {
	case !field.Leaf():
		c.Refused = refused("the column is nested", "write each of its fields as a column")
	case field.Repeated():
		c.Refused = refused("the column has several values in a row", "write each value as a column, or as a row")
	default:
		c.Kind, c.Refused = leafKind(field)
	}
	return c
}

func refused(problem, remedy string) *data.FileError {
	return &data.FileError{Problem: problem, Want: "numbers, texts or BOOLEAN", Remedy: remedy + "; or declare it as ignore"}
}

// leafKind decides by the annotation and the physical type.
func leafKind(field *parquet.Column) (data.CellKind, *data.FileError) {
	switch annotation := annotationOf(field.Type()); {
	case annotation == isTime:
		return 0, refused("the cells are dates or times", "write a number, such as a year or a number of days")
	case annotation == isOther:
		return 0, refused("the type of the cells is not read", "write numbers or texts")
	case field.Type().Kind() == parquet.Boolean:
		return data.BoolCells, nil
	case numberOf(field) != nil:
		return data.NumberCells, nil
	case annotation == isDecimal:
		return 0, refused("the cells are decimals of many digits", "write them as DOUBLE")
	case field.Type().Kind() == parquet.ByteArray:
		return data.TextCells, nil
	case field.Type().Kind() == parquet.Int96:
		return 0, refused("the cells are INT96, which are dates or times", "write a number, such as a year or a number of days")
	}
	return 0, refused("the cells are bytes of a fixed length", "write texts")
}

// annotation is what a logical type says beyond the physical one.
type annotation uint8

const (
	isPlain annotation = iota
	isUnsigned
	isDecimal
	isTime
	isOther
)

// annotationOf reads the logical type, or the converted type of older files.
func annotationOf(t parquet.Type) annotation {
	if logical := t.LogicalType(); logical != nil && logical.Value != nil {
		switch v := logical.Value.(type) {
		case *format.StringType, *format.EnumType, *format.JsonType:
			return isPlain
		case *format.IntType:
			if v.IsSigned {
				return isPlain
			}
			return isUnsigned
		case *format.DecimalType:
			return isDecimal
		case *format.DateType, *format.TimeType, *format.TimestampType:
			return isTime
		}
		return isOther
	}
	if converted := t.ConvertedType(); converted != nil {
		return annotations[*converted]
	}
	return isPlain
}

// annotations reads converted types; one that is not in it is plain.
var annotations = map[deprecated.ConvertedType]annotation{
	deprecated.Decimal: isDecimal, deprecated.Date: isTime, deprecated.TimeMillis: isTime, deprecated.TimeMicros: isTime,
	deprecated.TimestampMillis: isTime, deprecated.TimestampMicros: isTime, deprecated.Interval: isTime, deprecated.Bson: isOther,
	deprecated.Uint8: isUnsigned, deprecated.Uint16: isUnsigned, deprecated.Uint32: isUnsigned, deprecated.Uint64: isUnsigned,
}

// numbers appends the numbers of a page.
type numbers func(dst []float64, values encoding.Values) []float64

// numberOf returns how the numbers of a field are read; nil where it holds none.
func numberOf(field *parquet.Column) numbers {
	if !field.Leaf() {
		return nil
	}
	what := annotationOf(field.Type())
	switch kind := field.Type().Kind(); {
	case kind == parquet.Float:
		return func(dst []float64, v encoding.Values) []float64 { return widened(dst, v.Float(), 1) }
	case kind == parquet.Double:
		return func(dst []float64, v encoding.Values) []float64 { return append(dst, v.Double()...) }
	case kind != parquet.Int32 && kind != parquet.Int64:
		return nil
	case kind == parquet.Int32 && what == isUnsigned:
		return func(dst []float64, v encoding.Values) []float64 { return widened(dst, v.Uint32(), 1) }
	case kind == parquet.Int64 && what == isUnsigned:
		return func(dst []float64, v encoding.Values) []float64 { return widened(dst, v.Uint64(), 1) }
	}
	unit := 1.0
	if what == isDecimal {
		unit = math.Pow10(scaleOf(field.Type()))
	}
	if field.Type().Kind() == parquet.Int32 {
		return func(dst []float64, v encoding.Values) []float64 { return widened(dst, v.Int32(), unit) }
	}
	return func(dst []float64, v encoding.Values) []float64 { return widened(dst, v.Int64(), unit) }
}

// scaleOf is the number of digits of a decimal after the point; 18 digits fit an INT64. The
// quotient by a power of ten up to 22 is the nearest float64 to what the digits say.
func scaleOf(t parquet.Type) int {
	scale := 0
	if logical := t.LogicalType(); logical != nil {
		if d, ok := logical.Value.(*format.DecimalType); ok {
			scale = int(d.Scale)
		}
	}
	return min(max(scale, 0), 18)
}

func widened[T float32 | int32 | int64 | uint32 | uint64](dst []float64, values []T, unit float64) []float64 {
	for _, v := range values {
		dst = append(dst, float64(v)/unit)
	}
	return dst
}

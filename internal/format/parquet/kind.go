package parquet

import (
	"math"
	"math/big"

	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/moment"
)

// describe returns the content of a field, or the reason why it cannot be read.
func describe(f field) columnar.Column {
	c := columnar.Column{Name: f.name, Required: f.repeats == required}
	switch {
	case !f.leaf:
		c.Refused = refused("the column is nested", "write each of its fields as a column")
	case f.repeats != required && f.repeats != optional:
		c.Refused = refused("the column has several values in a row", "write each value as a column, or as a row")
	default:
		c.Kind, c.Refused = f.cellKind()
		_, c.Zoned = f.stamp()
		if c.Kind == columnar.Numbers && f.isByte() {
			c.Lower, c.Upper = columnar.ByteBounds(f.annotation() != isUnsigned)
		}
	}
	return c
}

func refused(problem, remedy string) *columnar.Problem {
	return &columnar.Problem{Problem: problem, Want: "numbers, texts, dates or BOOLEAN", Remedy: remedy + "; or declare it as ignore"}
}

// cellKind decides by the annotation and the physical type.
func (e element) cellKind() (columnar.Kind, *columnar.Problem) {
	switch annotation := e.annotation(); {
	case annotation == isTime:
		return 0, refused("the cells are times of a day or durations", "write a number, such as a number of seconds")
	case annotation == isDate && e.kind == typeInt32:
		return columnar.Dates, nil
	case annotation == isStamp && e.kind == typeInt64, annotation == isPlain && e.kind == typeInt96:
		return columnar.Times, nil
	case annotation == isOther || annotation == isDate || annotation == isStamp || e.kind == typeInt96:
		return 0, refused("the type of the cells is not read", "write numbers or texts")
	case e.kind == typeBoolean:
		return columnar.Bools, nil
	case e.width() > 0:
		return columnar.Numbers, nil
	case annotation == isDecimal:
		return 0, refused("the cells are decimals of many digits", "write them as DOUBLE")
	case e.kind == typeByteArray:
		return columnar.Texts, nil
	}
	return 0, refused("the cells are bytes of a fixed length", "write texts")
}

// annotation is the meaning that a logical type adds to the physical one.
type annotation uint8

const (
	isPlain annotation = iota
	isUnsigned
	isDecimal
	isDate
	isStamp
	isTime // a time of a day, or a duration
	isOther
)

// annotation reads the logical type, or the converted type of older files.
func (e element) annotation() annotation {
	switch e.logical {
	case logicalNone:
		return annotations[e.converted] // an unknown one is plain
	case logicalString, logicalEnum, logicalJSON:
		return isPlain
	case logicalInteger:
		if e.unsigned {
			return isUnsigned
		}
		return isPlain
	case logicalDecimal:
		return isDecimal
	case logicalDate:
		return isDate
	case logicalStamp:
		if e.perSecond > 0 {
			return isStamp
		}
	case logicalTime:
		return isTime
	}
	return isOther
}

// isByte reports whether the values are integers of 8 bits.
func (e element) isByte() bool {
	if e.logical == logicalNone {
		return e.kind == typeInt32 && (e.converted == 11 || e.converted == 15)
	}
	return e.kind == typeInt32 && e.logical == logicalInteger && e.bits == 8
}

// stamp returns the units in a second of a moment, and whether it belongs to a zone. The types of
// older files always do.
func (e element) stamp() (perSecond int64, zoned bool) {
	switch {
	case e.logical == logicalStamp:
		return e.perSecond, e.zoned
	case e.logical == logicalNone && e.converted == 9:
		return 1e3, true
	case e.logical == logicalNone && e.converted == 10:
		return 1e6, true
	}
	return 0, false
}

// annotations reads converted types: DECIMAL, dates and times, unsigned integers, BSON and INTERVAL.
var annotations = map[int32]annotation{5: isDecimal, 6: isDate, 7: isTime, 8: isTime, 9: isStamp, 10: isStamp,
	11: isUnsigned, 12: isUnsigned, 13: isUnsigned, 14: isUnsigned, 20: isOther, 21: isTime}

// width returns the number of bytes of a number, or 0 for other types.
func (e element) width() int {
	switch e.kind {
	case typeInt32, typeFloat:
		return 4
	case typeInt64, typeDouble:
		return 8
	case typeInt96:
		return 12
	}
	return 0
}

// exact returns the exact text of a number if a float64 may not hold it, else "".
func (e element) exact(bits uint64) string {
	perSecond, zoned := e.stamp()
	switch a := e.annotation(); {
	case e.kind == typeInt96 && bits != noStamp:
		n, units := unstamped(bits)
		return moment.Exact(n, units, zoned)
	case e.kind != typeInt64:
		return ""
	case a == isStamp:
		return moment.Exact(int64(bits), perSecond, zoned)
	case a == isDecimal:
		return columnar.ExactDecimal(big.NewInt(int64(bits)), int(min(max(e.scale, 0), 18)))
	case a == isUnsigned:
		return columnar.ExactUnsigned(bits)
	}
	return columnar.ExactSigned(int64(bits))
}

// number returns the function that reads the bits of a number. A number of 32 bits is the low half.
func (e element) number() func(bits uint64) float64 {
	unsigned, unit := e.annotation() == isUnsigned, 1.0
	if perSecond, _ := e.stamp(); e.annotation() == isStamp {
		return func(bits uint64) float64 { return moment.Seconds(int64(bits), perSecond) }
	}
	if e.annotation() == isDecimal {
		// The quotient by a power of ten up to 22 is the nearest float64 to the digits of an integer up to 2^53.
		unit = math.Pow10(int(min(max(e.scale, 0), 18)))
	}
	switch {
	case e.kind == typeFloat:
		return func(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }
	case e.kind == typeDouble:
		return math.Float64frombits
	case e.kind == typeInt96:
		return func(bits uint64) float64 {
			if bits == noStamp {
				return math.NaN()
			}
			return moment.Seconds(unstamped(bits))
		}
	case e.kind == typeInt32 && unsigned:
		return func(bits uint64) float64 { return float64(uint32(bits)) }
	case e.kind == typeInt32:
		return func(bits uint64) float64 { return float64(int32(bits)) / unit }
	case unsigned:
		return func(bits uint64) float64 { return float64(bits) }
	}
	return func(bits uint64) float64 { return float64(int64(bits)) / unit }
}

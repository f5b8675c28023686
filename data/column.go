package data

import (
	"math"
	"strings"

	"github.com/ditherml/dither/internal/decimal"
	"github.com/ditherml/dither/internal/moment"
)

// Kind is the type of the values of a column.
type Kind uint8

// The kinds of columns. The zero value is invalid. A draft uses the zero value for a column that a
// person must still declare.
const (
	// Numeric is the kind of a column of numbers between declared bounds.
	Numeric Kind = iota + 1
	// Categorical is the kind of a column whose cells are among declared levels.
	Categorical
	// Ignored is the kind of a column that may be in the file but is no feature.
	Ignored
	// Text is the kind of a column of texts, whose words are hashed into buckets.
	Text
)

// Treatment is how a bad cell is handled. A bad cell is missing, is not a number in a numeric
// column, is an undeclared level, or is out of range. Every treatment depends only on the cell's
// own row.
type Treatment uint8

// The treatments of a bad cell.
const (
	undecided Treatment = iota // refused when a schema is read for use
	// Drop means that the row contributes nothing.
	Drop
	// Indicator is a treatment of missing cells only. The value is 0, and an additional feature,
	// the missing indicator, is 1.
	Indicator
	// Other is a treatment of undeclared levels only. All undeclared levels form one additional
	// level after the declared ones.
	Other
	// Zero is a treatment of missing cells and of undeclared levels. A categorical cell sets no
	// indicator. A numeric cell has the value Column.Fill. A text cell has 0 in every bucket.
	Zero
	// Clamp is a treatment of numbers out of range only. The number moves to the nearest bound.
	Clamp
	// AsMissing is a treatment of undeclared levels and of numbers out of range. The cell is
	// treated like a missing cell of the column.
	AsMissing
)

// The transforms of a numeric column.
const (
	transformNone = "none" // the default, also written as the empty string
	// TransformLog1p is the transform log(1 + x), for a numeric column whose Lower is at least 0.
	TransformLog1p = "log1p"
)

// Column is the public declaration of one column.
type Column struct {
	// Name is the name of the column in the header of a file.
	Name string
	// Kind is the type of the column's values.
	Kind Kind

	// Lower and Upper are the declared bounds of a numeric column. Lower is less than Upper.
	Lower, Upper float64
	// Transform is "" or "none", or TransformLog1p for log(1 + x). The feature map applies the
	// transform. A Dataset contains the values before the transform.
	Transform string
	// Unit is the unit of the numbers of a numeric column, such as "years". It is for readers only.
	Unit string
	// Integer states that the numbers of a numeric column are integers. Only the transform interactions
	// of package feature uses it: bins of the column are no finer than needed to separate integers. A
	// cell that is not an integer keeps its value. It shares a bin with an integer or with none. Integer
	// needs declared bounds without cut points. Dates and related tables refuse it. With TransformLog1p it
	// has no effect.
	Integer bool
	// Bins are the cut points between the bins of a numeric column. They are strictly ascending and
	// between Lower and Upper. If there are cut points, the feature map uses one indicator for each
	// bin.
	Bins []float64

	// Levels are the declared levels of a categorical column, all different.
	Levels []string
	// Grouped lists further texts of each level, in the order of Levels. A cell with one of them
	// has the level, as a cell with the name of the level has. It is nil if no level has further
	// texts. No text has two levels.
	Grouped [][]string
	// Ordered states that Levels are in order. The feature map then makes one number of the column,
	// the position of the level divided by that of the last. Lower is 0 and Upper is len(Levels) - 1.
	Ordered bool

	// Learning states whether the bounds, cut points or levels are declared, are still to be
	// learned, or were learned.
	Learning Learning
	// MaxLevels is the declared maximum number of learned levels. It is 0 if the levels are
	// declared.
	MaxLevels int
	// MaxBins is the declared maximum number of bins of a column whose cut points are learned and
	// whose bounds are declared. For any other column it is 0.
	MaxBins int

	// Unknown is the treatment of an undeclared level in a categorical column: Other, Zero,
	// AsMissing or Drop.
	Unknown Treatment
	// OutOfRange is the treatment of a number outside the bounds of a numeric column: Clamp,
	// AsMissing or Drop.
	OutOfRange Treatment
	// Missing is the treatment of a missing cell: Indicator, Zero or Drop. In a text column it is
	// Zero or Drop.
	Missing Treatment
	// Fill is the value that replaces a missing numeric cell if Missing is Zero. Fill is in [Lower,
	// Upper]. A schema file without fill means Lower.
	Fill float64

	// Hashing is the rule that turns the cells of a text column into numbers. Callers must not
	// modify what it points to.
	Hashing *Hashing

	// Date, if not nil, states that the values are made of the dates or moments in the column
	// Date.Column of the table. Only a schema file or its text declares it.
	Date *moment.Feature

	// Related is the name of the related table of whose rows the values are made. It is "" for a
	// column of the table itself.
	Related string

	// Repeat is the number of columns that this declaration stands for, or 0 for a single column.
	// If Repeat is n > 0, the names of the columns are Name followed by one of the numbers 0 to
	// n-1. Schema.Expand replaces such a declaration by n columns. ReadSchema and ParseSchema
	// return expanded schemas. Validate refuses a schema that is not expanded.
	Repeat int

	// open lists what a person can write for an open column of a known type. If it is empty, the
	// type is not known.
	open string
	// absent are the numbers among the missing marks, for a column of numbers of Schema.Features. For one
	// of dates absentAt are the moments among them, in microseconds since 1970-01-01.
	absent   []float64
	absentAt []int64
	// countsDates states that a date is a number of days, and a moment one of seconds. Columns of related
	// tables do so, since they have no key date.
	countsDates bool
}

// state is the class of a cell, before its treatment.
type state uint8

const (
	good state = iota
	missing
	unparsable // a text that is not a number; treated as missing
	unknown
	outOfRange
)

// Cell returns the value v that a Dataset stores for a cell of a feature column. If the row must be
// dropped, ok is false and v is NaN. Otherwise v is:
//
//   - for a missing cell, NaN
//   - for a numeric column, the number. Under Clamp a number out of range is moved to the nearest
//     bound.
//   - for a categorical column, the index of the level. An undeclared level has the index
//     len(Levels). If Unknown is Other, this index is an additional level. If Unknown is Zero, it
//     sets no indicator.
//   - for a text column, 0; TextCell returns its stored values
//
// A numeric v that is not NaN satisfies Lower ≤ v ≤ Upper exactly. Cell allocates nothing and is
// safe for concurrent use.
func (c *Column) Cell(text string, marks MissingSet) (v float32, ok bool) {
	return c.treat(c.classify(text, marks, nil))
}

// Number returns the value that a Dataset stores for a number, as Cell does for a text. NaN and
// ±Inf count as missing, and so does the number of a missing mark in a numeric column of
// Schema.Features. In a categorical column the number stands for the level whose text is the
// shortest decimal form of the number. So 1.0 stands for the level "1". A number from 2^53 on counts as
// missing there, since it may be that of another level, rounded.
func (c *Column) Number(v float64) (float32, bool) {
	return c.treat(c.classifyNumber(v, nil))
}

// classify returns the class and value of a text. index maps level texts to their positions; nil
// means that the levels are searched.
func (c *Column) classify(text string, marks MissingSet, index map[string]int) (state, float64) {
	text = strings.TrimSpace(text)
	if marks.missing(text) {
		return missing, 0
	}
	if c.Kind == Categorical && c.Date == nil {
		i := c.search(index).text(text)
		if i < 0 && c.Learning != Private { // a text waits for its level
			return unknown, 0
		}
		return good, float64(max(0, i))
	}
	if c.Kind == Text {
		return good, 0
	}
	if c.Date != nil {
		return c.classifyDate(text)
	}
	parse := decimal.Parse
	if c.countsDates {
		parse = parseDated
	}
	v, ok := parse(text)
	if !ok {
		return unparsable, 0
	}
	return c.classifyNumber(v, index)
}

// parseDated returns the number of a text. A date counts in days, and a moment in seconds.
func parseDated(text string) (float64, bool) {
	if v, ok := decimal.Parse(text); ok {
		return v, true
	}
	return moment.Parse(text)
}

// isAbsent reports whether a number marks a missing cell of a column of numbers.
func (c *Column) isAbsent(v float64) bool {
	for _, mark := range c.absent {
		if v == mark {
			return true
		}
	}
	return false
}

func (c *Column) classifyNumber(v float64, index map[string]int) (state, float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) || c.isAbsent(v) {
		return missing, 0
	}
	if c.Date != nil {
		return unparsable, 0 // a number does not say what it counts
	}
	if c.Kind == Categorical && !hasText(v) {
		return missing, 0
	}
	if c.Kind == Categorical {
		i := c.search(index).number(v)
		if i < 0 && c.Learning != Private {
			return unknown, 0
		}
		return good, float64(max(0, i))
	}
	if c.Kind == Text {
		return good, 0
	}
	if v < c.Lower || v > c.Upper {
		return outOfRange, v
	}
	return good, v
}

// treat applies the declared treatment to a classified cell.
func (c *Column) treat(s state, v float64) (float32, bool) {
	switch s {
	case good:
		if c.Kind == Categorical || c.Kind == Text {
			return float32(v), true
		}
		return within(v, c.Lower, c.Upper), true
	case unknown:
		if c.Unknown == Other || c.Unknown == Zero {
			return float32(len(c.Levels)), true
		}
		if c.Unknown == AsMissing {
			return c.treatMissing()
		}
	case outOfRange:
		if c.OutOfRange == Clamp {
			return within(v, c.Lower, c.Upper), true
		}
		if c.OutOfRange == AsMissing {
			return c.treatMissing()
		}
	default:
		return c.treatMissing()
	}
	return float32(math.NaN()), false
}

func (c *Column) treatMissing() (float32, bool) {
	return float32(math.NaN()), c.Missing == Indicator || c.Missing == Zero
}

// within returns v clamped and rounded to a float32 inside [lower, upper]. Rounding to nearest
// alone can step over a bound that is no float32.
func within(v, lower, upper float64) float32 {
	f := float32(min(max(v, lower), upper))
	if float64(f) > upper {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	if float64(f) < lower {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return f
}

package data

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is the way that the cells of a column are read.
type Kind uint8

// The kinds of a column. The zero value is invalid. A draft leaves it on a column that a person
// must still declare, and Validate refuses it.
const (
	Numeric     Kind = iota + 1 // a number between declared bounds
	Categorical                 // one of the declared levels
	Ignored                     // present in the file, never read into a feature
	Text                        // words, hashed into buckets
)

// Treatment is what happens to a bad cell: one that is missing, cannot be read, has an unknown
// level or lies out of range. Every treatment depends on its own row only.
type Treatment uint8

// The treatments of a bad cell.
const (
	undecided Treatment = iota // refused when a schema is read for use
	Drop                       // the row contributes nothing
	Indicator                  // Missing only: the value is 0 and a missing-indicator feature is 1
	Other                      // Unknown only: a level of its own, after the declared ones
	Zero                       // categorical: no indicator is set; numeric: the value is Column.Fill; text: every bucket is 0
	Clamp                      // OutOfRange only: moved to the nearest bound
	AsMissing                  // Unknown or OutOfRange: treated as the column treats a missing cell
)

// The transforms of a numeric column.
const (
	transformNone  = "none"  // the default, also written as the empty string
	TransformLog1p = "log1p" // log(1 + x), for a column whose Lower is at least 0
)

// Column is the public declaration of one column.
type Column struct {
	Name string
	Kind Kind

	// Lower and Upper are the declared bounds of a numeric column, Lower < Upper.
	Lower, Upper float64
	// Transform is "", transformNone or TransformLog1p. The feature map applies it; the Dataset
	// holds the value before it.
	Transform string
	// Bins are strictly ascending cut points inside (Lower, Upper). If there are any, the feature
	// map uses one indicator for each bin.
	Bins []float64

	// Levels are the declared levels of a categorical column, distinct.
	Levels []string

	// Learning is whether bounds, cut points or levels are declared, to be learned, or learned.
	Learning Learning
	// MaxLevels is the declared largest number of learned levels, 0 where levels are declared.
	MaxLevels int
	// MaxBins is the declared largest number of bins where cut points are learned and bounds are
	// not; else 0.
	MaxBins int

	Unknown    Treatment // categorical: Other, Zero, AsMissing or Drop
	OutOfRange Treatment // numeric: Clamp, AsMissing or Drop
	Missing    Treatment // Indicator, Zero or Drop; text: Zero or Drop
	// Fill is the value of a missing numeric cell under Missing == Zero, inside [Lower, Upper]. A
	// schema file without it means Lower.
	Fill float64

	// Hashing is the rule that turns the cells of a text column into numbers. It must not be changed.
	Hashing *Hashing

	// Repeat n > 0 stands for n columns Name0, Name1, … Name(n-1) with this one declaration.
	// Schema.Expand replaces it. A schema that is read from a file is already expanded, and
	// Validate refuses one that is not.
	Repeat int
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

// Cell returns the stored value of a cell of a feature column. When the row is to be dropped, ok is
// false and v is NaN. Otherwise v is:
//
//   - for a numeric column, the value, moved inside the bounds where the column clamps
//   - for a categorical column, the index of the level. The index len(Levels) is for a text outside
//     the declared levels: a level of its own under Unknown == Other, and no indicator under
//     Unknown == Zero
//   - for a missing cell, NaN
//   - for a text column, 0; TextCell returns what is stored
//
// Postcondition: a numeric v that is not NaN satisfies Lower <= v <= Upper in exact arithmetic.
// Cell allocates nothing and is safe for concurrent use.
func (c *Column) Cell(text string, marks MissingSet) (v float32, ok bool) {
	return c.treat(c.classify(text, marks, nil))
}

// Number returns the stored value of a cell that is a number already, as Cell does. NaN and ±Inf
// are missing. For a categorical column the number is matched by its shortest decimal text, so that
// 1.0 is the level "1".
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
	if c.Kind == Categorical {
		i := levelIndex(c.Levels, index, text)
		if i < 0 && c.Learning != Private { // a text waits for its level
			return unknown, 0
		}
		return good, float64(max(0, i))
	}
	if c.Kind == Text {
		return good, 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(v, 0) {
		return unparsable, 0
	}
	return c.classifyNumber(v, index)
}

func (c *Column) classifyNumber(v float64, index map[string]int) (state, float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return missing, 0
	}
	if c.Kind == Categorical {
		i := numberLevel(c.Levels, index, v)
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

// levelIndex returns the position of text among the levels, or -1.
func levelIndex(levels []string, index map[string]int, text string) int {
	if index == nil {
		return slices.Index(levels, text)
	}
	if i, ok := index[text]; ok {
		return i
	}
	return -1
}

// numberLevel returns the level whose text is the number: written plainly, then in the shortest
// form, then in the shortest form of a float32.
func numberLevel(levels []string, index map[string]int, v float64) int {
	if v == 0 {
		v = 0 // minus zero is the level "0"
	}
	var buffer [32]byte
	for _, f := range [3]struct {
		format byte
		bits   int
	}{{'f', 64}, {'g', 64}, {'g', 32}} {
		if f.bits == 32 && float64(float32(v)) != v || f.format == 'f' && math.Abs(v) >= 1e21 {
			continue
		}
		if i := levelIndexBytes(levels, index, strconv.AppendFloat(buffer[:0], v, f.format, -1, f.bits)); i >= 0 {
			return i
		}
	}
	return -1
}

func levelIndexBytes(levels []string, index map[string]int, text []byte) int {
	if index != nil {
		if i, ok := index[string(text)]; ok {
			return i
		}
		return -1
	}
	for i, level := range levels {
		if level == string(text) {
			return i
		}
	}
	return -1
}

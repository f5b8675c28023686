package data

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of the values of a column.
type Kind uint8

// These are the kinds of a column. The zero value is invalid. A draft uses it for a column that a
// person must still declare.
const (
	Numeric     Kind = iota + 1 // a number between declared bounds
	Categorical                 // one of the declared levels
	Ignored                     // present in the file, never read into a feature
	Text                        // words, hashed into buckets
)

// Treatment is the handling of a bad cell. A bad cell is missing, unreadable, of an unknown level
// or out of range. Every treatment depends only on the cell's own row.
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

	// Lower and Upper are the declared bounds of a numeric column. Lower is less than Upper.
	Lower, Upper float64
	// Transform is "" or "none", or TransformLog1p for log(1 + x). The feature map applies it. A
	// Dataset contains the values before it.
	Transform string
	// Bins are strictly ascending cut points between Lower and Upper. With cut points, the feature
	// map uses one indicator for each bin.
	Bins []float64

	// Levels are the declared levels of a categorical column, all different.
	Levels []string

	// Learning states whether the bounds, cut points or levels are declared, to be learned, or
	// learned.
	Learning Learning
	// MaxLevels is the declared largest number of learned levels. It is 0 if levels are declared.
	MaxLevels int
	// MaxBins is the declared largest number of bins if cut points are learned and bounds are
	// declared. Otherwise it is 0.
	MaxBins int

	Unknown    Treatment // categorical: Other, Zero, AsMissing or Drop
	OutOfRange Treatment // numeric: Clamp, AsMissing or Drop
	Missing    Treatment // Indicator, Zero or Drop; text: Zero or Drop
	// Fill is the value that replaces a missing numeric cell if Missing is Zero. It is in [Lower,
	// Upper]. Its default in a schema file is Lower.
	Fill float64

	// Hashing is the rule that turns the cells of a text column into numbers. Callers must not
	// modify it.
	Hashing *Hashing

	// Repeat n > 0 means n columns Name0, Name1, … Name(n-1) with this declaration. Schema.Expand
	// replaces it. ReadSchema and ParseSchema return expanded schemas. Validate refuses a schema
	// that is not expanded.
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

// Cell returns the stored value v of a cell of a feature column. If the row must be dropped, ok is
// false and v is NaN. Otherwise v is:
//
//   - for a numeric column, the value, moved inside the bounds if the column clamps
//   - for a categorical column, the index of the level. An undeclared level has the index
//     len(Levels): a level of its own if Unknown is Other, and no indicator if Unknown is Zero.
//   - for a missing cell, NaN
//   - for a text column, 0; TextCell returns the stored values
//
// A numeric v that is not NaN satisfies Lower ≤ v ≤ Upper exactly. Cell allocates nothing and is
// safe for concurrent use.
func (c *Column) Cell(text string, marks MissingSet) (v float32, ok bool) {
	return c.treat(c.classify(text, marks, nil))
}

// Number returns the stored value of a numeric cell, as Cell does for text. NaN and ±Inf count as
// missing. In a categorical column the number is matched by its shortest decimal text, so 1.0 is
// the level "1".
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

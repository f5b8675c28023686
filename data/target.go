package data

import (
	"math"
	"slices"
	"strings"
)

// Target declares the column to predict. For classification it has levels, and for regression it
// has bounds. If Threshold is set, it has two levels that are derived from a numeric column.
type Target struct {
	// Column is the name of the column to predict.
	Column string
	// Levels are the two or more classes of a classification. If there are two, Levels[1] is the
	// positive class. It is empty for a regression.
	Levels []string
	// Lower and Upper are the declared bounds of a numeric target.
	Lower, Upper float64
	// Threshold, if not nil, turns a numeric column into two classes. The class is Levels[1] if the
	// number in the cell is greater than Threshold, else Levels[0].
	Threshold *float64
	// Missing is the treatment of a missing target. It is Drop, or the zero value of Treatment,
	// which also means Drop. A row with a missing, unknown or invalid target contributes nothing.
	Missing Treatment
}

// Regression reports whether the target is numeric. Otherwise the target has levels.
func (t Target) Regression() bool { return len(t.Levels) == 0 }

// isNumber reports whether the cells are numbers and not levels.
func (t *Target) isNumber() bool { return t.Regression() || t.Threshold != nil }

// Cell returns the value v of a cell of the target column. For classification v is the index of the
// class. For regression v is the number; a number outside the bounds moves to the nearest bound. If
// the row contributes nothing, ok is false and v is NaN.
func (t *Target) Cell(text string, marks MissingSet) (v float32, ok bool) {
	s, x := t.classify(text, marks)
	return t.treat(s, x)
}

// number returns Cell for a cell that is a number already.
func (t *Target) number(v float64) (float32, bool) {
	s, x := t.classifyNumber(v)
	return t.treat(s, x)
}

func (t *Target) classify(text string, marks MissingSet) (state, float64) {
	text = strings.TrimSpace(text)
	if marks.missing(text) {
		return missing, 0
	}
	if !t.Regression() && t.Threshold == nil {
		i := slices.Index(t.Levels, text)
		if i < 0 {
			return unknown, 0
		}
		return good, float64(i)
	}
	v, ok := parseDated(text)
	if !ok {
		return unparsable, 0
	}
	return t.classifyNumber(v)
}

func (t *Target) classifyNumber(v float64) (state, float64) {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return missing, 0
	case t.Threshold != nil && v > *t.Threshold:
		return good, 1
	case t.Threshold != nil:
		return good, 0
	case !t.Regression() && !hasText(v):
		return missing, 0
	case !t.Regression():
		i := numberLevel(t.Levels, v)
		if i < 0 {
			return unknown, 0
		}
		return good, float64(i)
	case v < t.Lower || v > t.Upper:
		return outOfRange, v
	}
	return good, v
}

func (t *Target) treat(s state, v float64) (float32, bool) {
	switch {
	case s == good && !t.Regression():
		return float32(v), true
	case s == good || s == outOfRange:
		return within(v, t.Lower, t.Upper), true
	}
	return float32(math.NaN()), false
}

package data

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// treatmentNames are the words of a schema file, indexed by Treatment.
var treatmentNames = [...]string{"undecided", "drop", "indicator", "other", "zero", "clamp", "as-missing"}

// String returns the word for the treatment in schema files, such as "as-missing".
func (t Treatment) String() string {
	if int(t) < len(treatmentNames) {
		return treatmentNames[t]
	}
	return fmt.Sprintf("treatment(%d)", uint8(t))
}

// String returns "numeric", "categorical", "text" or "ignored". For any other value it returns
// "undeclared".
func (k Kind) String() string {
	switch k {
	case Numeric:
		return "numeric"
	case Categorical:
		return "categorical"
	case Text:
		return "text"
	case Ignored:
		return "ignored"
	}
	return "undeclared"
}

// fault returns the first reason why the declaration of one column cannot be used.
func (c *Column) fault(marks MissingSet) *fault {
	if c.Repeat != 0 {
		return &fault{problem: fmt.Sprintf("repeat is %d", c.Repeat), want: "0 in a schema that is used", remedy: "call Schema.Expand first"}
	}
	if f := c.faultLearning(); f != nil {
		return f
	}
	if f := c.faultDate(); f != nil {
		return f
	}
	if f := c.faultInteger(); f != nil {
		return f
	}
	switch c.Kind {
	case Numeric:
		return c.faultNumeric()
	case Categorical:
		return c.faultCategorical(marks)
	case Text:
		return c.faultText()
	case Ignored:
		return nil
	}
	return &fault{problem: fmt.Sprintf("kind is %d", c.Kind), want: "Numeric, Categorical, Text or Ignored", remedy: "declare it"}
}

// faultInteger returns why a column cannot be declared as integers, or nil. The number of features
// follows from the bounds and must be known before anything is learned, so bounds are declared.
func (c *Column) faultInteger() *fault {
	switch {
	case !c.Integer:
		return nil
	case c.Kind != Numeric || c.Date != nil || c.Related != "":
		return &fault{problem: "integer is declared of a column that is no number of the table itself", want: "it only beside numeric:", remedy: "remove integer"}
	case len(c.Bins) > 0 || c.MaxBins != 0:
		return &fault{problem: "integer is declared beside bins", want: "one of the two, since integer is about bins that dither makes", remedy: "remove integer or bins"}
	case c.Learning != Declared:
		return &fault{problem: "integer is declared beside bounds that are learned", want: "declared bounds, since the number of features follows from them", remedy: "declare numeric: [lower, upper], or remove integer"}
	}
	return nil
}

// maxUnit is the largest number of bytes of a unit.
const maxUnit = 60

func (c *Column) faultNumeric() *fault {
	if f := faultBounds(c.Lower, c.Upper); f != nil {
		return f
	}
	if f := faultBins(c.Bins, c.Lower, c.Upper); f != nil {
		return f
	}
	switch {
	case !plainText(c.Unit) || len(c.Unit) > maxUnit || c.Unit != "" && c.Date != nil:
		return &fault{problem: "unit is no short plain text, or is of a date", want: fmt.Sprintf("at most %d bytes without a control character, such as years", maxUnit), remedy: "mend it"}
	case len(c.Levels) > 0:
		return &fault{problem: "a numeric column has levels", want: "bounds or levels, not both", remedy: "remove one"}
	case c.Transform != "" && c.Transform != transformNone && c.Transform != TransformLog1p:
		return &fault{problem: fmt.Sprintf("transform is %q", c.Transform), want: "none or log1p", remedy: "choose one"}
	case c.Transform == TransformLog1p && c.Lower < 0:
		return &fault{problem: fmt.Sprintf("transform is log1p and the lower bound is %v", c.Lower), want: "a lower bound of at least 0", remedy: "raise the bound or leave the transform out"}
	case c.Missing == Zero && !(c.Fill >= c.Lower && c.Fill <= c.Upper):
		return &fault{problem: fmt.Sprintf("fill is %v", c.Fill), want: fmt.Sprintf("a number within the bounds [%v, %v]", c.Lower, c.Upper), remedy: "mend it"}
	}
	if f := faultTreatment("out-of-range", c.OutOfRange, Clamp, AsMissing, Drop); f != nil {
		return f
	}
	return faultTreatment("missing", c.Missing, Indicator, Zero, Drop)
}

func (c *Column) faultCategorical(marks MissingSet) *fault {
	if f := c.faultOrdered(); f != nil {
		return f
	}
	if !c.Ordered && (c.Lower != 0 || c.Upper != 0) || len(c.Bins) > 0 || c.Unit != "" || c.Transform != "" && c.Transform != transformNone {
		return &fault{problem: "a categorical column has bounds, bins, a unit or a transform", want: "levels only", remedy: "remove them"}
	}
	if len(c.Levels) == 0 && c.Learning == Declared {
		return &fault{problem: "no level is declared", want: "at least 1", remedy: "declare the levels or ignore the column"}
	}
	if f := c.faultGrouped(); f != nil {
		return f
	}
	if c.Date == nil { // the levels of dates are no texts of cells
		if f := faultLevels(c.texts(), marks); f != nil {
			return f
		}
	}
	choices := []Treatment{Other, Zero, AsMissing, Drop}
	if c.Ordered { // another text has no place in the order
		choices = []Treatment{AsMissing, Drop}
	}
	if f := faultTreatment("unknown", c.Unknown, choices...); f != nil {
		return f
	}
	return faultTreatment("missing", c.Missing, Indicator, Zero, Drop)
}

// faultBounds demands lower < upper with at least two float32 values between them.
func faultBounds(lower, upper float64) *fault {
	sensible := finite(lower) && finite(upper) && lower < upper &&
		math.Abs(lower) <= math.MaxFloat32 && math.Abs(upper) <= math.MaxFloat32
	if sensible {
		low, high := within(lower, lower, upper), within(upper, lower, upper)
		sensible = low < high && float64(low) >= lower && float64(high) <= upper
	}
	if sensible {
		return nil
	}
	return &fault{problem: fmt.Sprintf("bounds are [%v, %v]", lower, upper), want: "finite numbers, lower < upper, apart in single precision", remedy: "mend the bounds"}
}

func faultBins(bins []float64, lower, upper float64) *fault {
	last := lower
	for _, b := range bins {
		if !(b > last && b < upper) {
			return &fault{problem: fmt.Sprintf("bin cut point is %v", b), want: "strictly ascending numbers between the bounds", remedy: "mend the bins"}
		}
		last = b
	}
	return nil
}

// faultLevels demands plain, distinct texts that a trimmed cell can equal.
func faultLevels(levels []string, marks MissingSet) *fault {
	seen := make(map[string]bool, len(levels))
	for _, level := range levels {
		problem := ""
		switch {
		case level == "" || strings.TrimSpace(level) != level || !plainText(level):
			problem = "is empty, has outer spaces or holds a control character"
		case seen[level]:
			problem = "is declared twice"
		case marks != nil && marks.missing(level):
			problem = "is a missing mark too"
		}
		if problem != "" {
			return &fault{problem: fmt.Sprintf("level %q %s", level, problem), want: "distinct texts as they stand in a cell", remedy: "mend the levels or missing-marks"}
		}
		seen[level] = true
	}
	if len(levels) > 1<<20 {
		return &fault{problem: "there are too many levels", want: "at most 2^20", remedy: "ignore the column"}
	}
	return nil
}

func faultTreatment(key string, t Treatment, choices ...Treatment) *fault {
	if slices.Contains(choices, t) {
		return nil
	}
	var words []string
	for _, c := range choices {
		if c != undecided {
			words = append(words, c.String())
		}
	}
	problem := fmt.Sprintf("%s is %s", key, t)
	if t == undecided {
		problem = fmt.Sprintf("%s is left open", key)
	}
	return &fault{problem: problem, want: "one of " + strings.Join(words, ", "), remedy: "write " + key + ": here or under defaults"}
}

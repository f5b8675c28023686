package data

import (
	"fmt"
	"math"
	"slices"
)

// Learning is how the bounds, cut points or levels of a column come about: they are declared, still
// to be learned, or learned. Numeric columns have bounds and cut points, and categorical columns
// have levels.
type Learning uint8

// The origins of bounds, cut points and levels.
const (
	// Declared means that a person declares the bounds, cut points or levels from public knowledge.
	Declared Learning = iota
	// Private means that training must learn the bounds, cut points or levels from the records,
	// within the budget of its plan. Before training, [Lower, Upper] is a wide declared range, and
	// there are no levels or cut points. Training learns at most MaxLevels levels or MaxBins - 1
	// cut points.
	Private
	// Learned means that a training learned the bounds, cut points or levels from the records, paid
	// for them and released them.
	Learned
)

// DefaultRange is the largest magnitude in the default range of a numeric column with private
// bounds: [-DefaultRange, DefaultRange].
const DefaultRange = 1e12

const (
	// maxLearnedLevels bounds MaxLevels.
	maxLearnedLevels = 1 << 16
	// maxLearnedBins bounds MaxBins, so that quantiles are whole thousandths apart.
	maxLearnedBins = 64
	// maxLevelText bounds the length of a learned level, in bytes.
	maxLevelText = 200
)

// String returns "declared", "private" or "learned".
func (l Learning) String() string {
	switch l {
	case Declared:
		return "declared"
	case Private:
		return "private"
	case Learned:
		return "learned"
	}
	return fmt.Sprintf("learning(%d)", uint8(l))
}

// Slots returns the number of indicator features that are reserved for the levels or bins of the
// column. It is MaxLevels or MaxBins if the levels or bins are private or learned. Otherwise it is
// the number of declared levels or bins. Learned levels or bins use the first reserved features.
// Ordered levels reserve none. The number depends on no record.
func (c *Column) Slots() int {
	switch {
	case c.Kind == Numeric && c.MaxBins > 0:
		return c.MaxBins
	case c.Kind == Numeric && len(c.Bins) > 0:
		return len(c.Bins) + 1
	case c.Kind == Numeric:
		return 0
	case c.Learning != Declared:
		return c.MaxLevels
	case c.Ordered:
		return 0
	}
	return len(c.Levels)
}

// Private returns the columns whose bounds, cut points or levels are still to be learned, in order.
// If there are such columns, a data set under the schema can only be used to learn them; see
// Dataset.Under.
func (s *Schema) Private() []Column { return s.of(Private) }

// Learned returns the columns whose bounds, cut points or levels were learned, in order.
func (s *Schema) Learned() []Column { return s.of(Learned) }

func (s *Schema) of(l Learning) []Column {
	var out []Column
	for _, c := range s.Features() {
		if c.Learning == l {
			out = append(out, c)
		}
	}
	return out
}

// privateLevels returns the names of the columns whose texts are kept until their levels are known.
func (s *Schema) privateLevels() []string {
	var names []string
	for _, c := range s.Private() {
		if c.Kind == Categorical {
			names = append(names, c.Name)
		}
	}
	return names
}

// WithBounds returns a copy of the schema with learned bounds of a private numeric column. Invalid
// bounds are an error.
func (s *Schema) WithBounds(name string, lower, upper float64) (*Schema, error) {
	return s.learn(name, func(c *Column) error {
		if c.Kind != Numeric || c.MaxBins > 0 || !(lower >= c.Lower && upper <= c.Upper) || faultBounds(lower, upper) != nil {
			return fmt.Errorf("data: learned bounds of column %q are [%v, %v], want bounds of a numeric column inside its range", name, lower, upper)
		}
		c.Lower, c.Upper = lower, upper
		if c.Missing == Zero {
			c.Fill = min(max(c.Fill, lower), upper)
		}
		return nil
	})
}

// WithBins returns a copy of the schema with learned cut points of a private numeric column. The
// number of cut points must be less than MaxBins. They must be ascending and inside the bounds of
// the column.
func (s *Schema) WithBins(name string, cuts []float64) (*Schema, error) {
	return s.learn(name, func(c *Column) error {
		if c.Kind != Numeric || len(cuts) >= c.MaxBins || faultBins(cuts, c.Lower, c.Upper) != nil {
			return fmt.Errorf("data: column %q has %d learned cut points, want fewer than %d ascending ones inside the bounds of a numeric column", name, len(cuts), c.MaxBins)
		}
		c.Bins = slices.Clone(cuts)
		return nil
	})
}

// WithLevels returns a copy of the schema with learned levels of a private categorical column.
// There must be at most MaxLevels levels.
func (s *Schema) WithLevels(name string, levels []string) (*Schema, error) {
	marks := s.Marks()
	return s.learn(name, func(c *Column) error {
		if c.Kind != Categorical || len(levels) > c.MaxLevels || faultLevels(levels, marks) != nil {
			return fmt.Errorf("data: column %q has %d learned levels, want at most %d distinct texts for a categorical column", name, len(levels), c.MaxLevels)
		}
		c.Levels = slices.Clone(levels)
		return nil
	})
}

// learn returns a copy of the schema in which one private column is learned.
func (s *Schema) learn(name string, fill func(c *Column) error) (*Schema, error) {
	learned := *s
	learned.Columns = slices.Clone(s.Columns)
	at := slices.IndexFunc(learned.Columns, func(c Column) bool { return c.Name == name && c.Learning == Private })
	if at < 0 {
		return nil, fmt.Errorf("data: column %q has no private bounds or levels, want a column that is to be learned", name)
	}
	c := &learned.Columns[at]
	if err := fill(c); err != nil {
		return nil, err
	}
	c.Learning = Learned
	return &learned, nil
}

// IsLevel reports whether a text without surrounding spaces can be a learned level. A learned level
// is printable, has at most 200 bytes and is not a mark of a missing cell. The result does not
// depend on other data.
func IsLevel(text string, marks MissingSet) bool {
	return len(text) <= maxLevelText && faultLevels([]string{text}, marks) == nil
}

// faultLearning returns why a column cannot be learned, or cannot have been learned as it is.
func (c *Column) faultLearning() *fault {
	switch {
	case c.Learning > Learned:
		return &fault{problem: fmt.Sprintf("learning is %d", c.Learning), want: "Declared, Private or Learned", remedy: "choose one"}
	case c.Learning == Declared && c.MaxLevels != 0:
		return &fault{problem: "max-levels is given for declared levels", want: "it only together with levels: private", remedy: "remove one of the two"}
	case c.MaxBins != 0 && (c.Learning == Declared || c.Kind != Numeric):
		return &fault{problem: "max-bins is given without private bins", want: "it only together with bins: private", remedy: "remove it"}
	case c.Learning == Declared:
		return nil
	case c.MaxBins != 0:
		return c.faultLearnedBins()
	case c.Kind == Numeric:
		return c.faultLearnedBounds()
	case c.Kind == Categorical:
		return c.faultLearnedLevels()
	}
	return &fault{problem: "learning is asked for of a column that is neither numeric nor categorical", want: "bounds or levels", remedy: "declare the column"}
}

// faultLearnedBounds demands treatments that do not depend on the learned bounds, so that the rows
// that take part are known before.
func (c *Column) faultLearnedBounds() *fault {
	switch {
	case c.MaxLevels != 0:
		return &fault{problem: "a numeric column has max-levels", want: "bounds only", remedy: "remove it"}
	case c.OutOfRange != Clamp:
		return &fault{problem: fmt.Sprintf("out-of-range is %v with private bounds", c.OutOfRange), want: "clamp", remedy: "write out-of-range: clamp here, or declare the bounds with numeric:"}
	case len(c.Bins) > 0:
		return &fault{problem: "bins are declared with private bounds", want: "bins, which need no learned bounds, or private bounds", remedy: "declare wide bounds with numeric: and keep the bins"}
	}
	return nil
}

// faultLearnedBins demands a place for every bin.
func (c *Column) faultLearnedBins() *fault {
	switch {
	case c.MaxBins < 2 || c.MaxBins > maxLearnedBins:
		return &fault{problem: fmt.Sprintf("max-bins is %d", c.MaxBins), want: fmt.Sprintf("2 to %d, how many bins have a place in the model", maxLearnedBins), remedy: "write max-bins: with a public number, such as 8"}
	case c.MaxLevels != 0:
		return &fault{problem: "a numeric column has max-levels", want: "bins only", remedy: "remove it"}
	case c.Learning == Private && len(c.Bins) > 0 || len(c.Bins) >= c.MaxBins:
		return &fault{problem: fmt.Sprintf("number of cut points is %d beside max-bins %d", len(c.Bins), c.MaxBins), want: "none while bins are private, and fewer than max-bins once they are learned", remedy: "remove cut points"}
	}
	return nil
}

// faultLearnedLevels demands a place for every text that is not learned.
func (c *Column) faultLearnedLevels() *fault {
	switch {
	case c.MaxLevels < 1 || c.MaxLevels > maxLearnedLevels:
		return &fault{problem: fmt.Sprintf("max-levels is %d", c.MaxLevels), want: fmt.Sprintf("1 to %d, how many levels have a place in the model", maxLearnedLevels), remedy: "write max-levels: with a public number, such as 20"}
	case c.Unknown != Other:
		return &fault{problem: fmt.Sprintf("unknown is %v with private levels", c.Unknown), want: "other, the level of all texts that are not learned", remedy: "write unknown: other here"}
	case c.Learning == Private && len(c.Levels) > 0:
		return &fault{problem: "levels are declared and private", want: "one of the two", remedy: "remove one"}
	case len(c.Levels) > c.MaxLevels:
		return &fault{problem: fmt.Sprintf("number of learned levels is %d", len(c.Levels)), want: fmt.Sprintf("at most max-levels, %d", c.MaxLevels), remedy: "remove levels"}
	}
	return nil
}

// Under returns the data set that Read would have returned under the schema s. The schema s must be
// d's own schema, with learned bounds, cut points and levels in place of private ones. Each row is
// converted independently of the others. The result shares unchanged parts with d. It is d itself
// if s is d's own schema or if nothing was to be learned.
func (d *Dataset) Under(s *Schema) (*Dataset, error) {
	if s == d.schema || len(d.schema.Private()) == 0 {
		return d, nil
	}
	features := s.Features()
	if d.sparse != nil || len(features) != len(d.features) {
		return nil, fmt.Errorf("data: the data set is sparse or of other columns, want columns in memory under the schema that was learned from")
	}
	out := *d
	out.schema, out.features, out.columns, out.groups = s, features, slices.Clone(d.columns), map[string]group{}
	for name, g := range d.groups {
		out.groups[name] = g
	}
	for j := range features {
		to, from := &features[j], &d.features[j]
		if to.Name != from.Name || to.Kind != from.Kind || to.Learning != Learned && to.Learning != from.Learning {
			return nil, fmt.Errorf("data: column %q is another in the schema of the data set, want the schema that was learned from", to.Name)
		}
		if from.Learning != Private {
			continue
		}
		if to.Kind == Numeric { // bins are cut when rows are encoded
			out.columns[j] = clamped(d.columns[j], to)
			continue
		}
		g, kept := d.groups[to.Name]
		if !kept {
			return nil, fmt.Errorf("data: the texts of column %q were not kept, want a data set that was read under the schema with private levels", to.Name)
		}
		out.columns[j] = g.under(to)
		delete(out.groups, to.Name)
	}
	return &out, nil
}

// clamped returns values moved into the bounds of a column; NaN stays.
func clamped(values []float32, c *Column) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		if out[i] = v; v == v { // not NaN, which marks a missing cell
			out[i] = within(float64(v), c.Lower, c.Upper)
		}
	}
	return out
}

// under returns codes of texts as positions among the levels of a column, as Column.Cell does.
func (g group) under(c *Column) []float32 {
	known := make(map[string]int, len(c.Levels))
	for at, level := range c.Levels {
		known[level] = at
	}
	position := make([]float32, len(g.levels))
	for i, text := range g.levels {
		at, found := known[text]
		if !found {
			at = len(c.Levels)
		}
		position[i] = float32(at)
	}
	out := make([]float32, len(g.codes))
	for i, code := range g.codes {
		if out[i] = float32(math.NaN()); code >= 0 {
			out[i] = position[code]
		}
	}
	return out
}

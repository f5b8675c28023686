package evaluate

import "fmt"

// Codes of a Grouping for missing and other values.
const (
	missingCode  = -1
	missingLevel = "(missing)"
	otherLevel   = "(other)"
)

// Grouping assigns each record to a group by one categorical column.
type Grouping struct {
	// Column is the name of the categorical column.
	Column string
	// Levels are the declared levels of the column. Groups are listed in this order.
	Levels []string
	// Codes contains one code for each record. A code is an index into Levels, -1 for a missing
	// value, or len(Levels) for a value outside Levels.
	Codes []int32
}

// group is one level of a grouping and the indices of its records, ascending.
type group struct {
	level   string
	records []int
}

// check refuses a grouping that does not fit n records.
func (g *Grouping) check(n int) error {
	if len(g.Codes) != n {
		return fmt.Errorf("evaluate: the grouping has %d codes, want %d; give one code a record", len(g.Codes), n)
	}
	for i, code := range g.Codes {
		if code < missingCode || int(code) > len(g.Levels) {
			return fmt.Errorf("evaluate: the group code of record %d is outside the levels, want -1 to %d; encode the column by its levels", i, len(g.Levels))
		}
	}
	return nil
}

// split returns the records of each group: every declared level, even without records, then other
// and missing where they occur.
func (g *Grouping) split() []group {
	groups := make([]group, len(g.Levels), len(g.Levels)+2)
	for k, level := range g.Levels {
		groups[k].level = level
	}
	other, missing := group{level: otherLevel}, group{level: missingLevel}
	for i, code := range g.Codes {
		into := &other
		switch {
		case code == missingCode:
			into = &missing
		case int(code) < len(g.Levels):
			into = &groups[code]
		}
		into.records = append(into.records, i)
	}
	for _, extra := range []group{other, missing} {
		if len(extra.records) > 0 {
			groups = append(groups, extra)
		}
	}
	return groups
}

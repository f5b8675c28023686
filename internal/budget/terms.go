package budget

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/privacy"
)

// ErrOverBudget is wrapped by the error of a plan that a budget has no room for.
var ErrOverBudget = errors.New("over budget")

// Terms are the conditions with which a ledger is made. They never change.
type Terms struct {
	// Name is the declared name of the data. The name identifies the data of the budget; a path
	// does not.
	Name string
	// Epsilon, in nats, and Delta are the cap on all plans together.
	Epsilon, Delta float64
	Neighboring    privacy.Neighboring
	// Unit describes one row, and the maximum number of rows of one person. A maximum of 0 means
	// that none is declared.
	Unit privacy.Unit
	// Person is whether the cap is for all rows of a person together. Then plans about single rows are
	// charged for that many rows. Column names the column that tells persons apart, for plans whose records
	// are persons; it is "" where every row is a person.
	Person bool
	Column string
	Filter Filter
	// Populations are parts of the data that have no person in common. Each population may be asked
	// separately. A plan that names no population is about all of them.
	Populations []Population
	// Who is the person who made the ledger, and Tool is the version of the program.
	Who, Tool string
}

// Population is a part of the data. It shares no person with any other population.
type Population struct {
	Name string `json:"name"`
	// Declaration states from public knowledge which people belong to the population. It depends on
	// no record.
	Declaration string `json:"declaration"`
}

const (
	mostPopulations = 64
	mostText        = 2000 // bytes of one text
)

// Check returns an error that names the first invalid term.
func (t Terms) Check() error {
	if _, err := privacy.NewGuarantee(t.Epsilon, t.Delta, t.Neighboring, t.Unit); err != nil {
		return err
	}
	switch {
	case math.IsInf(t.Epsilon, 1):
		return errors.New("budget: epsilon is infinite, want a finite cap")
	case t.Name == "":
		return errors.New("budget: the data have no name, want the name that all plans about them declare")
	case t.Unit.Row == "":
		return errors.New("budget: the ledger does not say what one row is, want it, as the schema has it; such as one person")
	case t.Person && t.Unit.RowsPerPerson < 1:
		return fmt.Errorf("budget: rows per person is %d in a ledger for persons, want at least 1", t.Unit.RowsPerPerson)
	case !t.Person && t.Column != "":
		return errors.New("budget: a column of persons is given in a ledger for rows, want a ledger for persons, or no column")
	case len(t.Populations) > mostPopulations:
		return fmt.Errorf("budget: there are %d populations, want at most %d", len(t.Populations), mostPopulations)
	}
	names := map[string]bool{"": true}
	for _, p := range t.Populations {
		if names[p.Name] || p.Declaration == "" {
			return fmt.Errorf("budget: population %q has no name, no declaration or the name of another, want a name of its own and who is in it", p.Name)
		}
		names[p.Name] = true
		if err := checkTexts(p.Name, p.Declaration); err != nil {
			return err
		}
	}
	if err := checkTexts(t.Name, t.Unit.Row, t.Column, t.Who, t.Tool); err != nil {
		return err
	}
	_, err := newFilter(t)
	return err
}

// checkTexts refuses texts that are long or that do not fit on one line.
func checkTexts(texts ...string) error {
	for _, text := range texts {
		if len(text) > mostText || !utf8.ValidString(text) || display.OneLine(text) != text {
			return fmt.Errorf("budget: text %.60q is too long or not one line, want at most %d bytes without control characters", text, mostText)
		}
	}
	return nil
}

// population returns the place of a population, -1 for all.
func (t Terms) population(name string) (int, error) {
	if name == "" {
		return -1, nil
	}
	names := []string{}
	for i, p := range t.Populations {
		if p.Name == name {
			return i, nil
		}
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("budget: population is %q, want none; the ledger was made without populations", name)
	}
	return 0, fmt.Errorf("budget: population is %q, want one of %s, or none for all", name, strings.Join(names, ", "))
}

// rows returns how many rows of a plan one protected unit has, for the unit of the plan.
func (t Terms) rows(plan privacy.Unit) (int, error) {
	switch {
	case t.Person && t.Column != "" && plan.RowsPerPerson == 0 && strings.HasPrefix(plan.Row, personsPrefix+t.Column+", of which at most "):
		return 1, nil
	case plan != t.Unit:
		return 0, t.otherUnit(plan)
	case t.Person:
		return t.Unit.RowsPerPerson, nil
	}
	return 1, nil
}

// personsPrefix begins the unit of plans whose records are persons.
const personsPrefix = "all rows with one "

// otherUnit says what to do about a plan that protects something else than the ledger.
func (t Terms) otherUnit(plan privacy.Unit) error {
	const apart = "keep a ledger of its own for the other unit, whose cap comes on top"
	const anew = "if nothing is spent, make the ledger anew from the schema: dither ledger create NEW-FILE --schema SCHEMA"
	own := t.Unit.RowsPerPerson
	switch {
	case strings.HasPrefix(plan.Row, personsPrefix) && !t.Person:
		return fmt.Errorf("budget: the plan protects %q, want %q as in the ledger, which is for rows; leave --unit person (in Go PerPerson) out, or make a ledger with --unit person:COLUMN, whose cap comes on top", plan.Row, t.Unit.Row)
	case strings.HasPrefix(plan.Row, personsPrefix) && t.Column == "":
		return fmt.Errorf("budget: the plan protects %q, want rows that are %q: the ledger counts all rows of a person by itself; leave --unit out", plan.Row, t.Unit.Row)
	case strings.HasPrefix(plan.Row, personsPrefix):
		return fmt.Errorf("budget: the plan protects %q, want persons by column %q as in the ledger; plan it with --unit person:%s (in Go PerPerson), or %s", plan.Row, t.Column, t.Column, apart)
	case plan.Row != t.Unit.Row:
		return fmt.Errorf("budget: the plan protects %q, want %q as in the ledger; write row: %s into the schema if its rows are that; if not, %s", plan.Row, t.Unit.Row, t.Unit.Row, apart)
	case own == 0:
		return fmt.Errorf("budget: rows per person is %d in the plan, want it not declared as in the ledger; %s; else take rows-per-person out of the schema", plan.RowsPerPerson, anew)
	case plan.RowsPerPerson == 0 && t.Column != "":
		return fmt.Errorf("budget: the plan protects %q, want persons by column %q as in the ledger; "+
			"plan it with --unit person:%s (in Go PerPerson)", plan.Row, t.Column, t.Column)
	case plan.RowsPerPerson == 0:
		return fmt.Errorf("budget: rows per person is not declared in the plan, want %d as in the ledger; write rows-per-person: %d into the schema", own, own)
	}
	return fmt.Errorf("budget: rows per person is %d in the plan, want %d as in the ledger; write rows-per-person: %d into the schema if that is true; %s", plan.RowsPerPerson, own, own, anew)
}

// checkRelation refuses a plan under another relation.
func (t Terms) checkRelation(n privacy.Neighboring) error {
	if n != t.Neighboring {
		return fmt.Errorf("budget: the plan is under %v, want %v as in the ledger; plan it under that relation, or keep a ledger of its own, whose cap comes on top", n, t.Neighboring)
	}
	return nil
}

package query

import "fmt"

// Person says that a record is a person: all rows with one text in a column. What the rows of a person add is
// summed and bounded once, so that the guarantee covers all of them.
type Person struct {
	// Column has the person of each row. A row without one counts nowhere.
	Column string `json:"column"`
	// MaxRows is how many rows of a person are used: of those that meet the condition of the question the first
	// ones in the table. Further rows count nowhere.
	MaxRows int `json:"max-rows"`
}

const (
	// maxRowsPerPerson bounds MaxRows.
	maxRowsPerPerson = 1 << 15
	// maxRankedRows bounds it where ranks are released (release.RanksOptions).
	maxRankedRows = 1 << 10
)

// Unit is what one record is, in words; row is what one row is. A nil Person is a row.
func (u *Person) unit(row string) string {
	if u == nil {
		return row
	}
	return fmt.Sprintf("all rows with one %s, of which at most %d are used", u.Column, u.MaxRows)
}

// rows is how many rows one record has at most.
func (u *Person) rows() int {
	if u == nil {
		return 1
	}
	return u.MaxRows
}

// checkPerson refuses a unit that makes no sense.
func (p Plan) checkPerson() error {
	u := p.Person
	if u == nil {
		return nil
	}
	most := maxRowsPerPerson
	if p.ranked() {
		most = maxRankedRows
	}
	switch {
	case u.Column == "" || u.MaxRows < 1 || u.MaxRows > most:
		return fmt.Errorf("query: person is column %q with at most %d rows, want a column and 1 to %d rows for %s", u.Column, u.MaxRows, most, p.Statistic)
	case p.Unit != u.unit("") || p.RowsPerPerson != 0:
		return fmt.Errorf("query: the unit is %q with %d rows of a person, want %q and no further rows", p.Unit, p.RowsPerPerson, u.unit(""))
	}
	return nil
}

// Records are what a question is asked about: rows that are records, or persons with several rows.
type Records struct {
	rows    int
	persons [][]int // nil: each row is a record
	most    int     // rows of a record
}

// EachRow says that each of some rows is a record.
func EachRow(rows int) Records { return Records{rows: rows, most: 1} }

// ofPersons says that each person is a record, given the rows of each. The first maxRows of them
// are used.
func ofPersons(persons [][]int, maxRows int) Records {
	if persons == nil {
		persons = [][]int{}
	}
	return Records{persons: persons, most: maxRows}
}

// PersonsOf lists the rows of each person. The codes name the person of every row. A row whose code
// is not one of 0 … known-1 has no person and is in no list. So persons whose texts nobody declared
// are not taken for one. A row for which keep is false is in no list either; a nil keep keeps all.
// Persons stand in the order in which they first appear, with at most maxRows rows each: which rows
// these are depends on the rows of that person alone.
func PersonsOf(codes []int32, known, maxRows int, keep func(i int) bool) [][]int {
	at, rows := map[int32]int{}, [][]int{}
	for i, code := range codes {
		if code < 0 || int(code) >= known || keep != nil && !keep(i) {
			continue
		}
		k, seen := at[code]
		if !seen {
			k = len(rows)
			at[code], rows = k, append(rows, nil)
		}
		if len(rows[k]) < maxRows {
			rows[k] = append(rows[k], i)
		}
	}
	return rows
}

// Len returns the number of records, which is private under add-or-remove-one.
func (r Records) size() int {
	if r.persons != nil {
		return len(r.persons)
	}
	return r.rows
}

// each calls do for the rows of a record that are used.
func (r Records) each(record int, do func(row int)) {
	if r.persons == nil {
		do(record)
		return
	}
	rows := r.persons[record]
	for _, i := range rows[:min(len(rows), r.most)] {
		do(i)
	}
}

// check refuses records without a bound on their rows.
func (r Records) check() error {
	if r.most < 1 || r.most > maxRowsPerPerson {
		return fmt.Errorf("query: a record has at most %d rows, want 1 to %d; make records with EachRow or OfPersons", r.most, maxRowsPerPerson)
	}
	return nil
}

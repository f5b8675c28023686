package pick

import "fmt"

// MaxRows bounds the rows of one record.
const MaxRows = 1 << 15

// Records are the records of a question: rows that are records, or persons with several rows.
type Records struct {
	rows    int
	persons [][]int // nil: each row is a record
	most    int     // rows of a record
}

// EachRow returns records that are single rows.
func EachRow(rows int) Records { return Records{rows: rows, most: 1} }

// OfPersons returns records that are persons, given the rows of each person. The first maxRows rows
// of a person are used.
func OfPersons(persons [][]int, maxRows int) Records {
	if persons == nil {
		persons = [][]int{}
	}
	return Records{persons: persons, most: maxRows}
}

// Unit returns the words for a record that is a person: all rows with one text in a column. At most
// maxRows of them are used.
func Unit(column string, maxRows int) string {
	return fmt.Sprintf("all rows with one %s, of which at most %d are used", column, maxRows)
}

// PersonsOf returns the rows of each person. codes names the person of every row. A row whose code
// is not one of 0 … known-1 has no person and is in no list. So persons whose texts nobody declared
// are not taken for one person. A row for which keep is false is in no list either; a nil keep
// keeps all. Persons stand in the order of their first appearance, with at most maxRows rows each.
// Which of a person's rows these are depends on the rows of that person alone.
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

// Size returns the number of records, which is private under add-or-remove-one.
func (r Records) Size() int {
	if r.persons != nil {
		return len(r.persons)
	}
	return r.rows
}

// Persons reports whether a record is a person, who may have several rows.
func (r Records) Persons() bool { return r.persons != nil }

// Most returns the largest number of rows of a record.
func (r Records) Most() int { return r.most }

// Each calls do for each used row of a record.
func (r Records) Each(record int, do func(row int)) {
	if r.persons == nil {
		do(record)
		return
	}
	rows := r.persons[record]
	for _, i := range rows[:min(len(rows), r.most)] {
		do(i)
	}
}

// Check refuses records without a bound on their rows.
func (r Records) Check() error {
	if r.most < 1 || r.most > MaxRows {
		return fmt.Errorf("pick: a record has at most %d rows, want 1 to %d; make records with EachRow or OfPersons", r.most, MaxRows)
	}
	return nil
}

package query

import (
	"fmt"

	"github.com/ditherml/dither/internal/pick"
)

// Person states that all rows of a person form one record. Rows with the same text in a column
// belong to one person. The contributions of a person's rows are summed, and the sum is bounded. So
// the guarantee covers all rows of the person together.
type Person struct {
	// Column is the name of the column that identifies the person of each row. Rows with an empty
	// cell in this column are ignored.
	Column string `json:"column"`
	// MaxRows is the maximum number of rows of one person that are used. These are the first rows
	// in the table that meet the condition of the question. Further rows are ignored.
	MaxRows int `json:"max-rows"`
}

const (
	// maxRowsPerPerson bounds MaxRows.
	maxRowsPerPerson = pick.MaxRows
	// maxRankedRows bounds MaxRows where ranks are released (release.RanksOptions).
	maxRankedRows = 1 << 10
)

// unit returns one record in words; row is one row in words. A nil Person is a row.
func (u *Person) unit(row string) string {
	if u == nil {
		return row
	}
	return pick.Unit(u.Column, u.MaxRows)
}

// rows returns the largest number of rows of one record.
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

package pick

import (
	"reflect"
	"testing"
)

// TestPersonsOfCodes lists rows by person: not those of nobody, of texts that nobody declared, or that are not
// kept, and none beyond the bound.
func TestPersonsOfCodes(t *testing.T) {
	codes := []int32{2, 0, -1, 2, 3, 2, 0, 1, 2, 3}
	for _, c := range []struct {
		known, maxRows int
		keep           func(i int) bool
		want           [][]int
	}{
		{4, 9, nil, [][]int{{0, 3, 5, 8}, {1, 6}, {4, 9}, {7}}},
		{3, 2, nil, [][]int{{0, 3}, {1, 6}, {7}}},
		{4, 2, func(i int) bool { return i > 2 }, [][]int{{3, 5}, {4, 9}, {6}, {7}}},
		{0, 2, nil, [][]int{}},
	} {
		if got := PersonsOf(codes, c.known, c.maxRows, c.keep); !reflect.DeepEqual(got, c.want) {
			t.Errorf("of %d known with %d rows: got %v, want %v", c.known, c.maxRows, got, c.want)
		}
	}
	if r := OfPersons(nil, 3); r.Size() != 0 || !r.Persons() {
		t.Errorf("no persons are %d records", r.Size())
	}
	if rows := OfPersons([][]int{{4, 5}, {7, 8, 9}}, 2).RowsOf([]int{1, 0}); !reflect.DeepEqual(rows, []int{7, 8, 4, 5}) {
		t.Errorf("the rows that are used are %v, want the first two of each", rows)
	}
}

package related

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// all are all aggregates of column 0, a count of all rows, and a count of the rows with 2 in column 0.
var all = []Feature{{Aggregate: Count, Column: -1}, {Aggregate: Count, Level: 2}, {Aggregate: Sum}, {Aggregate: Mean}, {Aggregate: Min}, {Aggregate: Max}, {Aggregate: First}, {Aggregate: Last}}

// valuesOf returns all features of one person, whose rows have an order and a cell each.
func valuesOf(keep Keep, maxRows int, order []string, cells []float32) string {
	r := New("visits", keep, maxRows, 1)
	r.Orders(order)
	for i, cell := range cells {
		at := int32(i)
		if order[i] == "" {
			at = -1
		}
		r.Add(0, "k", at, []float32{cell})
	}
	dst := make([]float64, len(all))
	r.Values(dst, 0, all)
	return fmt.Sprint(dst)
}

func TestValues(t *testing.T) {
	missing := float32(math.NaN())
	for _, c := range []struct {
		name  string
		keep  Keep
		most  int
		order []string
		cells []float32
		want  string
	}{
		{"no row", KeepLast, 3, nil, nil, "[0 0 0 NaN NaN NaN NaN NaN]"},
		{"only missing cells", KeepLast, 3, []string{"1", "2"}, []float32{missing, missing}, "[2 0 0 NaN NaN NaN NaN NaN]"},
		{"numbers by value", KeepLast, 9, []string{"10", "9", "-1e9"}, []float32{1, 2, 3}, "[3 1 6 2 1 3 3 1]"},
		{"missing, numbers, texts", KeepLast, 9, []string{"2024-01-01", "", "5"}, []float32{1, 2, 4}, "[3 1 7 2.3333333333333335 1 4 2 1]"},
		{"the last two", KeepLast, 2, []string{"3", "1", "2"}, []float32{3, 1, 2}, "[2 1 5 2.5 2 3 2 3]"},
		{"the first two", KeepFirst, 2, []string{"3", "1", "2"}, []float32{3, 1, 2}, "[2 1 3 1.5 1 2 1 2]"},
		{"ties by cells", KeepLast, 1, []string{"1", "1.0", "1"}, []float32{2, 5, 3}, "[1 0 5 5 5 5 5 5]"},
		{"ends leave out missing cells", KeepFirst, 3, []string{"1", "2", "3"}, []float32{missing, 2, missing}, "[3 1 2 2 2 2 2 2]"},
	} {
		if got := valuesOf(c.keep, c.most, c.order, c.cells); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// TestOrderOfRows: rows that arrive in any order give the same features, and the rows of another person change nothing.
func TestOrderOfRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 25))
	for _, keep := range []Keep{KeepLast, KeepFirst, KeepRandom} {
		for range 300 {
			n, most := r.IntN(20), 1+r.IntN(6)
			order, cells := make([]string, n), make([]float32, n)
			for i := range n {
				order[i], cells[i] = []string{"", "1", "2", "x"}[r.IntN(4)], float32(r.IntN(4))/10
			}
			want := valuesOf(keep, most, order, cells)
			r.Shuffle(n, func(i, j int) {
				order[i], order[j], cells[i], cells[j] = order[j], order[i], cells[j], cells[i]
			})
			if got := valuesOf(keep, most, order, cells); got != want {
				t.Fatalf("keep %s, %d rows of %q %v: got %s, want %s", KeepNames[keep], most, order, cells, got, want)
			}
		}
	}
}

// TestRandomRowsDependOnPersons: persons with the same rows keep different ones, and the choice is spread evenly. The
// first row of 64 is kept 8 times in 64 on average. The probability that it is kept at most 450 or at least 1600
// times by 8,000 persons is below 1e-6.
func TestRandomRowsDependOnPersons(t *testing.T) {
	r := New("visits", KeepRandom, 8, 1)
	kept := 0
	const persons = 8000
	for k := range persons {
		for v := range 64 {
			r.Add(k, fmt.Sprint(k), -1, []float32{float32(v)})
		}
		var least [1]float64
		if r.Values(least[:], k, []Feature{{Aggregate: Min}}); least[0] == 0 {
			kept++
		}
	}
	if kept <= 450 || kept >= 1600 {
		t.Errorf("the first row was kept by %d persons, want about %d", kept, persons/8)
	}
	if held := len(r.order); held > persons*16 {
		t.Errorf("%d rows are held, want fewer than twice 8 of each person", held)
	}
}

func TestCheck(t *testing.T) {
	if err := Check("query", []string{Words("visits", 3, 9), Words("a \"b\"\n", 1, 100)}); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"", "the visits", Words("v", 0, 9), Words("v", 2, 0), Words("v", 2, 9) + " ", strings.Replace(Words("v", 2, 9), `"v"`, "v", 1), Words("v", 2, 9) + ". All is well."} {
		if Check("query", []string{text}) == nil {
			t.Errorf("%q passes, want it refused", text)
		}
	}
}

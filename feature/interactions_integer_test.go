package feature

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// binned returns the pipeline of the transform interactions on columns without missing cells.
func binned(t *testing.T, parameters string, columns ...data.Column) *Pipeline {
	t.Helper()
	s := &data.Schema{MaxRecords: 1 << 20, Target: data.Target{Column: "y", Levels: []string{"0", "1"}}}
	for i, c := range columns {
		c.Name = string(rune('a' + i))
		if s.Columns = append(s.Columns, c); c.Kind == 0 {
			s.Columns[i].Kind = data.Numeric
		}
		s.Columns[i].OutOfRange = data.Clamp
		if c.Missing == 0 {
			s.Columns[i].Missing = data.Zero
		}
	}
	c, err := NewPipeline(nil, s, Spec{"interactions", json.RawMessage(parameters)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// inOrder returns a column of n levels in order.
func inOrder(n int) data.Column {
	c := data.Column{Kind: data.Categorical, Ordered: true, Upper: float64(n - 1), Unknown: data.Drop}
	for k := range n {
		c.Levels = append(c.Levels, strconv.Itoa(k))
	}
	return c
}

// TestIntegersShareNoBin wants no two integers of a range in one of the finest bins, and in every
// range fewer bins than twice as many as needed.
func TestIntegersShareNoBin(t *testing.T) {
	check := func(name string, c data.Column, from, to int) {
		chain := binned(t, `{"pairs":"none","bins":1024}`, c)
		of, _ := chain.Entries()
		finest, seen := (chain.Dim()+2)/2, map[uint32]int{}
		for v := from; v <= to; v++ {
			index, _ := of([]float32{float32(v)}, nil, nil)
			bin := index[len(index)-1]
			if other, twice := seen[bin]; twice || int(bin) < chain.Dim()-finest {
				t.Fatalf("%s: %d and %d share a bin of %d", name, other, v, finest)
			}
			seen[bin] = v
		}
		if span := c.Upper - c.Lower; finest > 2 && float64(finest)/2 > span || len(chain.Names()) != chain.Dim() {
			t.Fatalf("%s: got %d bins and %d names for %d features", name, finest, len(chain.Names()), chain.Dim())
		}
	}
	for span := 1; span <= 300; span++ {
		for lower := -3; lower <= 3; lower++ {
			check(fmt.Sprintf("[%d, %d]", lower, lower+span), data.Column{Lower: float64(lower), Upper: float64(lower + span), Integer: true}, lower, lower+span)
		}
	}
	r := rand.New(rand.NewPCG(61, 62))
	for range 500 {
		lower := r.Float64()*200 - 100
		c := data.Column{Lower: lower, Upper: lower + 1 + r.Float64()*900, Integer: true}
		check(fmt.Sprintf("[%v, %v]", c.Lower, c.Upper), c, int(math.Ceil(c.Lower)), int(math.Floor(c.Upper)))
	}
	for _, c := range []data.Column{{Lower: 1e6, Upper: 1e6 + 1023, Integer: true}, {Lower: -1e6 - 511, Upper: -1e6, Integer: true}, {Upper: 1023, Integer: true, Transform: "none"}} {
		check(fmt.Sprintf("[%v, %v]", c.Lower, c.Upper), c, int(c.Lower), int(c.Upper))
	}
}

// TestIntegerBins wants the cells of single columns and pairs that their rule says, and a table without
// the key as it is.
func TestIntegerBins(t *testing.T) {
	number, bit, grade, many := data.Column{Upper: 9}, data.Column{Upper: 1, Integer: true}, data.Column{Upper: 6, Integer: true}, data.Column{Upper: 5000, Integer: true}
	logarithm := data.Column{Upper: 9, Integer: true, Transform: data.TransformLog1p}
	choice := data.Column{Kind: data.Categorical, Levels: []string{"f", "m"}, Unknown: data.Drop}
	for _, c := range []struct {
		parameters string
		columns    []data.Column
		want       int
	}{
		{`{"pairs":"none","bins":64}`, []data.Column{number}, 126},
		{`{"pairs":"none","bins":64}`, []data.Column{bit}, 2},
		{`{"pairs":"none","bins":64}`, []data.Column{grade}, 2 + 4 + 8},
		{`{"pairs":"none","bins":4}`, []data.Column{grade}, 2 + 4},
		{`{"pairs":"none","bins":64}`, []data.Column{many}, 126},
		{`{"pairs":"none","bins":64}`, []data.Column{logarithm}, 126},
		{`{"pairs":"none","bins":64}`, []data.Column{inOrder(2)}, 126},
		{`{"pairs":"none","bins":64}`, []data.Column{inOrder(9)}, 126},
		{`{"pairs":"all","bins":2,"pair-bins":2}`, []data.Column{bit, grade}, 2*2 + 2*2},
		{`{"pairs":"all","bins":2,"pair-bins":64}`, []data.Column{bit, grade}, 2*2 + 2*4 + 2*8},
		{`{"pairs":"all","bins":2,"pair-bins":64}`, []data.Column{bit, bit}, 2*2 + 2*2},
		{`{"pairs":"all","bins":2,"pair-bins":64}`, []data.Column{bit, choice}, 2 + 2 + 2*2},
		{`{"pairs":"all","bins":2,"pair-bins":64}`, []data.Column{choice, grade}, 2 + 2 + 2*4 + 2*8},
		{`{"pairs":"all","bins":2,"pair-bins":16}`, []data.Column{grade, number}, 2*2 + 4*4 + 8*8 + 8*16},
	} {
		if got := binned(t, c.parameters, c.columns...).Dim(); got != c.want {
			t.Errorf("%s, %+v: got %d features, want %d", c.parameters, c.columns, got, c.want)
		}
	}
	plain := logarithm
	plain.Integer = false
	if got, want := binned(t, `{"bins":64}`, logarithm, number).Names(), binned(t, `{"bins":64}`, plain, number).Names(); !slices.Equal(got, want) {
		t.Errorf("integers on a logarithmic scale: got %v, want %v", got, want)
	}
}

// TestIntegerNames wants the names of cells of integers, and the bin of a cell that is no integer.
func TestIntegerNames(t *testing.T) {
	grade := data.Column{Lower: 1, Upper: 3, Integer: true, Missing: data.Indicator}
	c := binned(t, `{"pairs":[["a","b"],["a","c"]],"bins":4,"pair-bins":8}`, grade, data.Column{Upper: 2, Integer: true}, data.Column{Upper: 8})
	names, x, s := c.Names(), make([]float64, c.Dim()), c.NewScratch()
	for _, n := range names { // whether a cell stands aside decides what evidence it has
		aside := [2]string{}
		if strings.HasPrefix(n.Level, "missing") {
			aside[0] = "missing"
		}
		if n.Cell.Aside != aside {
			t.Errorf("%v: got aside %q, want %q", n, n.Cell.Aside, aside)
		}
	}
	for _, row := range []struct {
		values []float32
		want   string
	}{
		{[]float32{2, 1, 5}, "a = 2 to 3; a = 2 to 2.5; b = 1 to 2; b = 1 to 1.5; c = 4 to 8; c = 4 to 6; a × b = 2 to 2.5, 1 to 1.5; a × c = 2 to 2.5, 4 to 6; a × c = 2 to 2.5, 5 to 6"},
		{[]float32{2.4, 0, 0}, "a = 2 to 3; a = 2 to 2.5; b = 0 to 1; b = 0 to 0.5; c = 0 to 4; c = 0 to 2; a × b = 2 to 2.5, 0 to 0.5; a × c = 2 to 2.5, 0 to 2; a × c = 2 to 2.5, 0 to 1"},
		{[]float32{3, 2, 8}, "a = 2 to 3; a = 2.5 to 3; b = 1 to 2; b = 1.5 to 2; c = 4 to 8; c = 6 to 8; a × b = 2.5 to 3, 1.5 to 2; a × c = 2.5 to 3, 6 to 8; a × c = 2.5 to 3, 7 to 8"},
		{[]float32{nan, 2, 1}, "a = missing; b = 1 to 2; b = 1.5 to 2; c = 0 to 4; c = 0 to 2; a × b = missing, 1.5 to 2; a × c = missing, 0 to 2; a × c = missing, 1 to 2"},
	} {
		c.features(x, row.values, s)
		var got []string
		for j, v := range x {
			if v != 0 {
				got = append(got, names[j].String())
			}
		}
		if strings.Join(got, "; ") != row.want {
			t.Errorf("%v: got %q, want %q", row.values, got, row.want)
		}
	}
}

// TestIntegerEntries compares the entries of random rows with what Apply writes, with and without
// hashing. It holds the number of entries and their bound, and a row without missing cells has the most.
func TestIntegerEntries(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	columns := []data.Column{{Lower: 17, Upper: 90, Integer: true, Missing: data.Indicator}, {Upper: 1, Integer: true}, {Lower: -2.5, Upper: 8, Integer: true}, {Upper: 9},
		{Upper: 99, Integer: true, Transform: data.TransformLog1p}, inOrder(5), {Kind: data.Categorical, Levels: []string{"f", "m"}, Unknown: data.Other}}
	for _, text := range []string{`{"pairs":"none"}`, `{"pairs":"all","pair-bins":64}`, `{"pairs":"all","pair-bins":64,"buckets":8,"weight":1}`, `{"pairs":"all","bins":4,"pair-bins":16,"buckets":2048}`} {
		c := binned(t, text, columns...)
		of, most := c.Entries()
		bound, _ := c.Bound()
		if len(c.Names()) != c.Dim() {
			t.Errorf("%s: got %d names for %d features", text, len(c.Names()), c.Dim())
		}
		want, got, s, fullest := make([]float64, c.Dim()), make([]float64, c.Dim()), c.NewScratch(), 0
		for range 1000 {
			row := []float32{float32(17 + r.IntN(74)), float32(r.IntN(2)), float32(r.IntN(11) - 2), r.Float32() * 9, float32(r.IntN(100)), float32(r.IntN(5)), float32(r.IntN(3))}
			if k := r.IntN(14); k < 7 {
				row[k] = nan
			}
			c.features(want, row, s)
			index, x := of(row, nil, nil)
			clear(got)
			for k, j := range index {
				if got[j] = x[k]; x[k] == 0 || k > 0 && j <= index[k-1] {
					t.Fatalf("%s: entries %v %v, want them ascending and not 0", text, index, x)
				}
			}
			if fullest = max(fullest, len(index)); !slices.Equal(got, want) || len(index) > most || largestMagnitude(want) > bound {
				t.Fatalf("%s: row %v: got %v of at most %d within %v, want %v", text, row, got, most, bound, want)
			}
		}
		const numbers = 6 // each counts its indicator of a missing cell and its bins; a row has only one of the two
		if hashed := strings.Contains(text, "buckets"); !hashed && fullest != most-numbers {
			t.Errorf("%s: the fullest row has %d entries, want %d", text, fullest, most-numbers)
		}
	}
}

// TestIntegerCopies wants no two features of integers that are equal in all rows, apart from those of
// complete bins. A feature without a row does not count.
func TestIntegerCopies(t *testing.T) {
	c := binned(t, `{"pairs":"all","bins":1024,"pair-bins":64}`, data.Column{Lower: 1, Upper: 6, Integer: true}, data.Column{Upper: 2, Integer: true}, data.Column{Upper: 2, Integer: true})
	rows, names, columns := map[string][]int{}, c.Names(), make([][]byte, c.Dim())
	x, s := make([]float64, c.Dim()), c.NewScratch()
	for v := range 6 * 3 * 3 {
		c.features(x, []float32{float32(1 + v/9), float32(v / 3 % 3), float32(v % 3)}, s)
		for j := range x {
			columns[j] = append(columns[j], '0'+byte(min(1, math.Ceil(x[j]))))
		}
	}
	grids := map[[2]int]bool{}
	for j, column := range columns {
		for _, k := range rows[string(column)] {
			grids[[2]int{names[k].Cell.Grid, names[j].Cell.Grid}] = true
		}
		if strings.Contains(string(column), "1") {
			rows[string(column)] = append(rows[string(column)], j)
		}
	}
	for pair := range grids { // a finer grid of a column has some cells of the coarser one, but not all
		var coarse, fine []string
		for j, n := range names {
			if column := string(columns[j]); strings.Contains(column, "1") && n.Cell.Grid == pair[0] {
				coarse = append(coarse, column)
			} else if strings.Contains(column, "1") && n.Cell.Grid == pair[1] {
				fine = append(fine, column)
			}
		}
		slices.Sort(coarse)
		slices.Sort(fine)
		if slices.Equal(coarse, fine) {
			t.Errorf("grids %d and %d have the same cells", pair[0], pair[1])
		}
	}
}

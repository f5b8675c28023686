package tabular

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

func TestCells(t *testing.T) {
	var columns, header strings.Builder
	for i := range mostNamed + 2 {
		fmt.Fprintf(&columns, "  n%d: {numeric: [0, 10], out-of-range: clamp, missing: zero}\n", i)
		fmt.Fprintf(&header, "n%d,", i)
	}
	s, err := data.ParseSchema("t", []byte("dither-schema: 1\nmax-records: 9\ntarget: {column: y, levels: [a, b]}\ncolumns:\n"+columns.String()+"  c: {levels: [u, v], unknown: other, missing: drop}\n"))
	if err != nil {
		t.Fatal(err)
	}
	few, many := strings.Repeat("1,", mostNamed+2), strings.Repeat("99,", mostNamed+2)
	text := header.String() + "c,y\n" + few + "u,a\n" + many + "w,a\n" + strings.Replace(few, "1,1,", ",77,", 1) + ",a\n"
	d, err := data.ReadFrom(context.Background(), s, "t", strings.NewReader(text), data.ReadOptions{WithoutTarget: true, KeepDropped: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"cells with an undeclared level: 1 (c 1)",
		"missing cells: 2 (n0 1, c 1)",
		"numbers moved to a bound of their column: 11 (n1 2, n0 1, n2 1, n3 1, n4 1, n5 1, n6 1, n7 1, and 2 more columns)",
		"rows without a prediction, since the schema drops them: 1 of 3",
	}
	if got := strings.Split(Cells(d), "\n"); !slices.Equal(got, append(want, "")) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := Cells(d.Slice(0, 0)); strings.Count(got, "\n") != 1 {
		t.Errorf("no row: got %q, want the clamped numbers of the whole table alone", got)
	}
}

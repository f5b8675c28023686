package erm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/privacy"
)

// randomColumns returns columns of every kind with random treatments, and for each column cells: good ones, and a
// missing, an undeclared and a far one.
func randomColumns(r *rand.Rand) (text string, cells [][]string) {
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	for i := range 1 + r.IntN(5) {
		missing := ", missing: " + pick("indicator", "zero", "drop")
		outside := ", out-of-range: " + pick("clamp", "as-missing", "drop") + missing
		kind, own := "", []string{"", "1e9", "-1e9", "strange"}
		switch r.IntN(6) {
		case 0:
			kind, own = "numeric: [-3, 5]"+pick("", ", bins: [0, 2.5]")+outside, append(own, "-3", "5", "0.3", "2.5")
		case 1:
			kind, own = "numeric: [0, 5], transform: log1p"+outside, append(own, "0", "5", "4")
		case 2:
			kind = "levels: [a, b, c], unknown: " + pick("other", "zero", "as-missing", "drop") + missing
			own = append(own, "a", "b", "c")
		case 3:
			kind = "levels: [{a: [x, y]}, b], unknown: " + pick("other", "zero", "as-missing", "drop") + missing
			own = append(own, "a", "b", "x", "y")
		case 4:
			kind = "levels: [a, b, {c: [d]}, e, f], ordered: true, unknown: " + pick("as-missing", "drop") + missing
			own = append(own, "a", "b", "c", "d", "e", "f")
		case 5:
			kind = "date: {since: 2020-01-01, range: [0, 800], parts: [" + pick("", "month", "year, weekday", "hour, weekday, month, year") + "]}" + pick("", ", bins: [100]") + outside
			own = append(own, "2020-01-01", "2022-03-10", "2021-06-05 17:30:00", "1999-12-31", "2031-01-01")
		}
		text += fmt.Sprintf("  c%d: {%s}\n", i, kind)
		cells = append(cells, own)
	}
	return text, cells
}

// TestRandomSchemasKeepTheirBounds wants the rows of random schemas within the bounds that a plan takes from them, and
// one number or one indicator for each column at most.
func TestRandomSchemasKeepTheirBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	reached := 0
	for range 300 {
		columns, cells := randomColumns(r)
		s, err := data.ParseSchema("random", []byte("dither-schema: 1\nrow: one person\nmax-records: 500\ntarget: {column: y, bounds: [0, 1]}\ncolumns:\n"+columns))
		if err == nil {
			err = s.Validate()
		}
		if err != nil {
			t.Fatalf("%v of\n%s", err, columns)
		}
		var table strings.Builder
		for i := range cells {
			fmt.Fprintf(&table, "c%d,", i)
		}
		table.WriteString("y\n")
		for range 60 {
			for _, own := range cells {
				table.WriteString(own[r.IntN(len(own))] + ",")
			}
			table.WriteString("0.5\n")
		}
		d, err := data.ReadFrom(context.Background(), s, "random", strings.NewReader(table.String()), data.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		setup, err := NewSetup(Request{Method: "sufficient-statistics", Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Normalization: []feature.Normalization{"", feature.NormNone}[r.IntN(2)]}, s)
		if err != nil {
			t.Fatal(err)
		}
		dim := 0
		for _, c := range s.Features() {
			dim += featuresOf(c)
		}
		e := setup.Features.Encoder()
		if dim != e.Dim() {
			t.Fatalf("got %d features, want %d of\n%s", dim, e.Dim(), columns)
		}
		bounds, x, scratch := boundsOf(setup.Features, s), make([]float64, setup.Features.Dim()), setup.Features.NewScratch(1)
		for i := range d.Records() {
			values := d.Row(nil, i)
			setup.Features.Apply(x, 1, scratch, func(int) []float32 { return values })
			norms := rowNorms{}
			for _, v := range x {
				norms.l1, norms.l2 = norms.l1+math.Abs(v), math.Hypot(norms.l2, v)
			}
			if norms.l1 > bounds.l1 || norms.l2 > bounds.l2 {
				t.Fatalf("a row has the norms %+v, want at most %+v of\n%s", norms, bounds, columns)
			}
			if norms.l2 > 0.97*bounds.l2 {
				reached++
			}
			index, entries := e.Entries(values, nil, nil)
			square := 0.0
			for k, v := range entries {
				if square += v * v; v < 0 || v > 1 || k > 0 && index[k] <= index[k-1] {
					t.Fatalf("entries are %v at %v, want numbers of [0, 1] in order", entries, index)
				}
			}
			if len(entries) > e.Columns() || square > float64(e.Columns()) {
				t.Fatalf("a row has %d entries with squares of %v, want one for each of %d columns", len(entries), square, e.Columns())
			}
		}
	}
	if reached < 300 {
		t.Errorf("%d rows come near the bound, want more for a test", reached)
	}
}

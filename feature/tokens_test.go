package feature

import (
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/encoder"
)

// tokenColumn keeps words at positions.
func tokenColumn(name string, positions, buckets int) data.Column {
	return data.Column{Name: name, Kind: data.Text, Missing: data.Zero, Hashing: &data.Hashing{Buckets: buckets, NGrams: 1, StopWords: "none", Values: "presence", Positions: positions}}
}

// TestEncodeTokens compares the features of rows of tokens, by all ways, with the tokens, and -1 for padding.
func TestEncodeTokens(t *testing.T) {
	s := &data.Schema{MaxRecords: 9, Target: data.Target{Column: "y", Levels: []string{"0", "1"}}, Columns: []data.Column{tokenColumn("title", 2, 256), tokenColumn("body", 3, 256)}}
	d, err := data.NewSparse(s, []int{0, 2, 2, 5}, []uint32{0, 3, 0, 1, 4}, []float32{1, 256, 9, 2, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := encoder.New(s)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := NewPipeline(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	if bound, signed := chain.Bound(); e.Tokens() != 256 || bound != data.MaxTokens || !signed || e.Names()[3].String() != "body = position 1" {
		t.Errorf("got %d tokens, bound %v, signed %v, names %v", e.Tokens(), bound, signed, e.Names())
	}
	sparse := e.Sparse(d.Absent())
	for i, want := range [][]float64{{0, -1, -1, 255, -1}, {-1, -1, -1, -1, -1}, {8, 1, -1, -1, 0}} {
		got, row := make([]float64, 5), d.Row(nil, i)
		e.Encode(got, row)
		if !slices.Equal(got, want) {
			t.Errorf("row %d is %v, want %v", i, got, want)
		}
		at, values := d.Cells(i)
		for way := range 2 {
			index, x := e.Entries(row, nil, nil)
			if way == 1 {
				index, x = sparse.Entries(at, values, nil, nil)
			}
			clear(got)
			for k, j := range index {
				got[j] = x[k]
			}
			if !slices.Equal(got, want) || !slices.IsSorted(index) {
				t.Errorf("row %d has entries %v %v, want %v", i, index, x, want)
			}
		}
	}
}

// TestTokensStandAlone refuses tokens beside numbers, bags and other vocabularies, and before transforms.
func TestTokensStandAlone(t *testing.T) {
	number := data.Column{Name: "age", Kind: data.Numeric, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero}
	bag := tokenColumn("bag", 0, 256)
	for _, other := range []data.Column{number, bag, tokenColumn("more", 3, 512)} {
		for _, columns := range [][]data.Column{{tokenColumn("words", 3, 256), other}, {other, tokenColumn("words", 3, 256)}} {
			_, err := encoder.New(&data.Schema{Columns: columns})
			if err == nil || !strings.Contains(err.Error(), "are not of one kind") {
				t.Errorf("%s beside %s: got error %v", columns[0].Name, columns[1].Name, err)
			}
		}
	}
	words := &data.Schema{Columns: []data.Column{tokenColumn("words", 3, 256)}}
	if _, err := NewPipeline(nil, words, Spec{Name: "groupnorm"}); err == nil || !strings.Contains(err.Error(), "behind columns of tokens") {
		t.Errorf("a transform: got error %v", err)
	}
}

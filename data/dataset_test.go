package data_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// TestNewChecksShapes wants a data set only of columns and target of one length.
func TestNewChecksShapes(t *testing.T) {
	s := mustSchema(t, smallSchema)
	for _, c := range []struct {
		name    string
		columns [][]float32
		target  []float32
		records int
		words   string
	}{
		{"good", [][]float32{{1, 2}, {0, 1}}, []float32{0, 1}, 2, ""},
		{"no target", [][]float32{{1, 2, 3}, {0, 1, 0}}, nil, 3, ""},
		{"no record", [][]float32{{}, {}}, []float32{}, 0, ""},
		{"a column too few", [][]float32{{1, 2}}, []float32{0, 1}, 0, "number of columns is 1, want 2"},
		{"a column too many", [][]float32{{1}, {1}, {1}}, []float32{0}, 0, "number of columns is 3, want 2"},
		{"short column", [][]float32{{1, 2}, {0}}, []float32{0, 1}, 0, `length of column "job" is 1, want 2`},
		{"short column without target", [][]float32{{1, 2}, {0}}, nil, 0, `length of column "job" is 1, want 2`},
		{"short target", [][]float32{{1, 2}, {0, 1}}, []float32{0}, 0, `length of column "age" is 2, want 1`},
	} {
		d, err := data.New(s, c.columns, c.target)
		switch {
		case c.words != "":
			if err == nil || !strings.Contains(err.Error(), c.words) {
				t.Errorf("%s: got error %v, want %q", c.name, err, c.words)
			}
		case err != nil || d.Records() != c.records || d.Schema() != s:
			t.Errorf("%s: got %v, error %v, want %d records", c.name, d, err, c.records)
		}
	}
}

// TestDatasetSlice wants rows, target, flags and groups of a slice to be those of the whole.
func TestDatasetSlice(t *testing.T) {
	s := mustSchema(t, strings.Replace(smallSchema, "max-records: 3", "max-records: 9", 1))
	text := header + "1,clerk,p,no\n2,cook,q,yes\n3,smith,?,maybe\n4,,p,yes\n5,clerk,q,no\n"
	whole, err := readCSVText(s, text, data.ReadOptions{KeepDropped: true, Extra: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to int }{{0, 5}, {1, 4}, {2, 3}, {2, 2}, {4, 5}} {
		d := whole.Slice(c.from, c.to)
		if d.Records() != c.to-c.from || d.Schema() != s {
			t.Errorf("%v: got %d records, want %d", c, d.Records(), c.to-c.from)
		}
		for _, name := range []string{"job", "id"} {
			got, gotLevels, err := d.Group(name)
			want, levels, _ := whole.Group(name)
			if err != nil || len(got) != c.to-c.from || len(got) > 0 && !reflect.DeepEqual(got, want[c.from:c.to]) || !reflect.DeepEqual(gotLevels, levels) {
				t.Errorf("%v: group %s: got %v %v %v, want %v %v", c, name, got, gotLevels, err, want[c.from:c.to], levels)
			}
		}
		for i := range d.Records() {
			if got, want := d.Row(nil, i), whole.Row(nil, c.from+i); !sameValues(got, want) || d.Column(0)[i] != want[0] {
				t.Errorf("%v: row %d: got %v, want %v", c, i, got, want)
			}
			if !sameValues(d.Target()[i:i+1], whole.Target()[c.from+i:c.from+i+1]) || d.Dropped(i) != (c.from+i == 2) {
				t.Errorf("%v: row %d: got target %v, dropped %v", c, i, d.Target()[i], d.Dropped(i))
			}
		}
	}
	if unlabeled := whole.Slice(1, 3).Slice(1, 2); unlabeled.Column(0)[0] != 3 {
		t.Errorf("slice of a slice: got %v, want 3", unlabeled.Column(0)[0])
	}
}

// TestDatasetRow wants the row in the caller's slice when that is long enough.
func TestDatasetRow(t *testing.T) {
	d, err := data.New(mustSchema(t, smallSchema), [][]float32{{1, 2}, {0, 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	buffer := make([]float32, 8)
	if got := d.Row(buffer, 1); !sameValues(got, []float32{2, 1}) || &got[0] != &buffer[0] {
		t.Errorf("got %v, want 2, 1 in the slice that was given", got)
	}
	if allocations := testing.AllocsPerRun(100, func() { d.Row(buffer, 0) }); allocations != 0 {
		t.Errorf("got %v allocations a row, want none", allocations)
	}
}

// TestDatasetGroupFails wants an error for what is no group column.
func TestDatasetGroupFails(t *testing.T) {
	d, err := data.New(mustSchema(t, smallSchema), [][]float32{{1, 2}, {0, 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"age", "id", "label", "nothing"} {
		if _, _, err := d.Group(name); err == nil || !strings.Contains(err.Error(), "group column") {
			t.Errorf("group %s: got error %v, want one", name, err)
		}
	}
}

// TestTextsNamePersons: a level that is a group of texts names no person, but each of its texts does. Parts of dates
// name none. Copies of a data set and of its schema are no exception.
func TestTextsNamePersons(t *testing.T) {
	s := mustSchema(t, "dither-schema: 1\nmax-records: 9\ntarget: {column: y, levels: [\"no\", \"yes\"]}\ndefaults: {missing: indicator, out-of-range: clamp, unknown: other}\ncolumns:\n  who: {levels: [{ann: [bob, cyd]}, dan]}\n  kind: {levels: [a, b]}\n  day: {date: {parts: [month]}}\n")
	text := "who,kind,day,y\nann,a,2024-01-01,yes\nbob,a,2024-01-02,no\ncyd,b,2024-02-01,no\ndan,c,2024-01-01,no\nbob,a,2024-01-01,yes\n"
	for _, extra := range [][]string{nil, {"who"}} {
		read, err := readCSVText(s, text, data.ReadOptions{Extra: extra})
		if err != nil {
			t.Fatal(err)
		}
		copied := *s
		copied.Columns = slices.Clone(s.Columns)
		for i, c := range s.Columns {
			copied.Columns[i].Levels = slices.Clone(c.Levels)
		}
		made, err := data.New(&copied, [][]float32{read.Column(0), read.Column(1), read.Column(2)}, read.Target())
		if err != nil {
			t.Fatal(err)
		}
		for name, d := range map[string]*data.Dataset{"read": read, "slice": read.Slice(0, 5), "rows": read.Take([]int{0, 1, 2, 3, 4}), "copy": made} {
			codes, texts, failed := d.Texts("who")
			if d == made || extra == nil {
				if failed == nil || !strings.Contains(failed.Error(), "merge persons") {
					t.Errorf("%s, groups of texts: got %v and %v, want a refusal", name, texts, err)
				}
			} else if failed != nil || !slices.Equal(texts, []string{"ann", "bob", "cyd", "dan"}) || !slices.Equal(codes, []int32{0, 1, 2, 3, 1}) {
				t.Errorf("%s, texts: got %v, %v and %v", name, codes, texts, failed)
			}
			if codes, texts, failed = d.Texts("kind"); failed != nil || !slices.Equal(texts, []string{"a", "b"}) || !slices.Equal(codes, []int32{0, 0, 1, 2, 0}) {
				t.Errorf("%s, levels of one text: got %v, %v and %v", name, codes, texts, failed)
			}
			if codes, texts, failed = d.Texts(s.Features()[2].Name); failed == nil || !strings.Contains(failed.Error(), "merge persons") {
				t.Errorf("%s, parts of dates: got %v of %v, want a refusal", name, codes, texts)
			}
			if codes, texts, failed = d.Texts("nobody"); failed == nil {
				t.Errorf("%s, no column: got %v of %v, want a refusal", name, codes, texts)
			}
		}
		copied.Columns[1].Levels = []string{"a", "a"}
		if twice, failed := data.New(&copied, [][]float32{read.Column(0), read.Column(1), read.Column(2)}, read.Target()); failed != nil {
			t.Fatal(failed)
		} else if _, _, err = twice.Texts("kind"); err == nil || !strings.Contains(err.Error(), "splits persons") {
			t.Errorf("a level that stands twice: got error %v, want one", err)
		}
	}
}

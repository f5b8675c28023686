package data_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// validSchema returns a schema with a column of each kind, for a test to spoil.
func validSchema() *data.Schema {
	return &data.Schema{
		Name: "v", Row: "one person", MaxRecords: 10,
		Columns: []data.Column{
			{Name: "n", Kind: data.Numeric, Upper: 10, Bins: []float64{2, 5}, OutOfRange: data.Clamp, Missing: data.Zero},
			{Name: "c", Kind: data.Categorical, Levels: []string{"a", "b"}, Unknown: data.Other, Missing: data.Indicator},
			{Name: "i", Kind: data.Ignored},
		},
		Target: data.Target{Column: "y", Levels: []string{"no", "yes"}},
	}
}

// TestValidateRefuses spoils one rule after the other.
func TestValidateRefuses(t *testing.T) {
	inf, one := math.Inf(1), 1.0
	if err := validSchema().Validate(); err != nil {
		t.Fatalf("valid schema: got error %v", err)
	}
	cases := []struct {
		name  string
		spoil func(s *data.Schema, n, c *data.Column)
		words string
	}{
		{"open declaration", func(s *data.Schema, n, c *data.Column) { s.Undeclared = []string{"something"} }, "still left open: something"},
		{"no bound", func(s *data.Schema, n, c *data.Column) { s.MaxRecords = 0 }, "max-records is not declared"},
		{"negative bound", func(s *data.Schema, n, c *data.Column) { s.MaxRecords = -1 }, "max-records is -1"},
		{"huge bound", func(s *data.Schema, n, c *data.Column) { s.MaxRecords = 1<<40 + 1 }, "at most 2^40"},
		{"negative records", func(s *data.Schema, n, c *data.Column) { s.Records = -1 }, "records is -1"},
		{"records beyond the bound", func(s *data.Schema, n, c *data.Column) { s.Records = 11 }, "records is 11"},
		{"negative rows per person", func(s *data.Schema, n, c *data.Column) { s.RowsPerPerson = -1 }, "rows-per-person is -1"},
		{"quote as delimiter", func(s *data.Schema, n, c *data.Column) { s.Delimiter = '"' }, "delimiter is"},
		{"letter as delimiter", func(s *data.Schema, n, c *data.Column) { s.Delimiter = 'x' }, "delimiter is 'x'"},
		{"line end in the name", func(s *data.Schema, n, c *data.Column) { s.Name = "a\nb" }, "name holds a control character"},
		{"line end in row", func(s *data.Schema, n, c *data.Column) { s.Row = "a\r" }, "row holds a control character"},
		{"description not UTF-8", func(s *data.Schema, n, c *data.Column) { s.Description = "\xff" }, "description holds"},
		{"mark with spaces", func(s *data.Schema, n, c *data.Column) { s.MissingMarks = []string{" NA"} }, `missing mark " NA"`},
		{"mark with a tab", func(s *data.Schema, n, c *data.Column) { s.MissingMarks = []string{"a\tb"} }, "missing mark"},
		{"no column name", func(s *data.Schema, n, c *data.Column) { n.Name = "" }, `column name "" is empty`},
		{"spaces around a name", func(s *data.Schema, n, c *data.Column) { n.Name = "a " }, "begins or ends with a space"},
		{"control character in a name", func(s *data.Schema, n, c *data.Column) { n.Name = "a\x1b[0m" }, "control character"},
		{"range as a name", func(s *data.Schema, n, c *data.Column) { n.Name = "a[0:2]" }, "form of a range"},
		{"name twice", func(s *data.Schema, n, c *data.Column) { n.Name = "c" }, `column "c" is declared twice`},
		{"target among the columns", func(s *data.Schema, n, c *data.Column) { n.Name = "y" }, `column "y" is declared twice`},
		{"no target name", func(s *data.Schema, n, c *data.Column) { s.Target.Column = "" }, "the schema has no target, want target: {column: name, levels: [...]}; add it; only dither query and data.ReadTableSchema do without one"},
		{"no feature", func(s *data.Schema, n, c *data.Column) { s.Columns = s.Columns[2:] }, "no column is declared numeric, categorical or text"},
		{"no column", func(s *data.Schema, n, c *data.Column) { s.Columns = nil }, "at least one feature"},
		{"open kind", func(s *data.Schema, n, c *data.Column) { n.Kind = 0 }, `column "n" is not declared`},
		{"unknown kind", func(s *data.Schema, n, c *data.Column) { n.Kind = 9 }, "kind is 9"},
		{"repeat left", func(s *data.Schema, n, c *data.Column) { n.Repeat = 2 }, "call Schema.Expand first"},
		{"bounds swapped", func(s *data.Schema, n, c *data.Column) { n.Lower = 20 }, "bounds are [20, 10]"},
		{"bounds equal", func(s *data.Schema, n, c *data.Column) { n.Lower = 10 }, "lower < upper"},
		{"bound infinite", func(s *data.Schema, n, c *data.Column) { n.Upper = inf }, "finite numbers"},
		{"bound NaN", func(s *data.Schema, n, c *data.Column) { n.Lower = math.NaN() }, "finite numbers"},
		{"bound beyond single precision", func(s *data.Schema, n, c *data.Column) { n.Upper = 1e39 }, "finite numbers"},
		{"bounds one in single precision", func(s *data.Schema, n, c *data.Column) { n.Lower, n.Upper, n.Bins = 1e9, 1e9+1, nil }, "apart in single precision"},
		{"bins not ascending", func(s *data.Schema, n, c *data.Column) { n.Bins = []float64{2, 2} }, "bin cut point is 2"},
		{"bin at the lower bound", func(s *data.Schema, n, c *data.Column) { n.Bins = []float64{0} }, "bin cut point is 0"},
		{"bin at the upper bound", func(s *data.Schema, n, c *data.Column) { n.Bins = []float64{10} }, "bin cut point is 10"},
		{"bin NaN", func(s *data.Schema, n, c *data.Column) { n.Bins = []float64{math.NaN()} }, "bin cut point is NaN"},
		{"numeric with levels", func(s *data.Schema, n, c *data.Column) { n.Levels = []string{"a"} }, "bounds or levels, not both"},
		{"unknown transform", func(s *data.Schema, n, c *data.Column) { n.Transform = "sqrt" }, `transform is "sqrt"`},
		{"log1p of negatives", func(s *data.Schema, n, c *data.Column) { n.Lower, n.Transform = -1, data.TransformLog1p; n.Fill = 0 }, "transform is log1p and the lower bound is -1"},
		{"fill outside", func(s *data.Schema, n, c *data.Column) { n.Fill = 11 }, "fill is 11"},
		{"fill NaN", func(s *data.Schema, n, c *data.Column) { n.Fill = math.NaN() }, "fill is NaN"},
		{"open out-of-range", func(s *data.Schema, n, c *data.Column) { n.OutOfRange = data.Undecided }, `column "n": out-of-range is left open, want one of clamp, as-missing, drop`},
		{"out-of-range zero", func(s *data.Schema, n, c *data.Column) { n.OutOfRange = data.Zero }, "out-of-range is zero, want one of clamp, as-missing, drop"},
		{"open missing, numeric", func(s *data.Schema, n, c *data.Column) { n.Missing = data.Undecided }, `column "n": missing is left open, want one of indicator, zero, drop`},
		{"missing clamp", func(s *data.Schema, n, c *data.Column) { n.Missing = data.Clamp }, "missing is clamp"},
		{"missing as missing", func(s *data.Schema, n, c *data.Column) { c.Missing = data.AsMissing }, "missing is as-missing"},
		{"open missing, levels", func(s *data.Schema, n, c *data.Column) { c.Missing = data.Undecided }, `column "c": missing is left open`},
		{"open unknown", func(s *data.Schema, n, c *data.Column) { c.Unknown = data.Undecided }, `column "c": unknown is left open, want one of other, zero, as-missing, drop`},
		{"unknown clamp", func(s *data.Schema, n, c *data.Column) { c.Unknown = data.Clamp }, "unknown is clamp"},
		{"treatment without a name", func(s *data.Schema, n, c *data.Column) { c.Unknown = 77 }, "unknown is treatment(77)"},
		{"no level", func(s *data.Schema, n, c *data.Column) { c.Levels = nil }, "no level is declared"},
		{"level twice", func(s *data.Schema, n, c *data.Column) { c.Levels = []string{"a", "a"} }, `level "a" is declared twice`},
		{"empty level", func(s *data.Schema, n, c *data.Column) { c.Levels = []string{""} }, `level "" is empty`},
		{"level with spaces", func(s *data.Schema, n, c *data.Column) { c.Levels = []string{"a "} }, "outer spaces"},
		{"level a missing mark", func(s *data.Schema, n, c *data.Column) { c.Levels = []string{"NA"} }, `level "NA" is a missing mark too`},
		{"levels with bounds", func(s *data.Schema, n, c *data.Column) { c.Upper = 1 }, "levels only"},
		{"levels with bins", func(s *data.Schema, n, c *data.Column) { c.Bins = []float64{1} }, "levels only"},
		{"levels with a transform", func(s *data.Schema, n, c *data.Column) { c.Transform = "log1p" }, "levels only"},
		{"open target", func(s *data.Schema, n, c *data.Column) { s.Target.Levels = nil }, `target "y" is not declared`},
		{"target of one level", func(s *data.Schema, n, c *data.Column) { s.Target.Levels = []string{"a"} }, "number of levels is 1"},
		{"target level twice", func(s *data.Schema, n, c *data.Column) { s.Target.Levels = []string{"a", "a"} }, "declared twice"},
		{"target level a missing mark", func(s *data.Schema, n, c *data.Column) { s.Target.Levels = []string{"a", "?"} }, "missing mark too"},
		{"target of both kinds", func(s *data.Schema, n, c *data.Column) { s.Target.Upper = 1 }, "both levels and bounds"},
		{"target bounds swapped", func(s *data.Schema, n, c *data.Column) { s.Target = data.Target{Column: "y", Lower: 2, Upper: 1} }, "bounds are [2, 1]"},
		{"threshold of three levels", func(s *data.Schema, n, c *data.Column) {
			s.Target.Threshold = &one
			s.Target.Levels = []string{"a", "b", "c"}
		}, "with above exactly 2"},
		{"threshold of a regression", func(s *data.Schema, n, c *data.Column) {
			s.Target = data.Target{Column: "y", Upper: 1, Threshold: &one}
		}, "above is declared without levels"},
		{"threshold infinite", func(s *data.Schema, n, c *data.Column) { s.Target.Threshold = &inf }, "above is not a finite number"},
		{"target not dropped", func(s *data.Schema, n, c *data.Column) { s.Target.Missing = data.Zero }, "missing is zero, want one of drop"},
		{"from-data of a stranger", func(s *data.Schema, n, c *data.Column) { s.FromData = []string{"z"} }, `from-data names "z"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := validSchema()
			c.spoil(s, &s.Columns[0], &s.Columns[1])
			err := s.Validate()
			if err == nil {
				t.Fatalf("got no error, want %q", c.words)
			}
			oneLine(t, err)
			if !strings.Contains(err.Error(), c.words) || !strings.Contains(err.Error(), "schema ") {
				t.Errorf("got %q, want %q and the word schema", err, c.words)
			}
		})
	}
}

// TestValidateAccepts holds what stands close to a refused schema.
func TestValidateAccepts(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(s *data.Schema, n, c *data.Column)
	}{
		{"records at the bound", func(s *data.Schema, n, c *data.Column) { s.Records = 10 }},
		{"delimiter tab", func(s *data.Schema, n, c *data.Column) { s.Delimiter = '\t' }},
		{"description of two lines", func(s *data.Schema, n, c *data.Column) { s.Description = "a\nb" }},
		{"log1p from zero", func(s *data.Schema, n, c *data.Column) { n.Transform = data.TransformLog1p }},
		{"fill at the bound", func(s *data.Schema, n, c *data.Column) { n.Fill = 10 }},
		{"one level", func(s *data.Schema, n, c *data.Column) { c.Levels = []string{"a"} }},
		{"default mark as a level under other marks", func(s *data.Schema, n, c *data.Column) { s.MissingMarks, c.Levels = []string{}, []string{"NA"} }},
		{"missing mark as the name of a threshold level", func(s *data.Schema, n, c *data.Column) {
			zero := 0.0
			s.Target = data.Target{Column: "y", Threshold: &zero, Levels: []string{"NA", "b"}, Missing: data.Drop}
		}},
		{"regression", func(s *data.Schema, n, c *data.Column) { s.Target = data.Target{Column: "y", Lower: -1} }},
		{"tainted", func(s *data.Schema, n, c *data.Column) { s.FromData = []string{"n", "i", "target", "max-records"} }},
	} {
		s := validSchema()
		c.change(s, &s.Columns[0], &s.Columns[1])
		if err := s.Validate(); err != nil {
			t.Errorf("%s: got error %v, want none", c.name, err)
		}
		checkRoundTrip(t, s)
	}
}

// TestExpand wants a repeated column as columns with running numbers.
func TestExpand(t *testing.T) {
	s := validSchema()
	s.Columns[0].Repeat = 3
	e, err := s.Expand()
	if err != nil || e.Validate() != nil {
		t.Fatalf("got error %v and %v, want none", err, e.Validate())
	}
	var names []string
	for _, c := range e.Columns {
		names = append(names, c.Name)
	}
	if got, want := strings.Join(names, " "), "n0 n1 n2 c i"; got != want || s.Columns[0].Repeat != 3 {
		t.Errorf("got columns %s, want %s and the schema as it was", got, want)
	}
	for _, repeat := range []int{-1, 1 << 40} {
		s.Columns[0].Repeat = repeat
		if _, err := s.Expand(); err == nil || !strings.Contains(err.Error(), `repeat of column "n"`) {
			t.Errorf("repeat %d: got error %v, want one", repeat, err)
		}
	}
}

// TestTablesToAsk takes schemas without a target, or without a further column, for tables that are asked alone.
func TestTablesToAsk(t *testing.T) {
	const head = "dither-schema: 1\nmax-records: 10\ndefaults: {missing: drop, out-of-range: clamp}\n"
	for text, words := range map[string]string{
		"columns: {salary: {numeric: [0, 9]}}\n":     "the schema has no target",
		"target: {column: salary, bounds: [0, 9]}\n": "no column is declared",
		"columns: {salary: ignore}\n":                "",
		"":                                           "",
	} {
		path := filepath.Join(t.TempDir(), "salaries.yaml")
		if err := os.WriteFile(path, []byte(head+text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := data.ReadTableSchema(path)
		if (err == nil) != (words != "") {
			t.Fatalf("%q: got %v, want a schema of a table: %v", text, err, words != "")
		}
		if _, failed := data.ReadSchema(path); failed == nil || !strings.Contains(failed.Error(), words) {
			t.Errorf("%q: got %v, want an error with %q for a table to learn from", text, failed, words)
		}
		if err != nil {
			continue
		}
		if failed := s.Validate(); failed == nil || !strings.Contains(failed.Error(), words) {
			t.Errorf("%q: got %v, want an error with %q", text, failed, words)
		}
		d, err := data.ReadFrom(t.Context(), s, "salaries.csv", strings.NewReader("salary\n4\n7\n"), data.ReadOptions{WithoutTarget: s.Target.Column == ""})
		if err != nil || d.Records() != 2 {
			t.Errorf("%q: got %v, want the two rows", text, err)
		}
		if written, failed := s.YAML(); failed != nil || strings.Contains(string(written), "target") != (s.Target.Column != "") {
			t.Errorf("%q: wrote %s, %v", text, written, failed)
		}
	}
}

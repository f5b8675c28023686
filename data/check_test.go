package data_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

const checkSchema = `dither-schema: 1
name: c
max-records: 100
target: {column: y, levels: ["no", "yes"]}
columns:
  n: {numeric: [0, 10], out-of-range: clamp, missing: zero}
  c: {levels: [a, b], unknown: other, missing: drop}
  i: ignore
`

// check runs Check on a text.
func check(t *testing.T, schema, text string) (*data.CheckReport, error) {
	t.Helper()
	return data.Check(context.Background(), mustSchema(t, schema), data.Source{Path: writeFile(t, "t.csv", text)})
}

// TestCheckCounts wants every bad cell counted, with its line and its text.
func TestCheckCounts(t *testing.T) {
	text := "i,n,c,y\n" +
		"1,5,a,no\n" + // line 2: as declared
		"2,x,a,yes\n" + // unparsable
		"3,11,z,no\n" + // out of range and unknown
		"4,-1,\"z\nz\",no\n" + // lines 5 and 6
		"5,,,yes\n" + // line 7: missing, and dropped for c
		"6,?,b,maybe\n" + // unknown target, dropped
		"7,x,b,\n" + // missing target, dropped
		"8,1e999,b, yes \n" + // infinite: missing
		"9,12,b,no\n10,13,b,no\n11,14,b,no\n12,15,b,no\n" // lines 11 to 14
	got, err := check(t, checkSchema, text)
	if err != nil {
		t.Fatal(err)
	}
	want := &data.CheckReport{Rows: 12, Dropped: 3, Columns: []data.ColumnReport{
		{Name: "n", Missing: 3, Unparsable: 2, OutOfRange: 6, FirstLines: []int{3, 4, 5, 9, 11}, Examples: []string{`"x"`, `"11"`, `"-1"`, `"12"`, `"13"`}},
		{Name: "c", Missing: 1, Unknown: 2, FirstLines: []int{4, 5}, Examples: []string{`"z"`, `"z\nz"`}},
		{Name: "y", Missing: 1, Unknown: 1, FirstLines: []int{8}, Examples: []string{`"maybe"`}},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got.Clean {
		t.Error("got clean, want not")
	}
}

// TestCheckClean says for each kind of bad cell whether a table with one is clean.
func TestCheckClean(t *testing.T) {
	for _, c := range []struct {
		name, row string
		want      bool
	}{
		{"as declared", "1,5,a,no", true},
		{"missing, treated", "1,,a,no", true},
		{"missing, dropped", "1,5,,no", false},
		{"unparsable", "1,five,a,no", false},
		{"out of range", "1,11,a,no", false},
		{"unknown", "1,5,z,no", false},
		{"missing target", "1,5,a,", false},
		{"unknown target", "1,5,a,maybe", false},
		{"ignored", planted + ",5,a,no", true},
	} {
		r, err := check(t, checkSchema, "i,n,c,y\n"+c.row+"\n")
		if err != nil || r.Clean != c.want {
			t.Errorf("%s: got %+v, error %v, want clean %v", c.name, r, err, c.want)
		}
	}
}

// TestCheckAgreesWithRead wants Check to drop what Read drops.
func TestCheckAgreesWithRead(t *testing.T) {
	text := "i,n,c,y\n1,5,a,no\n1,99,,no\n1,x,z,yes\n1,,b,\n1,5,a,nein\n1,5,b,no\n"
	r, err := check(t, checkSchema, text)
	if err != nil {
		t.Fatal(err)
	}
	d, err := readCSVText(mustSchema(t, checkSchema), text, data.ReadOptions{})
	if err != nil || d.Records() != r.Rows-r.Dropped || r.Rows != 6 {
		t.Errorf("got %d rows, %d dropped, want the %d that Read keeps of 6; error %v", r.Rows, r.Dropped, d.Records(), err)
	}
}

// TestCheckQuotesShortly wants long and strange texts cut and on one line.
func TestCheckQuotesShortly(t *testing.T) {
	r, err := check(t, checkSchema, "i,n,c,y\n1,5,"+strings.Repeat("é", 60)+",no\n1,5,\"a\x1b[2J\n\",no\n1,5,x"+strings.Repeat("é", 60)+",no\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`"` + strings.Repeat("é", 20) + `"…`, `"a\x1b[2J"`, `"x` + strings.Repeat("é", 19) + `"…`}
	if got := r.Columns[1].Examples; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCheckBound wants a table with too many rows refused, and dropped rows counted.
func TestCheckBound(t *testing.T) {
	schema := strings.Replace(checkSchema, "100", "2", 1)
	if _, err := check(t, schema, "n,c,y\n1,,no\n1,,no\n"); err != nil {
		t.Errorf("at the bound: got error %v, want none", err)
	}
	_, err := check(t, schema, "n,c,y\n1,,no\n1,,no\n1,,no\n1,,no\n")
	if err == nil || !strings.Contains(err.Error(), "line 4: the file has more rows than max-records, 2") {
		t.Errorf("past the bound: got error %v, want one at line 4", err)
	}
}

package data_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/data"
)

// Records of a program, read under a schema.
func ExampleFromStructs() {
	type person struct {
		Age    int
		Hours  *float64 `dither:"hours-per-week"`
		Town   string
		Sick   bool
		Secret string `dither:"-"`
	}
	schema, err := data.ParseSchema("people", []byte(`
dither-schema: 1
row: one person
max-records: 1000
target: {column: sick, levels: ["false", "true"]}
columns:
  age: {numeric: [0, 100], out-of-range: clamp, missing: zero}
  hours-per-week: {numeric: [0, 80], out-of-range: clamp, missing: indicator}
  town: {levels: [north, south], unknown: other, missing: zero}
`))
	if err != nil {
		panic(err)
	}
	forty := 40.0
	people := []person{{34, &forty, "south", false, "a"}, {130, nil, "west", true, "b"}}
	d, err := data.FromStructs(schema, people, data.ReadOptions{})
	if err != nil {
		panic(err)
	}
	for i := range people {
		fmt.Println(d.Row(nil, i), d.Target()[i])
	}
	// Output:
	// [34 40 1] 0
	// [100 NaN 2] 1
}

const structSchema = `
dither-schema: 1
row: one row
max-records: 50
target: {column: label, levels: ["0", "2"]}
columns:
  count: {numeric: [-5, 1e12], out-of-range: drop, missing: indicator}
  share: {numeric: [0, 1], out-of-range: as-missing, missing: zero}
  flag: {numeric: [0, 1], out-of-range: clamp, missing: zero}
  yes: {levels: ["true", "false"], unknown: zero, missing: drop}
  code: {levels: ["1", "2.5"], unknown: other, missing: indicator}
  words: {text: {buckets: 256}, missing: zero}
  person: ignore
`

type inner struct{ Person string }

type structRecord struct {
	inner
	Label  float32
	Count  int64
	Share  *float64
	Flag   bool
	Yes    *bool
	Number any `dither:"-"`
	Code   float64
	Words  string
	Else   []byte
}

// structTable is records with cells of every kind, good and bad, and the CSV file that they are to equal.
func structTable(n int) ([]structRecord, string) {
	var records []structRecord
	text := strings.Builder{}
	text.WriteString("label,count,share,flag,yes,code,words,person\n")
	for i := range n {
		share, yes := float64(i)/8, i%3 == 0
		r := structRecord{inner{fmt.Sprint("p", i%4)}, float32(2 * (i % 2)), int64(i*i*i*1e8) - 6, &share, i%5 == 0, &yes, nil, []float64{1, 2.5, 3, math.NaN()}[i%4], fmt.Sprintf("word%d other", i%7), nil}
		cells := []string{fmt.Sprint(r.Label), fmt.Sprint(r.Count), fmt.Sprint(share), "0", fmt.Sprint(yes), fmt.Sprint(r.Code), r.Words, r.Person}
		if r.Flag {
			cells[3] = "1"
		}
		if i%4 == 3 {
			cells[5] = ""
		}
		if i%7 == 2 {
			r.Share, cells[2] = nil, ""
		}
		if i%11 == 5 {
			r.Yes, cells[4] = nil, ""
		}
		records = append(records, r)
		text.WriteString(strings.Join(cells, ",") + "\n")
	}
	return records, text.String()
}

// TestFromStructsIsReadOfTheSameTable compares with the reader of files, dropped rows and texts included.
func TestFromStructsIsReadOfTheSameTable(t *testing.T) {
	schema, err := data.ParseSchema("s", []byte(structSchema))
	if err != nil {
		t.Fatal(err)
	}
	records, text := structTable(40)
	for _, o := range []data.ReadOptions{{}, {KeepDropped: true}, {Extra: []string{"person"}}, {WithoutTarget: true}} {
		got, failed := data.FromStructs(schema, records, o)
		if failed != nil {
			t.Fatal(failed)
		}
		want, failed := data.ReadFrom(context.Background(), schema, "t", strings.NewReader(text), o)
		if failed != nil {
			t.Fatal(failed)
		}
		if got.Records() != want.Records() || got.Records() >= 40 && !o.KeepDropped || !slices.Equal(got.Target(), want.Target()) {
			t.Errorf("%+v: got %d records with targets %v, want %d with %v, some dropped", o, got.Records(), got.Target(), want.Records(), want.Target())
			continue
		}
		for i := range want.Records() {
			a, b := got.Row(nil, i), want.Row(nil, i)
			same := slices.EqualFunc(a, b, func(x, y float32) bool { return x == y || x != x && y != y })
			if !same || got.Dropped(i) != want.Dropped(i) {
				t.Errorf("%+v: record %d is %v (dropped %v), want %v (%v)", o, i, a[:6], got.Dropped(i), b[:6], want.Dropped(i))
			}
		}
		if len(o.Extra) > 0 {
			codes, levels, _ := got.Group("person")
			wantCodes, wantLevels, _ := want.Group("person")
			if !slices.Equal(codes, wantCodes) || !slices.Equal(levels, wantLevels) || len(levels) != 4 {
				t.Errorf("got persons %v of %q, want %v of %q", codes, levels, wantCodes, wantLevels)
			}
		}
	}
}

func TestFromStructsRefusals(t *testing.T) {
	schema, err := data.ParseSchema("s", []byte("dither-schema: 1\nrow: one row\nmax-records: 2\ntarget: {column: y, bounds: [0, 1]}\ncolumns:\n  x: {numeric: [0, 1], out-of-range: clamp, missing: zero}\n"))
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, want)
		}
	}
	type good struct{ X, Y float64 }
	_, err = data.FromStructs(schema, make([]good, 3), data.ReadOptions{})
	check("too many", err, "raise max-records")
	_, err = data.FromStructs(schema, []int{1}, data.ReadOptions{})
	check("no struct", err, "want a struct")
	_, err = data.FromStructs(schema, []*good{{}}, data.ReadOptions{})
	check("pointers", err, "no pointer to one")
	_, err = data.FromStructs(schema, []struct{ X float64 }{}, data.ReadOptions{})
	check("no target", err, `for column "y" is 0`)
	if _, err = data.FromStructs(schema, []struct{ X, x, Y float64 }{}, data.ReadOptions{}); err != nil {
		t.Errorf("a field that is not exported counts: %v", err)
	}
	_, err = data.FromStructs(schema, []struct {
		X, Y float64
		Z    float64 `dither:"x"`
	}{}, data.ReadOptions{})
	check("two fields", err, `for column "x" is 2`)
	_, err = data.FromStructs(schema, []struct {
		X []float64
		Y float64
	}{}, data.ReadOptions{})
	check("no number", err, "type of field X")
	_, err = data.FromStructs(&data.Schema{}, []good{}, data.ReadOptions{})
	check("bad schema", err, "data:")
	type column struct {
		A float64 `dither:"x"`
	}
	number := reflect.TypeFor[float64]()
	unquoted := reflect.StructOf([]reflect.StructField{
		{Name: "A", Type: number, Tag: "dither:x"}, {Name: "Y", Type: number},
	})
	for _, c := range []struct {
		name    string
		records any
		want    string
	}{
		{"tag without quotes", reflect.MakeSlice(reflect.SliceOf(unquoted), 0, 0).Interface(), "field A with quotes"},
		{"one struct", good{}, "write []data_test.good{record} for a single record"},
		{"pointer to a slice", &[]good{}, "pass the slice"},
		{"array", [2]good{}, "records[:]"},
		{"nothing", nil, "want a slice of structs"},
		{"pointers", []*good{}, "copy the records into a []data_test.good"},
		{"field not exported", []struct{ x, Y float64 }{}, "field x of struct"},
		{"tagged field not exported", []struct {
			a float64 `dither:"x"`
			Y float64
		}{}, "capital letter"},
		{"misspelled tag", []struct {
			A float64 `dither:"X,omitempty"`
			Y float64
		}{}, `tag of field A names "X,omitempty", which is no column of the schema`},
		{"tag of another column", []struct {
			Y float64 `dither:"y"`
		}{}, "name the column in the tag of a field"},
		{"two fields", []struct {
			column
			X, Y float64
		}{}, "want 1 of A, X; give each other the tag `dither:\"-\"`"},
		{"time", []struct{ X, Y time.Time }{}, "copy its days since a fixed date"},
		{"null", []struct{ X, Y sql.NullFloat64 }{}, "copy its value"},
	} {
		_, err = data.FromSlice(schema, c.records, data.ReadOptions{})
		check(c.name, err, c.want)
	}
}

// TestFromStructsRefusesWhatIsNeverALevel gives types none of whose values is a level: every record would be
// dropped, or of an unknown level, without a word.
func TestFromStructsRefusesWhatIsNeverALevel(t *testing.T) {
	type sex uint8
	const text = "dither-schema: 1\nrow: one row\nmax-records: 2\ntarget: {column: y, levels: [%s]}\ncolumns:\n  x: {levels: [%s], unknown: other, missing: zero}\n"
	try := func(y, x string, records any) error {
		schema, err := data.ParseSchema("s", fmt.Appendf(nil, text, y, x))
		if err != nil {
			t.Fatal(err)
		}
		_, err = data.FromSlice(schema, records, data.ReadOptions{})
		return err
	}
	type numbers struct {
		X *sex
		Y float64
	}
	type flags struct{ X, Y bool }
	for _, c := range []struct {
		y, x    string
		records any
		want    string
	}{
		{`"0", "1"`, `"1", F`, []numbers{}, ""},
		{`no, yes`, `"0", "1"`, []struct{ X, Y string }{}, ""},
		{`"false", "true"`, `"true", other`, []flags{}, ""},
		{`"0", "1"`, `F, M`, []numbers{}, "field X for column \"x\" is *data_test.sex"},
		{`"false", "true"`, `"0", "1"`, []numbers{}, "field Y for column \"y\" is float64"},
		{`no, yes`, `"false", "true"`, []flags{}, `none of its levels ["no" "yes"], want a string; declare levels: ["false", "true"]`},
		{`"false", "true"`, `"0", "1"`, []flags{}, "field X for column \"x\" is bool"},
	} {
		err := try(c.y, c.x, c.records)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%T under levels %s and %s: got error %v, want %q", c.records, c.y, c.x, err, c.want)
		}
	}
}

// TestFromStructsMatchesNames takes numbers for the levels that they are, infinities for missing cells, and a tag
// before a name.
func TestFromStructsMatchesNames(t *testing.T) {
	schema, err := data.ParseSchema("s", []byte("dither-schema: 1\nrow: one row\nmax-records: 9\ntarget: {column: y, bounds: [0, 1]}\ncolumns:\n  x: {levels: [\"0.1\", \"2\"], unknown: other, missing: indicator}\n"))
	if err != nil {
		t.Fatal(err)
	}
	type record struct {
		X string  `dither:"else"`
		A float32 `dither:"x"`
		Y float64
	}
	records := []record{{A: 0.1}, {A: 2}, {A: 3}, {A: float32(math.Inf(1))}}
	d, err := data.FromStructs(schema, records, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0, 1, 2, math.NaN()} {
		if got := float64(d.Column(0)[i]); got != want && !(got != got && want != want) {
			t.Errorf("%v: got %v, want %v", records[i].A, got, want)
		}
	}
}

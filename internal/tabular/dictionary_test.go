package tabular

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/data"
)

func dictionary(t *testing.T, text string, flags Facts) (*data.Draft, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dictionary")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d := &data.Draft{Target: "y", Ignore: []string{"zip"}}
	if err := flags.Declare(d); err != nil {
		t.Fatal(err)
	}
	return d, ReadDictionary(path, d)
}

// TestReadDictionary wants the same draft from CSV and JSON, and flags before the file.
func TestReadDictionary(t *testing.T) {
	want := &data.Draft{
		Target:  "y",
		Numeric: map[string][2]float64{"age": {17, 90}, "pay": {0, 1e6}, "kids": {0, 20}}, PrivateBounds: map[string][2]float64{"debt": {0, 1e9}},
		Levels: map[string][]string{"sex": {"f", "m"}, "job": {"a, b", "c"}, "vip": {"false", "true"}, "y": {"0", "1", "2"}}, PrivateLevels: map[string]int{"town": 20},
		Text: []string{"note"}, Ignore: []string{"zip", "id"}, Dates: map[string][2]time.Time{"born": {}},
	}
	for name, text := range map[string]string{
		"CSV": "\ufeffName,description,Type,levels,range\nage,in years,integer,,17:90\npay,,number,,\"[0, 1e6]\"\nkids,,,,0..20\ndebt,,number,,private:0:1e9\n" +
			"sex,,category,f | m,\njob,,,\"\"\"a, b\"\",c\",\nvip,,boolean,,\ny,,category,0..2,\ntown,,string,private:20,\nnote,,text,,\nid,,id,,\nborn,,date,,\nopen,,number,,\nzip,,number,,0:1\n",
		"JSON": `[{"name": "age", "type": "integer", "range": [17, 90]}, {"name": "pay", "type": "number", "range": "0:1e6"}, {"name": "kids", "range": [0, 20], "unit": "children"},
			{"name": "debt", "range": "private:0:1e9"}, {"name": "sex", "levels": ["f", "m"]}, {"name": "job", "levels": ["a, b", "c"]}, {"name": "vip", "type": "bool"}, {"name": "y", "levels": [0, 1, 2]},
			{"name": "town", "levels": "private:20"}, {"name": "note", "type": "text"}, {"name": "id", "type": "ignore"}, {"name": "born", "type": "date"}, {"name": "open", "type": "number"}]`,
	} {
		got, err := dictionary(t, text, Facts{Numeric: []string{"age=17:90"}})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v\nwant %+v", name, got, err, want)
		}
	}
	want = &data.Draft{Target: "y", Numeric: map[string][2]float64{"n": {0, 9}, "k": {0, 9}, "m": {1, 2}, "x": {0, 1}}, Integer: []string{"n", "k", "m"},
		PrivateBounds: map[string][2]float64{"p": {-data.DefaultRange, data.DefaultRange}}, Levels: map[string][]string{}, PrivateLevels: map[string]int{}}
	whole, err := dictionary(t, "name,type,range\nk,int,0:9\nm,Count,1..2\nx,number,0:1\np,integer,private\nopen,integer,\n", Facts{Numeric: []string{"n=0:9:integer"}})
	if whole.Ignore = nil; err != nil || !reflect.DeepEqual(whole, want) {
		t.Errorf("integers: got %+v, %v\nwant %+v", whole, err, want)
	}
	got, err := dictionary(t, "name,range\nage,0:120\n", Facts{Numeric: []string{"age=17:90"}})
	if err != nil || got.Numeric["age"] != [2]float64{17, 90} {
		t.Errorf("got %+v, %v, want the bounds of the flag", got, err)
	}
}

// TestDictionaryFaults wants the place of a fault, and no word of the file.
func TestDictionaryFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "its header has no column name",
		"secret,1\nsecret,2\n":           "its header has no column name",
		"name,range\nsecret,secret\n":    "line 2 has a range that cannot be read",
		"name,range\nsecret,2:1\n":       "line 2 has a range that cannot be read",
		"name,levels\na,b\nsecret\n":     "line 3 is no row of CSV with 2 cells",
		"name,levels\na,\"secret\n":      "is no row of CSV",
		"name,type\na,secret\n":          "line 2 has a type that is not known",
		"name,type\n,int\n":              "line 2 has no name",
		"name\nsecret\n\nsecret\n":       "line 4 describes a column for the second time",
		"name,type,levels\na,int,secret": "line 2 has levels or a range that do not go with its type",
		"name,levels\na,private:secret":  "line 2 has levels that cannot be read",
		`[{"name": "a", "range": [1]}]`:  "entry 1 has a range that is neither",
		`[{"name": "a", "levels": {}}]`:  "entry 1 has levels that are neither",
		`[{"name": "secret"`:             "no JSON list of objects",
		`[{"range": "0:1"}]`:             "entry 1 has no name",
	} {
		_, err := dictionary(t, text, Facts{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, want %q in one line, and no word of the file", text, err, want)
		}
	}
	if err := ReadDictionary(filepath.Join(t.TempDir(), "none"), &data.Draft{}); err == nil {
		t.Error("a file that does not exist gives no error")
	}
}

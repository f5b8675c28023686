package data_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// groupedColumns has groups of few and of many texts. plainColumns has their levels without groups.
const (
	groupedColumns = `  area: {levels: [{North: [ME, "NH", VT, "1"]}, South, {West: [West]}, {East: ["2", "true"]}], unknown: other, missing: indicator}
  code: {levels: [{low: ["0", "1", "2", "3"]}, "4", {high: ["5", "6", "7", "8", "9", "false"]}], unknown: zero, missing: zero}
`
	plainColumns = `  area: {levels: [North, South, West, East], unknown: other, missing: indicator}
  code: {levels: [low, "4", high], unknown: zero, missing: zero}
`
)

// nameOf returns the level of each text of groupedColumns.
var nameOf = strings.NewReplacer("ME", "North", "NH", "North", "VT", "North", "a=1", "a=North", "a=2", "a=East", "a=true", "a=East",
	"c=0", "c=low", "c=1", "c=low", "c=2", "c=low", "c=3", "c=low", "c=5", "c=high", "c=9", "c=high", "c=false", "c=high")

// TestGroupsOfLevels wants a cell with a text of a group to be what a cell with the name of the group is, in every kind
// of table, and the name to be one of the texts.
func TestGroupsOfLevels(t *testing.T) {
	cells := []string{"a=ME,c=0", "a=NH,c=1", "a=VT,c=2", "a=1,c=3", "a=North,c=low", "a=South,c=4", "a=West,c=high", "a=2,c=5", "a=East,c=9", "a=,c=", "a=South ,c=10", "a=me,c=?", "a=true,c=false"}
	table := func(cells []string) string {
		return "area,code,y\n" + strings.NewReplacer("a=", "", "c=", "").Replace(strings.Join(cells, ",yes\n")) + ",yes\n"
	}
	var plain []string
	for _, c := range cells {
		plain = append(plain, nameOf.Replace(c))
	}
	grouped, levels := mustSchema(t, schemaStart+groupedColumns), mustSchema(t, schemaStart+plainColumns)
	want, err := readCSVText(levels, table(plain), data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := readCSVText(grouped, table(cells), data.ReadOptions{})
	if err != nil || rows(got) != rows(want) {
		t.Errorf("CSV: got %v, %v, want %v", got, err, rows(want))
	}
	json := ""
	type record struct{ Area, Code, Y string }
	var records []record
	for line := range strings.SplitSeq(strings.TrimSpace(table(cells)), "\n") {
		c := strings.Split(line, ",")
		if c[0] == "area" {
			continue
		}
		records = append(records, record{c[0], c[1], c[2]})
		number := func(cell string) string {
			if strings.Trim(cell, "0123456789") == "" && cell != "" || cell == "true" || cell == "false" {
				return cell // as a number or bool of JSON
			}
			return `"` + cell + `"`
		}
		json += `{"area": ` + number(c[0]) + `, "code": ` + number(c[1]) + `, "y": "yes"}` + "\n"
	}
	got, err = read(t, schemaStart+groupedColumns, data.Source{Path: writeFile(t, "t.jsonl", json)}, data.ReadOptions{})
	if err != nil || rows(got) != rows(want) {
		t.Errorf("JSON: got %v, %v, want %v", got, err, rows(want))
	}
	got, err = data.FromStructs(grouped, records, data.ReadOptions{})
	if err != nil || rows(got) != rows(want) {
		t.Errorf("structs: got %v, %v, want %v", got, err, rows(want))
	}
	numbers := []struct {
		Area, Code float64
		Y          string
	}{{1, 3, "yes"}, {2, 5, "yes"}, {3, 11, "yes"}}
	got, err = data.FromStructs(grouped, numbers, data.ReadOptions{})
	if err != nil || rows(got) != "[0 0] 1;[3 2] 1;[4 3] 1;" {
		t.Errorf("structs of numbers: got %v, %v", rows(got), err)
	}
	sparse := strings.Replace(schemaStart, `["no", "yes"]`, `["0", "1"]`, 1) + groupedColumns
	got, err = read(t, sparse, data.Source{Path: writeFile(t, "t.svm", "1 1:1 2:5\n0 2:9.0\n1 1:2.0\n")}, data.ReadOptions{})
	if err != nil || rows(got) != "[0 2] 1;[4 2] 0;[3 0] 1;" {
		t.Errorf("LIBSVM: got %v, %v", rows(got), err)
	}
}

// TestGroupOfOneLevel wants groups without further texts to be plain levels.
func TestGroupOfOneLevel(t *testing.T) {
	alone := mustSchema(t, schemaStart+"  area: {levels: [{North: [North]}, {South: []}, West, East], unknown: other, missing: indicator}\n"+strings.SplitAfter(plainColumns, "\n")[1])
	if want := mustSchema(t, schemaStart+plainColumns); !reflect.DeepEqual(alone, want) {
		t.Errorf("got %+v, want %+v", alone, want)
	}
}

// TestOrderedLevels wants undeclared texts to be missing where a default gives them a level, and other choices refused.
func TestOrderedLevels(t *testing.T) {
	const head = schemaStart + "  a: {levels: [s, {m: [M]}, l], ordered: true"
	s := mustSchema(t, head+"}\ndefaults: {unknown: other, missing: indicator}\n")
	d, err := readCSVText(s, "a,y\ns,no\nM,no\nl,no\nx,no\n,no\n", data.ReadOptions{})
	if err != nil || rows(d) != "[0] 0;[1] 0;[2] 0;[NaN] 0;[NaN] 0;" || s.Columns[0].Unknown != data.AsMissing || s.Columns[0].Slots() != 0 {
		t.Errorf("got %v, %v, want the positions 0, 1, 2 and two missing cells", rows(d), err)
	}
	for want, text := range map[string]string{
		"unknown is other, want one of as-missing, drop": head + ", unknown: other, missing: zero}\n",
		"levels are ordered, and 1 are declared":         schemaStart + "  a: {levels: [s], ordered: true, unknown: drop, missing: zero}\n",
		"levels are ordered, and 0 are declared":         schemaStart + "  a: {levels: private, max-levels: 3, ordered: true, unknown: other, missing: zero}\n",
	} {
		if _, err := data.ReadSchema(writeFile(t, "s.yaml", text)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "line 7") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestGroupsInGo refuses groups that do not go with the levels of a schema made in Go.
func TestGroupsInGo(t *testing.T) {
	s := mustSchema(t, schemaStart+groupedColumns)
	for want, change := range map[string]func(c *data.Column){
		"groups of texts for 3 of 4 levels": func(c *data.Column) { c.Grouped = c.Grouped[:3] },
		`level "South" is declared twice`:   func(c *data.Column) { c.Grouped = [][]string{{"South"}, nil, nil, nil} },
		`level "?" is a missing mark`:       func(c *data.Column) { c.Grouped = [][]string{{"?"}, nil, nil, nil} },
		"levels that are learned":           func(c *data.Column) { c.Learning, c.MaxLevels = data.Learned, 4 },
	} {
		faulty := *s
		faulty.Columns = append([]data.Column(nil), s.Columns...)
		change(&faulty.Columns[0])
		if err := faulty.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

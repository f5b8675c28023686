package main

import (
	"strings"
	"testing"
)

// TestDictionary drafts a whole schema from a header and a data dictionary.
func TestDictionary(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "t.csv", "id,age,sex,born,seen,left,y\n1,30,f,1990-02-28,2021-12-31 17:30:00,2020-01-01,yes\n")
	writeText(t, "columns.csv", "name,type,levels,range\nid,id,,\nage,integer,,17:90\nsex,category,f|m,\ny,category,no|yes,\nborn,date,,1900-01-01..2020-12-31\nseen,timestamp,,2020-01-01:2021-12-31\n")
	mustInvoke(t, "schema", "init", "t.csv", "--target", "y", "--dictionary", "columns.csv", "--max-records", "9", "--ignore", "left", "--out", "s.yaml")
	if got := readFile(t, "s.yaml"); strings.Contains(got, "DECLARE") || !strings.Contains(got, "age: {numeric: [17, 90], integer: true, ") || !strings.Contains(got, "id: ignore") ||
		!strings.Contains(got, "born: {date: {since: 1900-01-01, range: [0, 44194]}, ") || !strings.Contains(got, "seen: {date: {since: 2020-01-01, range: [0, 731]}, ") {
		t.Errorf("got\n%s\nwant nothing left open", got)
	}
	mustInvoke(t, "schema", "check", "s.yaml", "t.csv")
	for text, want := range map[string]string{
		`[{"name": "left", "type": "date"}]`:                                            "left: {date: {since: DECLARE, range: DECLARE}} # since: a day",
		`[{"name": "left", "type": "datetime", "range": ["1999-12-30", "1999-12-31"]}]`: "left: {date: {since: 1999-12-30, range: [0, 2]}, ",
		`[{"name": "left", "type": "date", "range": "1999-12-31..1999-12-30"}]`:         "entry 1 has a range that cannot be read, want FIRST..LAST",
		`[{"name": "left", "type": "date", "range": [0, 9]}]`:                           "entry 1 has a range that cannot be read, want FIRST..LAST",
		`[{"name": "left", "type": "date", "levels": ["2020-01-01"]}]`:                  "entry 1 has levels or a range that do not go with its type",
		`[{"name": "y", "type": "date"}, {"name": "left", "type": "time"}]`:             "left: ignore",
	} {
		writeText(t, "columns.json", text)
		_, stdout, stderr := invoke("schema", "init", "t.csv", "--target", "y", "--dictionary", "columns.json")
		if !strings.Contains(stdout+stderr, want) {
			t.Errorf("%s: got\n%s%s\nwant %q", text, stdout, stderr, want)
		}
	}
	if status, _, stderr := invoke("schema", "init", "t.csv", "--target", "y", "--dictionary", "t.csv"); status != exitUsage || !strings.Contains(stderr, "header has no column name") {
		t.Errorf("a table as dictionary: status %d, %s", status, stderr)
	}
}

package main

import (
	"strings"
	"testing"
)

// TestDictionary drafts a whole schema from a header and a data dictionary.
func TestDictionary(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "t.csv", "id,age,sex,y\n1,30,f,yes\n")
	writeText(t, "columns.csv", "name,type,levels,range\nid,id,,\nage,integer,,17:90\nsex,category,f|m,\ny,category,no|yes,\n")
	mustInvoke(t, "schema", "init", "t.csv", "--target", "y", "--dictionary", "columns.csv", "--max-records", "9", "--out", "s.yaml")
	if got := readFile(t, "s.yaml"); strings.Contains(got, "DECLARE") || !strings.Contains(got, "numeric: [17, 90]") || !strings.Contains(got, "id: ignore") {
		t.Errorf("got\n%s\nwant nothing left open", got)
	}
	mustInvoke(t, "schema", "check", "s.yaml", "t.csv")
	if status, _, stderr := invoke("schema", "init", "t.csv", "--target", "y", "--dictionary", "t.csv"); status != exitUsage || !strings.Contains(stderr, "header has no column name") {
		t.Errorf("a table as dictionary: status %d, %s", status, stderr)
	}
}

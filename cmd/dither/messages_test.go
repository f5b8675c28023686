package main

import (
	"strings"
	"testing"
)

// Messages name what the command has, and no flag or file that it has not.
func TestMessagesNameWhatThereIs(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct {
		arguments      []string
		want, unwanted string
	}{
		{[]string{"query", "count", "--data", "builtin:randhie", "--out", folder}, "want a new folder; give another --out", "--replace"},
		{[]string{"query", "correlation", "age", "education", "--data", "builtin:randhie", "--delta", "0"}, "its noise is gaussian", "want laplace"},
		{[]string{"train", "--unit", "person:nobody", "--max-records-per-person", "2"}, `"nobody", want a column that the schema names`, `schema ""`},
	} {
		status, _, stderr := invoke(c.arguments...)
		if status == 0 || !strings.Contains(stderr, c.want) || strings.Contains(stderr, c.unwanted) {
			t.Errorf("%v: status %d, %q, want %q and not %q", c.arguments, status, stderr, c.want, c.unwanted)
		}
	}
}

package release

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocNamesEveryFile holds the package comment to the files: it names each file, and no file that is not there.
func TestDocNamesEveryFile(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`[a-z_*]+\.go`).FindAllString(string(text), -1)
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return f == "doc.go" || strings.HasSuffix(f, "_test.go") })
	names := func(pattern, file string) bool { ok, _ := filepath.Match(pattern, file); return ok }
	for _, f := range files {
		if !slices.ContainsFunc(named, func(n string) bool { return names(n, f) }) {
			t.Errorf("doc.go does not name %s, want a line that says what it is for", f)
		}
	}
	for _, n := range named {
		if !slices.ContainsFunc(files, func(f string) bool { return names(n, f) }) {
			t.Errorf("doc.go names %s, want files that are there", n)
		}
	}
}

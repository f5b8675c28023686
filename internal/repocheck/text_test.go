package repocheck

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"
)

// strayText finds what a finished text does not hold. Each pattern is written so that it
// does not match itself. A text that holds none of the parts has no match, which is quicker to see.
var strayText = []struct {
	pattern *regexp.Regexp
	parts   []string
	what    string
}{
	{regexp.MustCompile(`(?:^|[^\w.~})/-])(/(?:home|root|tmp|work|Users|var/folders)/[\w.-]*)`), []string{"home/", "root/", "tmp/", "work/", "Users/", "folders/"}, "is a path of one machine, want a relative path or a placeholder"},
	{regexp.MustCompile(`\b([A-Za-z]:\\{1,2}(?:Users|Temp)\\)`), []string{`:\`}, "is a path of one machine, want a relative path or a placeholder"},
	{regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX|HA` + `CK)\b`), []string{"TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"}, "marks unfinished work, want it finished or left out"},
}

// checkText returns one problem for every stray text in the named files of a tree. Files
// that are not text are passed by.
func checkText(root fs.FS, names []string) ([]string, error) {
	var problems []string
	for _, name := range names {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return nil, err
		}
		if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			continue
		}
		for _, stray := range strayText {
			if !slices.ContainsFunc(stray.parts, func(part string) bool { return bytes.Contains(text, []byte(part)) }) {
				continue
			}
			for _, at := range stray.pattern.FindAllSubmatchIndex(text, -1) {
				line := 1 + bytes.Count(text[:at[2]], []byte("\n"))
				problems = append(problems, fmt.Sprintf("style: %s:%d: %q %s", name, line, text[at[2]:at[3]], stray.what))
			}
		}
	}
	return problems, nil
}

// repositoryFiles returns the files that belong to the repository: what git tracks or, not
// being ignored, would track; or every file outside hidden folders where there is no git.
func repositoryFiles() ([]string, error) {
	var names []string
	out, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err == nil {
		names = strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	} else {
		err := fs.WalkDir(rootFS(), ".", func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && name != "." && strings.HasPrefix(path.Base(name), ".") {
				return fs.SkipDir
			}
			names = append(names, name)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	// What git still lists may have been removed, and a submodule is a folder.
	return slices.DeleteFunc(names, func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || !info.Mode().IsRegular()
	}), nil
}

// TestStrayText holds every text file of the repository to strayText.
func TestStrayText(t *testing.T) {
	names, err := repositoryFiles()
	if err != nil {
		t.Fatalf("list the files: %v", err)
	}
	if !slices.Contains(names, "doc.go") {
		t.Fatalf("list the files: got %d names without doc.go, want the files of this folder", len(names))
	}
	problems, err := checkText(rootFS(), names)
	if err != nil {
		t.Fatalf("read the files: %v", err)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
}

// TestStrayTextFindsFaults plants machine paths and marks, and what resembles them.
func TestStrayTextFindsFaults(t *testing.T) {
	cases := []struct {
		name, text string
		want       []string
	}{
		{"home path", "a\nb = \"/" + "home/someone/x\"", []string{`a.txt:2: "/` + `home/someone" is a path`}},
		{"temporary path at the start", "/" + "tmp/x", []string{"is a path of one machine"}},
		{"two on a line", "(/" + "root/x) file:///" + "work/y, /" + "Users/z", []string{"/" + "root/x", "/" + "Users/z"}},
		{"windows path", "C:\\" + "Users\\someone", []string{"C:"}},
		{"web address", "https://example.org/" + "home/page and example.org/" + "work/", nil},
		{"relative paths", "../" + "tmp/x ./" + "work/x ~/" + "tmp/x $HOME/" + "tmp/x ${X}/" + "tmp/x $(x)/" + "tmp/", nil},
		{"other absolute paths", "/usr/bin/env /dev/null /homepage /tmpfile", nil},
		{"marks", "// TO" + "DO: x\n# FIX" + "ME\nX" + "XX HA" + "CK", []string{"a.txt:1", "a.txt:2", "a.txt:3: \"X", "a.txt:3: \"HA"}},
		{"words that hold a mark", "TO" + "DOS method MX" + "XXIX todo", nil},
		{"not text", "\x00 TO" + "DO", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root := fstest.MapFS{"a.txt": &fstest.MapFile{Data: []byte(c.text)}}
			got, err := checkText(root, []string{"a.txt"})
			if err != nil {
				t.Fatalf("check: %v", err)
			}
			expect(t, got, c.want)
		})
	}
}

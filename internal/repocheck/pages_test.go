package repocheck

import (
	"fmt"
	"go/ast"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// pageTest is the name of a test in a span of code.
var pageTest = regexp.MustCompile("`(Test[A-Z]\\w*)`")

// missingTests returns a problem for every test that a page of the root or of docs names and that is in no file of
// tests.
func missingTests(root fs.FS, sources []source) (problems []string, err error) {
	tests := map[string]bool{}
	for _, s := range sources {
		for _, d := range s.file.Decls {
			if f, is := d.(*ast.FuncDecl); is && s.test && f.Recv == nil {
				tests[f.Name.Name] = true
			}
		}
	}
	err = eachPage(root, func(name, text string) {
		for _, m := range pageTest.FindAllStringSubmatch(text, -1) {
			if !tests[m[1]] {
				problems = append(problems, fmt.Sprintf("pages: %s names %s, want a test that there is", name, m[1]))
			}
		}
	})
	return problems, err
}

// TestPagesNameTests wants each test that a page names to exist: proofs and figures point at what holds them.
func TestPagesNameTests(t *testing.T) {
	problems, err := missingTests(rootFS(), parseRepository(t).sources)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

// TestPagesNameTestsFindsFaults plants a name without a test, and what is no name of a test.
func TestPagesNameTestsFindsFaults(t *testing.T) {
	sources := planted(t, map[string]string{"a/a_test.go": "package a\n\nfunc TestOne() {}\n", "a/a.go": "package a\n\nfunc TestTwo() {}\n"}).sources
	page := "`TestOne`, `TestTwo`, `Testing` and TestThree; `-run TestFour`, `TestFive`."
	problems, err := missingTests(fstest.MapFS{"README.md": {Data: []byte(page)}, "docs/a.md": {Data: []byte(page)}}, sources)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(problems, "\n"); len(problems) != 4 || !strings.Contains(got, "README.md names TestTwo") || !strings.Contains(got, "docs/a.md names TestFive") {
		t.Errorf("got\n%s\nwant TestTwo and TestFive of both pages", got)
	}
}

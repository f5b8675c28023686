package repocheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// modulePath is the import path of the root package.
const modulePath = "github.com/ditherml/dither"

// source is one parsed Go file.
type source struct {
	path  string // slash-separated, relative to the root of the tree
	pkg   string // folder of the file, "" for the root
	test  bool   // whether the name ends in _test.go
	file  *ast.File
	lines int
}

// tree holds every Go file of a module, whatever its build constraints: a rule that
// only holds on the machine of the day is no rule.
type tree struct {
	fset    *token.FileSet
	sources []source
}

// parseTree parses every Go file under root except those in testdata, in vendor, in
// folders whose name starts with a dot or an underscore, and in nested modules.
func parseTree(root fs.FS) (*tree, error) {
	t := &tree{fset: token.NewFileSet()}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if name != "." && skipFolder(root, name) {
				return fs.SkipDir
			}
			return nil
		case path.Ext(name) == ".go":
			return t.add(root, name)
		}
		return nil
	})
	return t, err
}

// skipFolder reports whether the go tool, too, would pass by this folder.
func skipFolder(root fs.FS, name string) bool {
	base := path.Base(name)
	if base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := fs.Stat(root, path.Join(name, "go.mod"))
	return err == nil
}

// add parses one file.
func (t *tree) add(root fs.FS, name string) error {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(t.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	pkg := path.Dir(name)
	if pkg == "." {
		pkg = ""
	}
	t.sources = append(t.sources, source{
		path:  name,
		pkg:   pkg,
		test:  strings.HasSuffix(name, "_test.go"),
		file:  file,
		lines: strings.Count(string(text), "\n"),
	})
	return nil
}

// packages returns the folders that hold Go files, sorted.
func (t *tree) packages() []string {
	var names []string
	for _, s := range t.sources {
		names = append(names, s.pkg)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// at returns "file:line" of a position.
func (t *tree) at(pos token.Pos) string {
	p := t.fset.Position(pos)
	return p.Filename + ":" + strconv.Itoa(p.Line)
}

// importPath returns the path that an import names.
func importPath(spec *ast.ImportSpec) string {
	name, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value // the parser has refused such a file already
	}
	return name
}

// within returns the package of this module that an import path names, and whether it
// names one; the root package is "".
func within(imported string) (pkg string, ok bool) {
	if imported == modulePath {
		return "", true
	}
	return strings.CutPrefix(imported, modulePath+"/")
}

// standard reports whether an import path belongs to the standard library: the first
// element of any other path is a host name.
func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

// beneath reports whether pkg is folder or lies below it.
func beneath(pkg, folder string) bool {
	return pkg == folder || strings.HasPrefix(pkg, folder+"/")
}

// display names a package for a message.
func display(pkg string) string {
	if pkg == "" {
		return "the root package"
	}
	return pkg
}

// expect compares the problems that a checker found in planted sources with the
// fragments that each of them must contain, in any order.
func expect(t *testing.T, got, want []string) {
	t.Helper()
	for _, fragment := range want {
		if !slices.ContainsFunc(got, func(p string) bool { return strings.Contains(p, fragment) }) {
			t.Errorf("no problem contains %q; got %q", fragment, got)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d problems, want %d: %q", len(got), len(want), got)
	}
}

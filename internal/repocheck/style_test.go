package repocheck

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// Sizes of ordinary files and of functions in them: past look the test says so, past limit
// it fails.
const (
	fileLook, fileLimit         = 500, 800
	functionLook, functionLimit = 40, 80
)

// longKernels names the numeric kernels that may pass functionLimit, as "package.Function"
// or "package.Type.Method", each with its reason. A kernel that no longer needs its entry
// fails the test.
var longKernels = map[string]string{}

// checkPackageComments returns one problem for every package that has not exactly one
// package comment of the right beginning. A folder of test files alone needs none.
func checkPackageComments(t *tree) []string {
	var problems []string
	for _, pkg := range t.packages() {
		var comments []source
		var name, anywhere string
		for _, s := range t.sources {
			if s.pkg != pkg || s.test {
				continue
			}
			name, anywhere = s.file.Name.Name, t.at(s.file.Package)
			if strings.TrimSpace(s.file.Doc.Text()) != "" {
				comments = append(comments, s)
			}
		}
		if name == "" {
			continue
		}
		start := "Package " + name + " "
		if name == "main" {
			start = "Command " + path.Base(pkg) + " "
		}
		switch {
		case len(comments) == 0:
			problems = append(problems, fmt.Sprintf("style: %s: package %s has no package comment, want one that starts %q", anywhere, name, start))
		case !strings.HasPrefix(comments[0].file.Doc.Text(), start):
			problems = append(problems, fmt.Sprintf("style: %s: the package comment does not start %q", t.at(comments[0].file.Doc.Pos()), start))
		}
		for _, s := range comments[min(1, len(comments)):] {
			problems = append(problems, fmt.Sprintf("style: %s: package %s has a second package comment, the first is in %s; keep one", t.at(s.file.Doc.Pos()), name, comments[0].path))
		}
	}
	return problems
}

// checkDocComments returns one problem for every exported function, type, method of an
// exported type, constant and variable of a package that others can import, whose doc
// comment is missing or does not end in a full stop.
func checkDocComments(t *tree) []string {
	var problems []string
	for _, s := range t.sources {
		if s.test || slices.Contains(strings.Split(s.pkg, "/"), "internal") {
			continue
		}
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
					problems = append(problems, t.undocumented(d.Pos(), functionName(d), d.Doc)...)
				}
			case *ast.GenDecl:
				problems = append(problems, t.undocumentedSpecs(d)...)
			}
		}
	}
	return problems
}

// undocumentedSpecs checks the types, constants and variables of one declaration. In a
// group, a comment on the group speaks for every entry; otherwise each has its own, above
// it or, for constants and variables, behind it.
func (t *tree) undocumentedSpecs(d *ast.GenDecl) []string {
	var problems []string
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				problems = append(problems, t.undocumented(s.Pos(), s.Name.Name, s.Doc, d.Doc)...)
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() {
					problems = append(problems, t.undocumented(name.Pos(), name.Name, s.Doc, d.Doc, s.Comment)...)
				}
			}
		}
	}
	return problems
}

// undocumented checks the first comment that is there.
func (t *tree) undocumented(pos token.Pos, name string, comments ...*ast.CommentGroup) []string {
	for _, c := range comments {
		text := strings.TrimRight(c.Text(), "\n")
		if text == "" {
			continue
		}
		if !endsInFullStop(text) {
			return []string{fmt.Sprintf("style: %s: the doc comment of %s does not end in a full stop", t.at(pos), name)}
		}
		return nil
	}
	return []string{fmt.Sprintf("style: %s: %s is exported and has no doc comment", t.at(pos), name)}
}

// endsInFullStop reports whether a comment ends in a full stop, perhaps inside a closing
// bracket or quotation mark. A comment may also end in an indented block, which is code,
// a formula or a list.
func endsInFullStop(text string) bool {
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if strings.HasPrefix(last, "\t") || strings.HasPrefix(last, "  ") {
		return true
	}
	return strings.HasSuffix(strings.TrimRight(last, ")]\"'”’"), ".")
}

// receiver returns the name of the type that a method belongs to.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	expr := d.Recv.List[0].Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.ParenExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

// functionName returns "Function" or "Type.Method".
func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	return receiver(d) + "." + d.Name.Name
}

// checkSizes returns one problem for every ordinary file and function past its limit, and
// one remark for those past the length at which to look again. Test files, where tables
// are long, and generated files are free.
func checkSizes(t *tree, exempt map[string]string) (problems, remarks []string) {
	used := map[string]bool{}
	for _, s := range t.sources {
		if s.test || ast.IsGenerated(s.file) {
			continue
		}
		if s.lines > fileLook {
			text := fmt.Sprintf("style: %s: the file has %d lines, want at most %d and better %d; split it by idea", s.path, s.lines, fileLimit, fileLook)
			problems, remarks = sortBySize(problems, remarks, text, s.lines > fileLimit)
		}
		for _, decl := range s.file.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			lines := t.fset.Position(d.End()).Line - t.fset.Position(d.Pos()).Line + 1
			name := s.file.Name.Name + "." + functionName(d)
			if _, ok := exempt[name]; ok && lines > functionLimit {
				used[name] = true
			} else if lines > functionLook {
				text := fmt.Sprintf("style: %s: %s has %d lines, want at most %d and better %d; split it by idea", t.at(d.Pos()), functionName(d), lines, functionLimit, functionLook)
				problems, remarks = sortBySize(problems, remarks, text, lines > functionLimit)
			}
		}
	}
	for name := range exempt {
		if !used[name] {
			problems = append(problems, fmt.Sprintf("style: %s is in longKernels but there is no such function past %d lines; remove the entry", name, functionLimit))
		}
	}
	return problems, remarks
}

// sortBySize appends a text to the problems or to the remarks.
func sortBySize(problems, remarks []string, text string, problem bool) (newProblems, newRemarks []string) {
	if problem {
		return append(problems, text), remarks
	}
	return problems, append(remarks, text)
}

// TestPackageComments holds every package to one comment.
func TestPackageComments(t *testing.T) {
	for _, problem := range checkPackageComments(parseRepository(t)) {
		t.Error(problem)
	}
}

// TestDocComments holds every exported name to a doc comment.
func TestDocComments(t *testing.T) {
	for _, problem := range checkDocComments(parseRepository(t)) {
		t.Error(problem)
	}
}

// TestSizes holds files and functions to their lengths.
func TestSizes(t *testing.T) {
	problems, remarks := checkSizes(parseRepository(t), longKernels)
	for _, problem := range problems {
		t.Error(problem)
	}
	for _, remark := range remarks {
		t.Log(remark)
	}
}

// mostCommandLines bounds the ordinary files of the command: its work belongs to packages that Go programs can use.
const mostCommandLines = 4000

// TestCommandIsSmall counts the lines of the command.
func TestCommandIsSmall(t *testing.T) {
	lines := 0
	for _, s := range parseRepository(t).sources {
		if !s.test && s.pkg == "cmd/dither" {
			lines += s.lines
		}
	}
	if t.Logf("cmd/dither has %d ordinary lines", lines); lines > mostCommandLines || lines == 0 {
		t.Errorf("cmd/dither has %d ordinary lines, want 1 to %d; move what is no flag and no print into a package", lines, mostCommandLines)
	}
}

package release

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// streamFaults returns where a source keeps a stream of random words beyond a call: in a field, a variable of the package or
// a result; where it copies one; or where a function literal or a go statement uses one of the function around it. A stream
// that is kept could serve two releases, one that is copied or used elsewhere two goroutines.
func streamFaults(name string, text any) ([]string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var faults []string
	check := func(what string, within ast.Node) {
		ast.Inspect(within, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && isStream(e) {
				faults = append(faults, fmt.Sprintf("%v: %s", fset.Position(n.Pos()), what))
			}
			return true
		})
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.ValueSpec:
					check("a variable of the package holds a stream", s)
				case *ast.TypeSpec:
					if _, methods := s.Type.(*ast.InterfaceType); !methods {
						check("a type holds a stream", s)
					}
				}
			}
		case *ast.FuncDecl:
			if d.Type.Results != nil {
				check("a function returns a stream", d.Type.Results)
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if star, ok := n.(*ast.StarExpr); ok {
					if id, ok := star.X.(*ast.Ident); ok && (id.Name == "stream" || id.Name == "s" && strings.Contains(name, "choose")) {
						faults = append(faults, fmt.Sprintf("%v: a stream is copied", fset.Position(n.Pos())))
					}
				}
				return true
			})
			streams := streamsMade(d)
			ast.Inspect(d, func(n ast.Node) bool {
				switch n.(type) {
				case *ast.FuncLit, *ast.GoStmt:
					if inner := streamsMade(n); mentions(n, func(name string) bool { return streams[name] && !inner[name] }) {
						faults = append(faults, fmt.Sprintf("%v: a stream of the function around it is used", fset.Position(n.Pos())))
					}
				}
				return true
			})
		}
	}
	return faults, nil
}

// streamsMade returns the names of the streams that are made or taken as parameters somewhere within a node.
func streamsMade(within ast.Node) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(within, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, value := range n.Rhs {
				call, ok := value.(*ast.CallExpr)
				name, plain := n.Lhs[min(i, len(n.Lhs)-1)].(*ast.Ident)
				if ok && plain && isStream(call.Fun) {
					names[name.Name] = true
				}
			}
		case *ast.Field:
			if star, ok := n.Type.(*ast.StarExpr); ok && isStream(star.X) {
				for _, name := range n.Names {
					names[name.Name] = true
				}
			}
		}
		return true
	})
	return names
}

// isStream reports whether an expression is sample.Stream or sample.NewStream.
func isStream(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := s.X.(*ast.Ident)
	return ok && pkg.Name == "sample" && (s.Sel.Name == "Stream" || s.Sel.Name == "NewStream")
}

// mentions reports whether a name for which is holds occurs in a node.
func mentions(within ast.Node, is func(name string) bool) (found bool) {
	ast.Inspect(within, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && is(id.Name)
		return !found
	})
	return found
}

// TestStreamsLiveInOneCall reads the sources of the package.
func TestStreamsLiveInOneCall(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			faults, err := streamFaults(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range faults {
				t.Error(fault)
			}
		}
	}
	for name, text := range map[string]string{
		"a variable": "var noise = sample.NewStream()", "a field": "type sum struct{ noise *sample.Stream }",
		"a result": "func stream() *sample.Stream { return nil }", "a copy": "func draw() { stream := sample.NewStream(); other := *stream; _ = other }",
		"a stream for all processors": "func draw() { stream := sample.NewStream(); parallel(9, func(from, to int) { stream.Word() }) }",
		"a stream given to others":    "func draw(s *sample.Stream) { go use(s) }",
	} {
		if faults, err := streamFaults("draw.go", "package mechanism\n\n"+text); err != nil || len(faults) == 0 {
			t.Errorf("%s passes (error %v)", name, err)
		}
	}
}

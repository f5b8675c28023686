package mechanism

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
// a result; or where it copies one. A stream that is kept could serve two releases, or two goroutines.
func streamFaults(name string, text any) ([]string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var faults []string
	check := func(what string, within ast.Node) {
		ast.Inspect(within, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "sample" && (s.Sel.Name == "Stream" || s.Sel.Name == "NewStream") {
					faults = append(faults, fmt.Sprintf("%v: %s", fset.Position(n.Pos()), what))
				}
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
		}
	}
	return faults, nil
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
	} {
		if faults, err := streamFaults("draw.go", "package mechanism\n\n"+text); err != nil || len(faults) == 0 {
			t.Errorf("%s passes (error %v)", name, err)
		}
	}
}

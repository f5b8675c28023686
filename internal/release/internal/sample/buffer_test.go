package sample

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

// streamFile alone may touch the state of a stream, in these functions.
const streamFile = "stream.go"

var streamFunctions = []string{"newStream", "Word", "refill", "forget"}

// bufferFaults returns what a source does with the state of a stream beyond what it may. In streamFile the functions of
// streamFunctions may hand the buffer, or a slice of it, to what reads or clears it at once; nobody may assign, store or
// return it. Elsewhere nobody mentions it, and no function of any file is given or returns bytes.
func bufferFaults(name string, text any) ([]string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var faults []string
	fault := func(n ast.Node, what string) {
		faults = append(faults, fmt.Sprintf("%v: %s", fset.Position(n.Pos()), what))
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		mayTouch := ok && name == streamFile && slices.Contains(streamFunctions, f.Name.Name)
		used := map[ast.Node]bool{} // the mentions that are read or cleared at once
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				for _, arg := range n.Args {
					if callee := calleeOf(n); slices.Contains([]string{"len", "clear", "XORKeyStream", "Uint64"}, callee) {
						used[bufferOf(arg)] = true
					}
				}
			case *ast.SelectorExpr:
				switch state := n.Sel.Name; {
				case !slices.Contains([]string{"buffer", "next", "block"}, state):
				case !mayTouch:
					fault(n, "mentions "+state+" of a stream")
				case state == "buffer" && !used[n]:
					fault(n, "keeps the buffer")
				}
			case *ast.FuncType:
				for _, field := range append(fieldsOf(n.Params), fieldsOf(n.Results)...) {
					if array, slice := field.Type.(*ast.ArrayType); slice && array.Len == nil && isByte(array.Elt) {
						fault(field, "hands bytes from function to function")
					}
				}
			}
			return true
		})
	}
	return faults, nil
}

// calleeOf is the last name of what a call calls.
func calleeOf(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// bufferOf is the value that an expression is a slice of, or the expression.
func bufferOf(e ast.Expr) ast.Expr {
	if s, ok := e.(*ast.SliceExpr); ok {
		return s.X
	}
	return e
}

func fieldsOf(l *ast.FieldList) []*ast.Field {
	if l == nil {
		return nil
	}
	return l.List
}

func isByte(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && (name.Name == "byte" || name.Name == "uint8")
}

// TestBufferStaysInside reads the sources of the package: words leave a stream by value, in functions that are few.
func TestBufferStaysInside(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			faults, err := bufferFaults(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range faults {
				t.Error(fault)
			}
			seen++
		}
	}
	if seen < 8 {
		t.Errorf("%d sources were read, want all of the package", seen)
	}
	const head = "package sample\n\nfunc (s *Stream) "
	for name, text := range map[string]string{
		"a slice kept over a refill":  "group() { words := s.buffer[s.next:]; s.Word(); use(words) }",
		"a slice that is returned":    "Word() any { return s.buffer[8:] }",
		"the buffer that is returned": "Word() any { return s.buffer }",
		"bytes that are returned":     "ahead() (b []byte) { return b }",
		"bytes that are stored":       "Word() { s.ahead = s.buffer[s.next:] }",
		"a range over the buffer":     "Word() { for _, b := range s.buffer { use(b) } }",
	} {
		if faults, err := bufferFaults(streamFile, head+text); err != nil || len(faults) == 0 {
			t.Errorf("%s passes (error %v)", name, err)
		}
	}
	if faults, err := bufferFaults("poisson.go", head+"Word() { s.next -= 8 }"); err != nil || len(faults) == 0 {
		t.Errorf("a stream that is wound back passes (error %v)", err)
	}
}

package repocheck

import (
	"fmt"
	"go/ast"
	"slices"
)

// samplerPackage holds the noise samplers. They are integer from end to end: floating
// point has no business between the exact sum and the released integer, since its rounding
// is what lets an attacker tell one sum from another (Mironov, On significance of the least
// significant bits for differential privacy, CCS 2012).
const samplerPackage = "internal/release/internal/sample"

// checkIntegerSampler returns one problem for every exported function or method of the
// sampler package whose signature holds a floating-point type, spelled out or behind a type
// that the package declares.
func checkIntegerSampler(t *tree) []string {
	var files []source
	for _, s := range t.sources {
		if s.pkg == samplerPackage && !s.test {
			files = append(files, s)
		}
	}
	floats := floatTypes(files)
	var problems []string
	for _, s := range files {
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			if name := firstFloat(f.Type, floats); name != "" {
				problems = append(problems, fmt.Sprintf("layering: %s: the signature of %s holds %s, want integers only; noise is drawn by integer arithmetic",
					t.at(f.Pos()), f.Name.Name, name))
			}
		}
	}
	return problems
}

// floatTypes returns the names that stand for floating point in these files: the
// predeclared ones, and every declared type that contains such a name, directly or not.
func floatTypes(files []source) []string {
	names := []string{"float32", "float64", "complex64", "complex128"}
	for grown := true; grown; {
		grown = false
		for _, s := range files {
			ast.Inspect(s.file, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if ok && !slices.Contains(names, spec.Name.Name) && firstFloat(spec, names) != "" {
					names = append(names, spec.Name.Name)
					grown = true
				}
				return true
			})
		}
	}
	return names
}

// firstFloat returns the first of the names, or big.Float, that occurs as a type in a
// node, or "". Names of fields and parameters are not types and do not count.
func firstFloat(node ast.Node, names []string) (found string) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			found = first(found, firstFloat(n.Type, names))
			return false
		case *ast.TypeSpec:
			if n.TypeParams != nil {
				found = first(found, firstFloat(n.TypeParams, names))
			}
			found = first(found, firstFloat(n.Type, names))
			return false
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "big" && n.Sel.Name == "Float" {
				found = first(found, "big.Float")
			}
			return false
		case *ast.Ident:
			if slices.Contains(names, n.Name) {
				found = first(found, n.Name)
			}
		}
		return true
	})
	return found
}

// first returns a unless it is empty, else b.
func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

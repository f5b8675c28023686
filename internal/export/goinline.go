package export

import (
	_ "embed" // for the files of package predict
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"sync"
)

// These are the files of package predict, whose declarations are parts of Go files.
var (
	//go:embed predict/predict.go
	predictSource string
	//go:embed predict/elementary.go
	elementarySource string
	//go:embed predict/number.go
	numberSource string
	//go:embed predict/moment.go
	momentSource string
)

// declaration is the source of a declaration with its comment.
type declaration struct {
	source string
	// names are what it declares, or the type of a method.
	names []string
	uses  []string
}

// declarations returns the declarations of package predict, in order.
var declarations = sync.OnceValue(func() (all []declaration) {
	for _, source := range []string{predictSource, elementarySource, numberSource, momentSource} {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, "", source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			panic(err) // but the file was compiled
		}
		for _, d := range file.Decls {
			begin := d.Pos()
			if comment := commentOf(d); comment != nil {
				begin = comment.Pos()
			}
			at := func(p token.Pos) int { return files.Position(p).Offset }
			all = append(all, declaration{source[at(begin):at(d.End())], declared(d), used(d)})
		}
	}
	return all
})

func commentOf(d ast.Decl) *ast.CommentGroup {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}

// declared returns what a declaration declares, or the type of a method.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			return used(d.Recv.List[0].Type)
		}
		return []string{d.Name.Name}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// used returns the names in a piece of source, apart from names of fields and methods.
func used(n ast.Node) (names []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			names = append(names, used(n.X)...)
			return false
		case *ast.Field:
			names = append(names, used(n.Type)...)
			return false
		case *ast.Ident:
			names = append(names, n.Name)
		}
		return true
	})
	return names
}

// inlined returns the declarations of package predict that a Go file needs. The names asked for are needed too.
func inlined(source string, asked ...string) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	needed, waiting := map[string]bool{}, asked
	for _, d := range file.Decls {
		waiting = append(waiting, used(d)...)
	}
	taken := make([]bool, len(declarations()))
	for len(waiting) > 0 {
		name := waiting[0]
		if waiting = waiting[1:]; needed[name] {
			continue
		}
		needed[name] = true
		for i, d := range declarations() {
			for _, own := range d.names {
				if own == name && !taken[i] {
					taken[i], waiting = true, append(waiting, d.uses...)
				}
			}
		}
	}
	var b strings.Builder
	for i, d := range declarations() {
		if taken[i] {
			b.WriteString("\n" + d.source + "\n")
		}
	}
	return b.String(), nil
}

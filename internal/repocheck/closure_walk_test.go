package repocheck

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"strings"
	"sync"
)

// checkedTree is the type-checked packages of this module that internal/release imports.
type checkedTree struct {
	fset     *token.FileSet
	info     *types.Info
	packages map[string]*types.Package
	decls    map[types.Object]ast.Node // FuncDecl, TypeSpec or ValueSpec
	files    map[string][]*ast.File
	std      types.Importer
	named    []*types.Named
	faults   []error
}

var checkTree = sync.OnceValues(func() (*checkedTree, error) {
	t := &checkedTree{fset: token.NewFileSet(), packages: map[string]*types.Package{}, decls: map[types.Object]ast.Node{}, files: map[string][]*ast.File{},
		info: &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}}
	source, err := parsedRepository()
	if err != nil {
		return nil, err
	}
	platform := build.Default
	platform.GOOS, platform.GOARCH, platform.CgoEnabled, platform.BuildTags = "linux", "amd64", false, nil
	t.fset = source.fset
	for _, s := range source.sources {
		if match, matchErr := platform.MatchFile(path.Dir(s.path), path.Base(s.path)); matchErr == nil && match && !s.test {
			t.files[s.pkg] = append(t.files[s.pkg], s.file)
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output() // -trimpath takes it away
	if err != nil {
		return nil, err
	}
	build.Default.GOROOT = strings.TrimSpace(string(root))
	t.std = importer.ForCompiler(token.NewFileSet(), "source", nil)
	if _, err = t.Import(modulePath + "/internal/release"); err != nil {
		return nil, err
	}
	return t, nil
})

// Import type-checks a package of this module, or returns that of another.
func (t *checkedTree) Import(name string) (*types.Package, error) {
	pkg, ours := within(name)
	switch {
	case name == "unsafe":
		return types.Unsafe, nil
	case !standard(name) && !ours: // golang.org/x/sys: no name of it is one of ours
		return types.NewPackage(name, path.Base(name)), nil
	case !ours:
		return t.std.Import(name)
	case t.packages[pkg] != nil:
		return t.packages[pkg], nil
	}
	c := types.Config{Importer: t, Sizes: types.SizesFor("gc", "amd64"), Error: func(err error) { t.faults = append(t.faults, err) }}
	out, _ := c.Check(name, t.fset, t.files[pkg], t.info) // errors are in faults
	t.packages[pkg] = out
	for _, file := range t.files[pkg] {
		for _, decl := range file.Decls {
			t.declare(decl)
		}
	}
	for _, each := range out.Scope().Names() {
		if n, ok := out.Scope().Lookup(each).Type().(*types.Named); ok && !types.IsInterface(n) {
			t.named = append(t.named, n)
		}
	}
	return out, nil
}

func (t *checkedTree) declare(decl ast.Decl) {
	if f, ok := decl.(*ast.FuncDecl); ok {
		t.decls[t.info.Defs[f.Name]] = f
		return
	}
	for _, spec := range decl.(*ast.GenDecl).Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			t.decls[t.info.Defs[s.Name]] = s
		case *ast.ValueSpec:
			for _, name := range s.Names {
				t.decls[t.info.Defs[name]] = s
			}
		}
	}
}

// nameOf returns package.Function or package.Type.Method.
func nameOf(o types.Object) string {
	pkg, _ := within(o.Pkg().Path())
	if f, ok := o.(*types.Func); ok {
		if recv := f.Signature().Recv(); recv != nil {
			return pkg + "." + typeName(recv.Type()) + "." + o.Name()
		}
	}
	return pkg + "." + o.Name()
}

func typeName(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return "?"
}

// coreWalk is the walk over all parts, one after the other.
type coreWalk struct {
	*checkedTree
	part    map[ast.Node]string
	checked map[string]bool // of checkedCode, what was met
	later   map[string]bool // names of types and functions that are roots of a later part
	apart   map[string]bool // of these, what the first part may not call
	called  []string        // what it calls all the same
	queue   []types.Object
	now     string // the part that is walked
}

// reach notes that a declaration is needed.
func (w *coreWalk) reach(o types.Object) {
	switch f := o.(type) {
	case *types.Func:
		o = f.Origin()
	case *types.Var:
		o = f.Origin()
	}
	node := w.decls[o]
	if node == nil || w.part[node] != "" {
		return
	}
	name := nameOf(o)
	if pkg, _ := within(o.Pkg().Path()); afterRelease[pkg] != "" {
		return
	}
	if checkedCode[name] != "" {
		w.checked[name] = true
		return
	}
	if ofType := name[:strings.LastIndex(name, ".")]; w.later[name] || w.later[ofType] {
		if _, function := o.(*types.Func); function && w.now == coreParts[0].name && (w.apart[name] || w.apart[ofType]) {
			w.called = append(w.called, name)
		}
		return // its own part reaches it
	}
	w.part[node] = "?"
	w.queue = append(w.queue, o)
}

// walk reaches everything from what is in the queue, for a part.
func (w *coreWalk) walk(part string) {
	for len(w.queue) > 0 {
		o := w.queue[0]
		w.queue = w.queue[1:]
		node := w.decls[o]
		w.part[node] = part
		if pkg, _ := within(o.Pkg().Path()); beneath(pkg, "internal/release/internal/sample") {
			w.part[node] = samplersPart
		}
		ast.Inspect(node, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if used := w.info.Uses[id]; used != nil {
					w.use(used)
				}
			}
			return true
		})
	}
}

// use reaches what a name stands for: where that is a method of an interface, those of all types that have it.
func (w *coreWalk) use(o types.Object) {
	f, method := o.(*types.Func)
	if !method || f.Signature().Recv() == nil || !types.IsInterface(f.Signature().Recv().Type()) {
		w.reach(o)
		return
	}
	face, ok := f.Signature().Recv().Type().Underlying().(*types.Interface)
	if _, ours := within(pathOf(f)); !ok || !ours || checkedCode[nameOf(f)] != "" {
		if ok && ours {
			w.checked[nameOf(f)] = true
		}
		return
	}
	for _, n := range w.named {
		if w.later[nameOf(n.Obj())] || !w.has(n, face) {
			continue
		}
		if m, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), true, f.Pkg(), f.Name()); m != nil {
			w.reach(n.Obj())
			w.reach(m)
		}
	}
}

// has reports whether a type, or its pointer, has the methods of an interface, by their names where it is generic.
func (w *coreWalk) has(n *types.Named, face *types.Interface) bool {
	if n.TypeParams().Len() == 0 {
		return types.Implements(types.NewPointer(n), face)
	}
	for m := range face.Methods() {
		if found, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), true, m.Pkg(), m.Name()); found == nil {
			return false
		}
	}
	return true
}

func pathOf(o types.Object) string {
	if o.Pkg() == nil {
		return ""
	}
	return o.Pkg().Path()
}

// start puts a root in the queue, with the methods of a type or without, and reports whether there is one.
func (w *coreWalk) start(root string, methods bool) bool {
	found := false
	for o := range w.decls {
		if o == nil || o.Name() == "_" {
			continue
		}
		name := nameOf(o)
		if name == root || methods && strings.HasPrefix(name, root+".") {
			found = true
			w.reach(o)
		}
	}
	return found
}

// codeLines returns the numbers of the lines of a declaration that hold code.
func (w *coreWalk) codeLines(node ast.Node, text map[string][]byte) (file string, lines map[int]bool, err error) {
	from, to := w.fset.Position(node.Pos()), w.fset.Position(node.End())
	if text[from.Filename] == nil {
		if text[from.Filename], err = os.ReadFile(from.Filename); err != nil {
			return "", nil, err
		}
	}
	part := text[from.Filename][from.Offset:to.Offset]
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(part))
	var s scanner.Scanner
	s.Init(f, part, nil, 0)
	lines = map[int]bool{}
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			return from.Filename, lines, nil
		}
		if kind != token.SEMICOLON || literal == ";" {
			lines[from.Line+f.Line(pos)-1] = true
		}
	}
}

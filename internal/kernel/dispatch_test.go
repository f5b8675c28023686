package kernel

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"math/bits"
	"strings"
	"testing"
)

// levelSet is a set of levels, a bit each.
type levelSet uint8

const allLevels = levelSet(1<<(avx512VNNI+1) - 1)

// lowest returns the lowest level of a set, the best there is of none.
func (s levelSet) lowest() instructions {
	return min(instructions(bits.TrailingZeros8(uint8(s))), avx512VNNI)
}

// from returns the levels from one on.
func (l instructions) from() levelSet { return allLevels &^ (1<<l - 1) }

// ensuring are functions of which a result that is neither 0 nor false says that the level holds, and a field for which
// that is what a value other than nil says. TestResultsThatEnsureALevel calls them at each level.
var ensuring = map[string]instructions{"recordsOf": avx512, "vectorEntries": avx2, "mostLimbRows": avx512VNNI, "newWholeProduct": avx2, "panels": avx512VNNI}

// dispatch is what the source says of calls: the level that each function needs of its callers, and for what.
type dispatch struct {
	types.Info
	function *types.Func
	needs    map[*types.Func]instructions
	why      map[*types.Func]*types.Func // nil: a constant
	ensured  map[types.Object]instructions
	changed  bool
	faults   []string
}

// want says that something needs a level, where the source has ensured some levels.
func (d *dispatch) want(held levelSet, level instructions, thing *types.Func) {
	if held.lowest() < level && d.needs[d.function] < level {
		d.needs[d.function], d.why[d.function], d.changed = level, thing, true
	}
}

// fault notes that the source breaks a rule.
func (d *dispatch) fault(text string) { d.faults = append(d.faults, d.function.Name()+": "+text) }

// where returns the levels at which a condition can have a truth.
func (d *dispatch) where(e ast.Expr, truth bool) levelSet {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return d.where(e.X, truth)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return d.where(e.X, !truth)
		}
	case *ast.Ident:
		if truth {
			return d.ensured[d.Uses[e]].from()
		}
	case *ast.BinaryExpr:
		if e.Op != token.LAND && e.Op != token.LOR {
			return d.compared(e, truth)
		}
		if a, b := d.where(e.X, truth), d.where(e.Y, truth); (e.Op == token.LAND) == truth {
			return a & b
		} else {
			return a | b
		}
	}
	return allLevels
}

// compared returns the levels at which a comparison can have a truth.
func (d *dispatch) compared(e *ast.BinaryExpr, truth bool) (held levelSet) {
	if level, known := d.constant(e.Y); known {
		if level >= avx512 && e.Op != token.GEQ && e.Op != token.LSS {
			d.fault("compares a level by " + e.Op.String() + " with " + level.String() + ", want >= or <, which hold at the levels above alike")
		}
		for l := portable; l <= avx512VNNI; l++ {
			holds := map[token.Token]bool{token.EQL: l == level, token.NEQ: l != level, token.LSS: l < level, token.LEQ: l <= level,
				token.GTR: l > level, token.GEQ: l >= level}[e.Op]
			if holds == truth {
				held |= 1 << l
			}
		}
		return held
	}
	level := portable
	switch x := e.X.(type) {
	case *ast.Ident:
		level = d.ensured[d.Uses[x]]
	case *ast.SelectorExpr:
		level = ensuring[x.Sel.Name]
	}
	if zero := types.ExprString(e.Y); zero != "0" && zero != "nil" {
		return allLevels
	}
	if (e.Op == token.EQL) != truth && (e.Op == token.EQL || truth && (e.Op == token.GTR || e.Op == token.NEQ)) {
		return level.from()
	}
	return allLevels
}

// constant returns the level that an expression is, if it is a constant level.
func (d *dispatch) constant(e ast.Expr) (level instructions, known bool) {
	if !d.isLevel(e) || d.Types[e].Value == nil {
		return 0, false
	}
	value, _ := constant.Uint64Val(d.Types[e].Value)
	return instructions(value), true
}

// isLevel reports whether an expression is a level.
func (d *dispatch) isLevel(e ast.Expr) bool {
	named, is := d.TypeOf(e).(*types.Named)
	return is && named.Obj().Name() == "instructions"
}

// ensure notes variables that are set to results that ensure a level.
func (d *dispatch) ensure(s *ast.AssignStmt) {
	for i, left := range s.Lhs {
		call, is := s.Rhs[min(i, len(s.Rhs)-1)].(*ast.CallExpr)
		name, variable := left.(*ast.Ident)
		if is && variable {
			if level := ensuring[strings.SplitN(types.ExprString(call.Fun), "[", 2)[0]]; level > portable {
				d.ensured[d.ObjectOf(name)] = level
			}
		}
	}
}

// block goes through statements, and returns the levels that are left behind them: none where they end otherwise.
func (d *dispatch) block(list []ast.Stmt, held levelSet) levelSet {
	for _, s := range list {
		held = d.statement(s, held)
	}
	return held
}

func (d *dispatch) statement(s ast.Stmt, held levelSet) levelSet {
	switch s := s.(type) {
	case nil:
	case *ast.BlockStmt:
		return d.block(s.List, held)
	case *ast.IfStmt:
		held = d.statement(s.Init, held)
		d.mentions(s.Cond, held)
		then := d.block(s.Body.List, held&d.where(s.Cond, true))
		otherwise := held & d.where(s.Cond, false)
		if s.Else != nil {
			otherwise = d.statement(s.Else, otherwise)
		}
		return then | otherwise
	case *ast.SwitchStmt:
		return d.choice(s, d.statement(s.Init, held))
	case *ast.TypeSwitchStmt:
		for _, c := range s.Body.List {
			d.block(c.(*ast.CaseClause).Body, held)
		}
	case *ast.ForStmt:
		d.statement(s.Init, held)
		if s.Cond != nil {
			d.mentions(s.Cond, held)
		}
		d.statement(s.Post, held)
		d.block(s.Body.List, held)
	case *ast.RangeStmt:
		d.mentions(s.X, held)
		d.block(s.Body.List, held)
	case *ast.ReturnStmt, *ast.BranchStmt:
		d.mentions(s, held)
		return 0
	default:
		d.mentions(s, held)
	}
	return held
}

// choice goes through a switch.
func (d *dispatch) choice(s *ast.SwitchStmt, held levelSet) (left levelSet) {
	rest := held
	var otherwise *ast.CaseClause
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		if c.List == nil {
			otherwise = c
			continue
		}
		here, beyond := levelSet(0), rest
		for _, e := range c.List {
			if s.Tag == nil {
				d.mentions(e, rest)
				here, beyond = here|rest&d.where(e, true), beyond&d.where(e, false)
			} else if level, known := d.constant(e); known {
				here, beyond = here|rest&(1<<level), beyond&^(1<<level)
			} else {
				here = rest
			}
		}
		if s.Tag != nil && d.isLevel(s.Tag) && here&(1<<avx512) != 0 && here&(1<<avx512VNNI) == 0 {
			d.fault("a case of avx512 is none of avx512VNNI")
		}
		left, rest = left|d.block(c.Body, here), beyond
	}
	if otherwise != nil {
		return left | d.block(otherwise.Body, rest)
	}
	return left | rest
}

// mentions looks for functions that need a level, and for levels that are given away, where some levels are ensured.
func (d *dispatch) mentions(n ast.Node, held levelSet) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			d.ensure(n)
		case *ast.FuncLit:
			d.block(n.Body.List, held)
			return false
		case *ast.CallExpr:
			for _, argument := range n.Args {
				level, _ := d.constant(argument)
				d.want(held, level, nil)
			}
		case *ast.Ident:
			if f, is := d.Uses[n].(*types.Func); is {
				d.want(held, d.needs[f.Origin()], f.Origin())
			}
		}
		return true
	})
}

// path returns what a function needs its level for, and what that does, down to a kernel.
func (d *dispatch) path(f *types.Func) string {
	why, further := d.why[f]
	switch {
	case !further:
		return ""
	case why == nil:
		return " for a constant"
	}
	return " for " + why.Name() + d.path(why)
}

// emptyImporter imports packages without what they hold: levels are in this one.
type emptyImporter struct{}

func (emptyImporter) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := types.NewPackage(path, path[strings.LastIndex(path, "/")+1:])
	p.MarkComplete()
	return p, nil
}

// readDispatch goes through the functions of files until no level changes. Those without a body are of assembly, and need
// the level of their name.
func readDispatch(set *token.FileSet, files []*ast.File) *dispatch {
	d := &dispatch{needs: map[*types.Func]instructions{}, why: map[*types.Func]*types.Func{}, ensured: map[types.Object]instructions{},
		Info: types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}}
	config := types.Config{Importer: emptyImporter{}, Error: func(error) {}}
	config.Check("kernel", set, files, &d.Info) // what the other packages have is unknown
	var bodies []*ast.FuncDecl
	for _, file := range files {
		for _, declaration := range file.Decls {
			if f, is := declaration.(*ast.FuncDecl); is && f.Body != nil {
				bodies = append(bodies, f)
			} else if is {
				d.needs[d.Defs[f.Name].(*types.Func)] = levelOfFunction(f.Name.Name)
			}
		}
	}
	for d.changed = true; d.changed; {
		d.changed, d.faults = false, nil
		for _, f := range bodies {
			d.function = d.Defs[f.Name].(*types.Func)
			d.block(f.Body.List, allLevels)
		}
	}
	for f, level := range d.needs {
		if d.why[f] != nil && f.Exported() {
			d.faults = append(d.faults, fmt.Sprintf("%s needs level %v%s", f.Name(), level, d.path(f)))
		}
	}
	return d
}

// TestKernelsAreCalledAtTheirLevel reads the source of the package for amd64, whatever the processor is that runs the test:
// every function of assembly is called behind comparisons that hold at its level and above only, those of the callers
// included.
func TestKernelsAreCalledAtTheirLevel(t *testing.T) {
	context := build.Default
	context.GOOS, context.GOARCH, context.BuildTags = "linux", "amd64", nil
	p, err := context.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	set, files := token.NewFileSet(), []*ast.File(nil)
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	d := readDispatch(set, files)
	for _, fault := range d.faults {
		t.Error(fault)
	}
	kernels := map[instructions]int{}
	for f, level := range d.needs {
		if _, calls := d.why[f]; !calls {
			kernels[level]++
		}
	}
	for level, least := range map[instructions]int{avx2: 30, avx512: 30, avx512VNNI: 10} {
		if kernels[level] < least {
			t.Errorf("level %v: %d kernels are declared, want at least %d", level, kernels[level], least)
		}
	}
}

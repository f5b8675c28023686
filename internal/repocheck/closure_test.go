package repocheck

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// The trusted core is what a reviewer of the guarantee must read: the declarations of this module that can be reached
// from the functions which make a release.Bounded or a release.Noisy. Code whose result is checked at run time ends
// the walk. So do the ways on which rows come to a sum: outside names the check of each. So does code that computes
// from released numbers alone: see afterRelease.
//
// Nothing checks which record a row is made of. A row of one record at the places of two would
// count twice, and so the code that makes rows, writes files of them and opens these is counted.
//
// The walk follows names by their types. A method that is called through an interface reaches every type of the walked
// packages that has the interface. Methods that the standard library alone calls, such as String, are not followed.
// Files are those of linux/amd64. Assembly counts as the line that declares it.

// corePart is a part of the core with a size of its own. A declaration belongs to the first part that reaches it.
type corePart struct {
	name  string
	most  int      // lines of code
	roots []string // package.Function, package.Type.Method, or package.Type for all methods of a type
	types []string // types that this part has, which others may hold
	apart bool     // sums and release run without it: they call it through an interface or a function value alone
}

// samplersPart holds what stands in internal/release/internal/sample, whoever reaches it, without tables.
const samplersPart = "samplers"

// maxCore is the largest size of all parts together.
const maxCore = 6616

// maxSamplers is the largest size of samplersPart.
const maxSamplers = 523

// eventTypes are prices: a release makes an event of them, and package account reads it.
var eventTypes = []string{"mechanism.NonPrivate", "mechanism.Repeat", "mechanism.Sequence", "mechanism.RandomAllocation", "mechanism.WithReplacement",
	"mechanism.TruncatedPoisson", "mechanism.AdaptiveClipping", "mechanism.MixtureOfGaussians", "mechanism.RandomizedResponse", "mechanism.Exponential",
	"mechanism.PermuteAndFlip", "mechanism.AssumedDP", "mechanism.AssumedZCDP", "mechanism.AssumedXiZCDP", "mechanism.Parallel", "mechanism.PoissonSampled",
	"mechanism.WithoutReplacement", "mechanism.Partition", "mechanism.LastIterate", "mechanism.LastIterateConvex", "mechanism.TreeAggregation",
	"mechanism.BandedMatrix", "mechanism.ObjectivePerturbation", "mechanism.RepeatAndSelect",
	"mechanism.Gaussian.String", "mechanism.Gaussian.noise", "mechanism.Gaussian.unproved"}

var coreParts = []corePart{
	{name: "sums and release", most: 948, types: []string{"mechanism.Gaussian", "internal/release.plain"}, roots: []string{"internal/release.NewSum", "internal/release.Sum", "internal/release.Release",
		"internal/release.Draw", "internal/release.Rows.enterRow", "internal/release.newOrigin", "internal/release.origin", "internal/release.newEntered", "internal/release.Noisy"}},
	{name: "standardized rows", most: 207, apart: true, types: []string{"internal/release.frame", "internal/release.measures"},
		roots: []string{"internal/release.framedRows", "internal/release.Rows.begin"}},
	{name: "groups", most: 117, apart: true, roots: []string{"internal/release.NewGroup", "internal/release.Group"}},
	{name: "sums of several processes", most: 235, apart: true, roots: []string{"internal/release.Connect", "internal/release.DrawFor", "internal/release.Communicator", "internal/release.sharedPayer"}},
	{name: "joint sums", most: 20, apart: true, roots: []string{"internal/release.Join", "internal/release.JointSum"}},
	{name: "partitions", most: 118, apart: true, roots: []string{"internal/release.DrawParts", "internal/release.partsOf", "internal/release.divide", "internal/release.rounds", "internal/release.FixedSize", "internal/release.PoissonUpTo", "internal/release.Sample.Divide"}},
	{name: "rows in files", most: 331, apart: true, types: []string{"internal/rows.File", "internal/release.rowsFile", "internal/release.blockMemory", "internal/rows.Memory", "internal/rows.Storage", "internal/release.storage"}, roots: []string{"internal/release.Rows.enterFile", "internal/release.plain.measure", "internal/release.Rows.gather",
		"internal/rows.dense.Read", "internal/rows.bitRows.Read", "internal/rows.sparseRows.Read"}},
	{name: "rows that are filled", most: 66, apart: true, roots: []string{"internal/release.filler"}},
	{name: "whitened rows", most: 160, apart: true, roots: []string{"internal/release.whitener", "internal/release.frame.whiten",
		"internal/release.frame.explainsWhitened", "internal/release.frame.squareWhitened"}},
	{name: "vector norms", most: 338, roots: []string{"internal/release.NewVectorSum", "internal/release.VectorSum", "internal/release.Norm", "internal/release.fitKNorm", "internal/release.discreteGrid", "internal/release.drawDiscreteGaussian", "internal/release.drawDiscreteLaplace", "mechanism.KNorm", "mechanism.Laplace", "mechanism.DiscreteGaussian", "mechanism.DiscreteLaplace"}},
	{name: "second moments", most: 250, roots: []string{"internal/release.SumProducts", "internal/release.SecondMoment", "internal/release.SecondMomentOf"}},
	{name: "sums of products", most: 340, roots: []string{"internal/release.NewProductSum", "internal/release.ProductSum", "internal/release.productPart.formSparse"}},
	{name: "projections", most: 192, roots: []string{"internal/release.fitProjected", "internal/release.NewProjectedSum", "internal/release.ProjectedSum", "mechanism.JLClipping"}},
	{name: "series", most: 337, roots: []string{"internal/release.OpenSeries", "internal/release.Series", "internal/release.seriesNoise", "internal/release.seriesPart", "internal/release.banded", "internal/release.tree"}},
	{name: "last iterate", most: 414, roots: []string{"internal/release.RunRecursion", "internal/release.Recursion"}},
	{name: "objective", most: 637, roots: []string{"internal/release.SolveObjective", "internal/release.Problem.Minimize", "internal/release.point.seal", "internal/release.GradientDescent", "internal/release.PermutedDescent"}},
	{name: "Newton's step", most: 112, roots: []string{"internal/release.NewtonStep"}},
	{name: "choices", most: 496, roots: []string{"internal/release.Choose", "internal/release.NewRowsWithMax", "internal/release.NewScoreSum", "internal/release.ScoreSum", "internal/release.NewLosses", "internal/release.Losses", "internal/release.NewRanks", "internal/release.Ranks",
		"internal/release.NewPartitionSelection", "internal/release.PartitionSelection"}},
	{name: "events", most: 417, roots: eventTypes},
	{name: "rows from records", most: 114, roots: []string{"internal/release.NewRows", "internal/release.NewWholeRows", "internal/release.NewSparseRows", "internal/release.Rows.Standardized"}},
	{name: "rows from files", most: 253, roots: []string{"internal/release.NewRowsWriter", "internal/release.RowsWriter", "internal/release.OpenRows", "internal/release.ReadRows"}},
}

// checkedCode ends the walk: the check that is named notices where its result is not what it is to be.
var checkedCode = map[string]string{
	"internal/release.adder.round":           "Sum.admit; that the integers of a record depend on its own proposal is sampled (rowAdder.again), but else trusted",
	"internal/release.adder.add":             "Sum.agrees",
	"internal/release.adder.take":            "Sum.agrees",
	"internal/release.adder.values":          "Sum.agrees, which reads the final sum with its centers and intercepts",
	"internal/release.newAdder":              "as the methods of adder",
	"internal/release.newRowAdder":           "as newAdder",
	"internal/release.rowAdder":              "as adder",
	"internal/rows.Sum":                      "Sum.agrees and ScoreSum.agrees",
	"internal/release.newWholeSum":           "as rows.Sum",
	"internal/rows.Sum.Add":                  "Sum.agrees",
	"internal/rows.Sum.AddColumns":           "Sum.agrees",
	"internal/rows.Sum.Flush":                "Sum.agrees",
	"internal/rows.Sum.Take":                 "Sum.agrees and ScoreSum.agrees",
	"internal/release.rowAdder.roundBlock":   "as adder.round",
	"internal/release.scales":                "as adder.round",
	"internal/release.Rows.alike":            "Sum.check and Sum.ofKind compare what n2 and h count in; the rest is what numbers stand for",
	"internal/release.Rows.enough":           "newGrid: each scale keeps its bound; that it follows from public numbers stays trusted",
	"internal/release.frame.centered":        "Sum.agrees, which reads the sums that it returns",
	"internal/release.integers.Read":         "enterRow and framedRows.adds: the row is the one that entered at its place",
	"internal/rows.Storage.Put":              "as integers.Read",
	"internal/rows.New":                      "as integers.Read",
	"internal/release.Rows.loadFile":         "Sum.agrees: rows of a file are for sums alone, and entered when it was opened",
	"internal/release.Rows.eachOfFile":       "as Rows.loadFile",
	"internal/rows.Append":                   "as integers.Read",
	"internal/rows.Join":                     "as integers.Read",
	"internal/rows.Ints":                     "as integers.Read",
	"internal/rows.File.Hold":                "as Rows.loadFile: a lease decides whether blocks are copied",
	"internal/release.Rows.measure":          "Rows.enterRow, which refuses wrong measures, and Sum.admit, which refuses rows that did not enter",
	"internal/release.Rows.measureSome":      "as Rows.measure",
	"internal/release.sameRecords":           "Sum.agrees, of each sum of a group: what is noted is of the records that were marked",
	"internal/release.whitener.of":           "Sum.agrees, which reads the final sum",
	"internal/release.VectorSum.roundWithin": "vectorCheck.admit; that the integers of a record depend on its own vector stays trusted",
	"internal/release.ScoreSum.roundWithin":  "ScoreSum.admit, as for adder.round",
	"internal/release.productPart.begin":     "ProductSum.admit; that the factors of a record depend on it alone stays trusted",
	"internal/release.productPart.round":     "ProductSum.admit, as for productPart.begin",
	"internal/release.productPart.addNorm":   "ProductSum.admit",
	"internal/release.productPart.keep":      "ProductSum.agrees",
	"internal/release.productPart.finish":    "ProductSum.agrees",
	"internal/kernel.NewTurn":                "frame.explainsWhitened",
	"internal/release.sumOfProducts":         "momentCheck.agrees",
	"internal/release.sumPairs":              "momentCheck.agrees",
	"internal/release.addPairs":              "momentCheck.agrees",
	"internal/release.writeRows":             "momentCheck.note; that a row depends on its own record stays trusted",
	"internal/release.minimization.search":   "minimization.holds, which computes the gradient at the result in portable code",
}

// afterRelease are packages that end the walk because they compute from released numbers alone. They
// import nothing of this module, and the core gives them nothing else.
var afterRelease = map[string]string{
	"internal/release/internal/estimate": "seriesPart.release gives it the noisy rows of a step, and planSeries public coefficients, which it copies",
}

// TestPostProcessingImportsNothing wants the packages of afterRelease to import nothing of this module.
func TestPostProcessingImportsNothing(t *testing.T) {
	tree, err := checkTree()
	if err != nil {
		t.Fatal(err)
	}
	for name, reason := range afterRelease {
		pkg := tree.packages[name]
		if pkg == nil {
			t.Errorf("there is no package %s, which computes from released numbers alone: %s", name, reason)
			continue
		}
		for _, imported := range pkg.Imports() {
			if _, ours := within(imported.Path()); ours || imported.Path() == "unsafe" {
				t.Errorf("%s imports %s, want nothing that may hold other than released numbers", name, imported.Path())
			}
		}
	}
}

// outside are the ways on which rows come to a sum, and why a reviewer need not read them.
var outside = map[string]string{
	"internal/release.Rows.Load":        "seenSet.mark, Sum.admit and Sum.agrees: what is added of a record is the row that entered at its place, once",
	"internal/release.Rows.LoadAt":      "as Rows.Load",
	"internal/release.Rows.Standardize": "as Rows.Load: admit takes what is known of the rows that the block is of",
	"internal/release.Rows.Scan":        "as Scan.Each",
	"internal/release.Rows.LongPass":    "as Scan.Each",
	"internal/release.Rows.Each":        "as Scan.Each",
	"internal/release.Scan.Each":        "as Rows.Load; to leave out a block is to propose zeros for its records, which depends on no record",
	"internal/release.Block.Alone":      "nothing is added of such a block; it only stops runs",
}

// coreTypes are the types that only the functions of makerFunctions may fill.
var coreTypes = []string{"Bounded", "bounded", "Noisy"}

// makerFunctions are the functions that make Bounded and Noisy.
var makerFunctions = []string{
	"internal/release.Communicator.drawTogether",
	"internal/release.Communicator.gather",
	"internal/release.Noisy.Scaled",
	"internal/release.SolveObjective",
	"internal/release.ProductSum.Seal",
	"internal/release.ProjectedSum.Seal",
	"internal/release.Recursion.run",
	"internal/release.Series.Release",
	"internal/release.Sum.bounded",
	"internal/release.SumProducts",
	"internal/release.VectorSum.Seal",
	"internal/release.addText",
	"internal/release.drawAll",
	"internal/release.point.seal",
	"internal/release.secondMomentOf",
	"internal/release.seriesPart.release",
	"internal/release.sharedPayer.release",
}

// TestCoreIsSmall counts the trusted core.
func TestCoreIsSmall(t *testing.T) {
	w, most := walkedCore(t)
	for _, name := range w.called {
		t.Errorf("%s call %s, want an interface or a function value: they are to run without it", coreParts[0].name, name)
	}
	for name := range checkedCode {
		if !w.checked[name] {
			t.Errorf("%s is not reached, want it off the list of checked code", name)
		}
	}
	w.report(t, most)
}

// wayTypes are what stands between records and released numbers, and the released numbers.
var wayTypes = []string{"Bounded", "Communicator", "Group", "JointSum", "Losses", "Noisy", "PartitionSelection", "ProductSum", "ProjectedSum", "Ranks", "Rotation", "RowsWithMax",
	"Sample", "Sampling", "Scores", "ScoreSum", "Series", "Sum", "VectorSum"}

// rowWays are what stands between records and sums.
var rowWays = []string{"Rows", "Block", "Scan"}

// TestWaysAreWalked wants every exported function that returns one of wayTypes in the trusted core:
// the walk follows calls from its roots, and what nobody calls in the package is a way of its own.
// A function that returns one of rowWays, or calls another with a Block, is in the core or outside
// with its check.
func TestWaysAreWalked(t *testing.T) {
	w, _ := walkedCore(t)
	ways, kept := 0, map[string]bool{}
	for o, node := range w.decls {
		f, is := o.(*types.Func)
		if !is || !f.Exported() || f.Pkg() == nil || f.Pkg().Path() != modulePath+"/internal/release" {
			continue
		}
		walked, name := w.part[node] != "" || checkedCode[nameOf(f)] != "", nameOf(f)
		for kind := range waysOf(f.Signature()) {
			ways++
			switch row := slices.Contains(rowWays, kind); {
			case row && outside[name] != "":
				kept[name] = true
			case !walked:
				t.Errorf("%s gives %s and is not in the trusted core, want it among the roots", name, kind)
			}
		}
	}
	for name := range outside {
		if !kept[name] {
			t.Errorf("%s gives no rows, want it off the list of ways outside", name)
		}
	}
	if ways < 40 {
		t.Errorf("%d functions give what stands between records and released numbers, want all of them", ways)
	}
}

// waysOf returns the names of wayTypes and rowWays that a function returns, or that it calls one of
// its parameters with.
func waysOf(s *types.Signature) map[string]bool {
	found := map[string]bool{}
	note := func(all *types.Tuple) {
		for v := range all.Variables() {
			if name := typeName(v.Type()); slices.Contains(wayTypes, name) || slices.Contains(rowWays, name) {
				found[name] = true
			}
		}
	}
	note(s.Results())
	for v := range s.Params().Variables() {
		if call, ok := v.Type().(*types.Signature); ok {
			note(call.Params())
		}
	}
	return found
}

// walkedCore returns the walk over all parts, and the largest size of each.
func walkedCore(t *testing.T) (w *coreWalk, most map[string]int) {
	tree, err := checkTree()
	if err != nil {
		t.Fatal(err)
	}
	w = &coreWalk{checkedTree: tree, part: map[ast.Node]string{}, checked: map[string]bool{}, later: map[string]bool{}, apart: map[string]bool{}}
	for _, p := range coreParts[1:] {
		for _, root := range slices.Concat(p.roots, p.types) {
			w.later[root] = true
			w.apart[root] = p.apart
		}
	}
	for _, fault := range tree.faults {
		if text := fault.Error(); !strings.Contains(text, "undefined: unix") && !strings.Contains(text, "undefined: cpu") {
			t.Errorf("type-check: %v", fault)
		}
	}
	most = map[string]int{samplersPart: maxSamplers}
	for _, p := range coreParts {
		most[p.name] = p.most
		for _, root := range slices.Concat(p.roots, p.types) {
			delete(w.later, root)
		}
		w.now = p.name
		for _, root := range p.roots {
			if !w.start(root, true) {
				t.Errorf("there is no %s, want one: a root of the core", root)
			}
		}
		for _, name := range p.types {
			if !w.start(name, false) {
				t.Errorf("there is no %s, want one: a type of the core", name)
			}
		}
		w.walk(p.name)
	}
	return w, most
}

// report prints the sizes of the parts and holds them.
func (w *coreWalk) report(t *testing.T, most map[string]int) {
	text, seen := map[string][]byte{}, map[string]bool{}
	total, byPackage := map[string]int{}, map[string]int{}
	for _, node := range slices.SortedFunc(maps.Keys(w.part), func(a, b ast.Node) int { return int(a.Pos() - b.Pos()) }) {
		file, lines, err := w.codeLines(node, text)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_gen.go") {
			continue // tables
		}
		part, own := w.part[node], 0
		for line := range lines {
			if at := fmt.Sprintf("%s:%d", file, line); !seen[at] {
				seen[at], own = true, own+1
			}
		}
		total[part] += own
		byPackage[part+": "+path.Dir(file)] += own
		byPackage[part+": "+file] += own
	}
	for _, name := range slices.Sorted(maps.Keys(byPackage)) {
		t.Logf("%5d %s", byPackage[name], name)
	}
	all := 0
	for _, lines := range total {
		all += lines
	}
	if t.Logf("%5d lines in all parts, of at most %d", all, maxCore); all > maxCore {
		t.Errorf("the parts of the trusted core have %d lines of code together, want at most %d; lines that move from one part to another stay lines", all, maxCore)
	}
	for _, name := range slices.Sorted(maps.Keys(most)) {
		t.Logf("%5d %s in all, of at most %d", total[name], name, most[name])
		if total[name] > most[name] {
			t.Errorf("%s have %d lines of code in the trusted core, want at most %d; check the result of what is new, or shorten", name, total[name], most[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(checkedCode)) {
		t.Logf("checked: %s, by %s", name, checkedCode[name])
	}
}

// TestNothingHidesFromTheWalk wants no function init and no variable of a function type in the
// packages of the core: the walk follows names, and would not see what such a variable calls.
func TestNothingHidesFromTheWalk(t *testing.T) {
	tree, err := checkTree()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for o := range tree.decls {
		if o == nil || o.Pkg() == nil {
			continue
		}
		if pkg, _ := within(o.Pkg().Path()); !beneath(pkg, "internal/release") {
			continue
		}
		seen++
		_, variable := o.(*types.Var)
		if _, function := o.Type().Underlying().(*types.Signature); o.Name() == "init" || variable && function {
			t.Errorf("there is %s, want none: name what is called", nameOf(o))
		}
	}
	if seen < 100 {
		t.Errorf("internal/release has %d declarations, want those of the core", seen)
	}
}

// TestOnlyListedFunctionsMake wants the functions that fill a Bounded or a Noisy to be those that are listed.
func TestOnlyListedFunctionsMake(t *testing.T) {
	tree, err := checkTree()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for o, decl := range tree.decls {
		ast.Inspect(decl, func(n ast.Node) bool {
			if tree.fills(n) {
				found = append(found, nameOf(o))
			}
			return true
		})
	}
	slices.Sort(found)
	if found = slices.Compact(found); !slices.Equal(found, slices.Sorted(slices.Values(makerFunctions))) {
		t.Errorf("Bounded and Noisy are made by\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(makerFunctions, "\n"))
	}
}

// fills reports whether a node makes a value of coreTypes with something in it, or writes to a field of one.
func (t *checkedTree) fills(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CompositeLit:
		return len(n.Elts) > 0 && t.isCore(t.info.Types[n].Type)
	case *ast.AssignStmt:
		return slices.ContainsFunc(n.Lhs, t.writes)
	case *ast.IncDecStmt:
		return t.writes(n.X)
	case *ast.UnaryExpr:
		return n.Op == token.AND && t.writes(n.X)
	case *ast.CallExpr: // a conversion
		return len(n.Args) == 1 && t.info.Types[n.Fun].IsType() && t.isCore(t.info.Types[n.Fun].Type)
	}
	return false
}

// writes reports whether an expression is a field of a value of coreTypes, or a part of one.
func (t *checkedTree) writes(e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			return t.isCore(t.info.Types[e].Type)
		case *ast.SelectorExpr:
			if t.isCore(t.info.Types[x.X].Type) {
				return true
			}
			e = x.X
		default:
			return false
		}
	}
}

func (t *checkedTree) isCore(of types.Type) bool {
	if of == nil {
		return false
	}
	if p, ok := of.(*types.Pointer); ok {
		of = p.Elem()
	}
	n, ok := of.(*types.Named)
	return ok && n.Obj().Pkg() == t.packages["internal/release"] && slices.Contains(coreTypes, n.Obj().Name())
}

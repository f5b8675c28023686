package repocheck

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// module is a direct dependency as docs/dependencies.md describes it.
type module struct {
	path, version string
	allowed       []string // packages whose ordinary files may import it; "tests" for test files
}

var (
	moduleHeading = regexp.MustCompile(`^### (\S+) (v\S+)$`)
	moduleAllowed = regexp.MustCompile("`([^`]+)`|(tests)")
	goModRequire  = regexp.MustCompile(`(?m)^(?:require )?\s*([^\s(]+\.[^\s]+/\S+) (v\S+)( // indirect)?$`)
)

// documentedModules reads the headings of the page and the "Allowed in" line below each.
func documentedModules(page string) []module {
	var modules []module
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		if m := moduleHeading.FindStringSubmatch(line); m != nil {
			modules = append(modules, module{path: m[1], version: m[2]})
		}
		if places, ok := strings.CutPrefix(line, "- Allowed in: "); ok && len(modules) > 0 {
			for _, m := range moduleAllowed.FindAllStringSubmatch(places, -1) {
				last := &modules[len(modules)-1]
				last.allowed = append(last.allowed, m[1]+m[2])
			}
		}
	}
	return modules
}

// checkDependencies returns one problem for every module that the page and go.mod disagree
// on, and for every foreign import that the page does not allow.
func checkDependencies(t *tree, page, goMod string) []string {
	var problems []string
	documented := documentedModules(page)
	required := map[string]string{}
	for _, m := range goModRequire.FindAllStringSubmatch(goMod, -1) {
		required[m[1]] = m[2]
		known := slices.ContainsFunc(documented, func(d module) bool { return d.path == m[1] })
		if m[3] == "" && !known {
			problems = append(problems, fmt.Sprintf("dependencies: go.mod requires %s, want an entry in docs/dependencies.md", m[1]))
		}
	}
	for _, d := range documented {
		if required[d.path] != d.version {
			problems = append(problems, fmt.Sprintf("dependencies: docs/dependencies.md has %s %s and go.mod %q, want the same", d.path, d.version, required[d.path]))
		}
	}
	for _, s := range t.sources {
		for _, spec := range s.file.Imports {
			imported := importPath(spec)
			if _, ours := within(imported); ours || standard(imported) {
				continue
			}
			i := slices.IndexFunc(documented, func(d module) bool { return beneath(imported, d.path) })
			if i < 0 {
				problems = append(problems, fmt.Sprintf("dependencies: %s: %s is imported, want an entry in docs/dependencies.md", t.at(spec.Pos()), imported))
			} else if !s.test && !slices.ContainsFunc(documented[i].allowed, func(folder string) bool { return beneath(s.pkg, folder) }) {
				problems = append(problems, fmt.Sprintf("dependencies: %s: %s imports %s, want it only in %s as docs/dependencies.md says",
					t.at(spec.Pos()), display(s.pkg), imported, strings.Join(documented[i].allowed, ", ")))
			}
		}
	}
	return problems
}

// checkTagged returns one problem for every module of go.mod that duckdb.mod has in no or another version,
// and for every module that belongs to duckdb.mod alone.
func checkTagged(goMod, tagged string) []string {
	var problems []string
	versions := map[string]string{}
	for _, m := range goModRequire.FindAllStringSubmatch(tagged, -1) {
		versions[m[1]] = m[2]
	}
	for _, m := range goModRequire.FindAllStringSubmatch(goMod, -1) {
		if strings.HasPrefix(m[1], "github.com/duckdb/") || strings.HasPrefix(m[1], "github.com/apache/arrow-go/") {
			problems = append(problems, fmt.Sprintf("dependencies: go.mod requires %s, want it in duckdb.mod alone; take back what go mod tidy added", m[1]))
		} else if versions[m[1]] != m[2] {
			problems = append(problems, fmt.Sprintf("dependencies: duckdb.mod has %s %q, want %s as in go.mod", m[1], versions[m[1]], m[2]))
		}
	}
	return problems
}

// TestTaggedModulesFindFaults plants disagreements between go.mod and duckdb.mod.
func TestTaggedModulesFindFaults(t *testing.T) {
	const mod = "module m\n\nrequire (\n\ta.org/x v1.2.3\n\tb.org/y v0.1.0 // indirect\n)\n"
	expect(t, checkTagged(mod, mod+"\nrequire github.com/duckdb/d v1.0.0\n"), nil)
	expect(t, checkTagged(mod, strings.Replace(mod, "v0.1.0", "v0.2.0", 1)), []string{"duckdb.mod has b.org/y \"v0.2.0\", want v0.1.0"})
	expect(t, checkTagged(mod+"\nrequire github.com/duckdb/d v1.0.0\n", mod), []string{"go.mod requires github.com/duckdb/d, want it in duckdb.mod alone"})
}

// TestDependencies holds docs/dependencies.md, go.mod and the imports together.
func TestDependencies(t *testing.T) {
	page, err := readRoot("docs/dependencies.md")
	if err != nil {
		t.Fatalf("read the page: %v", err)
	}
	goMod, err := readRoot("go.mod")
	if err != nil {
		t.Fatalf("read go.mod: %v", err)
	}
	tagged, err := readRoot("duckdb.mod")
	if err != nil {
		t.Fatalf("read duckdb.mod: %v", err)
	}
	for _, problem := range checkTagged(string(goMod), string(tagged)) {
		t.Error(problem)
	}
	if len(documentedModules(string(page))) == 0 {
		t.Fatal("docs/dependencies.md has no entry, want one for each direct dependency")
	}
	for _, problem := range checkDependencies(parseRepository(t), string(page), string(goMod)+"\n"+string(tagged)) {
		t.Error(problem)
	}
}

// TestDependenciesFindsFaults plants disagreements between page, go.mod and imports.
func TestDependenciesFindsFaults(t *testing.T) {
	const (
		page = "# D\n\n### a.org/x v1.2.3\n\n- Licence: L.\n- Allowed in: `data`, `cmd/dither`.\n\n### b.org/y v0.1.0\n\n- Allowed in: tests.\n"
		mod  = "module m\n\nrequire a.org/x v1.2.3\n\nrequire (\n\tb.org/y v0.1.0\n\tc.org/z v1.0.0 // indirect\n)\n"
	)
	cases := []struct {
		name, page, mod string
		files           map[string]string
		want            []string
	}{
		{"agreement", page, mod, map[string]string{
			"data/a.go":       importing("data", "a.org/x/sub", "fmt"),
			"train/a_test.go": importing("train", "b.org/y", "a.org/x"),
		}, nil},
		{"other version in go.mod", page, strings.Replace(mod, "v1.2.3", "v1.2.4", 1), nil, []string{`a.org/x v1.2.3 and go.mod "v1.2.4"`}},
		{"no longer in go.mod", page, strings.Replace(mod, "\tb.org/y v0.1.0\n", "", 1), nil, []string{`b.org/y v0.1.0 and go.mod ""`}},
		{"direct and not on the page", page, strings.Replace(mod, " // indirect", "", 1), nil, []string{"requires c.org/z"}},
		{"imported and not on the page", page, mod, map[string]string{"data/a.go": importing("data", "c.org/z")}, []string{"data/a.go:2: c.org/z is imported"}},
		{"imported in another place", page, mod, map[string]string{"model/a.go": importing("model", "a.org/x")}, []string{"model/a.go:2: model imports a.org/x, want it only in data, cmd/dither"}},
		{"only for tests", page, mod, map[string]string{"erm/a.go": importing("erm", "b.org/y")}, []string{"erm imports b.org/y, want it only in tests"}},
		{"a name that only begins alike", page, mod, map[string]string{"data/a.go": importing("data", "a.org/xyz")}, []string{"a.org/xyz is imported"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			expect(t, checkDependencies(planted(t, c.files), c.page, c.mod), c.want)
		})
	}
}

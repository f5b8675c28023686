package repocheck

import (
	"testing"
	"testing/fstest"
)

// planted parses a tree made of the given files.
func planted(t *testing.T, files map[string]string) *tree {
	t.Helper()
	fs := fstest.MapFS{}
	for name, text := range files {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	source, err := parseTree(fs)
	if err != nil {
		t.Fatalf("parse the planted files: %v", err)
	}
	return source
}

// importing returns the text of a Go file with the given imports. A path that starts with
// "./" is of this module.
func importing(pkg string, paths ...string) string {
	text := "package " + pkg + "\n"
	for _, p := range paths {
		if p[0] == '.' {
			p = modulePath + p[1:]
		}
		text += "import _ \"" + p + "\"\n"
	}
	return text
}

// TestLayeringFindsFaults plants what the rules forbid, and beside it what they allow.
func TestLayeringFindsFaults(t *testing.T) {
	cases := []struct {
		name  string
		check func(*tree) []string
		files map[string]string
		want  []string // one fragment for each expected problem
	}{
		{"a model may know feature, data and kernel", checkLayers,
			map[string]string{"model/a.go": importing("model", "./feature", "./data", "./internal/kernel", "fmt")}, nil},
		{"a model may not know the ledger", checkLayers,
			map[string]string{"model/a.go": importing("model", "fmt", "./ledger")},
			[]string{"model/a.go:3: model imports ledger, want only internal/special, internal/kernel, internal/parallel, network, data, internal/encoder, internal/safetensors, feature, internal/strict;"}},
		{"a package may not know a later one", checkLayers,
			map[string]string{"privacy/a.go": importing("privacy", "./mechanism")},
			[]string{"privacy/a.go:2: privacy imports mechanism, want nothing of this module;"}},
		{"the root imports what its row names", checkLayers,
			map[string]string{"doc.go": importing("dither", "./sweep")},
			[]string{"doc.go:2: the root package imports sweep"}},
		{"nothing imports the root", checkLayers,
			map[string]string{"train/a.go": importing("train", modulePath)},
			[]string{"train imports the root package"}},
		{"build constraints do not hide an import", checkLayers,
			map[string]string{"model/a.go": "//go:build plan9 && ignore\n\n" + importing("model", "./ledger")},
			[]string{"model/a.go:4: model imports ledger"}},
		{"unknown package", checkLayers,
			map[string]string{"util/a.go": importing("util", "./privacy")},
			[]string{"package util is not in the table"}},
		{"unknown package below a known one", checkLayers,
			map[string]string{"train/schedule/a.go": importing("schedule")},
			[]string{"package train/schedule is not in the table"}},
		{"a test may import earlier rows, its package and those beneath", checkLayers,
			map[string]string{"account/a_test.go": importing("account_test", "./account", "./account/accounttest", "./internal/kernel")}, nil},
		{"a test may not import a later row", checkLayers,
			map[string]string{"account/a_test.go": importing("account_test", "./ledger")},
			[]string{"account/a_test.go:2: account imports ledger, want in a test file"}},
		{"a test may not import a command", checkLayers,
			map[string]string{"explain/a_test.go": importing("explain", "./cmd/dither")},
			[]string{"explain imports cmd/dither"}},
		{"an ordinary file may not import a conformance suite", checkLayers,
			map[string]string{"ledger/a.go": importing("ledger", "./account/accounttest")},
			[]string{"ledger imports account/accounttest"}},
		{"testdata, hidden folders and other modules are passed by", checkLayers,
			map[string]string{
				"testdata/a.go":  importing("a", "./ledger"),
				".hidden/a.go":   importing("a", "./ledger"),
				"bench/go.mod":   "module bench\n",
				"bench/a/a.go":   importing("a", "./ledger"),
				"train/plan.go":  importing("train", "./ledger"),
				"privacy/doc.go": importing("privacy"),
			}, nil},

		{"math/rand in mechanism", checkThirdParty,
			map[string]string{"mechanism/noise.go": importing("mechanism", "math/rand")},
			[]string{"mechanism/noise.go:2: math/rand is imported, want it nowhere outside test files"}},
		{"math/rand/v2 in a command", checkThirdParty,
			map[string]string{"cmd/dither/main.go": importing("main", "math/rand/v2")},
			[]string{"cmd/dither/main.go:2: math/rand/v2 is imported"}},
		{"math/rand/v2 in a test", checkThirdParty,
			map[string]string{"mechanism/noise_test.go": importing("mechanism", "math/rand/v2")}, nil},
		{"encoding/gob, also in a test", checkThirdParty,
			map[string]string{"model/a.go": importing("model", "encoding/gob"), "model/a_test.go": importing("model", "encoding/gob")},
			[]string{"model/a.go:2: encoding/gob is imported", "model/a_test.go:2: encoding/gob is imported"}},
		{"cgo", checkThirdParty,
			map[string]string{"internal/kernel/a.go": importing("kernel", "C")},
			[]string{"internal/kernel/a.go:2: C is imported"}},
		{"cgo with the tag mpi", checkThirdParty,
			map[string]string{"internal/ranks/a.go": "//go:build mpi && cgo\n\n" + importing("ranks", "C"), "internal/ranks/b.go": "//go:build mpi || cgo\n\n" + importing("ranks", "C"),
				"internal/ranks/c.go": "//go:build !mpi\n\n" + importing("ranks", "C"), "internal/ranks/d.go": "//go:build mpi && cgo\n\n" + importing("ranks", "math/rand")},
			[]string{"internal/ranks/b.go:4: C is imported", "internal/ranks/c.go:4: C is imported", "internal/ranks/d.go:4: math/rand is imported"}},
		{"the core may use golang.org/x", checkThirdParty,
			map[string]string{"internal/kernel/a.go": importing("kernel", "golang.org/x/sys/cpu", "math/bits")}, nil},
		{"the core may not use another module", checkThirdParty,
			map[string]string{"internal/release/internal/sample/a.go": importing("sample", "gonum.org/v1/gonum/floats")},
			[]string{"internal/release/internal/sample/a.go:2: internal/release/internal/sample imports gonum.org/v1/gonum/floats"}},
		{"tests of the core may use another module", checkThirdParty,
			map[string]string{"account/a_test.go": importing("account", "gonum.org/v1/gonum/floats")}, nil},
		{"outside the core other modules are allowed", checkThirdParty,
			map[string]string{"cmd/dither/main.go": importing("main", "github.com/spf13/cobra")}, nil},

		{"a served model carries what data needs", checkServed,
			map[string]string{"model/a.go": importing("model", "./data"), "data/a.go": importing("data", "go.yaml.in/yaml/v3")}, nil},
		{"a served model carries nothing else, however far", checkServed,
			map[string]string{
				"model/a.go":           importing("model", "./feature"),
				"feature/a.go":         importing("feature", "./internal/kernel"),
				"internal/kernel/a.go": importing("kernel", "gonum.org/v1/gonum/floats"),
			},
			[]string{"internal/kernel/a.go:2: gonum.org/v1/gonum/floats is reachable from package model"}},
		{"what tests of model import is not served", checkServed,
			map[string]string{"model/a_test.go": importing("model", "gonum.org/v1/gonum/floats")}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			expect(t, c.check(planted(t, c.files)), c.want)
		})
	}
}

// TestIntegerSamplerFindsFaults plants floating point in signatures of the sampler package.
func TestIntegerSamplerFindsFaults(t *testing.T) {
	const name = samplerPackage + "/gaussian.go"
	cases := []struct {
		name, path, text string
		want             []string
	}{
		{"integers", name, "type Grid struct{ Scale uint }\nfunc Draw(dst []int64, g Grid, b *big.Int) error { return nil }", nil},
		{"parameter", name, "func Draw(scale float64) int64 { return 0 }", []string{"signature of Draw holds float64"}},
		{"result in a slice", name, "func Draw() ([]float32, error) { return nil, nil }", []string{"signature of Draw holds float32"}},
		{"method", name, "type S struct{}\nfunc (S) Draw(f func(complex128)) {}", []string{"signature of Draw holds complex128"}},
		{"big.Float", name, "func Draw(x *big.Float) {}", []string{"signature of Draw holds big.Float"}},
		{"constraint", name, "func Draw[T ~float64](x T) {}", []string{"signature of Draw holds float64"}},
		{"behind types", name, "type A B\ntype B struct{ x []C }\ntype C = float64\nfunc Draw(a A) {}", []string{"signature of Draw holds A"}},
		{"a name is no type", name, "func Draw(float64 int) (A int) { return 0 }\ntype A float64", nil},
		{"unexported", name, "func draw(x float64) {}", nil},
		{"in a test file", samplerPackage + "/gaussian_test.go", "func Draw(x float64) {}", nil},
		{"in another package", "internal/release/gaussian.go", "func Draw(x float64) {}", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := checkIntegerSampler(planted(t, map[string]string{c.path: "package p\n" + c.text}))
			expect(t, got, c.want)
		})
	}
}

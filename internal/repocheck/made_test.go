package repocheck

import (
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strings"
	"testing"
)

// makers are the files that make released numbers (Noisy) and sums whose bound is proved (Bounded, bounded), by the
// name of the type. Lemma 26 of docs/release.md gives for each why it pays before it draws, or draws nothing.
var makers = map[string][]string{
	"Noisy":   {"lastiterate.go", "noisy.go", "objective.go", "release.go", "series.go"},
	"Bounded": {"minimize.go", "moment.go", "product.go", "projected.go", "sum.go", "vector.go"},
	"bounded": {"minimize.go", "moment.go", "product.go", "projected.go", "series.go", "sum.go", "vector.go"},
}

// makersIn lists the files of package release with a literal of a type that is not empty.
func makersIn(sources []source) map[string][]string {
	found := map[string][]string{}
	for _, s := range sources {
		name, within := strings.CutPrefix(s.path, "internal/release/")
		if !within || s.test || strings.Contains(name, "/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			literal, is := n.(*ast.CompositeLit)
			if !is || len(literal.Elts) == 0 {
				return true
			}
			of := fmt.Sprint(literal.Type)
			if _, wanted := makers[of]; wanted && !slices.Contains(found[of], name) {
				found[of] = append(found[of], name)
			}
			return true
		})
	}
	for _, names := range found {
		slices.Sort(names)
	}
	return found
}

// TestMakersAreNamed holds the list of lemma 26 to the source, and the lemma to the list.
func TestMakersAreNamed(t *testing.T) {
	parsed := parseRepository(t)
	page, err := os.ReadFile("docs/release.md")
	if err != nil {
		t.Fatal(err)
	}
	_, lemma, _ := strings.Cut(string(page), "**Lemma 26 ")
	lemma, _, _ = strings.Cut(lemma, "**Lemma 27 ")
	found := makersIn(parsed.sources)
	for of, want := range makers {
		if !slices.Equal(found[of], want) {
			t.Errorf("%s is made in %v, want %v; a new place needs its line in lemma 26", of, found[of], want)
		}
		for _, name := range want {
			if !strings.Contains(lemma, "`"+name+"`") {
				t.Errorf("lemma 26 of docs/release.md does not name %s, which makes %s", name, of)
			}
		}
	}
}

package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/glossary"
)

// TestTerms wants every term to be found by each of its names, and every reference to lead somewhere.
func TestTerms(t *testing.T) {
	names := map[string]string{}
	text, err := terms().Text()
	if err != nil {
		t.Fatal(err)
	}
	list := string(text)
	for _, g := range glossary.All {
		for _, name := range append([]string{g.Name}, g.Aliases...) {
			if other := names[name]; other != "" {
				t.Errorf("%q is a name of %s and of %s, want one", name, other, g.Name)
			}
			names[name] = g.Name
			if found, ok := glossary.Find(strings.ToUpper(name)); !ok || found.Name != g.Name {
				t.Errorf("%q: got %q, want %q", name, found.Name, g.Name)
			}
		}
		if !strings.Contains(list, "- "+g.Name+": ") || len(g.Text) == 0 || g.Short == "" || strings.HasSuffix(g.Short, ".") {
			t.Errorf("%s: got %+v, want it listed with a short text and a long one", g.Name, g)
		}
		for _, see := range g.See {
			if i := slices.IndexFunc(glossary.All, func(other glossary.Term) bool { return other.Name == see }); i < 0 || see == g.Name {
				t.Errorf("%s: refers to %q, want another term", g.Name, see)
			}
		}
	}
}

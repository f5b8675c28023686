package explain

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/mechanism"
)

// TestRecordLines says of each way to declare numbers what is known of them.
func TestRecordLines(t *testing.T) {
	for _, c := range []struct {
		certificate certificate.Certificate
		records     int
		person      bool
		want        string
	}{
		{certificate.Certificate{Private: true, Unit: "one visit"}, 0, false, "was not declared"},
		{certificate.Certificate{Private: true, GroupRows: 1}, 0, false, "How many there are is not public"},
		{certificate.Certificate{Private: true, GroupRows: 3}, 70, false, "Their number, 70, is declared public; there are at most 90."},
		{certificate.Certificate{Private: true}, 0, true, "All rows of a person are one record."},
		{certificate.Certificate{}, 0, false, "There are at most 90 rows.\n"},
	} {
		if got := strings.Join(recordLines(c.certificate, c.records, 90, c.person), "\n") + "\n"; !strings.Contains(got, c.want) {
			t.Errorf("%+v: got %q, want it to say %q", c, got, c.want)
		}
	}
}

// TestEveryEventHasWords takes the example of each kind from the page on accounting.
func TestEveryEventHasWords(t *testing.T) {
	page, err := os.ReadFile("../docs/account.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, match := range regexp.MustCompile("(?m)^\\| `[a-z-]+` \\| `([^`]*)`").FindAllStringSubmatch(string(page), -1) {
		e, parseErr := mechanism.ParseEvent(match[1])
		if parseErr != nil {
			t.Errorf("%s: %v", match[1], parseErr)
			continue
		}
		seen++
		for _, l := range eventLines(e, 0) {
			if strings.HasPrefix(l.Text, "the release ") || l.Text == "" {
				t.Errorf("%s: got %q, want words", match[1], l.Text)
			}
		}
	}
	if least := len(mechanism.EventNames()); seen < least {
		t.Errorf("got %d examples, want at least %d", seen, least)
	}
}

// TestTerms wants every term to be found by each of its names, and every reference to lead somewhere.
func TestTerms(t *testing.T) {
	names := map[string]string{}
	text, err := Terms().Text()
	if err != nil {
		t.Fatal(err)
	}
	list := string(text)
	for _, g := range glossary {
		for _, name := range append([]string{g.Name}, g.Aliases...) {
			if other := names[name]; other != "" {
				t.Errorf("%q is a name of %s and of %s, want one", name, other, g.Name)
			}
			names[name] = g.Name
			if found, ok := TermOf(strings.ToUpper(name)); !ok || found.Name != g.Name {
				t.Errorf("%q: got %q, want %q", name, found.Name, g.Name)
			}
		}
		if !strings.Contains(list, "- "+g.Name+": ") || len(g.Text) == 0 || g.Short == "" || strings.HasSuffix(g.Short, ".") {
			t.Errorf("%s: got %+v, want it listed with a short text and a long one", g.Name, g)
		}
		for _, see := range g.See {
			if i := slices.IndexFunc(glossary, func(other Term) bool { return other.Name == see }); i < 0 || see == g.Name {
				t.Errorf("%s: refers to %q, want another term", g.Name, see)
			}
		}
	}
}

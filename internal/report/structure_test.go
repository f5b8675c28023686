package report

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// element is a start tag of a page, with the tags around it.
type element struct {
	name       string
	attributes map[string]string
	within     []string
	children   []string
}

// names returns the tag's name and attribute names, in order of the alphabet.
func (e *element) names() string {
	var names []string
	for name := range e.attributes {
		names = append(names, name)
	}
	slices.Sort(names)
	return e.name + "(" + strings.Join(names, " ") + ")"
}

// elements reads the tags of a page. The page closes its tags, except those
// that HTML has no end tag for, so that a decoder for XML can read it. The script of figures, word for
// word as it stands in the program, is no tag of the page; any other is.
func elements(t *testing.T, page string) []*element {
	t.Helper()
	page = strings.Replace(page, "<script>"+chartScript+"</script>", "", 1)
	decoder := xml.NewDecoder(strings.NewReader(page))
	decoder.Strict, decoder.AutoClose, decoder.Entity = false, []string{"meta", "input"}, xml.HTMLEntity
	var all, open []*element
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attributes: map[string]string{}}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			for _, around := range open {
				e.within = append(e.within, around.name)
			}
			if len(open) > 0 {
				open[len(open)-1].children = append(open[len(open)-1].children, e.name)
			}
			all, open = append(all, e), append(open, e)
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1].name != token.Name.Local {
				t.Fatalf("got the end tag %s out of place", token.Name.Local)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Fatalf("got no end tag for %s", open[len(open)-1].name)
	}
	return all
}

// TestStructure writes each example into a folder, as train does, reads it back
// and checks what every page must have.
func TestStructure(t *testing.T) {
	for _, example := range examplePages {
		t.Run(example.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "report.html")
			if err := os.WriteFile(path, []byte(written(t, example.page, 0)), 0o600); err != nil {
				t.Fatal(err)
			}
			page, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all := elements(t, string(page))
			checkHeadings(t, all)
			checkNothingForeign(t, all)
			checkAccess(t, all)
		})
	}
}

// checkHeadings wants one h1, first, and no level left out on the way down.
func checkHeadings(t *testing.T, all []*element) {
	t.Helper()
	level, ones := 0, 0
	for _, e := range all {
		if len(e.name) != 2 || e.name[0] != 'h' || e.name[1] < '1' || e.name[1] > '6' {
			continue
		}
		next := int(e.name[1] - '0')
		if next > level+1 {
			t.Errorf("got h%d after h%d, want no level left out", next, level)
		}
		if level = next; level == 1 {
			ones++
		}
	}
	if ones != 1 {
		t.Errorf("got %d main headings, want 1", ones)
	}
}

// checkNothingForeign wants no tag and no attribute that could run or fetch
// something, or that the policy would block.
func checkNothingForeign(t *testing.T, all []*element) {
	t.Helper()
	for _, e := range all {
		if slices.Contains([]string{"script", "link", "img", "iframe", "object", "embed", "base", "form", "use", "image", "foreignObject", "animate", "set"}, e.name) {
			t.Errorf("got the tag %s, want none that fetches or runs", e.name)
		}
		for name := range e.attributes {
			if e.name == "a" && name == "href" && regexp.MustCompile(`^#part\d+$`).MatchString(e.attributes[name]) {
				continue // a place within the page
			}
			if name == "style" || name == "src" || strings.Contains(name, "href") || strings.HasPrefix(name, "on") {
				t.Errorf("got the attribute %s of %s, want none that fetches, runs or is blocked", name, e.name)
			}
		}
	}
}

// checkAccess wants what a screen reader needs.
func checkAccess(t *testing.T, all []*element) {
	t.Helper()
	ids := map[string]bool{}
	for _, e := range all {
		if id := e.attributes["id"]; id != "" {
			if ids[id] {
				t.Errorf("got the id %s twice", id)
			}
			ids[id] = true
		}
	}
	for _, e := range all {
		switch e.name {
		case "th":
			if e.attributes["scope"] == "" {
				t.Errorf("got a header cell without a scope within %v", e.within)
			}
		case "table":
			if !slices.Contains(e.children, "thead") {
				t.Errorf("got a table without headers within %v", e.within)
			}
		case "svg":
			hidden := e.attributes["aria-hidden"] == "true"
			if !hidden && (!slices.Contains(e.children, "title") || e.attributes["role"] != "img") {
				t.Errorf("got a drawing without a title within %v", e.within)
			}
			for _, id := range strings.Fields(e.attributes["aria-labelledby"]) {
				if !ids[id] {
					t.Errorf("got a drawing labelled by %s, which is not there", id)
				}
			}
		}
	}
}

// TestPolicy checks that the pages really render under their own policy: the hashes are those of the
// style sheet and of the script as they stand in the page, and without figures there is no script.
func TestPolicy(t *testing.T) {
	for _, c := range []struct {
		name, page string
		scripted   bool
	}{
		{"page without a guarantee", written(t, nonPrivatePage(), 0), false}, {"page", written(t, binaryPage(), 0), true}, {"page with figures", written(t, figuredPage(), 0), true},
		{"document", documented(t, exampleDocument()), true}, {"document without figures", documented(t, Document{Title: "x"}), false},
	} {
		want := "default-src 'none'; style-src '" + hashOf(block(t, c.page, "style")) + "'; "
		if c.scripted {
			want += "script-src '" + hashOf(block(t, c.page, "script")) + "'; "
		} else if strings.Contains(c.page, "<script") {
			t.Errorf("%s: got a script, want none", c.name)
		}
		want += "base-uri 'none'; form-action 'none'"
		found := 0
		for _, e := range elements(t, c.page) {
			if e.attributes["http-equiv"] == "Content-Security-Policy" {
				found++
				if got := e.attributes["content"]; got != want || !slices.Equal(e.within, []string{"html", "head"}) {
					t.Errorf("%s: got policy %s within %v, want %s in the head", c.name, got, e.within, want)
				}
			}
		}
		if found != 1 {
			t.Errorf("%s: got %d policies, want 1", c.name, found)
		}
	}
}

// block is what stands between the only two tags of a name.
func block(t *testing.T, page, name string) string {
	t.Helper()
	_, rest, opened := strings.Cut(page, "<"+name+">")
	text, _, closed := strings.Cut(rest, "</"+name+">")
	if !opened || !closed || strings.Count(page, "<"+name) != 1 {
		t.Fatalf("got no block %s or several, want one", name)
	}
	return text
}

// TestAddresses wants no address in a page: nothing is to be fetched.
func TestAddresses(t *testing.T) {
	pages := map[string]string{"figures": written(t, figuredPage(), 0), "document": documented(t, exampleDocument())}
	for _, example := range examplePages {
		pages[example.name] = written(t, example.page, 0)
	}
	for name, page := range pages {
		page = strings.ToLower(page)
		// Base64 of the hashes may hold two slashes.
		page = strings.NewReplacer(strings.ToLower(policy(true)), "", strings.ToLower(policy(false)), "").Replace(page)
		for _, part := range []string{"http:", "https:", "url(", "@import", "//", "import(", "fetch(", "innerhtml", "eval(", "document.write"} {
			if strings.Contains(page, part) {
				t.Errorf("%s: got %q in the page, want no address", name, part)
			}
		}
	}
}

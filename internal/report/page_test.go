package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// forms are the two ways to write a page.
var forms = []struct {
	suffix string
	write  func(Page, *bytes.Buffer) error
}{
	{".html", func(p Page, b *bytes.Buffer) error { return p.WriteHTML(b) }},
	{".txt", func(p Page, b *bytes.Buffer) error { return p.WriteText(b) }},
}

// written returns a form of a page that must be writable.
func written(t *testing.T, p Page, form int) string {
	t.Helper()
	var b bytes.Buffer
	if err := forms[form].write(p, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden holds the example pages to testdata. After a change that is
// meant, look at the pages in a browser and run with -update.
func TestGolden(t *testing.T) {
	for _, example := range examplePages {
		for i, form := range forms {
			name := example.name + form.suffix
			t.Run(name, func(t *testing.T) {
				got := written(t, example.page, i)
				golden := filepath.Join("testdata", name)
				if *update {
					if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("got another page than %s; %s", golden, firstDifference(got, string(want)))
				}
			})
		}
	}
}

// firstDifference quotes what stands around the first byte that differs.
func firstDifference(got, want string) string {
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	around := func(s string) string { return s[max(0, min(at-40, len(s))):min(len(s), at+80)] }
	return "got …" + around(got) + "…, want …" + around(want) + "…"
}

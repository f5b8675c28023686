package reproduce

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/experiment"
)

const docsPage = "../../docs/reproductions.md"

// TestDocs wants a section for every experiment in docs/reproductions.md, the pictures that it names, and the rows
// that every run must give exactly as they come out now, of the experiments that take less than a second.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(docsPage)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, r := range Reproductions() {
		if !strings.Contains(page, "\n## "+r.Title+"\n") || !strings.Contains(page, "`dither reproduce "+r.Name+"`") {
			t.Errorf("the page has no section on %s, %q", r.Name, r.Title)
		}
	}
	pictures := regexp.MustCompile(`\]\((reproductions/[^)]+)\)`).FindAllStringSubmatch(page, -1)
	for _, p := range pictures {
		if info, failed := os.Stat(filepath.Join(filepath.Dir(docsPage), p[1])); failed != nil || info.Size() < 1000 {
			t.Errorf("picture %s of the page: %v", p[1], failed)
		}
	}
	if len(pictures) < len(Reproductions())-1 {
		t.Errorf("the page shows %d pictures of %d experiments", len(pictures), len(Reproductions()))
	}
	if !strings.Contains(page, Publicly) {
		t.Errorf("the page does not say of what data sets these are")
	}
	for _, r := range []experiment.Reproduction{composition(), salary(), theorems(), leastSquares()} {
		for _, c := range shortRun(t, r).Comparisons {
			var b bytes.Buffer
			if failed := WriteMarkdown(&b, []experiment.Result{{Outcome: experiment.Outcome{Comparisons: []experiment.Comparison{c}}}}, ""); failed != nil {
				t.Fatal(failed)
			}
			lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
			if row := lines[len(lines)-1]; c.Deterministic && !strings.Contains(page, row) {
				t.Errorf("%s: the page lacks the row %s", r.Name, row)
			}
		}
	}
}

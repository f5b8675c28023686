package report

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
)

// TestWords wants the sentences that a privacy officer reads, in both forms.
func TestWords(t *testing.T) {
	private := func(edit func(*Guarantee)) Page {
		p := Page{Title: "x", Guarantee: Guarantee{Epsilon: 1, Delta: 1e-6, Neighboring: "add-or-remove-one", Unit: "row"}}
		edit(&p.Guarantee)
		return p
	}
	tests := []struct {
		name    string
		page    Page
		want    []string
		without []string
	}{
		{"plain", private(func(*Guarantee) {}),
			[]string{"the odds change by at most a factor e^ε = 2.719. Someone", "the probability by which all of them together exceed the factor is at most δ = 1e-6", "what the factor e^ε leaves out", "plus δ, one chance in 1,000,000", "73.2 %", "2.72 %", "whether a given record was used"},
			[]string{"5 rows", "guarantee is weak", "NOT PRIVATE", "There is no guarantee"}},
		{"delta of a declared number", private(func(g *Guarantee) { g.Records, g.MaxRecords = 20000, 30000 }), []string{"δ × records", "0.02", "for the declared 20,000 records"}, []string{"not declared"}},
		{"delta of a bound", private(func(g *Guarantee) { g.MaxRecords = 30000 }), []string{"at most 0.03", "the number of records is not declared, so their declared bound of 30,000"}, nil},
		{"no delta", private(func(g *Guarantee) { g.MaxRecords, g.Delta = 30000, 0 }), []string{"This holds for every result", "leaves nothing out"}, []string{"δ × records", "exceed the factor"}},
		{"purpose", Page{Title: "x", Purpose: "planning", Guarantee: Guarantee{Epsilon: 1, Delta: 1e-6, Neighboring: "zero-out", Unit: "row"}}, []string{"purpose", "planning"}, nil},
		{"group", private(func(g *Guarantee) { g.GroupRows, g.GroupEpsilon = 5, 5 }),
			[]string{"5 rows", "148.5", "99.4 %"}, nil},
		{"group of one", private(func(g *Guarantee) { g.GroupRows, g.GroupEpsilon = 1, 0 }), nil, []string{"1 rows"}},
		{"replace", private(func(g *Guarantee) { g.Neighboring = "replace-one" }),
			[]string{"which of two given records was used", "exchanged for any other"}, []string{"whether a given record"}},
		{"persons", private(func(g *Guarantee) {
			g.Persons, g.MaxRecords, g.Unit, g.NoisePerRecord = true, 30000, "all rows with one id, of which at most 5 are used", "2 times the most that one record can contribute"
		}),
			[]string{"right about whether the rows of a given person were used", "all rows of any one person", "Persons recognized, when 1 % of the persons whose rows were not used", "what one person stands for", "δ × persons", "30,000 rows", "that one person can contribute", "one person"},
			[]string{"one record", "given record", "each record", "Records recognized"}},
		{"persons, exchanged", private(func(g *Guarantee) { g.Persons, g.Neighboring = true, "replace-one" }), []string{"which of two given persons"}, []string{"one record"}},
		{"persons, blanked out", private(func(g *Guarantee) { g.Persons, g.Neighboring = true, "zero-out" }), []string{"persons whose rows were blanked out"}, []string{"one record"}},
		{"zero out", private(func(g *Guarantee) { g.Neighboring = "zero-out" }), []string{"blanked out"}, nil},
		{"another relation", private(func(g *Guarantee) { g.Neighboring = "edge-level" }),
			[]string{"edge-level", "which of two neighboring data sets was used"}, nil},
		{"weak", private(func(g *Guarantee) { g.Epsilon = 8 }), []string{"the guarantee is weak", "99.97 %"}, nil},
		{"infinite", private(func(g *Guarantee) { g.Epsilon = math.Inf(1) }),
			[]string{"NOT PRIVATE: epsilon is infinite", "There is no guarantee"},
			[]string{"any attacker", "at most a factor", "carry the noise"}},
		{"own banner", Page{Title: "x", Banner: "TEACHING ONLY", Guarantee: Guarantee{Epsilon: math.Inf(1), Neighboring: "zero-out", Unit: "row"}},
			[]string{"TEACHING ONLY", "There is no guarantee"}, []string{"NOT PRIVATE"}},
	}
	for _, test := range tests {
		for form := range forms {
			got := strings.Join(strings.Fields(written(t, test.page, form)), " ")
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("%s%s: got no %q, want it", test.name, forms[form].suffix, want)
				}
			}
			for _, without := range test.without {
				if strings.Contains(got, without) {
					t.Errorf("%s%s: got %q, want none", test.name, forms[form].suffix, without)
				}
			}
		}
	}
}

func TestRefused(t *testing.T) {
	tests := []struct {
		name string
		edit func(*Page)
		want string
	}{
		{"zero value", func(p *Page) { *p = Page{Title: "x"} }, "neighboring relation is empty"},
		{"no title", func(p *Page) { p.Title = "" }, "title is empty"},
		{"NaN epsilon", func(p *Page) { p.Guarantee.Epsilon = math.NaN() }, "epsilon is NaN"},
		{"negative epsilon", func(p *Page) { p.Guarantee.Epsilon = -1 }, "epsilon is -1"},
		{"NaN delta", func(p *Page) { p.Guarantee.Delta = math.NaN() }, "delta is NaN"},
		{"negative delta", func(p *Page) { p.Guarantee.Delta = -1 }, "delta is -1"},
		{"delta of 1", func(p *Page) { p.Guarantee.Delta = 1 }, "delta is 1"},
		{"no unit", func(p *Page) { p.Guarantee.Unit = "" }, "unit is empty"},
		{"group better than one", func(p *Page) { p.Guarantee.GroupEpsilon = .5 }, "epsilon of 5 rows is 0.5"},
		{"group is NaN", func(p *Page) { p.Guarantee.GroupEpsilon = math.NaN() }, "epsilon of 5 rows is NaN"},
		{"matrix short of a row", func(p *Page) { p.Metrics.Confusion.Counts = p.Metrics.Confusion.Counts[:1] }, "has 1 rows, want 2"},
		{"matrix short of a cell", func(p *Page) { p.Metrics.Confusion.Counts[1] = []int{1} }, "row 1 of the confusion matrix has 1 cells"},
	}
	for _, test := range tests {
		for _, form := range forms {
			p := binaryPage()
			test.edit(&p)
			var out bytes.Buffer
			err := form.write(p, &out)
			if err == nil || !strings.HasPrefix(err.Error(), "report: ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s%s: got error %v, want one with %q", test.name, form.suffix, err, test.want)
			}
			if out.Len() > 0 {
				t.Errorf("%s%s: got %d bytes written, want none", test.name, form.suffix, out.Len())
			}
		}
	}
}

// failing is a writer that always fails.
type failing struct{}

var errFull = errors.New("full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestFailedWriteIsReported(t *testing.T) {
	if err := binaryPage().WriteHTML(failing{}); !errors.Is(err, errFull) {
		t.Errorf("got error %v from WriteHTML, want %v", err, errFull)
	}
	if err := binaryPage().WriteText(failing{}); !errors.Is(err, errFull) {
		t.Errorf("got error %v from WriteText, want %v", err, errFull)
	}
}

func TestWrapped(t *testing.T) {
	page := textPage{}
	page.wrapped("  - ", "    ", strings.Repeat("word ", 40)+strings.Repeat("x", 100)+" end")
	lines := strings.Split(strings.TrimSuffix(page.out.String(), "\n"), "\n")
	for i, line := range lines {
		start := "    "
		if i == 0 {
			start = "  - "
		}
		if !strings.HasPrefix(line, start) {
			t.Errorf("got line %q, want it to start with %q", line, start)
		}
		if len(line) > textWidth && !strings.Contains(line, "xxx") {
			t.Errorf("got a line of %d, want at most %d", len(line), textWidth)
		}
	}
	if got := len(strings.Fields(page.out.String())); got != 43 || len(lines) != 5 {
		t.Errorf("got %d words in %d lines, want 43 in 5", got, len(lines))
	}
}

// TestVerdict: the sentence has the bounds of the table of attacks, and none for a model without privacy.
func TestVerdict(t *testing.T) {
	p := binaryPage()
	got := p.Guarantee.verdict()
	if a := p.Guarantee.attacks()[1]; !strings.Contains(got, a.One) || a.Group != "" && !strings.Contains(got, a.Group) {
		t.Errorf("got %q, want the bounds %s and %s", got, a.One, a.Group)
	}
	if bare := nonPrivatePage().Guarantee.verdict(); !strings.Contains(bare, "hides nothing") || strings.Contains(bare, "%") {
		t.Errorf("without privacy: got %q", bare)
	}
}

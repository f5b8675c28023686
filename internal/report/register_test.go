package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// registerPage writes a document with one register.
func registerPage(r Register) (string, error) {
	var page bytes.Buffer
	err := Document{Title: "t", Sections: []Section{{Title: "s", Register: &r}}}.WriteHTML(&page)
	return page.String(), err
}

// TestRegister: each cell has the class of its column and names the column, for screens where rows are blocks.
func TestRegister(t *testing.T) {
	r := Register{Title: "what happened", Columns: []Column{{"record", ShortText}, {"purpose", Words}, {"share", Number}}, Rows: [][]string{{"1", "a count", "3 %"}}}
	page, err := registerPage(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`aria-label="what happened"`, `<th scope="col" class="short">record</th>`, `<th scope="row" class="short" data-column="record">1</th>`,
		`<td class="words" data-column="purpose">a count</td>`, `<td class="number" data-column="share">3 %</td>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	r.Rows[0] = append(r.Rows[0], "of no column")
	if page, err = registerPage(r); err == nil || page != "" {
		t.Errorf("got %d bytes (%v), want a row of too many cells refused", len(page), err)
	}
}

// TestRegisterEscapes: no text of a register becomes part of the page.
func TestRegisterEscapes(t *testing.T) {
	for _, text := range slices.Concat(payloads, []string{"\u202e", "\x1b[31m"}) {
		page, err := registerPage(Register{Title: text, Columns: []Column{{text, Words}, {text, Number}}, Rows: [][]string{{text, text}}})
		if plain := strings.TrimLeft(text, "<"); err != nil || plain != text && strings.Count(page, text) != strings.Count(emptyPage(t), text) || strings.ContainsAny(page, "\u202e\x1b") {
			t.Errorf("%q: got a page (%v) with the text as it is", text, err)
		}
	}
}

// emptyPage is the page without a register.
func emptyPage(t *testing.T) string {
	t.Helper()
	var page bytes.Buffer
	if err := (Document{Title: "t"}).WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

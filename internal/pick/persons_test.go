package pick_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/pick"
)

// TestPersonsAreTexts: a level that is a group of texts names no person, but each of its texts does.
func TestPersonsAreTexts(t *testing.T) {
	s, err := data.ParseSchema("s", []byte("dither-schema: 1\nmax-records: 9\ntarget: {column: y, levels: [\"no\", \"yes\"]}\ndefaults: {missing: indicator, out-of-range: clamp, unknown: other}\ncolumns:\n  who: {levels: [{ann: [bob, cyd]}, dan]}\n  kind: {levels: [a, b]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err = os.WriteFile(path, []byte("who,kind,y\nann,a,yes\nbob,a,no\ncyd,b,no\ndan,b,no\nbob,a,yes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, extra := range [][]string{nil, {"who"}} {
		d, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{Extra: extra})
		if err != nil {
			t.Fatal(err)
		}
		codes, texts, err := pick.Persons(d, "who")
		switch {
		case extra == nil && (err == nil || !strings.Contains(err.Error(), "merge persons")):
			t.Errorf("groups of texts: got %v and %v, want a refusal", texts, err)
		case extra != nil && (err != nil || !slices.Equal(texts, []string{"ann", "bob", "cyd", "dan"}) || !slices.Equal(codes, []int32{0, 1, 2, 3, 1})):
			t.Errorf("texts: got %v, %v and %v", codes, texts, err)
		}
		if codes, texts, err = pick.Persons(d, "kind"); err != nil || len(texts) != 2 || codes[3] != 1 {
			t.Errorf("levels of one text: got %v, %v and %v", codes, texts, err)
		}
	}
}

// TestPartsOfDatesAreNoPersons: all dates of a month would be one person.
func TestPartsOfDatesAreNoPersons(t *testing.T) {
	s, err := data.ParseSchema("s", []byte("dither-schema: 1\nmax-records: 9\ntarget: {column: y, levels: [\"no\", \"yes\"]}\ndefaults: {missing: indicator, out-of-range: clamp, unknown: other}\ncolumns:\n  day: {date: {parts: [month]}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err = os.WriteFile(path, []byte("day,y\n2024-01-01,yes\n2024-01-02,no\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Features() {
		if codes, texts, err := pick.Persons(d, c.Name); err == nil {
			t.Errorf("%s: got the persons %v of %v, want a refusal", c.Name, codes, texts)
		}
	}
}

package bookkeeping

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// pageOf returns the page of a ledger with this many releases.
func pageOf(t *testing.T, r Request, releases int, population string) string {
	t.Helper()
	l := inMemory(t, r)
	for range releases {
		l.reserve(t, 20, "a count", population)
	}
	var page bytes.Buffer
	if err := l.Account().WritePage(&page); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// TestPageByReleases: the page says in words what few releases are, and draws many.
func TestPageByReleases(t *testing.T) {
	for _, c := range []struct {
		releases       int
		want, unwanted string
	}{
		{0, "Nothing is released yet. A release may have epsilon", `class="register"`},
		{0, "by nobody yet", "<svg class=\"chart\""},
		{1, "by 1 release, which proves epsilon", "<svg class=\"chart\""},
		{leastDrawn - 1, "which prove epsilon", "<svg class=\"chart\""},
		{leastDrawn, "<svg class=\"chart\"", "Charged:"},
		{2, `<td class="words" data-column="purpose">a count</td>`, ", about"},
		{2, `<td class="number" data-column="share">`, "Forfeited"},
		{2, "2 runs did not end yet, or ended without a word. What was reserved is spent. The list of releases calls them open.", "None yet"},
	} {
		page := pageOf(t, request(), c.releases, "")
		if !strings.Contains(page, c.want) || strings.Contains(page, c.unwanted) {
			t.Errorf("%d releases: the page lacks %q or has %q", c.releases, c.want, c.unwanted)
		}
	}
}

// TestPageSaysHowSharesAddUp: what is spent is the sum of the shares under one number alone.
func TestPageSaysHowSharesAddUp(t *testing.T) {
	for want, change := range map[string]func(*Request){
		"Shares add up to what is spent.":                      func(*Request) {},
		"What is spent may be more than the sum of the shares": func(r *Request) { r.Filter, r.Orders = budget.RDP, []float64{8, 16} },
		"What is spent may be less than the sum of the shares": func(r *Request) { r.Filter = budget.Basic },
		"about all and about the population that took most":    func(r *Request) { r.Populations = []string{"north: patients of the north"} },
		"so the two that took most count together": func(r *Request) {
			r.Populations, r.Neighboring = []string{"east: patients of the east", "south: patients of the south"}, "replace-one"
		},
		`<td class="words" data-column="purpose">a count, about west`: func(r *Request) { r.Populations = []string{"west: patients of the west"} },
	} {
		r := request()
		change(&r)
		population := ""
		if len(r.Populations) > 0 {
			population, _, _ = strings.Cut(r.Populations[0], ":")
		}
		if page := pageOf(t, r, 2, population); !strings.Contains(page, want) {
			t.Errorf("%+v: the page lacks %q", r, want)
		}
	}
}

// TestShowSaysHowSharesAddUp: the terminal says so where shares do not add up, and only there.
func TestShowSaysHowSharesAddUp(t *testing.T) {
	for orders, want := range map[int]bool{1: false, 2: true} {
		r := request()
		r.Filter, r.Orders = budget.RDP, []float64{8, 16}[:orders]
		l := inMemory(t, r)
		l.reserve(t, 5, "a count", "")
		l.reserve(t, 20, "a count", "")
		text, err := l.Account().Text()
		got := strings.Contains(string(text), "\nshares    What is spent may be more")
		if err != nil || got != want || strings.Contains(string(text), "\nshares ") != want {
			t.Errorf("%d orders: the text (%v) says that shares do not add up: %v, want %v\n%s", orders, err, got, want, text)
		}
	}
}

// TestImportsThatDoNotFit: page, terminal, JSON and check say that a ledger does not keep its cap. No rounding says so
// of a ledger that does: ten plans at epsilon 0.1 keep a cap of 1.
func TestImportsThatDoNotFit(t *testing.T) {
	r := request()
	r.Filter, r.Epsilon, r.Delta = budget.Basic, 1, 0
	l := inMemory(t, r)
	tenth := budget.Ask{Event: mechanism.AssumedDP{Epsilon: 0.1, Neighboring: privacy.AddOrRemoveOne}, Neighboring: privacy.AddOrRemoveOne, Unit: l.Terms().Unit, Purpose: "a tenth"}
	for i := range 11 {
		if err := l.Book.Import(t.Context(), tenth, strings.Repeat(fmt.Sprintf("%02x", i), 32), "a folder"); err != nil {
			t.Fatal(err)
		}
		a, fits := l.Account(), i < 10
		c, err := l.Check()
		if err != nil || c.Agrees != fits || a.KeepsCap != fits {
			t.Errorf("%d plans: got %+v (%v) and a cap kept: %v, want %v", i+1, c, err, a.KeepsCap, fits)
		}
		text, err := a.Text()
		if err != nil {
			t.Fatal(err)
		}
		var page bytes.Buffer
		if err = a.WritePage(&page); err != nil {
			t.Fatal(err)
		}
		for said, words := range map[string]string{string(text): "not kept: releases were imported that did not fit", page.String(): "do not keep its cap"} {
			if strings.Contains(said, words) == fits {
				t.Errorf("%d plans: got %q in the output: %v, want %v: %s", i+1, words, fits, !fits, said)
			}
		}
		if promised := strings.Contains(page.String(), "All releases that this ledger counts together keep"); promised != fits {
			t.Errorf("%d plans: the page promises the cap: %v, want %v", i+1, promised, fits)
		}
	}
}

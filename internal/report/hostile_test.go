package report

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

// payloads are what a stranger may write into a header, a level or the name of
// a file.
var payloads = []string{
	`<script>alert(1)</script>`,
	`</script><script>alert(1)</script>`,
	`<SCRIPT SRC=//evil.example/x.js></SCRIPT>`,
	`<scr<script>ipt>alert(1)</scr</script>ipt>`,
	`<svg onload=alert(1)>`,
	`<svg/onload=alert(1)//`,
	`<svg><script>alert(1)</script></svg>`,
	`<svg><animate onbegin=alert(1) attributeName=x dur=1s>`,
	`</svg><img src=x onerror=alert(1)>`,
	`</title><script>alert(1)</script>`,
	`</style><script>alert(1)</script>`,
	`</desc></svg><script>alert(1)</script>`,
	`</textarea><script>alert(1)</script>`,
	`<img src=x onerror=alert(1)>`,
	`<img src="javascript:alert(1)">`,
	`<iframe src="javascript:alert(1)"></iframe>`,
	`<a href="javascript:alert(1)">x</a>`,
	`javascript:alert(1)`,
	`JaVaScRiPt:alert(1)`,
	`data:text/html,<script>alert(1)</script>`,
	`vbscript:msgbox(1)`,
	`" onmouseover="alert(1)`,
	`' onmouseover='alert(1)`,
	"` onmouseover=`alert(1)",
	`x onclick=alert(1) y`,
	`"><script>alert(1)</script>`,
	`'><script>alert(1)</script>`,
	`--><script>alert(1)</script>`,
	`<!--`,
	`<![CDATA[<script>alert(1)</script>]]>`,
	`]]>`,
	`<?xml version="1.0"?>`,
	`<meta http-equiv="refresh" content="0;url=//evil.example">`,
	`<link rel=stylesheet href=//evil.example>`,
	`<base href="//evil.example/">`,
	`<form action="//evil.example"><input name=q></form>`,
	`<object data="x"></object>`,
	`<embed src="x">`,
	`<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>`,
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
	`<template><script>alert(1)</script></template>`,
	`{{.}}`,
	`{{template "page" .}}`,
	`{{printf "%s" .Title}}`,
	`{{"</style>"}}`,
	`@policy@`,
	`@style@`,
	`${alert(1)}`,
	`&lt;script&gt;`,
	`&#60;script&#62;alert(1)`,
	`&#x3c;script&#x3e;`,
	`+ADw-script+AD4-alert(1)`,
	"\u202egnp.txt\u202c",
	"\u2066\u202e\u2069 reversed",
	"a\u200bb\u200cc\u200dd\u2060e\ufeff",
	"\u061c\u200e\u200f",
	"\U000e0041\U000e0042 tags",
	"\x1b[31mred\x1b[0m",
	"\x1b]0;title\x07",
	"\x1b]8;;//evil.example\x1b\\link",
	"\u009b31m",
	"\x00\x01\x02\x7f",
	"line\r\nbreak\ttab\u2028\u2029\v\f\u0085",
	"\xff\xfe\xc0\x80 not UTF-8",
	"<\x00script>alert(1)</script>",
	"\u3164\u115f\u2800\u00ad",
	"a" + strings.Repeat("\u0301", 200),
	strings.Repeat("long ", 5000),
	strings.Repeat("W", 5000),
	`%s%n%d`,
	`=cmd|' /C calc'!A0`,
	`expression(alert(1))`,
	`x;background:url(//evil.example)`,
}

// filled returns the binary page, with figures, with every string replaced by s.
func filled(s string) Page {
	p := figuredPage()
	p.Banner = "set"
	return filledWith(p, s)
}

// filledWith replaces every string of a value that shares nothing.
func filledWith[T any](value T, s string) T { return filledFrom(value, func() string { return s }) }

// filledFrom replaces every string of a value that shares nothing by the next one, found by reflection, so that a
// field added later is filled too.
func filledFrom[T any](value T, next func() string) T {
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			v.SetString(next())
		case reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		case reflect.Slice:
			for i := range v.Len() {
				fill(v.Index(i))
			}
		case reflect.Pointer:
			if !v.IsNil() {
				fill(v.Elem())
			}
		}
	}
	fill(reflect.ValueOf(&value).Elem())
	return value
}

// TestHostileNames puts payloads into all strings of a page. The page must have the very tags and attributes that it has
// with harmless strings.
func TestHostileNames(t *testing.T) {
	if len(payloads) < 50 {
		t.Fatalf("got %d payloads, want at least 50", len(payloads))
	}
	checkHostile(t, func(next func() string) string {
		p := figuredPage()
		p.Banner = "set"
		return written(t, filledFrom(p, next), 0)
	})
}

// checkHostile fills pages with payloads, each string with the one after that of the string before. The pages begin at every
// payloadStep-th payload.
func checkHostile(t *testing.T, fill func(next func() string) string) {
	t.Helper()
	from := func(texts []string, first int) string {
		at := first - 1
		return fill(func() string { at++; return texts[at%len(texts)] })
	}
	plain := make([]string, len(payloads))
	for i := range plain {
		plain[i] = fmt.Sprint("x", i)
	}
	for first := 0; first < len(payloads); first += payloadStep {
		page, name := from(payloads, first), fmt.Sprint("from number ", first)
		scriptless := strings.Replace(page, chartScript, "", 1)
		for _, payload := range payloads {
			if strings.ContainsAny(payload, `<>"'`) && strings.Contains(scriptless, payload) {
				t.Errorf("payload %.60q: got it in the page as it is, want it escaped", payload)
			}
		}
		checkPrintable(t, name, page)
		hostile := elements(t, page)
		checkSameTags(t, name, hostile, elements(t, from(plain, first)))
		checkNothingForeign(t, hostile)
	}
}

// checkSameTags wants the tags and attributes of a page with harmless strings.
func checkSameTags(t *testing.T, payload string, hostile, harmless []*element) {
	t.Helper()
	if len(hostile) != len(harmless) {
		t.Errorf("payload %.60q: got %d tags, want %d", payload, len(hostile), len(harmless))
		return
	}
	for i := range hostile {
		if got, want := hostile[i].names(), harmless[i].names(); got != want {
			t.Errorf("payload %.60q: got tag %s, want %s", payload, got, want)
			return
		}
	}
}

// TestHostileText wants nothing in the text form that a terminal obeys, and no
// line that a name could start by itself.
func TestHostileText(t *testing.T) {
	lines := strings.Count(written(t, filled("x"), 1), "\n")
	for _, payload := range payloads {
		text := written(t, filled(payload), 1)
		checkPrintable(t, payload, text)
		if got := strings.Count(text, "\n"); len(payload) < 30 && got > lines+20 {
			t.Errorf("payload %.60q: got %d lines, want about %d", payload, got, lines)
		}
	}
}

// checkPrintable wants only visible characters, spaces and line ends.
func checkPrintable(t *testing.T, payload, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && (!unicode.IsPrint(r) || blank(r)) {
			t.Errorf("payload %.60q: got character %U, want it spelled out", payload, r)
			return
		}
	}
}

func TestClean(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"letters of any script", "Zürich 東京 हिन्दी עברית", "Zürich 東京 हिन्दी עברית"},
		{"white space", "a\tb\r\nc\u00a0d\u2028e", "a b  c d e"},
		{"override", "a\u202eb", "a⟨U+202E⟩b"},
		{"isolate", "\u2066", "⟨U+2066⟩"},
		{"zero width", "a\u200bb", "a⟨U+200B⟩b"},
		{"escape", "\x1b[2J", "⟨U+001B⟩[2J"},
		{"C1 control", "\u009b2J", "⟨U+009B⟩2J"},
		{"next line", "\u0085", "⟨U+0085⟩"},
		{"invisible letter", "\u3164", "⟨U+3164⟩"},
		{"not UTF-8", "a\xffb", "a\ufffdb"},
		{"many marks", "e" + strings.Repeat("\u0301", 9) + "f", "e" + strings.Repeat("\u0301", 4) + "f"},
		{"too long", strings.Repeat("é", maxRunes+1), strings.Repeat("é", maxRunes) + "…"},
		{"just fits", strings.Repeat("é", maxRunes), strings.Repeat("é", maxRunes)},
	}
	for _, test := range tests {
		if got := clean(test.text); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestCleanedIsACopy wants the caller's page untouched.
func TestCleanedIsACopy(t *testing.T) {
	p, same := filled("\x1b"), filled("\x1b")
	clean := p.cleaned()
	if !reflect.DeepEqual(p, same) {
		t.Error("got a page that changed, want a copy")
	}
	if clean.Metrics.Tables[0].Rows[0][0] != "⟨U+001B⟩" || clean.Coefficients[0].Level != "⟨U+001B⟩" {
		t.Errorf("got %q and %q, want both spelled out", clean.Metrics.Tables[0].Rows[0][0], clean.Coefficients[0].Level)
	}
}

// FuzzPage begins at a few of the payloads; TestHostileNames and TestHostileText hold them all.
func FuzzPage(f *testing.F) {
	for i := 0; i < len(payloads); i += 16 {
		f.Add(payloads[i], 1.0)
	}
	f.Fuzz(func(t *testing.T, s string, epsilon float64) {
		if s == "" || math.IsNaN(epsilon) || epsilon < 0 {
			t.Skip("refused, see TestRefused")
		}
		p := filled(s)
		p.Guarantee.Epsilon, p.Guarantee.GroupEpsilon = epsilon, 2*epsilon
		harmless := filled("x")
		harmless.Guarantee = p.Guarantee
		var html, text bytes.Buffer
		if err := p.WriteHTML(&html); err != nil {
			t.Fatal(err)
		}
		if err := p.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		checkPrintable(t, s, html.String()+text.String())
		if got, want := len(elements(t, html.String())), len(elements(t, written(t, harmless, 0))); got != want {
			t.Errorf("got %d tags, want %d", got, want)
		}
	})
}

package report

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ditherml/dither/account"
)

// Limits of the strings on a page.
const (
	// maxRunes is how much of any one string is shown.
	maxRunes = 2000
	// maxLabelRunes is how much of a feature's name a plot shows.
	maxLabelRunes = 60
	// maxMarks is how many combining marks may follow one character: more than
	// any script needs, too few to paint over neighboring lines.
	maxMarks = 4
)

// clean returns s in a form that is safe to look at, in a browser and on a terminal. White space
// becomes a space. Characters that are invisible, change the direction of text or control a
// terminal are spelled out, as ⟨U+202E⟩. Bytes that are not UTF-8 become U+FFFD. It does not escape
// HTML: html/template does.
func clean(s string) string {
	var b strings.Builder
	runes, marks := 0, 0
	for _, r := range s {
		if runes++; runes > maxRunes {
			b.WriteString("…")
			break
		}
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		switch {
		case marks > maxMarks:
		case unicode.IsSpace(r) && r != '\u0085':
			b.WriteByte(' ')
		case !unicode.IsPrint(r) || blank(r):
			fmt.Fprintf(&b, "⟨%U⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// blank reports whether r counts as a letter or symbol but shows nothing.
func blank(r rune) bool {
	switch r {
	case '\u034F', '\u115F', '\u1160', '\u17B4', '\u17B5', '\u2800', '\u3164', '\uFFA0':
		return true
	}
	return unicode.Is(unicode.Variation_Selector, r)
}

// cleaned returns a copy of p in which every string is clean.
func (p Page) cleaned() Page { return cleanCopy(p) }

// cleanCopy returns a copy of a value in which every string went through clean. It
// walks the type, so that a field added later cannot be forgotten.
func cleanCopy[T any](value T) T {
	return cleanedValue(reflect.ValueOf(value)).Interface().(T)
}

func cleanedValue(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	if v.Type() == reflect.TypeFor[account.TradeOff]() { // which has numbers alone
		return v
	}
	switch v.Kind() {
	case reflect.String:
		out.SetString(clean(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(cleanedValue(v.Field(i)))
		}
	case reflect.Slice:
		if v.IsNil() {
			return out
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(cleanedValue(v.Index(i)))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return out
		}
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(cleanedValue(v.Elem()))
	default:
		out.Set(v)
	}
	return out
}

// shorten cuts s to at most limit runes, the last of them an ellipsis.
func shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

package strict

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

type inner struct {
	Bins []float64 `json:"bins,omitempty"`
	Next *inner    `json:"next,omitempty"`
}

// own reads itself.
type own string

func (o *own) UnmarshalJSON(text []byte) error {
	*o = own(text)
	return nil
}

type embedded struct {
	Law string `json:"law"`
}

type outer struct {
	embedded
	Delta   float64            `json:"delta"`
	Parts   []inner            `json:"parts"`
	Own     own                `json:"own"`
	Raw     json.RawMessage    `json:"raw"`
	Shares  map[string]float64 `json:"shares"`
	Rows    [][]float64        `json:"rows"`
	Skipped int                `json:"-"`
	Plain   bool
}

const good = `{"law": "l", "delta": 1e-6, "parts": [{"bins": [1, 2], "next": {}}], "own": {"a": 1}, "raw": {"b": [1]}, "shares": {"x": 1}, "rows": [[1], [2]], "Plain": true}`

func TestDecode(t *testing.T) {
	var v outer
	if err := Decode([]byte(good), &v); err != nil {
		t.Fatal(err)
	}
	if v.Law != "l" || v.Delta != 1e-6 || v.Parts[0].Next == nil || string(v.Own) != `{"a": 1}` || v.Shares["x"] != 1 || v.Rows[1][0] != 2 || !v.Plain {
		t.Errorf("got %+v", v)
	}
	text, err := json.Marshal(outer{Own: `{}`, Raw: json.RawMessage(`{}`)}) // with null for empty lists
	if err != nil || Decode(text, &v) != nil || Decode([]byte(` {} `), &v) != nil {
		t.Errorf("%s, %v: refused what encoding/json writes, or white space", text, err)
	}
}

// TestDecodeRefuses plants one fault at a time in a text that is read without it.
func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"name twice", `"delta"`, `"delta": 0.5, "delta"`, "twice"},
		{"name twice by an escape", `"delta"`, `"d\u0065lta": 0.5, "delta"`, "twice"},
		{"other letters", `"delta"`, `"Delta"`, "spelling"},
		{"letters that fold", `"shares"`, `"\u017fhares"`, "spelling"},
		{"name of a field in Go", `"law"`, `"Law"`, "spelling"},
		{"unknown name", `"delta"`, `"more": 0, "delta"`, "more"},
		{"skipped name", `"delta"`, `"-": 0, "delta"`, "unknown"},
		{"inner name twice", `"next"`, `"bins": [9], "next"`, "twice"},
		{"inner other letters", `"next"`, `"NEXT"`, "spelling"},
		{"own name twice", `"a": 1`, `"a": 1, "a": 2`, "twice"},
		{"raw name twice", `"b": [1]`, `"b": [1], "b": 2`, "twice"},
		{"key of a map twice", `"x": 1`, `"x": 1, "x": 2`, "twice"},
		{"null", `1e-6`, `null`, "null"},
		{"null in a map", `"x": 1`, `"x": null`, "null"},
		{"null among numbers", `[1, 2]`, `[1, null]`, "null"},
		{"null among rows", `[2]]`, `[null]]`, "null"},
		{"null in the place of a struct", `[{"bins": [1, 2], "next": {}}]`, `[null]`, "null"},
		{"text after the end", `true}`, `true}{}`, "after"},
		{"bracket after the end", `true}`, `true}}`, "after"},
		{"number after the end", `true}`, `true} 1`, "after"},
		{"cut short", `true}`, `true`, ""},
		{"no UTF-8", `"l"`, "\"\xff\"", "UTF-8"},
		{"other type", `1e-6`, `"1e-6"`, "delta"},
		{"beyond numbers", `1e-6`, `1e999`, ""},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		var v outer
		if err := Decode([]byte(text), &v); text == good || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// FuzzDecode holds what is read to one spelling: encoded and read again, it is the same value.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"parts": [{"next": {"next": {"bins": []}}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var v, again outer
		if Decode(text, &v) != nil {
			return
		}
		out, err := json.Marshal(v)
		if err != nil { // an empty field of the type that is raw
			return
		}
		if err = Decode(out, &again); err != nil || math.Float64bits(again.Delta) != math.Float64bits(v.Delta) || len(again.Parts) != len(v.Parts) {
			t.Errorf("%s became %s: %v", text, out, err)
		}
	})
}

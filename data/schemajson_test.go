package data_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/ditherml/dither/data"
)

// jsonSchema is docs/schema.json, or a part of it.
type jsonSchema map[string]any

func editorSchema(tb testing.TB) jsonSchema {
	tb.Helper()
	text, err := os.ReadFile("../docs/schema.json")
	if err != nil {
		tb.Fatal(err)
	}
	var s jsonSchema
	if err := json.Unmarshal(text, &s); err != nil {
		tb.Fatal(err)
	}
	return s
}

// kindOf returns the JSON type of a value of YAML.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string, time.Time:
		return "string"
	case int, uint64:
		return "integer"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// refuse returns why a value does not have the form of part, "" for none. It knows the keywords of docs/schema.json,
// and fails for any other.
func (s jsonSchema) refuse(tb testing.TB, part jsonSchema, v any) string {
	tb.Helper()
	object, _ := v.(map[string]any)
	list, _ := v.([]any)
	text, isText := v.(string)
	is := func(kind any) bool { return kind == kindOf(v) || kind == "number" && kindOf(v) == "integer" }
	same := func(want any) bool {
		number, isNumber := want.(float64)
		return want == v || isNumber && fmt.Sprint(number) == fmt.Sprint(v) && kindOf(v) == "integer"
	}
	sub := func(at any) jsonSchema { return at.(map[string]any) }
	for key, want := range part {
		ok := true
		switch key {
		case "$schema", "title", "description", "$defs", "additionalProperties", "then":
		case "$ref":
			ok = s.refuse(tb, sub(sub(s["$defs"])[strings.TrimPrefix(want.(string), "#/$defs/")]), v) == ""
		case "type":
			kinds, several := want.([]any)
			ok = is(want) || several && slices.ContainsFunc(kinds, is)
		case "const":
			ok = same(want)
		case "enum":
			ok = slices.ContainsFunc(want.([]any), same)
		case "anyOf":
			ok = slices.ContainsFunc(want.([]any), func(each any) bool { return s.refuse(tb, sub(each), v) == "" })
		case "pattern":
			ok = !isText || regexp.MustCompile(want.(string)).MatchString(text)
		case "minLength":
			ok = !isText || float64(len(text)) >= want.(float64)
		case "minimum":
			var number float64
			_, err := fmt.Sscan(fmt.Sprint(v), &number)
			ok = !is("number") || err == nil && number >= want.(float64)
		case "minItems":
			ok = list == nil || float64(len(list)) >= want.(float64)
		case "maxItems":
			ok = float64(len(list)) <= want.(float64)
		case "minProperties":
			ok = object == nil || float64(len(object)) >= want.(float64)
		case "maxProperties":
			ok = float64(len(object)) <= want.(float64)
		case "uniqueItems":
			for i, item := range list {
				ok = ok && !slices.ContainsFunc(list[:i], func(other any) bool { return fmt.Sprint(other) == fmt.Sprint(item) })
			}
		case "items":
			for _, item := range list {
				ok = ok && s.refuse(tb, sub(want), item) == ""
			}
		case "required":
			for _, name := range want.([]any) {
				_, has := object[name.(string)]
				ok = ok && (object == nil || has)
			}
		case "properties":
			for name, value := range object {
				if each, known := sub(want)[name]; known {
					ok = ok && s.refuse(tb, sub(each), value) == ""
				} else {
					ok = ok && part["additionalProperties"] != false
				}
			}
		default:
			tb.Fatalf("the keyword %s is not known to the test", key)
		}
		if !ok {
			return key
		}
	}
	if each, isSchema := part["additionalProperties"].(map[string]any); isSchema {
		for name, value := range object {
			if s.refuse(tb, each, value) != "" {
				return name
			}
		}
	}
	return ""
}

// refuseText is refuse for a schema file.
func (s jsonSchema) refuseText(tb testing.TB, text string) string {
	tb.Helper()
	var v map[string]any
	if err := yaml.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &v); err != nil {
		tb.Fatal(err)
	}
	return s.refuse(tb, s, v)
}

// TestEditorSchemaKeys wants the keys of the parser in docs/schema.json, each with a description.
func TestEditorSchemaKeys(t *testing.T) {
	s := editorSchema(t)
	part := func(name string) jsonSchema { return s["$defs"].(map[string]any)[name].(map[string]any) }
	keysOf := func(parts ...jsonSchema) []string {
		found := map[string]bool{}
		for _, p := range parts {
			for key := range p["properties"].(map[string]any) {
				found[key] = true
			}
		}
		return slices.Sorted(maps.Keys(found))
	}
	texts := part("texts-column")
	got := map[string][]string{
		"The file": keysOf(s), "target": keysOf(part("target")), "defaults": keysOf(part("defaults")),
		"columns": keysOf(part("numeric"), part("learned-bins"), part("learned-bounds"), part("levels"), texts, part("date"), part("date-parts")),
		"date":    keysOf(part("date")["properties"].(map[string]any)["date"].(map[string]any)),
		"text":    keysOf(texts["properties"].(map[string]any)["text"].(map[string]any)),
		"related": keysOf(part("related-table")), "features": keysOf(part("related-feature")),
	}
	for name, keys := range data.SchemaKeys() {
		if want := slices.Sorted(slices.Values(keys)); !slices.Equal(got[name], want) {
			t.Errorf("%s: got the keys %v, want %v", name, got[name], want)
		}
	}
}

// TestEditorSchemaExamples wants every schema of the tests, and of the reference, accepted.
func TestEditorSchemaExamples(t *testing.T) {
	s := editorSchema(t)
	for _, c := range roundTrips {
		if _, err := data.ReadTableSchema(writeFile(t, "s.yaml", c.text)); err != nil {
			continue // a draft
		}
		if why := s.refuseText(t, c.text); why != "" {
			t.Errorf("%s: refused by %s", c.name, why)
		}
	}
	text, err := os.ReadFile("../docs/schema.md")
	if err != nil {
		t.Fatal(err)
	}
	if why := s.refuseText(t, string(schemaBlock.FindSubmatch(text)[1])); why != "" {
		t.Errorf("the example of docs/schema.md is refused by %s", why)
	}
}

// exception reports whether docs/schema.json and the program may differ: it cannot know that defaults decide missing,
// and it refuses what means nothing, such as an empty word and bins where there can be none.
func exception(key string, part map[string]any) bool {
	empty, isList := part[key].([]any)
	return key == "fill" && part["missing"] != "zero" || part[key] == "" || isList && len(empty) == 0 || key == "max-bins" && part["bounds"] != nil
}

// TestEditorSchemaAgrees gives each key values of all kinds. What the program accepts, docs/schema.json must accept;
// and what docs/schema.json accepts, the parser must. Numbers as quoted texts are not among the values: the parser
// accepts them, and docs/schema.json does not. By default one combination of 17 is tried.
func TestEditorSchemaAgrees(t *testing.T) {
	s := editorSchema(t)
	object := func(pairs ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1]
		}
		return m
	}
	list := func(items ...any) []any { return items }
	numeric, bins := object("numeric", list(0, 10)), object("numeric", list(0, 10), "bins", "private", "max-bins", 3)
	zero := object("numeric", list(0, 10), "missing", "zero")
	learned, levels, few := object("bounds", "private"), object("levels", list("a", "b")), object("levels", "private", "max-levels", 3)
	hashed, ordered, days := object(), object("positions", 4), object("since", "2020-01-01", "range", list(0, 365))
	parts := map[string][]map[string]any{
		"target":   {object("column", "y", "levels", list("a", "b")), object("column", "y", "bounds", list(0, 1))},
		"columns":  {numeric, bins, zero, learned, levels, few, object("text", hashed), object("date", days), object("date", object("parts", list("month", "hour")))},
		"text":     {hashed, ordered},
		"date":     {days, object("parts", list("month"))},
		"defaults": {object("missing", "indicator", "out-of-range", "clamp", "unknown", "other")},
		"related":  {object("key", "z", "max-rows", 3, "features", object("n", object("count", true)))},
	}
	base := func() map[string]any {
		return object("dither-schema", 1, "max-records", 9, "target", parts["target"][0], "defaults", parts["defaults"][0], "columns", object("x", numeric, "z", "ignore"))
	}
	parts["The file"] = []map[string]any{base()}
	values := []any{nil, true, -1, 0, 1, 2, 3, 5, 256, 300, 1.5, "", "a", "x", "none", "private", "drop", "zero", "indicator", "other", "clamp", "as-missing", "tab", "comma", ";", "'", "\t",
		"log1p", "english", "presence", "logarithm", "hashed", "numbers", "csv", "ignore", list(), list("a"), list("a", "b"), list("x", "y"), list(0), list(0, 1), list(0.5, 3), list(1, 2, 3),
		list(true, nil), list(list(1)), list(object("a", 1)), list(object("a", list("b", "c")), "d"), list(object("a", list("b"), "b", list("c"))), "2024-02-29", list("year"), list("month", "hour"), list("hour", "hour"), object(), object("a", 1), object("column", "y"), object("x", "ignore"), object("x", numeric, "x1", levels)}
	path := filepath.Join(t.TempDir(), "s.yaml")
	tried, compared, accepted := 0, 0, 0
	allKeys := data.SchemaKeys()
	for _, name := range slices.Sorted(maps.Keys(allKeys)) {
		keys := allKeys[name]
		for _, before := range parts[name] {
			for _, key := range append(slices.Clone(keys), "colour") {
				for _, value := range values {
					part := maps.Clone(before)
					part[key] = value
					if tried++; !thorough && tried%17 != 0 || exception(key, part) {
						continue
					}
					compared++
					file := base()
					switch name {
					case "The file":
						file = part
					case "columns":
						file["columns"] = object("x", part)
					case "related":
						file["related"] = object("u", part)
					case "date":
						file["columns"] = object("x", object("date", part))
					case "text":
						file["columns"] = object("x", object("text", part))
					default:
						file[name] = part
					}
					text, err := yaml.Marshal(file)
					if err != nil {
						t.Fatal(err)
					}
					if err = os.WriteFile(path, text, 0o600); err != nil {
						t.Fatal(err)
					}
					why := s.refuseText(t, string(text))
					_, read := data.ReadTableSchema(path)
					_, parsed := data.ParseSchema(path, text)
					if read == nil {
						accepted++
					}
					if read == nil && why != "" {
						t.Errorf("%s: %s: %v is accepted, but docs/schema.json refuses it by %s", name, key, value, why)
					}
					if parsed != nil && why == "" && !strings.Contains(parsed.Error(), "has no key") {
						t.Errorf("%s: %s: %v is accepted by docs/schema.json, but: %v", name, key, value, parsed)
					}
				}
			}
		}
	}
	if accepted < compared/30 {
		t.Errorf("%d files of %d were accepted, want more for a comparison", accepted, compared)
	}
}

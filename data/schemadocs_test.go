package data_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/format"
)

var (
	documentedKey = regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| .*\\S \\|$")
	schemaBlock   = regexp.MustCompile("(?s)```yaml\n(.*?)```")
)

// TestSchemaReference wants each key of a schema file in the table of its part, and no other, and the example to be a
// schema.
func TestSchemaReference(t *testing.T) {
	text, err := os.ReadFile("../docs/schema.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(text), "\n## ")
	for part, keys := range data.SchemaKeys() {
		at := slices.IndexFunc(sections, func(s string) bool { return strings.HasPrefix(s, part+"\n") })
		if at < 0 {
			t.Errorf("docs/schema.md has no section %q", part)
			continue
		}
		table, _, _ := strings.Cut(sections[at], "\n\n| treatment |")
		var documented []string
		for _, m := range documentedKey.FindAllStringSubmatch(table, -1) {
			documented = append(documented, m[1])
		}
		if !slices.Equal(documented, keys) {
			t.Errorf("docs/schema.md, %s: the table has %v, the parser takes %v", part, documented, keys)
		}
	}
	example := schemaBlock.FindSubmatch(text)
	if example == nil {
		t.Fatal("docs/schema.md has no example")
	}
	s, err := data.ParseSchema("docs/schema.md", example[1])
	if err != nil || s.Validate() != nil {
		t.Errorf("the example is no schema: %v, %v", err, s.Validate())
	}
	if want := format.Reference(); !strings.Contains(string(text), want) {
		t.Errorf("docs/schema.md has not the formats as internal/format lists them, want\n%s", want)
	}
}

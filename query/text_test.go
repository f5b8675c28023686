package query

import (
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// TestTextColumnRefused wants a text column named as what it is, in every place of an expression.
func TestTextColumnRefused(t *testing.T) {
	h := data.DefaultHashing()
	s := &data.Schema{MaxRecords: 9, Target: data.Target{Column: "y", Levels: []string{"a", "b"}}, Columns: []data.Column{
		{Name: "review", Kind: data.Text, Hashing: &h, Missing: data.Zero}}}
	for _, text := range []string{"review", "review + 1", "review = \"a\"", "clamp(review, 0, 1)"} {
		if _, err := parseExpression(s, text); err == nil || !strings.Contains(err.Error(), "\"review\" is text") {
			t.Errorf("%s: got error %v", text, err)
		}
	}
}

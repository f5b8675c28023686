package training

import (
	"io"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// TestStreamingAdvice wants each remedy in the refusal of a whitening to be one that is then taken, for rows and persons.
func TestStreamingAdvice(t *testing.T) {
	s, err := data.ParseSchema("s.yaml", []byte(`dither-schema: 1
row: one visit
max-records: 500
records: 500
target: {column: y, levels: [a, b]}
defaults: {missing: zero, out-of-range: clamp}
columns:
  who: ignore
  u: {numeric: [-1, 1]}
  v: {numeric: [-1, 1]}
`))
	if err != nil {
		t.Fatal(err)
	}
	person := &train.PersonUnit{Column: "who", MaxRows: 3}
	for _, c := range []struct {
		name, words string
		person      *train.PersonUnit
		structure   string
	}{
		{"rows", "--stream takes --whiten full of at most 1024 features, for rows of norm 1 that every step takes", nil, option.StructureDiagonal},
		{"persons", "where persons are the unit, --stream takes no --whiten full and no --whiten diagonal", person, option.StructureDiagonal},
		{"persons in full", "where persons are the unit, --stream takes no --whiten full", person, option.StructureFull},
	} {
		improve := func(stream bool, whiten train.Tristate, structure string) error {
			r := train.Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 2, Person: c.person, Whiten: whiten, Structure: structure}
			return Streaming{Stream: stream, Cache: !stream, Tell: io.Discard}.Improve(&r, train.Options{}, s, NoInteractions, false)
		}
		if err := improve(true, train.Yes, c.structure); err == nil || !strings.Contains(err.Error(), "want --whiten no, or --cache-features; "+c.words) {
			t.Errorf("%s: got error %v, want %q", c.name, err, c.words)
		}
		if err := improve(true, train.No, ""); err != nil {
			t.Errorf("%s: --whiten no is refused: %v", c.name, err)
		}
		if err := improve(false, train.Yes, c.structure); err != nil {
			t.Errorf("%s: --cache-features is refused: %v", c.name, err)
		}
		if err := improve(true, train.Yes, option.StructureFull); (err == nil) != (c.person == nil) {
			t.Errorf("%s: got error %v for --whiten full", c.name, err)
		}
	}
}

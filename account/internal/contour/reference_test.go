package contour

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
)

// sampledRow is one row of the table of Poisson-sampled Gaussians: the least ε in both
// directions and under replace-one, where it was computed.
type sampledRow struct {
	ID       string  `json:"id"`
	Sampling float64 `json:"q"`
	Noise    float64 `json:"noise_multiplier"`
	Steps    float64 `json:"steps"`
	Delta    float64 `json:"delta"`
	Truth    struct {
		Remove     *float64 `json:"remove"`
		Add        *float64 `json:"add"`
		ReplaceOne *float64 `json:"replace_one"`
	} `json:"truth"`
}

// readReference returns the table, or skips the test where it is not at hand.
func readReference(t *testing.T) []sampledRow {
	t.Helper()
	name := filepath.Join("..", "..", "..", "..", "shared", "reference", "accounting.json")
	if data := os.Getenv("DITHER_DATA"); data != "" {
		name = filepath.Join(data, "..", "reference", "accounting.json")
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("no table of reference values at %s", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Rows []sampledRow `json:"poisson_gaussian"`
	}
	if err = json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) == 0 {
		t.Fatal("the table has no rows")
	}
	return table.Rows
}

// pairs returns the pairs of a row beside the values that the table has for them.
func (r sampledRow) pairs() map[string]struct {
	pair pair.Pair
	want *float64
} {
	remove, add := pair.Sampled(pair.Normal, r.Noise, r.Sampling), pair.Sampled(pair.Normal, r.Noise, r.Sampling).Swap()
	replace := pair.SampledReplace(pair.Normal, r.Noise, r.Sampling)
	return map[string]struct {
		pair pair.Pair
		want *float64
	}{"remove": {remove, r.Truth.Remove}, "add": {add, r.Truth.Add}, "replace-one": {replace, r.Truth.ReplaceOne}}
}

// doubtful are values of the table, got on a grid, that a direct convolution contradicts:
// see TestFewReleasesNearTheLargestLoss.
var doubtful = map[string]bool{"PG087 add": true}

// TestReferenceTable compares with values computed by other programs: in closed form for
// one step, by transforms on a grid for few, else by a contour integral in another language.
func TestReferenceTable(t *testing.T) {
	answered, refused := 0, 0
	for i, row := range readReference(t) {
		if !thorough && i%5 != 0 {
			continue
		}
		for direction, c := range row.pairs() {
			if c.want == nil || doubtful[row.ID+" "+direction] {
				continue
			}
			got, err := compose(t, c.pair, row.Steps).Epsilon(row.Delta)
			if errors.Is(err, ErrUnsuited) {
				refused++
				t.Logf("%s %s refused (q = %v, z = %v, %v steps): %v", row.ID, direction, row.Sampling, row.Noise, row.Steps, err)
				continue
			}
			answered++
			if err != nil || math.Abs(got-*c.want) > 1e-9+1e-6*math.Abs(*c.want) {
				t.Errorf("%s %s (q = %v, z = %v, %v steps, δ = %v): got ε = %v, %v, want %v",
					row.ID, direction, row.Sampling, row.Noise, row.Steps, row.Delta, got, err, *c.want)
			}
		}
	}
	t.Logf("%d answered, %d refused", answered, refused)
	if answered < 4*refused {
		t.Errorf("%d of %d refused, want at most a fifth", refused, answered+refused)
	}
}

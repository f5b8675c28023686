//go:build long

package train_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

const (
	reuseWeights = 4000
	reuseSteps   = 30
)

// sampled returns the numbers that a pattern finds in a source of the samplers.
func sampled(t *testing.T, file, pattern string) (out []float64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "internal", "release", "internal", "sample", file))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
		v, err := strconv.ParseUint(m[1], 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, float64(v))
	}
	return out
}

// reuseTable is one record whose gradient is the intercept's alone, and with the canary one that moves every weight.
func reuseTable(t *testing.T, s *data.Schema, canary bool) *data.Dataset {
	t.Helper()
	var b strings.Builder
	for j := range reuseWeights {
		fmt.Fprintf(&b, "c%d,", j)
	}
	b.WriteString("y\n" + strings.Repeat("0,", reuseWeights) + "no\n")
	if canary {
		b.WriteString(strings.Repeat("0.9,", reuseWeights) + "yes\n")
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := data.Read(t.Context(), s, data.Source{Path: path}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func reuseSchema(t *testing.T) *data.Schema {
	t.Helper()
	var b strings.Builder
	b.WriteString("dither-schema: 1\nrow: one person\nmax-records: 1000\nrecords: 1000\ntarget: {column: y, levels: [\"no\", \"yes\"]}\n" +
		"defaults: {missing: zero, out-of-range: clamp, unknown: other}\ncolumns:\n")
	for j := range reuseWeights {
		fmt.Fprintf(&b, "  c%d: {numeric: [0, 1]}\n", j)
	}
	s, err := data.ParseSchema("s", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// reusePairs counts the pairs of steps of weights whose ratio is that of the widths of two layers of the sampler, up to what
// the additions of weights round, near the place where a stream first fills its buffer anew.
func reusePairs(ratios []float64, period int, before, w []float64) (found int) {
	for a := period - 14; a < period+14; a++ {
		for b := a + period - 14; b < a+period+14; b++ {
			x, y := math.Abs(before[a]-w[a]), math.Abs(before[b]-w[b])
			ratio := x / y
			margin := ratio * (4e-16*(math.Abs(w[a])/x+math.Abs(w[b])/y) + 1.2e-14)
			if i, _ := slices.BinarySearch(ratios, ratio-margin); i < len(ratios) && ratios[i] <= ratio+margin {
				found++
			}
		}
	}
	return found
}

// TestIteratesShowNoReusedNoise trains with and without a canary and looks for steps of weights that one random word made,
// which a table of zeros, whose gradients are zero, lets through. Pairs are as frequent in both. Of n runs with a
// pair as many more come from one table as 6·√n with probability below 1e-9.
func TestIteratesShowNoReusedNoise(t *testing.T) {
	const runs = 3000
	schema := reuseSchema(t)
	worlds := []*data.Dataset{reuseTable(t, schema, false), reuseTable(t, schema, true)}
	setup, err := train.NewPlan(train.Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Center: train.No, Whiten: train.No, Steps: reuseSteps}, schema)
	if err != nil {
		t.Fatal(err)
	}
	limit, err := privacy.NewGuarantee(1.001, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: schema.Row})
	if err != nil {
		t.Fatal(err)
	}
	widths, words := sampled(t, "tables_gen.go", `(?m)^\t\{(0x[0-9a-f]+), 0x[0-9a-f]+, 0x[0-9a-f]+\},$`), sampled(t, "stream.go", `bufferWords = (\d+)`)
	if len(widths) != 512 || len(words) != 1 {
		t.Fatalf("%d layers and %d sizes of buffers were read, want 512 and 1", len(widths), len(words))
	}
	var ratios []float64
	for _, a := range widths {
		for _, b := range widths {
			ratios = append(ratios, a/b)
		}
	}
	slices.Sort(ratios)
	var found [2]float64
	for k := range runs {
		l, err := ledger.NewSingle(limit)
		if err != nil {
			t.Fatal(err)
		}
		r, err := train.Fit(t.Context(), l, setup, worlds[k%2], train.Options{LearningRate: 1, Output: option.OutputAllIterates})
		if err != nil {
			t.Fatal(err)
		}
		pairs, before := 0, make([]float64, len(r.Iterates[0]))
		for _, w := range r.Iterates {
			pairs += reusePairs(ratios, int(words[0]*0.845), before, w)
			before = w
		}
		if pairs > 0 {
			found[k%2]++
		}
		if k%500 == 499 {
			t.Logf("after %d runs: a pair in %v runs without the canary and in %v with it", k+1, found[0], found[1])
		}
	}
	if math.Abs(found[0]-found[1]) > 6*math.Sqrt(found[0]+found[1]+1) {
		t.Errorf("a pair in %v runs without the canary and in %v with it, want as many", found[0], found[1])
	}
}

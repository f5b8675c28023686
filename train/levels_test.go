package train

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/cryptotest"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
)

// levelVariable says that TestRunsHaveTheSameBitsAtEveryLevel runs in a copy of the test program, at the level that
// the copy was started at.
const levelVariable = "DITHER_TEST_LEVEL"

// TestRunsHaveTheSameBitsAtEveryLevel trains with fixed words at each level of the processor that is there, each in
// a copy of the test program: scores, and the integers that are summed and released with noise, are the same, and
// so the weights have the same bits.
func TestRunsHaveTheSameBitsAtEveryLevel(t *testing.T) {
	if os.Getenv(levelVariable) != "" {
		cryptotest.SetGlobalRandom(t, 7)
		fmt.Printf("at level %s\n%s\n", kernel.Instructions(), bitsOfRuns(t))
		return
	}
	if testing.Short() {
		t.Skip("starts the program anew at each level, which the ordinary run does")
	}
	bits := map[string]string{}
	for _, level := range []string{"portable", "avx2", "avx512", "avx512-vnni"} {
		c := exec.Command(os.Args[0], "-test.run=^TestRunsHaveTheSameBitsAtEveryLevel$")
		c.Env = append(os.Environ(), levelVariable+"=1", "DITHER_PROCESSOR="+level)
		out, err := c.CombinedOutput()
		text, found := strings.CutPrefix(string(out), "at level "+level+"\n")
		if err != nil || !found {
			t.Fatalf("%s: %v\n%s", level, err, out)
		}
		if bits[level] = text; text != bits["portable"] {
			t.Errorf("%s gives\n%s\nand portable code\n%s", level, text, bits["portable"])
		}
		if level == kernel.Instructions() {
			break
		}
	}
}

// bitsOfRuns trains by several plans, with noise, and returns the bits of their weights. All records are in each
// sample: a sample of some would be drawn beside the noise of the step before, in either order.
func bitsOfRuns(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	for _, plan := range []struct {
		name   string
		change func(*Request)
		o      Options
	}{
		{"whitened", func(r *Request) { r.Center, r.Whiten = Yes, Yes }, Options{Momentum: 0.9}},
		{"variances and a radius", func(r *Request) {
			r.PrivateRadius, r.Whiten, r.Structure = true, Yes, option.StructureDiagonal
		}, Options{Momentum: 0.9}},
		{"clipped records", func(r *Request) {
			r.Normalization, r.Radius, r.ClippingNorm = feature.NormClip, 0.5, 0.3
		}, Options{Optimizer: "adam", FeatureBits: 8}},
	} {
		r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 10, Center: No, Whiten: No}
		plan.change(&r)
		s, d := pictures(t, 300)
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Fatal(err)
		}
		result, err := Fit(context.Background(), single(t, 1.01), setup, d, plan.o)
		if err != nil {
			t.Fatalf("%s: %v", plan.name, err)
		}
		fmt.Fprintf(&out, "%s, divisor %016x:", plan.name, math.Float64bits(result.Divisor))
		for _, w := range result.Model.Weights() {
			fmt.Fprintf(&out, " %016x", math.Float64bits(w))
		}
		out.WriteString("\n")
	}
	return out.String()
}

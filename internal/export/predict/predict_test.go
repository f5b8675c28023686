package predict

import (
	"encoding/base64"
	"encoding/binary"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// TestImportsNothing reads the files of the package, since what export copies must not need a package.
func TestImportsNothing(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ImportsOnly)
		if files++; err != nil || len(file.Imports) > 0 {
			t.Errorf("%s: got %v and %d imports, want none", e.Name(), err, len(file.Imports))
		}
	}
	if files == 0 {
		t.Error("got no files")
	}
}

// TestUnpacks reads numbers of all sizes from base64, bit by bit.
func TestUnpacks(t *testing.T) {
	numbers := []float64{0, math.Copysign(0, -1), 1, -1, math.Pi, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022, 0x1.fffffffffffffp-1023, -0x1p-1073}
	random := rand.New(rand.NewPCG(1, 2))
	for len(numbers) < 41*41 {
		if v := math.Float64frombits(random.Uint64()); v-v == 0 {
			numbers = append(numbers, v)
		}
	}
	var raw []byte
	for _, v := range numbers {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	for i, v := range unpacked(base64.RawStdEncoding.EncodeToString(raw), 41) {
		if math.Float64bits(v) != math.Float64bits(numbers[i]) {
			t.Errorf("got %v, want %v", v, numbers[i])
		}
	}
}

// TestTrims compares the white space with that of package strings, for all characters and for bytes that are none.
func TestTrims(t *testing.T) {
	for r := rune(0); r < 0x11000; r++ {
		for _, text := range []string{string(r), string(r) + "a" + string(r), "é" + string(r), "\xff" + string(r) + "\x80"} {
			if got, want := trimmed(text), strings.TrimSpace(text); got != want {
				t.Fatalf("%q: got %q, want %q", text, got, want)
			}
		}
	}
}

// TestRows adds features to a row, and gives it another norm.
func TestRows(t *testing.T) {
	x := make([]float64, 3)
	add(x, []entry{{0, 1}, {2, 2}}, 3)
	if add(x, []entry{{2, -1}}, 2); x[0] != 3 || x[1] != 0 || x[2] != 4 || normOf(x) != 5 || dot(x, []float64{1, 1, 2}) != 11 {
		t.Errorf("got %v of norm %v", x, normOf(x))
	}
	if multiply(x, toUnit(normOf(x))); math.Abs(normOf(x)-1) > 1e-15 {
		t.Errorf("got %v of norm %v, want the norm 1", x, normOf(x))
	}
}

// TestFactors wants factors for rows of all norms.
func TestFactors(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ norm, unit, radius float64 }{
		{0, 0, 0}, {math.NaN(), 0, 0}, {inf, 0, 0}, {0.5, 2, 1}, {4, 0.25, 0.5}, {1e-310, 0, 1}, {math.MaxFloat64, 1 / math.MaxFloat64, 2 / math.MaxFloat64},
	} {
		if unit, radius := toUnit(c.norm), toRadius(c.norm, 2); unit != c.unit || radius != c.radius {
			t.Errorf("norm %v: got the factors %v and %v, want %v and %v", c.norm, unit, radius, c.unit, c.radius)
		}
	}
}

// TestLosses compares what predictions need with formulas of package math.
func TestLosses(t *testing.T) {
	for z := -800.0; z <= 800; z += 0.37 {
		if got, want := sigmoid(z), 1/(1+math.Exp(-z)); math.Abs(got-want) > 1e-15 {
			t.Errorf("sigmoid of %v: got %v, want %v", z, got, want)
		}
		if got, want := logSigmoid(z), min(z, 0)-math.Log1p(math.Exp(-math.Abs(z))); math.Abs(got-want) > 1e-15*max(1, math.Abs(want)) {
			t.Errorf("logarithm of sigmoid of %v: got %v, want %v", z, got, want)
		}
	}
	z := []float64{1000, 1001, 0}
	if softmax(z); math.Abs(z[0]-1/(1+math.E)) > 1e-15 || math.Abs(z[0]+z[1]-1) > 1e-15 || z[2] != 0 {
		t.Errorf("softmax: got %v", z)
	}
	z = []float64{0.5, 0.9, -3}
	if nearest(z); math.Abs(z[0]-0.3) > 1e-15 || math.Abs(z[1]-0.7) > 1e-15 || z[2] != 0 {
		t.Errorf("nearest: got %v, want 0.3, 0.7 and 0", z)
	}
	if cuts := []float64{1, 2, 4}; below(cuts, 0) != 0 || below(cuts, 1) != 1 || below(cuts, 3.5) != 2 || below(cuts, 4) != 3 {
		t.Error("below: got another number of cuts")
	}
}

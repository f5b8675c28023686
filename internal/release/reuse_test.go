package release

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"testing/cryptotest"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// reuse is an attack on noise in which one random word made two numbers: their ratio is that of the widths of two layers of
// the sampler, which are public. It looks at numbers around the places where a stream first fills its buffer anew.
type reuse struct {
	ratios []float64 // of widths, ascending
	period float64   // numbers of noise to a buffer
}

func newReuse(t *testing.T) reuse {
	t.Helper()
	numbers := func(file, pattern string) (out []float64) {
		text, err := os.ReadFile("internal/sample/" + file)
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
	widths := numbers("tables_gen.go", `(?m)^\t\{(0x[0-9a-f]+), 0x[0-9a-f]+, 0x[0-9a-f]+\},$`)
	words := numbers("stream.go", `bufferWords = (\d+)`)
	if len(widths) != 512 || len(words) != 1 {
		t.Fatalf("%d layers and %d sizes of buffers were read, want 512 and 1", len(widths), len(words))
	}
	r := reuse{period: words[0] * 0.845} // six numbers take seven words and some
	for _, a := range widths {
		for _, b := range widths {
			r.ratios = append(r.ratios, a/b)
		}
	}
	slices.Sort(r.ratios)
	return r
}

// matches counts the pairs of integers of noise whose ratio is one of two widths.
func (r reuse) matches(z []float64) (n int) {
	const spread = 14
	for middle := r.period; middle < 4.5*r.period; middle += r.period {
		for a := max(0, int(middle-spread)); a < min(len(z), int(middle+spread)); a++ {
			for b := a + int(r.period-spread); b < min(a+int(r.period+spread), len(z)); b++ {
				x, y := math.Abs(z[a]), math.Abs(z[b])
				if x < 1e6 || y < 1e6 {
					continue
				}
				ratio := x / y
				margin := 2 * ratio * (1/x + 1/y + 1e-15)
				if i, _ := slices.BinarySearch(r.ratios, ratio-margin); i < len(r.ratios) && r.ratios[i] <= ratio+margin {
					n++
				}
			}
		}
	}
	return n
}

// attack releases sums of one record with and without a canary, in turn, and guesses from the noise that either would leave
// whether the canary was there. It returns the guesses that were right and those that were wrong; mostly there is none.
func (r reuse) attack(t *testing.T, o SumOptions, releases int) (right, wrong int) {
	t.Helper()
	const d = 4096
	x := make([]float64, d)
	for j := range x {
		x[j] = 1.0 / 64
	}
	rows, sample := made(t, [][]float64{x}, 1.0/64/127)
	noise := mechanism.Gaussian{NoiseMultiplier: 20}
	o.Noise, o.Columns, o.Bound = noise, 1, 1
	sum := func(canary float64) Bounded {
		s, err := NewSum(sample, rows, o)
		if err == nil {
			err = s.Add(0, kernel.Contributions{Columns: 1, Coefficients: []float64{canary}})
		}
		if err != nil {
			t.Fatal(err)
		}
		return s.Seal()
	}
	canary := sum(1).state.values // what the canary adds is public
	for k := range releases {
		b := sum(float64(k % 2))
		noisy, err := Release(free{}, noise, b)
		if err != nil {
			t.Fatal(err)
		}
		in, out := make([]float64, d), make([]float64, d)
		for j, v := range noisy.Values() {
			out[j] = math.Round(v / b.state.unit)
			in[j] = out[j] - float64(canary[j])
		}
		foundIn, foundOut := r.matches(in) > 0, r.matches(out) > 0
		switch {
		case foundIn == foundOut:
		case foundIn == (k%2 == 1):
			right++
		default:
			wrong++
		}
	}
	return right, wrong
}

// TestNoiseIsNotReused runs the attack on few releases, under fixed keys: it never guesses. Where a stream gives words out
// again at the end of its buffer, it does in one release of some thirty, and is right.
func TestNoiseIsNotReused(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	r := newReuse(t)
	if right, wrong := r.attack(t, SumOptions{MaxRecords: 1000}, 200); right+wrong != 0 {
		t.Errorf("%d right guesses and %d wrong ones, want none", right, wrong)
	}
	z := make([]float64, 4096)
	for i := range z {
		z[i] = 1e9 * math.Sqrt(float64(i+2))
	}
	before, at := r.matches(z), int(r.period)
	z[2*at] = z[at] * r.ratios[len(r.ratios)/3]
	if r.matches(z) == before {
		t.Error("numbers of one word are not found")
	}
}

package feature

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSplitMix compares with the first numbers of seed 1234567 that the page "Pseudo-random
// numbers/Splitmix64" of Rosetta Code gives for the published generator,
// https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64.
func TestSplitMix(t *testing.T) {
	for k, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := splitMix(1234567, uint64(k)); got != want {
			t.Errorf("number %d: got %d, want %d", k, got, want)
		}
	}
}

// chainOf makes a chain over pixels, or fails.
func chainOf(t *testing.T, n int, text string) *Pipeline {
	t.Helper()
	return imageChain(t, n, text)
}

// fill writes random numbers in [0, 1].
func fill(r *rand.Rand, x []float64) {
	for j := range x {
		x[j] = r.Float64()
	}
}

// TestRandomFourierKernel compares products of features with the kernel. A term 2·cos·cos of the mean of
// D is between -2 and 2, so that the mean is 0.08 off with probability at most 2·exp(-D·0.08²/8) = 2.3e-7
// for D = 20000 (W. Hoeffding, "Probability inequalities for sums of bounded random variables", Journal
// of the American Statistical Association 58, 1963, theorem 2); for all 20 pairs 5e-6, and the seed is
// fixed.
func TestRandomFourierKernel(t *testing.T) {
	const in, d = 6, 20000
	r := rand.New(rand.NewPCG(91, 92))
	seen := map[bool]int{}
	for _, c := range []struct {
		text string
		h    float64
	}{{"fourier:features=20000,bandwidth=0.5,seed=7", 0.5}, {"fourier:features=20000,seed=8", 1}} {
		f := chainOf(t, in, c.text).transforms[0].(*randomFourier)
		x, y, u, v := make([]float64, in), make([]float64, in), make([]float64, d), make([]float64, d)
		for range 10 {
			fill(r, x)
			fill(r, y)
			f.Apply(u, x, nil)
			f.Apply(v, y, nil)
			got, square := 0.0, 0.0
			for j := range u {
				got += u[j] * v[j]
			}
			for j := range x {
				square += (x[j] - y[j]) * (x[j] - y[j])
			}
			want := math.Exp(-square / (2 * c.h * c.h))
			if math.Abs(got-want) > 0.08 {
				t.Errorf("%s: got kernel %v, want %v", c.text, got, want)
			}
			seen[want < 0.5]++
		}
	}
	if seen[true] < 2 || seen[false] < 2 {
		t.Errorf("got kernels below and above 0.5 %v times: the test is idle", seen)
	}
}

// TestRandomFourierRows wants the same bits for rows together, alone and in another order, and other
// seeds to make other features.
func TestRandomFourierRows(t *testing.T) {
	checkRows(t, chainOf(t, 37, "fourier:features=50,seed=3"), 37)
	checkRows(t, imageChain(t, 64, "deskew:shape=8x8", "fourier:features=50,seed=3", "groupnorm:groups=10"), 64)
	a := chainOf(t, 37, "fourier:features=50,seed=3").transforms[0].(*randomFourier)
	b := chainOf(t, 37, "fourier:features=50,seed=4").transforms[0].(*randomFourier)
	again := chainOf(t, 37, "fourier:features=50,seed=3").transforms[0].(*randomFourier)
	if slices.Equal(a.w, b.w) || slices.Equal(a.b, b.b) || !slices.Equal(a.w, again.w) {
		t.Error("seeds and frequencies do not belong together")
	}
}

// checkRows compares the features of rows of pixels with those of each alone, bit by bit.
func checkRows(t *testing.T, c *Pipeline, pixels int) {
	t.Helper()
	r := rand.New(rand.NewPCG(93, 94))
	rows := make([][]float32, 70)
	for i := range rows {
		rows[i] = make([]float32, pixels)
		for j := range rows[i] {
			rows[i][j] = float32(r.IntN(256))
		}
	}
	d := c.Dim()
	want, got := make([][]float64, len(rows)), make([]float64, len(rows)*d)
	for i, row := range rows {
		want[i] = make([]float64, d)
		c.features(want[i], row, c.NewScratch())
		if stated, _ := c.Bound(); largestMagnitude(want[i]) > stated*(1+1e-12) {
			t.Fatalf("row %d reaches %v, bound %v", i, largestMagnitude(want[i]), stated)
		}
	}
	if slices.Equal(want[0], want[1]) {
		t.Fatal("two rows have the same features")
	}
	s := c.NewScratch()
	for _, count := range []int{70, 1, 33} {
		order := r.Perm(len(rows))[:count]
		c.FeaturesOf(got[:count*d], count, s, func(k int) []float32 { return rows[order[k]] })
		for k, i := range order {
			for j, v := range want[i] {
				if math.Float64bits(got[k*d+j]) != math.Float64bits(v) {
					t.Fatalf("row %d among %d: feature %d is %v, alone %v", i, count, j, got[k*d+j], v)
				}
			}
		}
	}
}

// TestNewRandomFourierRefuses wants clear errors.
func TestNewRandomFourierRefuses(t *testing.T) {
	for text, words := range map[string]string{
		"fourier":                             "features is 0, want 1 to",
		"fourier:features=99999999":           "features is 99999999",
		"fourier:features=9,bandwidth=-1":     "bandwidth is -1",
		"fourier:features=9,bandwidth=1e-300": "bandwidth is 1e-300",
		"fourier:features=9,seed=-1":          "parameters",
		"fourier:features=9,width=1":          "unknown field",
	} {
		refused(t, text, 10, words)
	}
}

// refused wants a transform of pixels refused with these words.
func refused(t *testing.T, text string, n int, words string) {
	t.Helper()
	spec, err := ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = NewPipeline(nil, pixels(t, n), spec); err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("%s: got error %v, want %q", text, err, words)
	}
}

// BenchmarkRandomFourier maps 32 rows of 784 numbers to 1000 features.
func BenchmarkRandomFourier(b *testing.B) {
	spec, err := newRandomFourier([]byte(`{"features": 1000}`), 784)
	if err != nil {
		b.Fatal(err)
	}
	f := spec.(*randomFourier)
	x, dst := make([]float64, 32*784), make([]float64, 32*1000)
	fill(rand.New(rand.NewPCG(95, 96)), x)
	b.ReportAllocs()
	for b.Loop() {
		f.ApplyRows(dst, x, 32, nil)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/32, "ns/row")
}

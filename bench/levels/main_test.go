package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

const output = `goos: linux
cpu: A Processor
BenchmarkStep/classes=2/int16/framed-2         	      20	   3000000 ns/op	  110670 B/op
BenchmarkStep/classes=2/int16/framed-2         	      20	   1000000 ns/op	  110564 B/op
BenchmarkStep/classes=2/int16/framed-2         	      20	   2000000 ns/op	  110826 B/op
BenchmarkStream/uint8-784-16         	      20	   20 GB/s
BenchmarkStream/int16-100         	      20	   30 GB/s
BenchmarkMeasure --- SKIP
PASS
`

// TestFigures reads what test programs print.
func TestFigures(t *testing.T) {
	found, processor := figures(output)
	if processor != "A Processor" {
		t.Errorf("got processor %q, want A Processor", processor)
	}
	for f, want := range map[figure][]float64{
		{"Step/classes=2/int16/framed", "ns/op"}: {3e6, 1e6, 2e6},
		{"Step/classes=2/int16/framed", "B/op"}:  {110670, 110564, 110826},
		{"Stream/uint8-784", "GB/s"}:             {20},
		{"Stream/int16-100", "GB/s"}:             {30},
		{"Stream/uint8", "GB/s"}:                 nil,
		{"Measure", "ns/op"}:                     nil,
	} {
		if got := find(found, f.bench, f.metric); !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", f, got, want)
		}
	}
}

func TestStatistics(t *testing.T) {
	for _, c := range []struct {
		v              []float64
		median, spread float64
	}{{[]float64{4}, 4, 0}, {[]float64{3, 1, 2}, 2, 1}, {[]float64{1, 2, 3, 4}, 2.5, 0.4}, {[]float64{9, 2, 3, 1, 4}, 3, 2.0 / 3}} {
		if m, s := median(c.v), spread(c.v); m != c.median || s != c.spread {
			t.Errorf("%v: got median %v and spread %v, want %v and %v", c.v, m, s, c.median, c.spread)
		}
	}
	for v, want := range map[float64]string{0: "0", 0.1234: "0.123", 1: "1.00", 12.34: "12.3", 123.4: "123", 12345.6: "12346"} {
		if got := short(v); got != want {
			t.Errorf("short(%v) is %q, want %q", v, got, want)
		}
	}
}

// TestLine holds the row of a question: one cell for each level, and a dash where nothing was measured.
func TestLine(t *testing.T) {
	q := as(set{section: "s", pkg: "train", metric: "ns/op", unit: "ms", scale: milli}, row{"a step", "Step/{level}"})[0]
	m := machine{values: map[place][]float64{q.at("avx2"): {1e6, 2e6, 3e6}}}
	m.settings.levels = []string{"portable", "avx2"}
	if got, want := m.line(q), "| a step | ms | – | 2.00 | 100 % | `train Step/{level}` |"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestPattern(t *testing.T) {
	asked := as(set{}, row{"", "PLD/q=.01/{level}"}, row{"", "PLD/q=.1/{level}"})
	if got, want := pattern(asked, "avx2"), `^Benchmark(PLD)$/^(q=\.01|q=\.1)$/^(avx2)$`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestQuestions holds that every question names a benchmark that its package has.
func TestQuestions(t *testing.T) {
	for _, q := range questions {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(q.pkg), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		wanted := regexp.MustCompile(`(?m)^func Benchmark` + q.group().top + `\(`)
		if !slices.ContainsFunc(files, func(path string) bool {
			text, err := os.ReadFile(path)
			return err == nil && wanted.Match(text)
		}) {
			t.Errorf("package %s has no benchmark %s", q.pkg, q.group().top)
		}
	}
}

func TestParse(t *testing.T) {
	s, err := parse([]string{"--levels", "avx2,portable", "--under", "taskset -c 0"}, io.Discard)
	if err != nil || !slices.Equal(s.levels, []string{"portable", "avx2"}) || len(s.under) != 3 || s.counts != 5 {
		t.Errorf("got %+v, %v", s, err)
	}
	for _, arguments := range [][]string{{"--levels", "avx"}, {"--counts", "0"}, {"--only", "("}, {"more"}} {
		if _, err := parse(arguments, io.Discard); err == nil {
			t.Errorf("%v were taken", arguments)
		}
	}
}

package kernels

import (
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/release"
)

// TestSumsAreThoseOfSlowCode runs the comparison at the level of this process.
func TestSumsAreThoseOfSlowCode(t *testing.T) {
	first, err := Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, err := Run(t.Context())
	if err != nil || first != second {
		t.Errorf("two runs give %v and %v, %v", first, second, err)
	}
	if first.Wrong != 0 || first.Sums < 50000 {
		t.Errorf("%d of %d sums are wrong: %s", first.Wrong, first.Sums, first.First)
	}
	name := kernel.Instructions()
	if s := Section([]string{name}, map[string]Outcome{name: first}); s.Verdict != auditing.NotRefuted {
		t.Errorf("the section is %s: %s", s.Verdict, s.Note)
	}
}

// TestWrongNumbersAreFound plants a wrong sum, and another digest.
func TestWrongNumbersAreFound(t *testing.T) {
	s := shape{0, 3, 2, 4}
	values, coefficients := make([]float64, 12), make([]float64, 8)
	for i := range values {
		values[i] = float64(i%5) * step
	}
	for i := range coefficients {
		coefficients[i] = float64(i-3) / 1024
	}
	rows, err := s.table(values)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := s.sum(rows, coefficients)
	if err != nil {
		t.Fatal(err)
	}
	var out Outcome
	if s.compare(&out, sums, values, coefficients); out.Wrong != 0 || out.Sums != 6 {
		t.Errorf("true sums: %+v", out)
	}
	sums[4] += 1e-7
	if s.compare(&out, sums, values, coefficients); out.Wrong != 1 || !strings.Contains(out.First, "number 1 of column 1") {
		t.Errorf("a wrong sum: %+v", out)
	}
	for name, others := range map[string]Outcome{"another digest": {Digest: "b", Sums: 6}, "a wrong sum": out} {
		if found := Section([]string{"portable", "fast"}, map[string]Outcome{"portable": {Digest: "a", Sums: 6}, "fast": others}); found.Verdict != auditing.Refuted || found.Note == "" {
			t.Errorf("%s: %s, %q", name, found.Verdict, found.Note)
		}
	}
}

// TestNarrowAndWrongCodeIsFound plants code that reads the lower byte of each number of two bytes, and
// a score that is off by a thousandth.
func TestNarrowAndWrongCodeIsFound(t *testing.T) {
	for _, kind := range []release.RowType{release.Int16, release.Sparse} {
		s, r := shape{kind, 16, 1, 50}, &public{1}
		values, narrow, ones := make([]float64, 800), make([]float64, 800), make([]float64, 50)
		for i := range values {
			values[i] = s.value(r)
			narrow[i] = float64(int8(int(values[i]/step))) * step
		}
		for i := range ones {
			ones[i] = 1.0 / 1024
		}
		rows, err := s.table(narrow)
		if err != nil {
			t.Fatal(err)
		}
		sums, err := s.sum(rows, ones)
		if err != nil {
			t.Fatal(err)
		}
		var out Outcome
		if s.compare(&out, sums, values, ones); out.Wrong < 8 {
			t.Errorf("rows of type %v: %+v", kind, out)
		}
	}
	s, scores, out := shape{release.Int16, 2, 1, 2}, []float32{5, 11}, Outcome{}
	if s.compareScores(&out, scores, []float64{1, 2, 3, 4}, []float64{1, 2}); out.Wrong != 0 || out.Sums != 2 {
		t.Errorf("true scores: %+v", out)
	}
	scores[1] *= 1.001
	if s.compareScores(&out, scores, []float64{1, 2, 3, 4}, []float64{1, 2}); out.Wrong != 1 || !strings.Contains(out.First, "score of record 1") {
		t.Errorf("a wrong score: %+v", out)
	}
}

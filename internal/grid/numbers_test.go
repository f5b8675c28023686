package grid

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestParseNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"1":                       "1",
		"0.5, 1,2e-3":             "0.5 1 2e-3",
		"0.01..100 log 5":         "0.01 0.1 1 10 100",
		"0.01..10 log 4":          "0.01 0.1 1 10",
		"0.12345678..1 log 3":     "0.12345678 0.3514 1",
		"1..1.001 log 3":          "1 1.0005 1.001",
		"0..1 linear 5":           "0 0.25 0.5 0.75 1",
		"0.1..0.35 step 0.1":      "0.1 0.2 0.3",
		"0.1..0.3 step 0.1":       "0.1 0.2 0.3",
		"-1..1 linear 3,7":        "-1 0 1 7",
		"0.001..0.01 step 0.0045": "0.001 0.0055 0.01",
	} {
		got, err := ParseNumbers(text)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("ParseNumbers(%q) is %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1,,2", "one", "NaN", "1..2", "2..1 log 3", "0..1 log 3", "1..2 log 1", "1..2 log 2.5", "1..2 cubic 3", "1..2 step 0", "1..2 step -1", "1..Inf log 3", "0..1 step 1e-9", "1..2 step 5"} {
		if got, err := ParseNumbers(text); err == nil {
			t.Errorf("ParseNumbers(%q) is %q, want an error", text, got)
		}
	}
}

// FuzzParseNumbers holds that whatever is taken is finite numbers, in the order of a range.
func FuzzParseNumbers(f *testing.F) {
	for _, seed := range []string{"1,2", "0.1..10 log 9", "0..1 linear 5", "0.1..1 step 0.1", "1e300..1e308 log 7"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 40 {
			return
		}
		got, err := ParseNumbers(text)
		if err != nil {
			return
		}
		var numbers []float64
		for _, g := range got {
			v, failed := strconv.ParseFloat(g, 64)
			if failed != nil || math.IsInf(v, 0) || v != v {
				t.Fatalf("%q has the value %q, want finite numbers", text, g)
			}
			numbers = append(numbers, v)
		}
		if strings.Contains(text, "..") && !strings.Contains(text, ",") && !slices.IsSorted(numbers) {
			t.Fatalf("%q is %q, want ascending values", text, got)
		}
	})
}

package sweep

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

func TestCombine(t *testing.T) {
	got, err := Combine([]Parameter{{"epsilon", []string{"1", "2"}}, {"loss", []string{"hinge", "logistic", "softmax"}}})
	if err != nil || len(got) != 6 {
		t.Fatalf("got %v, %v, want 6 combinations", got, err)
	}
	for i, settings := range got {
		want := []Setting{{"epsilon", []string{"1", "2"}[i/3]}, {"loss", []string{"hinge", "logistic", "softmax"}[i%3]}}
		if !slices.Equal(settings, want) {
			t.Errorf("combination %d is %v, want %v", i, settings, want)
		}
	}
	if none, noneErr := Combine(nil); noneErr != nil || len(none) != 1 || len(none[0]) != 0 {
		t.Errorf("without parameters got %v, %v, want the empty combination", none, noneErr)
	}
	long := make([]string, 1001)
	for i := range long {
		long[i] = strconv.Itoa(i)
	}
	for name, parameters := range map[string][]Parameter{
		"no values": {{"epsilon", nil}}, "twice": {{"a", []string{"1"}}, {"a", []string{"2"}}}, "value twice": {{"a", []string{"1", "1"}}}, "too many": {{"a", long}, {"b", long}},
	} {
		if _, err = Combine(parameters); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// TestInterval compares with values of a table: Student's quantile at 0.975 is 12.7062 with 1 degree of freedom,
// 4.30265 with 2 and 2.26216 with 9 (Abramowitz & Stegun, Handbook of Mathematical Functions, table 26.10).
func TestInterval(t *testing.T) {
	for _, c := range []struct {
		values                []float64
		mean, deviation, half float64
	}{
		{[]float64{1, 3}, 2, math.Sqrt2, 12.7062},
		{[]float64{1, 2, 6}, 3, math.Sqrt(7), 4.30265 * math.Sqrt(7.0/3)},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 5.5, math.Sqrt(82.5 / 9), 2.26216 * math.Sqrt(82.5/90)},
	} {
		mean, deviation, low, high := interval(c.values)
		if math.Abs(mean-c.mean) > 1e-12 || math.Abs(deviation-c.deviation) > 1e-12 || math.Abs(high-mean-c.half) > 1e-4 || math.Abs(mean-low-c.half) > 1e-4 {
			t.Errorf("Interval(%v) is %v, %v, [%v, %v], want %v, %v, give or take %v", c.values, mean, deviation, low, high, c.mean, c.deviation, c.half)
		}
	}
	if mean, deviation, low, high := interval([]float64{4}); mean != 4 || deviation == deviation || low == low || high == high {
		t.Errorf("one value gives %v, %v, [%v, %v], want 4 and no interval", mean, deviation, low, high)
	}
	if mean, _, _, _ := interval(nil); mean == mean {
		t.Errorf("no values have mean %v, want NaN", mean)
	}
}

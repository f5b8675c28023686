package sweep

import (
	"math"
	"slices"
	"strconv"
	"testing"
)

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

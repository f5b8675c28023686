package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// checkDecimal holds scanDecimal to strconv.ParseFloat on the bytes that it takes.
func checkDecimal(tb testing.TB, text string) int {
	tb.Helper()
	v, n := scanDecimal([]byte(text))
	if n < 0 || n > len(text) {
		tb.Fatalf("scanDecimal(%q): got %d bytes", text, n)
	}
	if n == 0 {
		return 0
	}
	want, err := strconv.ParseFloat(text[:n], 64)
	if err != nil || math.Float64bits(v) != math.Float64bits(want) {
		tb.Fatalf("scanDecimal(%q): got %v (%#x) from %d bytes, want %v (%#x), error %v", text, v, math.Float64bits(v), n, want, math.Float64bits(want), err)
	}
	return n
}

// TestScanDecimal names what is taken and what is left to strconv.
func TestScanDecimal(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
	}{
		{"0", 1}, {"-0", 2}, {"+1", 2}, {"1.", 2}, {".5", 2}, {"-.5", 3}, {"12.25,7", 5}, {"1e5", 3}, {"1E-22", 5}, {"1e+22", 5}, {"1e0003", 6},
		{"9007199254740992", 16}, {"0.3", 3}, {"1 ", 1}, {"1x", 1}, {"0000000000000000001", 19}, {"0.1e-21", 7},
		{"", 0}, {"-", 0}, {".", 0}, {"e5", 0}, {"1e", 0}, {"1e+", 0}, {"1e00003", 0}, {"1e23", 0}, {"1e-23", 0}, {"0.1e-22", 0}, {"9007199254740993", 0},
		{"00000000000000000001", 0}, {"18446744073709551617", 0}, {"inf", 0}, {"nan", 0}, {" 1", 0}, {"0x10", 1}, {"1_000", 1}, {"--1", 0},
	} {
		if n := checkDecimal(t, c.text); n != c.n {
			t.Errorf("%q: got %d bytes, want %d", c.text, n, c.n)
		}
	}
}

// TestScanDecimalAgrees draws numbers as tables hold them.
func TestScanDecimalAgrees(t *testing.T) {
	source, taken := rand.New(rand.NewPCG(3, 4)), 0
	for range 50000 {
		v := math.Float64frombits(source.Uint64())
		for _, text := range []string{
			strconv.FormatFloat(v, 'g', 1+source.IntN(17), 64),
			strconv.FormatFloat(source.NormFloat64()*1000, 'f', source.IntN(16), 64),
			fmt.Sprintf("%d.%de%d", source.Uint64N(1<<55), source.Uint64N(1000), source.IntN(60)-30),
		} {
			if checkDecimal(t, text) > 0 {
				taken++
			}
		}
	}
	if taken < 30000 {
		t.Errorf("got %d numbers taken, want at least a fifth", taken)
	}
}

// FuzzScanDecimal wants the value of strconv.ParseFloat, to the bit.
func FuzzScanDecimal(f *testing.F) {
	for _, text := range []string{"1", "-0.5", "1e22", "1e-22,", "9007199254740993", "0.000000000000000000001", strings.Repeat("9", 20), "+.e1", "1e9999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkDecimal(t, text) })
}

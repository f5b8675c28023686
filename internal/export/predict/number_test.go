package predict

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/decimal"
)

// wantNumber compares the number of a text with that of package decimal, bit by bit.
func wantNumber(t *testing.T, text string) {
	t.Helper()
	want, ok := decimal.Parse(strings.TrimSpace(text))
	got := Number(text)
	if !ok {
		if got == got {
			t.Errorf("%.60q: got %v, want NaN", text, got)
		}
		return
	}
	if math.Float64bits(got) != math.Float64bits(want) {
		t.Errorf("%.60q of %d bytes: got %v, want %v", text, len(text), got, want)
	}
}

// halfway returns all digits of the number between a float64 and the next one, moved by a unit of a later digit.
func halfway(v float64, later int) string {
	next := math.Nextafter(v, math.Inf(1))
	sum := new(big.Float).SetPrec(3000).Add(big.NewFloat(v), big.NewFloat(next))
	if math.IsInf(next, 1) {
		sum = new(big.Float).SetPrec(3000).Add(big.NewFloat(v), new(big.Float).SetMantExp(big.NewFloat(1), 1024))
	}
	text := sum.Quo(sum, big.NewFloat(2)).Text('e', 800)
	mantissa, exponent, _ := strings.Cut(text, "e")
	mantissa = strings.TrimRight(mantissa, "0")
	switch later {
	case 1:
		mantissa += strings.Repeat("0", max(0, 900-len(mantissa))) + "1"
	case -1:
		mantissa = mantissa[:len(mantissa)-1] + string(mantissa[len(mantissa)-1]-1) + strings.Repeat("9", max(0, 900-len(mantissa)))
	}
	return mantissa + "e" + exponent
}

// TestNumbers compares texts of all kinds with package decimal, which reads them by package strconv.
func TestNumbers(t *testing.T) {
	long := strings.Repeat("123456789", 89)
	for _, text := range []string{
		"", " ", "+", "-", ".", "e", "e5", ".e5", "1e", "1e+", "1e+-5", "--1", "1.2.3", "1e5.5", "1e5e5", "1_000", "0x10", "inf", "nan", "1 2", "١", "1,5",
		"0", "-0", "+0.0", "000", ".5", "5.", "-.5e1", "7e22", "7e23", "1e-22", "1e-23", "123456789012345e22", "1234567890123456e7", "9007199254740993", "9007199254740992.5", "9007199254740993.0000000000000000000001",
		"1e400", "-1e400", "1e-400", "-1e-400", "1e99999999999999999999", "1e-99999999999999999999", "0e99999", "0e-99999", "1e0000000000000000000000000000000000000005",
		"1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "17976931348623157e292", "1.797693134862315807e308", "1.797693134862315808e308", "1e308", "1e309", "1e310", "1e311",
		"5e-324", "4.9e-324", "2.5e-324", "2.4703282292062328e-324", "2.4703282292062327e-324", "2.4703282292062327208299933e-324", "2.2250738585072014e-308", "2.2250738585072011e-308", "2.225073858507201e-308", "2.2250738585072012e-308",
		long, "0." + long, long + "e-800", long + "e-1120", long + "e-1130", "-" + long + "e-492", strings.Repeat("0", 990) + "1e5", "." + strings.Repeat("0", 990) + "1e990", strings.Repeat("9", 999), strings.Repeat("9", 1000), strings.Repeat("9", 1001),
		"1" + strings.Repeat("0", 990) + "e-990", "1" + strings.Repeat("0", 600) + "." + strings.Repeat("0", 300) + "1e-900", strings.Repeat("7", 100_000), strings.Repeat("0", 100_000), "0." + strings.Repeat("0", 100_000) + "1", "1e" + strings.Repeat("9", 100_000), strings.Repeat(" ", 100_000) + "5", " 5\u3000", "\t-3.25\n",
	} {
		wantNumber(t, text)
	}
	random := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		v := math.Float64frombits(random.Uint64())
		if v-v != 0 {
			continue
		}
		for _, form := range []byte("eg") {
			wantNumber(t, strconv.FormatFloat(v, form, -1, 64))
			wantNumber(t, strconv.FormatFloat(v, form, random.IntN(25), 64))
		}
		ordinary := (random.Float64() - 0.5) * math.Pow(10, float64(random.IntN(30)-10))
		wantNumber(t, strconv.FormatFloat(ordinary, 'f', -1, 64))
		wantNumber(t, strconv.FormatFloat(ordinary, 'f', random.IntN(12), 64))
		wantNumber(t, fmt.Sprintf("%d%dE%d", random.Uint64(), random.Uint64(), random.IntN(700)-370))
	}
	for i := range 1500 { // halfway cases, many of subnormal numbers
		v := math.Float64frombits(random.Uint64() >> 1 >> (12 * (i % 3)))
		if i < 10 {
			v = []float64{0, 5e-324, 0x1p-1022, 0x1.fffffffffffffp-1023, math.MaxFloat64, 1, 0x1p53, 0x1.fffffffffffffp52, 0x1p-1073, 0x1p1023}[i]
		}
		if v-v == 0 {
			for _, later := range []int{-1, 0, 1} {
				wantNumber(t, halfway(v, later))
			}
		}
	}
	letters := "0123456789019+-.eE "
	for range 200_000 {
		text := make([]byte, random.IntN(12))
		for i := range text {
			text[i] = letters[random.IntN(len(letters))]
		}
		wantNumber(t, string(text))
	}
}

// FuzzNumber compares any text with package decimal.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{"1", "-1.5e-3", "9007199254740993", "2.4703282292062328e-324", "1e400"} {
		f.Add(text)
	}
	f.Fuzz(wantNumber)
}

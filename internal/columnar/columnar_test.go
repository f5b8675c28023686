package columnar

import (
	"math/big"
	"strconv"
	"testing"
)

// TestDecimalsStayApart: a decimal and the next one have two texts, at every scale and near every bound.
func TestDecimalsStayApart(t *testing.T) {
	text := func(n int64, scale int) string {
		if exact := ExactDecimal(big.NewInt(n), scale); exact != "" {
			return exact
		}
		v, err := strconv.ParseFloat(strconv.FormatInt(n, 10)+"e"+strconv.Itoa(-scale), 64)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	for scale := -3; scale <= 18; scale++ {
		for _, near := range []int64{0, 1, 7, 1e15, 8_000_000_000_000_001, 1 << 53, 1 << 62} {
			for n := near - 3; n < near+3; n++ {
				for _, sign := range []int64{1, -1} {
					a, b := text(sign*n, scale), text(sign*(n+1), scale)
					if a == b {
						t.Fatalf("%d and the next at scale %d both have the text %s", sign*n, scale, a)
					}
					exact, _ := new(big.Rat).SetString(a)
					if want, _ := new(big.Rat).SetString(strconv.FormatInt(sign*n, 10) + "e" + strconv.Itoa(-scale)); exact == nil || exact.Cmp(want) != 0 {
						t.Fatalf("%d at scale %d has the text %s, want %s", sign*n, scale, a, want.FloatString(20))
					}
				}
			}
		}
	}
}

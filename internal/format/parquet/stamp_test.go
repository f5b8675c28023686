package parquet

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/internal/moment"
)

// TestStampsOf96BitsHaveTheirOwnTexts: two moments never share a text, unless both are missing.
func TestStampsOf96BitsHaveTheirOwnTexts(t *testing.T) {
	const day = 86400e9
	of := element{kind: typeInt96}
	text := func(days uint32, nanos int64) string {
		var b [12]byte
		binary.LittleEndian.PutUint64(b[:], uint64(nanos))
		binary.LittleEndian.PutUint32(b[8:], days)
		bits := stamp96(b[:])
		seconds := of.number()(bits)
		if exact := of.exact(bits); exact != "" || math.IsNaN(seconds) {
			return exact
		}
		return string(moment.AppendTime(nil, seconds, false))
	}
	if got := text(2440588+19782, 17*3600e9+1); got != "2024-02-29 17:00:00.000000001" {
		t.Errorf("got %q", got)
	}
	r, there := rand.New(rand.NewPCG(9, 6)), 0
	for range 20000 {
		days, nanos := uint32(2440588+r.IntN(200_000)-100_000), r.Int64N(day-1000)
		switch r.IntN(4) {
		case 0:
			days = r.Uint32()
		case 1:
			nanos -= nanos % 1000
		}
		one := text(days, nanos)
		for _, more := range []int64{1, 2, 1000} {
			if other := text(days, nanos+more); one != "" && other == one {
				t.Errorf("day %d: %d and %d nanoseconds share the text %q", days, nanos, nanos+more, one)
			}
		}
		if one != "" {
			there++
		}
	}
	if there < 10000 {
		t.Errorf("%d moments have a text, want most", there)
	}
}

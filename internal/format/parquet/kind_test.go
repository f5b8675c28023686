package parquet

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/ditherml/dither/internal/columnar"
)

// TestDatedKinds wants dates and moments by the annotations of new and of older files, and times of a day refused.
func TestDatedKinds(t *testing.T) {
	const second = 1709227800 // 2024-02-29 17:30:00 UTC
	bits := func(v int64) uint64 { return uint64(v) }
	for name, c := range map[string]struct {
		e     element
		kind  columnar.Kind
		zoned bool
		bits  uint64
		want  float64
	}{
		"date":              {element{kind: typeInt32, logical: logicalDate}, columnar.Dates, false, bits(19782), 19782},
		"older date":        {element{kind: typeInt32, converted: 6}, columnar.Dates, false, uint64(math.MaxUint32), -1},
		"millis":            {element{kind: typeInt64, logical: logicalStamp, perSecond: 1e3, converted: 9}, columnar.Times, false, bits(second*1e3 + 250), second + 0.25},
		"micros":            {element{kind: typeInt64, logical: logicalStamp, perSecond: 1e6, zoned: true}, columnar.Times, true, bits(-1), -1e-6},
		"nanos":             {element{kind: typeInt64, logical: logicalStamp, perSecond: 1e9}, columnar.Times, false, bits(-1), -1e-6},
		"older millis":      {element{kind: typeInt64, converted: 9}, columnar.Times, true, bits(second * 1e3), second},
		"older micros":      {element{kind: typeInt64, converted: 10}, columnar.Times, true, bits(second * 1e6), second},
		"INT96":             {element{kind: typeInt96, converted: convertedNone}, columnar.Times, false, uint64(int64(second) * 1e6 << 1), second},
		"unknown unit":      {element{kind: typeInt64, logical: logicalStamp}, 0, false, 0, 0},
		"date of 64 bits":   {element{kind: typeInt64, logical: logicalDate}, 0, false, 0, 0},
		"moment of 32 bits": {element{kind: typeInt32, logical: logicalStamp, perSecond: 1e3}, 0, false, 0, 0},
		"time of a day":     {element{kind: typeInt64, logical: logicalTime}, 0, false, 0, 0},
		"older time":        {element{kind: typeInt32, converted: 7}, 0, false, 0, 0},
		"INT96 as a date":   {element{kind: typeInt96, logical: logicalDate}, 0, false, 0, 0},
		"INT96 of decimals": {element{kind: typeInt96, logical: logicalDecimal}, 0, false, 0, 0},
	} {
		c.e.leaf = true
		got := describe(field{element: c.e})
		if got.Kind != c.kind || got.Zoned != c.zoned && c.kind != 0 || (got.Refused != nil) != (c.kind == 0) {
			t.Errorf("%s: got %+v, want kind %d", name, got, c.kind)
		} else if c.kind != 0 {
			if v := c.e.number()(c.bits); v != c.want {
				t.Errorf("%s: got %v, want %v", name, v, c.want)
			}
		}
	}
}

// TestStamp96 wants moments of 12 bytes before and after 1970, and none for what no calendar holds.
func TestStamp96(t *testing.T) {
	for _, c := range []struct {
		nanos uint64
		day   uint32
		want  float64
	}{
		{0, 2440588, 0}, {1e9, 2440588, 1}, {1999, 2440588, 1e-6}, {86399999999999, 2440587, -1e-6}, {63000e9, 2460370, 1709227800},
		{1 << 63, 2440588, math.NaN()}, {1 << 62, 2440588, math.NaN()}, {0, math.MaxUint32, math.NaN()}, {0, 0, -2440588 * 86400},
	} {
		data := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, c.nanos), c.day)
		var bits [1]uint64
		got := &fixed{append(data, 1), (element{kind: typeInt96}).width()}
		if !got.next(bits[:]) || got.next(bits[:]) {
			t.Fatal("12 bytes hold more or less than one moment")
		}
		if v := (element{kind: typeInt96}).number()(bits[0]); v != c.want && !(v != v && c.want != c.want) {
			t.Errorf("%d ns of day %d: got %v, want %v", c.nanos, c.day, v, c.want)
		}
	}
	if (&cells{}).decode(encodingSplit, element{kind: typeInt96}, columnar.Times, make([]byte, 24)) {
		t.Error("moments of 12 bytes are split")
	}
}

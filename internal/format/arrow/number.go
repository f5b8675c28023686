package arrow

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"

	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/moment"
)

// number returns the function that reads the bytes of a number.
func (v values) number() func(b []byte) float64 {
	switch {
	case v.id == typeFloat && v.bits == 16:
		return func(b []byte) float64 { return half(binary.LittleEndian.Uint16(b)) }
	case v.id == typeFloat && v.bits == 32:
		return func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }
	case v.id == typeFloat:
		return func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
	case v.id == typeDecimal:
		return v.decimal
	case v.id == typeDate && v.perSecond > 0:
		return func(b []byte) float64 { return moment.Days(signed(b)) }
	case v.id == typeTimestamp:
		return func(b []byte) float64 { return moment.Seconds(signed(b), v.perSecond) }
	case v.signed:
		return func(b []byte) float64 { return float64(signed(b)) }
	}
	return func(b []byte) float64 { return float64(unsigned(b)) }
}

// exact returns the function that returns the exact text of a number if a float64 may not hold it,
// else "". It returns nil if a float64 holds every number of the type.
func (v values) exact() func(b []byte) string {
	switch {
	case v.id == typeTimestamp:
		return func(b []byte) string { return moment.Exact(signed(b), v.perSecond, v.zoned) }
	case v.id == typeDecimal:
		return func(b []byte) string {
			if len(b) <= 8 && columnar.IsDistinct(signed(b), int(v.scale)) {
				return ""
			}
			return columnar.ExactDecimal(bigSigned(b), int(v.scale))
		}
	case v.id == typeInt && v.bits == 64 && v.signed:
		return func(b []byte) string { return columnar.ExactSigned(signed(b)) }
	case v.id == typeInt && v.bits == 64:
		return func(b []byte) string { return columnar.ExactUnsigned(unsigned(b)) }
	}
	return nil
}

func unsigned(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func signed(b []byte) int64 {
	shift := 64 - 8*len(b)
	return int64(unsigned(b)<<shift) >> shift
}

// half returns a number of 16 bits.
func half(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&31), float64(bits&1023)
	if bits>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		return math.NaN() // infinite, or none
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// decimal returns the float64 nearest to a decimal, as CSV gives it.
func (v values) decimal(b []byte) float64 {
	const exact = 1 << 53
	if len(b) <= 8 || uint64(int64(binary.LittleEndian.Uint64(b))>>63) == binary.LittleEndian.Uint64(b[8:]) && len(b) == 16 {
		n := signed(b[:min(8, len(b))])
		// The quotient by a power of ten up to 22 is the nearest float64.
		if n > -exact && n < exact && v.scale >= 0 && v.scale <= 22 {
			return float64(n) / math.Pow10(int(v.scale))
		}
	}
	out, _ := strconv.ParseFloat(bigSigned(b).String()+"e"+strconv.Itoa(-int(v.scale)), 64) // a number in any case
	return out
}

// bigSigned returns an integer of any number of bytes.
func bigSigned(b []byte) *big.Int {
	reversed := make([]byte, len(b))
	for i, c := range b {
		reversed[len(b)-1-i] = c
	}
	n := new(big.Int).SetBytes(reversed)
	if b[len(b)-1]>>7 == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

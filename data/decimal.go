package data

// exactPowers are the powers of ten that a float64 holds exactly.
var exactPowers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

const (
	// exactMantissa bounds the integers that a float64 holds without a gap.
	exactMantissa = 1 << 53
	// maxDigits is how many decimal digits a uint64 always holds.
	maxDigits = 19
)

// scanDecimal returns the decimal number at the start of a text and the number of bytes of its
// text. It is 0 bytes for texts that are left to strconv.ParseFloat: a text that does not begin
// with a number, and a number that needs more than one correctly rounded operation.
//
// Postcondition: for n > 0 bytes, the value is the same, to the bit, as strconv.ParseFloat returns
// for these bytes. The digits without point are an integer of at most 2^53, and the power of ten is
// at most 10^22 or its inverse. Both are exact in float64, so one multiplication or division rounds
// the exact value once. Source: William D. Clinger, "How to read floating point numbers
// accurately", PLDI 1990, section 4, https://doi.org/10.1145/93542.93557.
func scanDecimal(text []byte) (v float64, n int) {
	negative := false
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		negative, n = text[0] == '-', 1
	}
	start := n
	mantissa, n := scanDigits(text, n, 0)
	digits, exponent := n-start, 0
	if n < len(text) && text[n] == '.' {
		point := n
		mantissa, n = scanDigits(text, n+1, mantissa)
		exponent = point + 1 - n
		digits -= exponent
	}
	if digits == 0 || digits > maxDigits || mantissa > exactMantissa {
		return 0, 0
	}
	if n < len(text) && text[n]|0x20 == 'e' {
		power, end := scanExponent(text, n+1)
		if end == 0 {
			return 0, 0
		}
		exponent, n = exponent+power, end
	}
	switch v = float64(mantissa); {
	case exponent == 0:
	case exponent < 0 && -exponent < len(exactPowers):
		v /= exactPowers[-exponent]
	case exponent > 0 && exponent < len(exactPowers):
		v *= exactPowers[exponent]
	default:
		return 0, 0
	}
	if negative {
		v = -v
	}
	return v, n
}

// scanDigits appends the digits from a position on to an integer, which wraps around after
// maxDigits digits. It returns the integer with the position after the digits.
func scanDigits(text []byte, at int, number uint64) (uint64, int) {
	for ; at < len(text); at++ {
		digit := text[at] - '0'
		if digit > 9 {
			break
		}
		number = number*10 + uint64(digit)
	}
	return number, at
}

// scanExponent reads sign and digits of a power of ten. It returns the power with the position
// after it. The position is 0 where there is no power of at most 4 digits.
func scanExponent(text []byte, at int) (power, end int) {
	negative := false
	if at < len(text) && (text[at] == '-' || text[at] == '+') {
		negative = text[at] == '-'
		at++
	}
	number, end := scanDigits(text, at, 0)
	if end == at || end > at+4 {
		return 0, 0
	}
	if negative {
		return -int(number), end
	}
	return int(number), end
}

package predict

// Number returns the number of a text: decimal digits, perhaps with a sign, a point and an
// exponent. It is rounded to the nearest float64. It is NaN for a text that the schema does not
// take for a number.
func Number(text string) float64 {
	const mostBytes, mostPower = 1000, 10000
	text = trimmed(text)
	rest, negative := unsigned(text)
	digits, rest := leading(rest)
	power := 0
	if rest != "" && rest[0] == '.' {
		var places string
		places, rest = leading(rest[1:])
		digits, power = digits+places, -len(places)
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		exponent, down := unsigned(rest[1:])
		if exponent, rest = leading(exponent); exponent == "" {
			return nan
		}
		n := 0
		for _, c := range []byte(exponent) {
			n = min(10*n+int(c-'0'), mostPower)
		}
		if down {
			n = -n
		}
		power += n
	}
	if digits == "" || rest != "" || len(text) > mostBytes {
		return nan
	}
	if negative {
		return -rounded(digits, power)
	}
	return rounded(digits, power)
}

// unsigned returns a text without its sign, and whether the sign is a minus.
func unsigned(text string) (rest string, minus bool) {
	if text != "" && (text[0] == '+' || text[0] == '-') {
		return text[1:], text[0] == '-'
	}
	return text, false
}

// leading returns the digits at the start of a text, and what follows them.
func leading(text string) (digits, rest string) {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return text[:n], text[n:]
}

// rounded returns digits times 10 to a power, rounded to the nearest float64, and to the even one of two.
func rounded(digits string, power int) float64 {
	for digits != "" && digits[0] == '0' {
		digits = digits[1:]
	}
	for digits != "" && digits[len(digits)-1] == '0' {
		digits, power = digits[:len(digits)-1], power+1
	}
	switch size := len(digits) + power; {
	case digits == "" || size < -330:
		return 0
	case size > 310:
		return infinity
	case len(digits) <= 15 && power >= -22 && power <= 22: // both numbers are exact
		return few(digits, power)
	}
	// The number is n/m times 2 to the power of e, since 10 is 2·5.
	var n []uint32
	m, e := []uint32{1}, power
	for _, c := range []byte(digits) {
		n = times(n, 10, uint32(c-'0'))
	}
	for ; power > 0; power-- {
		n = times(n, 5, 0)
	}
	for ; power < 0; power++ {
		m = times(m, 5, 0)
	}
	shift := bitsOf(n) - bitsOf(m)
	n, m, e = shifted(n, -shift), shifted(m, shift), e+shift
	if compare(n, m) < 0 {
		n, e = times(n, 2, 0), e-1
	}
	// Now n/m is from 1 to 2. Division bit by bit gives the result, which has fewer bits if it is subnormal.
	kept := min(53, e+1075)
	result := uint64(0)
	for i := 0; i < kept; i++ {
		if result *= 2; compare(n, m) >= 0 {
			result, n = result+1, minus(n, m)
		}
		n = times(n, 2, 0)
	}
	if c := compare(n, m); kept >= 0 && (c > 0 || c == 0 && result%2 == 1) {
		result++
	}
	return scale(float64(result), e+1-kept)
}

// few returns at most 15 digits times 10 to a power from -22 to 22. Only one step is rounded.
func few(digits string, power int) float64 {
	v, tens := 0.0, 1.0
	for _, c := range []byte(digits) {
		v = 10*v + float64(c-'0')
	}
	for n := max(power, -power); n > 0; n-- {
		tens *= 10
	}
	if power < 0 {
		return v / tens
	}
	return v * tens
}

// times returns n·by + plus, in the place of n. Integers of any length are words, the lowest first,
// and the last is not 0.
func times(n []uint32, by, plus uint32) []uint32 {
	carry := uint64(plus)
	for i, word := range n {
		carry += uint64(word) * uint64(by)
		n[i], carry = uint32(carry), carry>>32
	}
	if carry > 0 {
		n = append(n, uint32(carry))
	}
	return n
}

// shifted returns n times 2 to the power of k, and n for a negative k.
func shifted(n []uint32, k int) []uint32 {
	for ; k > 0; k -= 16 {
		n = times(n, 1<<min(k, 16), 0)
	}
	return n
}

// bitsOf returns the number of bits of n.
func bitsOf(n []uint32) int {
	count := 32 * (len(n) - 1)
	for top := n[len(n)-1]; top > 0; top /= 2 {
		count++
	}
	return count
}

// compare returns a negative number if n < m, and a positive one if n > m.
func compare(n, m []uint32) int {
	if len(n) != len(m) {
		return len(n) - len(m)
	}
	for i := len(n) - 1; i >= 0; i-- {
		switch {
		case n[i] < m[i]:
			return -1
		case n[i] > m[i]:
			return 1
		}
	}
	return 0
}

// minus returns n - m, in the place of n, for n ≥ m.
func minus(n, m []uint32) []uint32 {
	borrow := uint64(0)
	for i := range n {
		take := borrow
		if i < len(m) {
			take += uint64(m[i])
		}
		left := uint64(n[i]) - take
		n[i], borrow = uint32(left), left>>63
	}
	for len(n) > 0 && n[len(n)-1] == 0 {
		n = n[:len(n)-1]
	}
	return n
}

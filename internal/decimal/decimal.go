// Package decimal says which texts are numbers, so that every kind of file, every command and every
// exported model reads the same ones.
package decimal

import "strconv"

// MostBytes is the largest number of bytes of a number's text.
const MostBytes = 1000

// Parse returns the number of a text: decimal digits, perhaps with a sign, a point and an exponent.
// It is infinite for a number beyond the largest float64. No other text is a number: hexadecimal
// digits, underscores, the words inf and nan, white space and digits of other scripts are refused.
func Parse(text string) (v float64, ok bool) {
	if !isNumber(text) {
		return 0, false
	}
	if len(text) > mostWhole {
		text = pointed(text)
	}
	v, _ = strconv.ParseFloat(text, 64) // the only error is one of range, and its value is infinite
	return v, true
}

// mostWhole is the number of digits before the point that package strconv takes into account for the
// place of the point. It reads "1", 990 zeros and "e-990" as 1e-191.
const mostWhole = 800

// pointed returns the same number with the point before all digits.
func pointed(text string) string {
	const farthest = 100_000 // such an exponent is beyond all numbers
	rest := unsigned(text)
	sign := text[:len(text)-len(rest)]
	n, after := digits(rest)
	whole, fraction, exponent := rest[:n], "", 0
	if after != "" && after[0] == '.' {
		places, end := digits(after[1:])
		fraction, after = after[1:1+places], end
	}
	if after != "" {
		exponent, _ = strconv.Atoi(after[1:]) // the only error is one of range, and its value is the nearest
	}
	return sign + "." + whole + fraction + "e" + strconv.Itoa(max(-farthest, min(farthest, exponent))+n)
}

func isNumber(text string) bool {
	if len(text) > MostBytes {
		return false
	}
	whole, rest := digits(unsigned(text))
	if rest != "" && rest[0] == '.' {
		var fraction int
		fraction, rest = digits(rest[1:])
		whole += fraction
	}
	if whole == 0 || rest == "" {
		return whole > 0
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	exponent, end := digits(unsigned(rest[1:]))
	return exponent > 0 && end == ""
}

// unsigned returns a text without its sign.
func unsigned(text string) string {
	if text != "" && (text[0] == '+' || text[0] == '-') {
		return text[1:]
	}
	return text
}

// digits returns the number of digits at the start of a text, and what follows them.
func digits(text string) (n int, rest string) {
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n, text[n:]
}

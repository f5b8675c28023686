// Package predict has the functions that exported Go files are made of. Package export copies those
// that a file needs, so no file here imports anything. Tests compare them with the standard library
// and with what dither predict computes.
package predict

// entry is a feature and its value.
type entry struct {
	index int
	value float64
}

// add adds the features of a state, times a factor.
func add(x []float64, entries []entry, factor float64) {
	for _, e := range entries {
		x[e.index] += factor * e.value
	}
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for j, v := range x {
		sum += v * y[j]
	}
	return sum
}

func normOf(x []float64) float64 { return sqrt(dot(x, x)) }

// multiply multiplies a row by a factor.
func multiply(x []float64, factor float64) {
	for j := range x {
		x[j] *= factor
	}
}

// toUnit returns the factor that gives a row of this norm the norm 1. It is 0 for a row without a finite norm.
func toUnit(norm float64) float64 {
	if !(norm > 0) || norm-norm != 0 || 1/norm > largest {
		return 0
	}
	return 1 / norm
}

// toRadius returns the factor that limits a row of this norm to a radius. It is 0 for a row without a finite norm.
func toRadius(norm, radius float64) float64 {
	if !(norm > 0) || norm-norm != 0 {
		return 0
	}
	return min(1, radius/norm)
}

// below returns how many of the ascending cuts are at most v.
func below(cuts []float64, v float64) int {
	low, high := 0, len(cuts)
	for low < high {
		if middle := (low + high) / 2; cuts[middle] <= v {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

func sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + exp(-z))
	}
	e := exp(z)
	return e / (1 + e)
}

// softmax replaces scores by probabilities.
func softmax(z []float64) {
	top, sum := z[0], 0.0
	for _, v := range z {
		top = max(top, v)
	}
	for k, v := range z {
		z[k] = exp(v - top)
		sum += z[k]
	}
	for k := range z {
		z[k] /= sum
	}
}

// logSigmoid returns the logarithm of the sigmoid function.
func logSigmoid(z float64) float64 {
	return min(z, 0) - log1p(exp(min(z, -z)))
}

// nearest replaces scores by the nearest probabilities.
func nearest(z []float64) {
	cut := -largest
	for _, least := range z {
		sum, count := -1.0, 0.0
		for _, v := range z {
			if v >= least {
				sum, count = sum+v, count+1
			}
		}
		cut = max(cut, sum/count)
	}
	for k, v := range z {
		z[k] = max(0, v-cut)
	}
}

// unpacked returns the d·d numbers of a text in base64.
func unpacked(packed string, d int) []float64 {
	m := make([]float64, 0, d*d)
	var word, held, at uint64 // held bits of word are not used yet
	bytes, number := 0, uint64(0)
	for _, c := range []byte(packed) {
		switch {
		case c >= 'a':
			at = uint64(c-'a') + 26
		case c >= 'A':
			at = uint64(c - 'A')
		case c >= '0':
			at = uint64(c-'0') + 52
		case c == '+':
			at = 62
		default:
			at = 63
		}
		if word, held = word<<6|at, held+6; held < 8 {
			continue
		}
		held -= 8
		number |= word >> held & 0xff << (8 * bytes)
		if bytes++; bytes == 8 {
			m, bytes, number = append(m, fromBits(number)), 0, 0
		}
	}
	return m
}

// fromBits returns the finite number with the bits of a float64.
func fromBits(bits uint64) float64 {
	exponent, fraction := int(bits>>52&0x7ff), float64(bits&(1<<52-1))
	if exponent == 0 {
		exponent = 1 // a subnormal number
	} else {
		fraction += 1 << 52
	}
	if bits>>63 == 1 {
		fraction = -fraction
	}
	return scale(fraction, exponent-1075)
}

// trimmed returns a text without white space at its ends.
func trimmed(text string) string {
	first, last := len(text), 0
	for i, r := range text {
		switch r {
		case ' ', '\t', '\n', '\v', '\f', '\r', 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
			continue
		}
		if r >= 0x2000 && r <= 0x200a {
			continue
		}
		first, last = min(first, i), i+1
	}
	if first >= last {
		return ""
	}
	for last < len(text) && text[last]&0xc0 == 0x80 {
		last++
	}
	return text[first:last]
}

package export

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// packed packs numbers, one after the other.
func packed(numbers []float64) string {
	var raw []byte
	for _, v := range numbers {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return base64.RawStdEncoding.EncodeToString(raw)
}

// goNumber returns a constant of type float64.
func goNumber(v float64) string {
	out := text(v)
	if v < 0 {
		return "(" + out + ")"
	}
	if strings.ContainsAny(out, ".e") {
		return out
	}
	return out + ".0"
}

func goNumbers(x []float64) string {
	words := make([]string, len(x))
	for i, v := range x {
		words[i] = text(v)
	}
	return strings.Join(words, ", ")
}

func goInts(x []int) string {
	words := make([]string, len(x))
	for i, v := range x {
		words[i] = strconv.Itoa(v)
	}
	return strings.Join(words, ", ")
}

func goTexts(x []string) string {
	words := make([]string, len(x))
	for i, v := range x {
		words[i] = strconv.Quote(v)
	}
	return strings.Join(words, ", ")
}

// goAny returns a condition that v is one of these numbers.
func goAny(x []float64) string {
	var b strings.Builder
	for _, v := range x {
		b.WriteString(" || v == " + goNumber(v))
	}
	return b.String()
}

// goCommon has what every Go file needs.
const goCommon = `// entry is a feature and its value.
type entry struct {
	index int
	value float64
}

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
`

// goHelpers are the functions that a Go file has if it calls them.
var goHelpers = []struct{ name, source string }{
	{"below", `// below returns how many of the ascending cuts are at most v.
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
`},
	{"split", goSplit},
	{"trimmed", `// trimmed returns a text without white space at its ends.
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
`},
	{"sigmoid", `func sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}
`},
	{"softmax", `// softmax replaces scores by probabilities.
func softmax(z []float64) {
	top, sum := z[0], 0.0
	for _, v := range z {
		top = max(top, v)
	}
	for k, v := range z {
		z[k] = math.Exp(v - top)
		sum += z[k]
	}
	for k := range z {
		z[k] /= sum
	}
}
`},
	{"nearest", `// nearest replaces scores by the nearest probabilities.
func nearest(z []float64) {
	cut := math.Inf(-1)
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
`},
}

// These are parts of some Go files.
const (
	goNormalize = `// normalize scales a row. A row without a finite norm becomes zero.
func normalize(x []float64) {
	f := factor(math.Sqrt(dot(x, x)))
	for j := range x {
		x[j] *= f
	}
}

// factor returns the factor for a row of this norm.`
	goUnpack = `
func unpacked(packed string, d int) []float64 {
	var bits, held, at uint64
	m, raw := make([]float64, d*d), [8]byte{}
	i, n := 0, 0
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
		if bits, held = bits<<6|at, held+6; held < 8 {
			continue
		}
		held -= 8
		raw[n] = byte(bits >> held)
		if n++; n < 8 {
			continue
		}
		word := uint64(0)
		for b, v := range raw {
			word |= uint64(v) << (8 * b)
		}
		n = 0
		m[i] = math.Float64frombits(word)
		i++
	}
	return m
}
`
)

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
	goNumberOf = `// Number returns the number of a text, or NaN for a text that the schema does not take for a number.
func Number(text string) float64 {
	text = trimmed(text)
	digits, point, power := 0, false, false
	for i, c := range []byte(text) {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == '.' && !point && !power:
			point = true
		case (c == 'e' || c == 'E') && digits > 0 && !power:
			digits, power = 0, true
		case (c == '+' || c == '-') && (i == 0 || text[i-1] == 'e' || text[i-1] == 'E'):
		default:
			return math.NaN()
		}
	}
	if digits == 0 || len(text) > 1000 {
		return math.NaN()
	}
	v, _ := strconv.ParseFloat(text, 64) // infinite beyond the largest float64
	return v
}
`
	goMomentOf = `// Moment returns the moment of a text such as 2024-02-29 or 2024-02-29 17:30:00.25+01:00, or the zero time for a text
// that the schema does not take for one.
func Moment(text string) time.Time {
	rest, ok := trimmed(text), true
	take := func(before string, n int) (v int) {
		found := before == ""
		for i := range before {
			found = found || rest != "" && rest[0] == before[i]
		}
		if before != "" && found {
			rest = rest[1:]
		}
		if !found || len(rest) < n {
			ok = false
			return 0
		}
		for _, c := range []byte(rest[:n]) {
			ok = ok && c >= '0' && c <= '9'
			v = 10*v + int(c-'0')
		}
		rest = rest[n:]
		return v
	}
	year, month, day := take("", 4), take("-", 2), take("-", 2)
	hour, minute, second, nanos, zone := 0, 0, 0, 0, 0
	if rest != "" {
		hour, minute, second = take(" T", 2), take(":", 2), take(":", 2)
		if rest != "" && (rest[0] == '.' || rest[0] == ',') {
			n, unit := 1, 100000000
			for ; n < len(rest) && rest[n] >= '0' && rest[n] <= '9'; n++ {
				nanos += int(rest[n]-'0') * unit
				unit /= 10
			}
			ok, rest = ok && n > 1, rest[n:]
		}
		if rest == "Z" {
			rest = ""
		} else if rest != "" {
			sign, hours, minutes, seconds := 1, 0, 0, 0
			if rest[0] == '-' {
				sign = -1
			}
			hours = take("+-", 2)
			switch len(rest) {
			case 2:
				minutes = take("", 2)
			case 3:
				minutes = take(":", 2)
			case 6:
				minutes, seconds = take(":", 2), take(":", 2)
			}
			ok = ok && hours < 24 && minutes < 60 && seconds < 60
			zone = sign * (3600*hours + 60*minutes + seconds)
		}
	}
	at := time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC)
	if !ok || rest != "" || year == 0 || int(at.Month()) != month || at.Day() != day || at.Hour() != hour || minute > 59 || second > 59 {
		return time.Time{}
	}
	if at = at.Add(time.Duration(-zone) * time.Second); at.IsZero() {
		at = at.Add(1) // the first moment of the year 1 is not missing
	}
	return at
}
`
)

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

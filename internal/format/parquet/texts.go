package parquet

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/ditherml/dither/internal/columnar"
)

// texts returns the texts of a page one part after the other. Method next appends n of them to dst
// and reports whether the page has enough.
type texts interface {
	next(dst [][]byte, n int) ([][]byte, bool)
}

// plainTexts decodes PLAIN texts, each after its length in 4 bytes.
type plainTexts struct{ data []byte }

func (p *plainTexts) next(dst [][]byte, n int) ([][]byte, bool) {
	for range n {
		if len(p.data) < 4 {
			return dst, false
		}
		size := littleEndian32(p.data)
		if size > len(p.data)-4 {
			return dst, false
		}
		dst = append(dst, p.data[4:4+size])
		p.data = p.data[4+size:]
	}
	return dst, true
}

// deltaTexts decodes DELTA_LENGTH_BYTE_ARRAY, which has all lengths and then all texts. It also
// decodes DELTA_BYTE_ARRAY, in which prefixes has the length that each text shares with the text
// before.
type deltaTexts struct {
	lengths, prefixes *delta // prefixes is nil without them
	data              []byte
	before            []byte
	scratch           []uint64
}

// newDeltaTexts reads the lengths at the beginning of a page.
func newDeltaTexts(page []byte, prefixed bool) (*deltaTexts, bool) {
	t, ok := &deltaTexts{}, true
	if prefixed {
		if t.prefixes, ok = newDelta(page); !ok {
			return nil, false
		}
		if page, ok = t.prefixes.rest(); !ok {
			return nil, false
		}
	}
	if t.lengths, ok = newDelta(page); !ok {
		return nil, false
	}
	t.data, ok = t.lengths.rest()
	return t, ok
}

// maxTexts bounds the bytes of texts made from prefixes in one call, because a small page can
// request any number.
const maxTexts = 256 << 20

func (t *deltaTexts) next(dst [][]byte, n int) ([][]byte, bool) {
	if cap(t.scratch) < 2*n {
		t.scratch = make([]uint64, 2*n)
	}
	lengths, prefixes := t.scratch[:n], t.scratch[n:2*n]
	clear(prefixes)
	if !t.lengths.next(lengths) || t.prefixes != nil && !t.prefixes.next(prefixes) {
		return dst, false
	}
	made := 0
	for i, length := range lengths {
		if length > uint64(len(t.data)) || prefixes[i] > uint64(len(t.before)) {
			return dst, false
		}
		text := t.data[:length:length]
		t.data = t.data[length:]
		if prefixes[i] > 0 {
			if made += int(prefixes[i]) + len(text); made > maxTexts {
				return dst, false
			}
			text = append(t.before[:prefixes[i]:prefixes[i]], text...)
		}
		t.before = text
		dst = append(dst, text)
	}
	return dst, true
}

// checkTexts refuses texts that a CSV file cannot hold.
func checkTexts(texts [][]byte) error {
	for _, text := range texts {
		if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			return &columnar.Problem{Problem: "bytes were found that are not UTF-8, or a NUL byte", Want: "texts in UTF-8", Remedy: "write the column as STRING, or declare it as ignore"}
		}
	}
	return nil
}

// cells returns the cells of one page.
type cells struct {
	rows    int     // still to come
	levels  *hybrid // 1 for a present cell; nil if all are present
	numbers integers
	texts   texts // of a page of texts without dictionary
	codes   bool  // numbers are positions in the dictionary
}

// present reads the levels of the next rows and returns how many cells are present.
func (c *cells) present(levels []uint64) (int, bool) {
	if c.levels == nil {
		for i := range levels {
			levels[i] = 1
		}
		return len(levels), true
	}
	if !c.levels.next(levels) {
		return 0, false
	}
	count := uint64(0)
	for _, level := range levels {
		count += level
	}
	return int(count), true
}

// spread appends value(v) for the values in the rows whose level is 1, and missing for the others.
func spread[T any](dst []T, levels, values []uint64, missing T, value func(v uint64) T) []T {
	at := 0
	for _, level := range levels {
		if level == 0 {
			dst = append(dst, missing)
			continue
		}
		dst = append(dst, value(values[at]))
		at++
	}
	return dst
}

// missingNumber is what Cells holds for a number that is missing.
var missingNumber = math.NaN()

package encoder

import (
	"fmt"
	"strconv"

	"github.com/ditherml/dither/data"
)

// Tokens returns the number of tokens where the columns are texts whose words have positions, else
// 0. A feature is then the token at a position, from 0 to Tokens - 1, or -1 for padding.
func (e *Encoder) Tokens() int { return e.tokens }

// checkTokens refuses tokens next to other features, or of several kinds.
func checkTokens(features []data.Column) (tokens int, err error) {
	for i, c := range features {
		own := 0
		if c.Kind == data.Text && c.Hashing.Positions > 0 {
			own = c.Hashing.Buckets
		}
		if i > 0 && own != tokens {
			return 0, fmt.Errorf("feature: columns %q and %q are not of one kind, want texts with positions beside texts with positions and as many buckets alone; ignore other columns, or leave positions out", features[0].Name, c.Name)
		}
		tokens = own
	}
	return tokens, nil
}

// text adds a text column: each bucket, or position, is a value of a row and a feature.
func (e *Encoder) text(c data.Column) {
	if e.starts == nil {
		e.starts = []uint32{}
		for i := range len(e.columns) + 1 {
			e.starts = append(e.starts, uint32(i))
		}
	}
	buckets, level, positions := c.Width(), "bucket ", c.Hashing.Positions > 0
	if positions {
		level = "position "
	}
	e.columns = append(e.columns, column{first: e.dim, missing: -1, buckets: buckets, tokens: positions})
	for b := range buckets {
		e.add(c.Name, level+strconv.Itoa(b))
	}
	e.values += buckets
	e.starts = append(e.starts, uint32(e.values))
}

// Signed reports whether features may be negative, as the buckets of texts may.
func (e *Encoder) Signed() bool { return e.starts != nil }

// encodeTexts is Encode where a column is text.
func (e *Encoder) encodeTexts(dst []float64, values []float32) {
	for i := range e.columns {
		c := &e.columns[i]
		own := values[e.starts[i]:e.starts[i+1]]
		if c.buckets == 0 {
			c.encode(dst, float64(own[0]))
			continue
		}
		for b, v := range own {
			if dst[c.first+b] = float64(v); c.tokens {
				dst[c.first+b]--
			}
		}
	}
}

// textEntries is Entries where a column is text.
func (e *Encoder) textEntries(values []float32, index []uint32, x []float64) ([]uint32, []float64) {
	for i := range e.columns {
		c := &e.columns[i]
		for b, v := range values[e.starts[i]:e.starts[i+1]] {
			if at, y := c.entryAt(b, float64(v)); at >= 0 {
				index, x = append(index, uint32(at)), append(x, y)
			}
		}
	}
	return index, x
}

// entryAt is entry for the value of a bucket, where the column is text, or else for its only value.
func (c *column) entryAt(bucket int, v float64) (at int, x float64) {
	switch {
	case c.buckets == 0:
		return c.entry(v)
	case c.tokens && v != 1:
		return c.first + bucket, v - 1
	case v != 0 && !c.tokens:
		return c.first + bucket, v
	}
	return -1, 0
}

// columnOf returns the column in which a value of a row stands, and which of its values it is. It
// looks from a column on that is not after it.
func (e *Encoder) columnOf(value uint32, from int) (column, bucket int) {
	if e.starts == nil {
		return int(value), 0
	}
	for e.starts[from+1] <= value {
		from++
	}
	return from, int(value - e.starts[from])
}

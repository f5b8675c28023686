package data

import (
	"cmp"
	"fmt"
	"math/bits"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Width returns the number of values that a Dataset stores for a cell of the column. It is 1,
// except for a text column. For a text column it is the number of buckets, or of positions if words
// are kept in order. The value at a position is the token plus 1, or 0 for padding.
func (c *Column) Width() int {
	if c.Kind == Text && c.Hashing != nil && c.Hashing.Positions > 0 {
		return c.Hashing.Positions
	}
	if c.Kind == Text && c.Hashing != nil {
		return c.Hashing.Buckets
	}
	return 1
}

// values returns the number of values of a row: one for each of Features, and for a text column one
// for each bucket.
func (s *Schema) values() int {
	n := 0
	for i := range s.Columns {
		if s.Columns[i].isFeature() {
			n += s.Columns[i].Width()
		}
	}
	return n
}

// HasText reports whether the schema has a text column.
func (s *Schema) HasText() bool {
	for i := range s.Columns {
		if s.Columns[i].Kind == Text {
			return true
		}
	}
	return false
}

func (c *Column) isFeature() bool {
	return c.Kind == Numeric || c.Kind == Categorical || c.Kind == Text
}

// TextCell returns the values that a Dataset stores for a cell of a text column. The result buckets
// lists the buckets with a nonzero value, ascending. The result values has the value of each listed
// bucket. Both are empty for a missing cell and for a text without a word. The result missing is
// true only for a missing cell. If the row must be dropped, ok is false.
func (c *Column) TextCell(text string, marks MissingSet) (buckets []uint32, values []float32, missing, ok bool) {
	state, _ := c.classify(text, marks, nil)
	if _, ok = c.treat(state, 0); state != good {
		return nil, nil, true, ok
	}
	buckets, values = (&hashed{}).text(c.Hashing, []byte(text))
	return buckets, values, false, true
}

func (c *Column) faultText() *fault {
	h := c.Hashing
	switch {
	case c.Lower != 0 || c.Upper != 0 || len(c.Bins) > 0 || len(c.Levels) > 0 || c.Transform != "" && c.Transform != transformNone:
		return &fault{problem: "a text column has bounds, bins, levels or a transform", want: "text only", remedy: "remove them"}
	case h == nil:
		return &fault{problem: "a text column has no hashing", want: "the number of buckets and what goes with it", remedy: "take DefaultHashing"}
	case h.Positions == 0 && h.Tokens != "":
		return &fault{problem: "tokens is declared without positions", want: "both", remedy: "declare how many words of a text are kept in order, or remove tokens"}
	case h.Positions != 0 && h.faultTokens() != nil:
		return h.faultTokens()
	case h.Positions != 0:
	case h.Buckets < minBuckets || h.Buckets > maxBuckets || bits.OnesCount(uint(h.Buckets)) != 1:
		return &fault{problem: fmt.Sprintf("number of buckets is %d", h.Buckets), want: fmt.Sprintf("a power of two from %d to %d", minBuckets, maxBuckets), remedy: fmt.Sprintf("choose one such as %d, without looking at the records", DefaultHashing().Buckets)}
	case h.NGrams < 1 || h.NGrams > 3:
		return &fault{problem: fmt.Sprintf("ngrams is %d", h.NGrams), want: "1 to 3 words", remedy: "choose 2 for words and pairs of words"}
	}
	switch {
	case h.StopWords != stopNone && h.StopWords != stopEnglish:
		return &fault{problem: fmt.Sprintf("stop-words is %q", h.StopWords), want: "none or english", remedy: "choose none for a language other than English"}
	case h.Values != valuesPresence && h.Values != valuesLogarithm:
		return &fault{problem: fmt.Sprintf("values is %q", h.Values), want: "presence or logarithm", remedy: "choose presence"}
	}
	if c.Missing == Indicator {
		return &fault{problem: "missing is indicator", want: "zero or drop for a text column", remedy: "write missing: zero, which leaves all buckets 0"}
	}
	return faultTreatment("missing", c.Missing, Zero, Drop)
}

// textColumn reads the declaration of a text column.
func (p *schemaParser) textColumn(what string, entries []entry) (Column, error) {
	c := Column{Kind: Text, Missing: p.defaults.missing}
	if c.Missing == undecided || c.Missing == Indicator {
		c.Missing = Zero // indicator is no choice for texts
	}
	var err error
	for _, e := range entries {
		switch e.key {
		case "text":
			c.Hashing, err = p.hashing(e)
		case "missing":
			err = p.treatment(e, &c.Missing, Zero, Drop)
		default:
			err = p.fail(e.name, what+" is text and has the key "+e.key, "text, missing", "remove it")
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// unsized is a hashing whose buckets or n-grams depend on the number of records, which may stand
// after it.
type unsized struct {
	hashing         *Hashing
	buckets, ngrams bool
}

// size fills in the values that depend on the number of records.
func (p *schemaParser) size() {
	sized := hashingFor(cmp.Or(p.schema.Records, p.schema.MaxRecords))
	for _, u := range p.unsized {
		if u.buckets {
			u.hashing.Buckets = sized.Buckets
		}
		if u.ngrams {
			u.hashing.NGrams = sized.NGrams
		}
	}
}

// hashing reads {buckets: …, ngrams: …, stop-words: …, values: …, positions: …, tokens: …}, each
// with a default.
func (p *schemaParser) hashing(e entry) (*Hashing, error) {
	entries, err := p.mapping(e.node, "text", textKeys...)
	if err != nil {
		return nil, err
	}
	h := DefaultHashing()
	if hasKey(entries, "positions") {
		h.Buckets, h.NGrams = defaultTokens, 1
	} else {
		p.unsized = append(p.unsized, unsized{&h, !hasKey(entries, "buckets"), !hasKey(entries, "ngrams")})
	}
	for _, e := range entries {
		switch e.key {
		case "buckets":
			err = p.whole(e, &h.Buckets)
		case "ngrams":
			err = p.whole(e, &h.NGrams)
		case "stop-words":
			err = p.text(e, &h.StopWords)
		case "values":
			err = p.text(e, &h.Values)
		case "positions":
			err = p.whole(e, &h.Positions)
		case "tokens":
			err = p.text(e, &h.Tokens)
		}
		if err != nil {
			return nil, err
		}
	}
	return &h, nil
}

// node returns everything that hashing reads, because a default may change.
func (h *Hashing) node() *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	if h == nil {
		return n
	}
	add(n, "buckets", word(strconv.Itoa(h.Buckets)))
	add(n, "ngrams", word(strconv.Itoa(h.NGrams)))
	add(n, "stop-words", quoted(h.StopWords))
	add(n, "values", quoted(h.Values))
	h.addTokens(n)
	return n
}

// draftText returns a text column with the defaults for a declared number of records, 0 for none.
func draftText(name string, records int) Column {
	h := hashingFor(records)
	return Column{Name: name, Kind: Text, Hashing: &h, Missing: Zero}
}

func sameHashing(a, b *Hashing) bool { return a == b || a != nil && b != nil && *a == *b }

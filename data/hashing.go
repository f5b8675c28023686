package data

import (
	"math"
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Hashing is the rule that turns the cells of a text column into numbers. It learns nothing from
// the records. A text is split into words, and consecutive words form n-grams. A fixed public hash
// assigns a bucket and a sign to each distinct n-gram. The value of a bucket follows from the signs
// of its n-grams. The values of all buckets are then scaled so that their squares sum to 1,
// whatever the length of the text. Most values are 0. The values depend only on the text and are
// equal on all machines.
//
// A word is a maximal sequence of letters, marks and digits as Unicode defines them, in lower case.
// Words of the stop list are removed before n-grams are formed.
//
// If Positions is not 0, a text becomes a list of its first words in order, for networks that begin
// with an embedding. The list has the length Positions. Each word is a token, which is a number
// below Buckets. Later words are ignored. The list of a shorter text is padded.
//
// Source: K. Weinberger, A. Dasgupta, J. Langford, A. Smola and J. Attenberg, "Feature hashing for
// large scale multitask learning", ICML 2009, section 2, https://arxiv.org/abs/0902.2206v5.
type Hashing struct {
	// Buckets is the number of buckets, a power of two from 2^8 to 2^19. If Positions is not 0,
	// Buckets is the number of different tokens, a power of two from 2^8 to 2^14. If Tokens is
	// "numbers", Buckets is the largest token number plus one, at most MaxTokens.
	Buckets int
	// NGrams is the largest number of words in an n-gram, from 1 to 3. For example, 2 means single
	// words and pairs of words.
	NGrams int
	// StopWords is "none" or "english". The list "english" contains function words of English.
	StopWords string
	// Values is "presence" or "logarithm". With "presence" a bucket's value is the sum of the signs
	// of its distinct n-grams. With "logarithm" it is sign(s)·log2(1+|s|), where s is the sum of
	// the signs of all its n-grams, including repetitions.
	Values string
	// Positions is the number of words that are kept in order, from 2 to 2^12. 0 means that n-grams
	// are hashed without their order. If Positions is not 0, NGrams must be 1 and Values must be
	// "presence".
	Positions int
	// Tokens is the form of the words if Positions is not 0. "hashed" or "" means that each word is
	// hashed to a token. "numbers" means that the text consists of token numbers, separated by
	// spaces, commas or semicolons.
	Tokens string
}

// The numbers of buckets that a text column may have.
const (
	minBuckets = 1 << 8
	maxBuckets = 1 << 19
)

// The stop lists of a text column.
const (
	stopNone    = "none"    // no word is left out
	stopEnglish = "english" // the words of englishStopWords are left out
)

// The ways in which n-grams become the value of a bucket.
const (
	// valuesPresence is the sum of the signs of the distinct n-grams.
	valuesPresence = "presence"
	// valuesLogarithm is sign(s)·log2(1+|s|), where s is the sum of the signs of all n-grams,
	// repeated ones included.
	valuesLogarithm = "logarithm"
)

// The sizes that hashingFor chooses.
const (
	leastBuckets   = 1 << 12
	mostBuckets    = 1 << 17
	unknownBuckets = 1 << 14
	pairRecords    = 100_000
)

// DefaultHashing returns the hashing of a text column for a schema that does not declare the number
// of records. It has 16384 buckets and uses the presence of single words. English stop words are
// left out.
func DefaultHashing() Hashing { return hashingFor(0) }

// hashingFor returns the hashing of a text column that declares nothing else. It depends on the
// declared number of records or, if there is none, on the declared bound; 0 means not known. It
// looks at no record. The number of buckets is the least power of two that is not below that
// number, between 4096 and
// 131072. From 100000 records on n-grams are words and pairs of words, below that single words: the noise
// hides rare pairs, and pairs share the norm of a row with the words. Values are the presence of
// n-grams without the English stop words.
func hashingFor(records int) Hashing {
	h := Hashing{Buckets: unknownBuckets, NGrams: 1, StopWords: stopEnglish, Values: valuesPresence}
	if records > 0 {
		for h.Buckets = leastBuckets; h.Buckets < min(records, mostBuckets); h.Buckets *= 2 {
		}
	}
	if records >= pairRecords {
		h.NGrams = 2
	}
	return h
}

// The constants of FNV-1a of 64 bits (G. Fowler, L. C. Noll and K.-P. Vo, "The FNV
// non-cryptographic hash algorithm", IETF draft-eastlake-fnv, section 5).
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// mix returns a hash spread over all bits (A. Appleby, MurmurHash3, function fmix64,
// https://github.com/aappleby/smhasher).
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// hashed finds the buckets of texts. It is for one goroutine; its slices are reused.
type hashed struct {
	stop    map[string]struct{}
	words   []byte // of the text, one after the other
	ends    []int  // of the words
	grams   []uint64
	buckets []uint32
	sums    []float64
	values  []float32
}

// text returns the buckets of a text that are not 0, in ascending order, with their values. Both
// are valid until the next call. With positions they are the result of sequence.
func (t *hashed) text(h *Hashing, text []byte) ([]uint32, []float32) {
	t.stop = nil
	if h.StopWords == stopEnglish {
		t.stop = englishStops
	}
	if h.Positions > 0 {
		return t.sequence(h, text)
	}
	t.split(text)
	t.hash(h.NGrams)
	slices.Sort(t.grams)
	t.buckets, t.sums = t.buckets[:0], t.sums[:0]
	shift := 64 - bits.TrailingZeros(uint(h.Buckets))
	for i := 0; i < len(t.grams); {
		bucket, sum := t.grams[i]>>shift, 0
		for first := i; i < len(t.grams) && t.grams[i]>>shift == bucket; i++ {
			// Equal n-grams stand next to each other.
			if h.Values == valuesPresence && i > first && t.grams[i] == t.grams[i-1] {
				continue
			}
			sum += 1 - 2*int(t.grams[i]&1)
		}
		if sum != 0 {
			t.buckets, t.sums = append(t.buckets, uint32(bucket)), append(t.sums, h.value(sum))
		}
	}
	t.scale()
	return t.buckets, t.values
}

// scale turns sums into values whose squares sum to 1, up to rounding.
func (t *hashed) scale() {
	square := 0.0
	for _, v := range t.sums {
		square += float64(v * v)
	}
	factor := 1 / math.Sqrt(square)
	t.values = t.values[:0]
	for _, v := range t.sums {
		t.values = append(t.values, float32(v*factor))
	}
}

// value returns the value of a sum of signs.
func (h *Hashing) value(sum int) float64 {
	if h.Values == valuesLogarithm {
		return math.Copysign(math.Log2(1+math.Abs(float64(sum))), float64(sum))
	}
	return float64(sum)
}

// split finds the words of a text.
func (t *hashed) split(text []byte) {
	t.words, t.ends = t.words[:0], t.ends[:0]
	for len(text) > 0 {
		c := text[0]
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			t.words, text = append(t.words, c), text[1:]
		case 'A' <= c && c <= 'Z':
			t.words, text = append(t.words, c+'a'-'A'), text[1:]
		case c < utf8.RuneSelf:
			t.endWord()
			text = text[1:]
		default:
			r, n := utf8.DecodeRune(text)
			text = text[n:]
			if n > 1 && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)) {
				t.words = utf8.AppendRune(t.words, unicode.ToLower(r))
			} else {
				t.endWord()
			}
		}
	}
	t.endWord()
}

// endWord ends the open word, if there is one, and removes it if it is a stop word.
func (t *hashed) endWord() {
	start := 0
	if len(t.ends) > 0 {
		start = t.ends[len(t.ends)-1]
	}
	if start == len(t.words) {
		return
	}
	if _, stop := t.stop[string(t.words[start:])]; stop {
		t.words = t.words[:start]
		return
	}
	t.ends = append(t.ends, len(t.words))
}

// hash computes the hashes of all n-grams of up to n words, with one space between words.
func (t *hashed) hash(n int) {
	t.grams = t.grams[:0]
	start := 0
	for first := range t.ends {
		h, from := uint64(fnvOffset), start
		for last := first; last < min(first+n, len(t.ends)); last++ {
			if last > first {
				h = (h ^ ' ') * fnvPrime
			}
			for _, c := range t.words[from:t.ends[last]] {
				h = (h ^ uint64(c)) * fnvPrime
			}
			t.grams, from = append(t.grams, mix(h)), t.ends[last]
		}
		start = t.ends[first]
	}
}

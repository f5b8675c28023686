// Package witness tells whether runs read the same records as earlier runs. It digests content
// under a secret key while a table is read, and keeps digests in a private file. It informs the
// operator and decides nothing.
package witness

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"sync"
)

// sum is a sum of keyed hashes modulo 2^256. The order of its terms changes nothing.
type sum [4]uint64

func (s *sum) add(t sum) {
	var carry uint64
	for i := range s {
		s[i], carry = bits.Add64(s[i], t[i], carry)
	}
}

// bytes returns the sum in little-endian order.
func (s sum) bytes() []byte {
	var out []byte
	for _, v := range s {
		out = binary.LittleEndian.AppendUint64(out, v)
	}
	return out
}

// Kinds of content.
const (
	lines = "lines" // lines of text, or of whatever has none
	index = "index" // what a file says of its own parts, such as the footer of a Parquet file
)

// digest is what is known of content.
type digest struct {
	Kind   string
	Lines  int64
	Sum    string
	Binary bool // no text: its lines mean nothing
}

// Watch digests the content that a run reads. A nil Watch digests nothing.
type Watch struct {
	mu     sync.Mutex
	key    [sha256.Size]byte
	known  digest // the content that this one may begin with
	prefix bool   // it did
	parts  []*Part
	kind   string
	first  sum // of the first line
	headed bool
	total  sum
	count  int64
	binary bool
	space  []byte
}

func newWatch(key [sha256.Size]byte, known digest) *Watch { return &Watch{key: key, known: known} }

// contextKey is the key of a Watch in a context.
type contextKey struct{}

// With returns a context whose readers pass their content to w. If w is nil, they pass nothing.
func With(ctx context.Context, w *Watch) context.Context {
	return context.WithValue(ctx, contextKey{}, w)
}

// From returns the Watch of a context, or nil if there is none.
func From(ctx context.Context) *Watch {
	w, _ := ctx.Value(contextKey{}).(*Watch)
	return w
}

// Part is one file of the content. A nil Part accepts everything and keeps nothing.
type Part struct {
	watch   *Watch
	pending []byte // an unfinished line
	inLine  bool   // the beginning of the line is digested
	first   bool   // no line is complete
	done    bool
}

// Part returns the next file of the content.
func (w *Watch) Part() *Part {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p := &Part{watch: w, first: true}
	w.parts, w.kind = append(w.parts, p), lines
	return p
}

// mostLine is the largest number of bytes that are digested together.
const mostLine = 1 << 16

// Write digests the next bytes of the file.
func (p *Part) Write(text []byte) (int, error) {
	n := len(text)
	if p == nil || p.done {
		return n, nil
	}
	p.watch.mu.Lock()
	defer p.watch.mu.Unlock()
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n')
		line := text
		if end >= 0 {
			line, text = text[:end], text[end+1:]
		} else {
			text = nil
		}
		p.take(line, end >= 0)
	}
	return n, nil
}

// take takes a part of a line, or its end. Parts of a long line are digested at fixed places.
func (p *Part) take(line []byte, ends bool) {
	for len(p.pending)+len(line) >= mostLine {
		room := mostLine - len(p.pending)
		p.pending = append(p.pending, line[:room]...)
		p.watch.add(p, p.pending, false)
		p.pending, line, p.inLine = p.pending[:0], line[room:], true
	}
	if !ends {
		p.pending = append(p.pending, line...)
		return
	}
	if len(p.pending) > 0 {
		line = append(p.pending, line...)
		p.pending = line[:0]
	}
	p.watch.add(p, bytes.TrimSuffix(line, []byte("\r")), true)
	p.inLine = false
}

// End states that the file was read to its end.
func (p *Part) End() {
	if p == nil {
		return
	}
	p.watch.mu.Lock()
	defer p.watch.mu.Unlock()
	p.end()
}

func (p *Part) end() {
	if !p.done && (len(p.pending) > 0 || p.inLine) {
		p.take(nil, true)
	}
	p.done = true
}

// add adds the hash of a line, or of a part of a long one. A file that begins with the first line
// of all content has the same header, which is left out. Empty lines count nowhere.
func (w *Watch) add(p *Part, line []byte, ends bool) {
	if len(line) == 0 && !p.inLine {
		return
	}
	hash := w.hash(line)
	w.binary = w.binary || bytes.IndexByte(line, 0) >= 0
	if p.first && ends && !p.inLine {
		p.first = false
		if w.headed && hash == w.first {
			return
		}
		if !w.headed {
			w.first, w.headed = hash, true
		}
	}
	if w.total.add(hash); ends {
		p.first = false
		w.count++
		w.prefix = w.prefix || w.count == w.known.Lines && w.isKnown()
	}
}

// isKnown reports whether everything so far is the known content.
func (w *Watch) isKnown() bool {
	return w.known.Kind == lines && w.digest().Sum == w.known.Sum
}

// hash returns the keyed hash of a line.
func (w *Watch) hash(line []byte) (s sum) {
	w.space = append(append(w.space[:0], w.key[:]...), line...)
	h := sha256.Sum256(w.space)
	for i := range s {
		s[i] = binary.LittleEndian.Uint64(h[8*i:])
	}
	return s
}

// Index digests a file's own description of its parts, if the bytes of the file are not read in
// order.
func (w *Watch) Index(text []byte) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kind = index
	w.total.add(w.hash(text))
	w.count++
}

// digest returns what was read, keyed once more: sums themselves are not kept.
func (w *Watch) digest() digest {
	return digest{Kind: w.kind, Lines: w.count, Sum: hexOf(w.hash(append([]byte("sum"), w.total.bytes()...)).bytes()), Binary: w.binary}
}

// finish returns the digest of all that was read, and whether anything was.
func (w *Watch) finish() (digest, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.parts {
		p.end()
	}
	return w.digest(), w.kind != ""
}

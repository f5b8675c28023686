package budget

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"

	"github.com/ditherml/dither/internal/strict"
)

// witnessRecord is a keyed digest of content that plans were about. The key stands in the first record, so
// whoever has the ledger can test guesses of the content: it is as secret as the records, and is never
// exported.
type witnessRecord struct {
	Data   string `json:"data"`
	File   string `json:"file"`
	Size   int64  `json:"size"`
	Digest string `json:"digest"`
}

// Sighting is what a ledger knows of content.
type Sighting string

// Sightings. They inform, and decide nothing: the declared name decides what pays.
const (
	FirstSeen Sighting = "first"    // nothing was seen under the name before
	SameSeen  Sighting = "same"     // the same content under the same names
	Renamed   Sighting = "renamed"  // the same content in another file
	Copied    Sighting = "copy"     // content that was seen under another declared name
	Appended  Sighting = "appended" // content that begins with what was seen
	Changed   Sighting = "changed"  // other content under the name
)

// Message returns the sighting in words, "" where there is nothing to say.
func (s Sighting) Message(data, file string) string {
	switch s {
	case Renamed:
		return fmt.Sprintf("%s holds the records that the ledger knows as %q from another file: they pay from the same budget", file, data)
	case Copied:
		return fmt.Sprintf("%s holds records that the ledger has seen under another name than %q: the same persons need the same budget, so check the name that the schema declares", file, data)
	case Appended:
		return fmt.Sprintf("%s holds the records that the ledger knows as %q, and more after them: all of them pay from the same budget", file, data)
	case Changed:
		return fmt.Sprintf("%s holds other records than the ledger has seen as %q: if they are of other persons, they need a name and a ledger of their own", file, data)
	}
	return ""
}

// Witness reads content to its end, compares it with what the ledger has seen, and notes it.
func (b *Book) Witness(ctx context.Context, data, file string, content io.Reader) (Sighting, error) {
	b.mu.Lock()
	key, err := hex.DecodeString(b.state.create.WitnessKey)
	known := slices.Clone(b.state.witness)
	b.mu.Unlock()
	if err != nil {
		return "", err
	}
	digests, size, err := digestsOf(ctx, hmac.New(sha256.New, key), content, known)
	if err != nil {
		return "", err
	}
	seen := compare(known, data, file, size, digests)
	if seen == SameSeen {
		return seen, nil
	}
	_, err = b.appendTo(ctx, func() (record, error) {
		return record{Witness: &witnessRecord{Data: data, File: file, Size: size, Digest: digests[size]}}, nil
	})
	return seen, err
}

// digestsOf returns the digests of content up to each size that is known, and of all of it.
func digestsOf(ctx context.Context, h hash.Hash, content io.Reader, known []witnessRecord) (digests map[int64]string, size int64, err error) {
	digests = map[int64]string{}
	var ends []int64
	for _, w := range known {
		ends = append(ends, w.Size)
	}
	slices.Sort(ends)
	for buffer := make([]byte, 1<<16); ; {
		if err = ctx.Err(); err != nil {
			return nil, 0, err
		}
		for len(ends) > 0 && ends[0] <= size {
			digests[ends[0]] = hex.EncodeToString(h.Sum(nil))
			ends = ends[1:]
		}
		part := buffer
		if len(ends) > 0 && ends[0]-size < int64(len(part)) {
			part = part[:ends[0]-size]
		}
		n, failed := content.Read(part)
		h.Write(part[:n])
		size += int64(n)
		if failed == io.EOF {
			digests[size] = hex.EncodeToString(h.Sum(nil))
			return digests, size, nil
		}
		if failed != nil {
			return nil, 0, failed
		}
	}
}

// compare tells how content stands to what is known.
func compare(known []witnessRecord, data, file string, size int64, digests map[int64]string) Sighting {
	named, found := false, FirstSeen
	rank := []Sighting{FirstSeen, Changed, Appended, Renamed, Copied, SameSeen}
	better := func(s Sighting) {
		if slices.Index(rank, s) > slices.Index(rank, found) {
			found = s
		}
	}
	for _, w := range known {
		named = named || w.Data == data
		same := w.Size > 0 && digests[w.Size] == w.Digest
		switch {
		case !same:
		case w.Data != data:
			better(Copied)
		case w.Size < size:
			better(Appended)
		case w.File == file:
			better(SameSeen)
		default:
			better(Renamed)
		}
	}
	if named {
		better(Changed)
	}
	return found
}

func (s *state) takeWitness(w witnessRecord) error {
	if w.Size < 0 || !strict.IsHash(w.Digest) {
		return fmt.Errorf("budget: witness of %d bytes is malformed, want a size and 64 hexadecimal digits", w.Size)
	}
	if err := checkTexts(w.Data, w.File); err != nil {
		return err
	}
	s.witness = append(s.witness, w)
	return nil
}

package witness

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/strict"
)

// End is the end of the name of the file that lies next to a ledger.
const End = ".witness"

const (
	format        = "dither-witness"
	formatVersion = 1
	mostSeen      = 500     // of content that is remembered
	mostBytes     = 1 << 20 // of the file
)

// file is the content of the private file: half of the key, and what was seen. The other half is in
// the ledger, so that neither file alone tests a guess of the records.
type file struct {
	Format  string     `json:"format"`
	Version int        `json:"format-version"`
	Ledger  string     `json:"ledger"`
	Key     string     `json:"key"`
	Seen    []sighting `json:"seen"`
}

// sighting is content that a run read.
type sighting struct {
	Record     uint64 `json:"record"` // of the ledger
	Time       int64  `json:"time"`
	Population string `json:"population,omitempty"`
	Kind       string `json:"kind"`
	Lines      int64  `json:"lines"`
	Binary     bool   `json:"binary,omitempty"`
	Sum        string `json:"sum"`
}

func (s sighting) digest() digest { return digest{s.Kind, s.Lines, s.Sum, s.Binary} }

// Create makes the file next to a new ledger. Only its owner can read the file. Create replaces the
// file of an earlier ledger with the same name, and no other file.
func Create(path, ledger string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		if _, err = read(path); err != nil {
			return err
		}
	}
	var key [sha256.Size]byte
	_, _ = rand.Read(key[:]) // never fails
	text, err := encode(file{Format: format, Version: formatVersion, Ledger: ledger, Key: hexOf(key[:]), Seen: []sighting{}})
	if err != nil {
		return err
	}
	return durable.WriteFile(path, durable.Prefix, text, 0o600)
}

func encode(f file) ([]byte, error) {
	text, err := json.MarshalIndent(f, "", " ")
	return append(text, '\n'), err
}

func hexOf(b []byte) string { return hex.EncodeToString(b) }

// Witness compares the content that a run reads with the content that earlier runs read.
type Witness struct {
	path, population string
	file             file
	watch            *Watch
}

// Open opens the file of a ledger. The argument half is the ledger's half of the key, in
// hexadecimal digits. The error states why nothing is compared.
func Open(path, ledger, half, population string) (*Witness, error) {
	f, err := read(path)
	if err != nil {
		return nil, err
	}
	w := &Witness{path: path, population: population, file: f}
	if w.file.Ledger != ledger {
		return nil, fmt.Errorf("%s is of another ledger", path)
	}
	outer, err := hex.DecodeString(half)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, outer)
	io.WriteString(mac, "dither witness v1\x00"+w.file.Key)
	var known digest
	if last := w.last(); last != nil {
		known = last.digest()
	}
	w.watch = newWatch([sha256.Size]byte(mac.Sum(nil)), known)
	return w, nil
}

// read reads the private file. It refuses one that others can read.
func read(path string) (f file, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, fmt.Errorf("there is no %s", path)
	case err != nil:
		return f, fmt.Errorf("%s: %w", path, display.Pathless(err))
	case !info.Mode().IsRegular() || info.Size() > mostBytes:
		return f, fmt.Errorf("%s is no plain file of at most %s", path, display.Size(mostBytes))
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
		return f, fmt.Errorf("others can read %s; chmod 600 %s", path, display.Quoted(path))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return f, fmt.Errorf("%s: %w", path, display.Pathless(err))
	}
	if err = strict.Decode(text, &f); err != nil || f.Format != format || f.Version != formatVersion || !strict.IsHash(f.Key) {
		return f, fmt.Errorf("%s is not what dither ledger create makes", path)
	}
	return f, nil
}

// Watch returns the Watch that digests the records of this run.
func (w *Witness) Watch() *Watch { return w.watch }

// last returns what was read of the population last, nil for nothing.
func (w *Witness) last() *sighting {
	for i := len(w.file.Seen) - 1; i >= 0; i-- {
		if w.file.Seen[i].Population == w.population {
			return &w.file.Seen[i]
		}
	}
	return nil
}

// Tell compares the content of this run with earlier content, and returns a sentence for the
// operator. It stores the content's digests under a record of the ledger. The sentence reveals
// facts about private records. If several runs end at the same moment, one of them may be
// forgotten.
func (w *Witness) Tell(record uint64, data string) string {
	now, any := w.watch.finish()
	if !any {
		return "none: the table came from the cache, and nothing was compared"
	}
	said := w.compare(now, data)
	w.file.Seen = append(w.file.Seen, sighting{record, time.Now().Unix(), w.population, now.Kind, now.Lines, now.Binary, now.Sum})
	w.file.Seen = w.file.Seen[max(0, len(w.file.Seen)-mostSeen):]
	text, err := encode(w.file)
	if err == nil {
		err = durable.WriteFile(w.path, durable.Prefix, text, 0o600)
	}
	if said != firstLook {
		said += exact
	}
	if err != nil {
		said += fmt.Sprintf("; %s cannot be written: %v", w.path, display.Pathless(err))
	}
	return said
}

// exact ends a sentence about records, since no noise is in it.
const exact = " (exact, so for you alone)"

const firstLook = "the first look at these records; later runs say whether they read the same"

// compare says how content stands to what was read before.
func (w *Witness) compare(now digest, data string) string {
	for i := len(w.file.Seen) - 1; i >= 0; i-- {
		if s := w.file.Seen[i]; s.Population != w.population && s.digest() == now {
			return fmt.Sprintf("the same records as at %s, which were of %s: populations share no person, so check --population", s.place(), populationWords(s.Population))
		}
	}
	last := w.last()
	counts := fmt.Sprintf("the budget counts on, since it belongs to the name %q", data)
	switch {
	case last == nil:
		return firstLook
	case last.digest() == now:
		return "the same records as at " + last.place()
	case last.Kind != now.Kind:
		return fmt.Sprintf("a file of another kind than at %s, and nothing was compared; %s", last.place(), counts)
	case w.watch.prefix:
		return fmt.Sprintf("the records of %s and %s more; %s", last.place(), display.Count(int(now.Lines-last.Lines), "line"), counts)
	}
	for i := len(w.file.Seen) - 1; i >= 0; i-- {
		if s := w.file.Seen[i]; s.digest() == now {
			return fmt.Sprintf("the same records as at %s, and others than at %s; %s", s.place(), last.place(), counts)
		}
	}
	return fmt.Sprintf("other content than at %s%s; %s; records of other persons need a name and a ledger of their own", last.place(), difference(now, last.digest()), counts)
}

// difference says how many lines more or fewer there are, "" where lines mean nothing.
func difference(now, last digest) string {
	switch more := now.Lines - last.Lines; {
	case now.Kind != lines || now.Binary || last.Binary:
		return ""
	case more > 0:
		return ", with " + display.Count(int(more), "line") + " more"
	case more < 0:
		return ", with " + display.Count(int(-more), "line") + " fewer"
	}
	return ", with as many lines"
}

// place names a record of the ledger.
func (s sighting) place() string {
	return fmt.Sprintf("record %d of %s", s.Record, time.Unix(s.Time, 0).UTC().Format(time.DateOnly))
}

func populationWords(name string) string {
	if name == "" {
		return "all"
	}
	return fmt.Sprintf("population %q", name)
}

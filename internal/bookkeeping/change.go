package bookkeeping

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/internal/chain/postgres"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/witness"
)

// imported is a folder that is counted after the fact.
type imported struct {
	folder, hash string
	ask          budget.Ask
	recorded     *certificate.LedgerRecord // of this ledger, nil for none
	moved        uint64                    // the record that a merger took from the run's ledger, 0 for none
}

// Imported lists the releases that were counted after the fact, and the state of the ledger
// afterwards.
type Imported struct {
	Folders []ImportedFolder    `json:"folders"`
	Spent   certificate.Epsilon `json:"epsilon-spent"`
	Left    float64             `json:"epsilon-left"`
	words   string
}

// ImportedFolder is one counted folder with its guarantee.
type ImportedFolder struct {
	Folder  string              `json:"folder"`
	Epsilon certificate.Epsilon `json:"epsilon"`
	Delta   float64             `json:"delta"`
}

// Text returns the import as text for a terminal.
func (i Imported) Text() ([]byte, error) {
	var b strings.Builder
	for _, f := range i.Folders {
		fmt.Fprintf(&b, "counted   %s: epsilon %s at delta %s alone\n", display.Printable(f.Folder), f.Epsilon.Rounded(), display.Plain(f.Delta))
	}
	return []byte(b.String() + i.words), nil
}

// Import counts the certificates of folders whose runs did not use the ledger, even if they exceed
// the cap. If one certificate does not verify or is already counted, Import counts none of them.
func (l *Ledger) Import(ctx context.Context, population, who string, folders ...string) (Imported, error) {
	known := map[string]string{}
	for _, r := range l.Summary().Releases {
		where := fmt.Sprintf("record %d of the ledger", r.Seq)
		known[r.Certificate], known["run "+r.Run] = where, where
	}
	delete(known, "")
	delete(known, "run ")
	var all []imported
	for _, folder := range folders {
		one, err := l.toImport(ctx, population, who, folder)
		if err == nil && one.recorded != nil {
			known[one.hash] = fmt.Sprintf("record %d of the ledger%s", one.recorded.Sequence, l.unnamed(one))
		}
		if err != nil {
			return Imported{}, fmt.Errorf("%s: %w; nothing was imported", folder, err)
		}
		if one.moved > 0 {
			known[one.hash] = fmt.Sprintf("record %d, which a merger took from the ledger of the run", one.moved)
		}
		for _, key := range []string{one.hash, "run " + one.ask.Run} {
			if where := known[key]; where != "" {
				return Imported{}, fmt.Errorf("%s: its run is counted already, by %s, want each once; nothing was imported", folder, where)
			}
			known[key] = folder
		}
		all = append(all, one)
	}
	var done Imported
	for _, one := range all {
		if err := l.Book.Import(ctx, one.ask, one.hash, sourceOf(one.folder, one.ask.Run)); err != nil {
			return done, failure.Running(fmt.Errorf("%s: %w; %s before it counted", one.folder, err, display.Count(len(done.Folders), "folder")))
		}
		done.Folders = append(done.Folders, ImportedFolder{one.folder, certificate.Epsilon(one.ask.Own.Epsilon), one.ask.Own.Delta})
	}
	a := l.Account()
	done.Spent, done.Left, done.words = a.Spent, a.Left, a.Standing()
	return done, nil
}

// unnamed says that no record names the hash of a certificate, and that its run did not sign it.
func (l *Ledger) unnamed(one imported) string {
	for _, r := range l.Summary().Releases {
		if r.Certificate == one.hash || r.Seq == one.recorded.Sequence && r.HasKey() { // against checked the signature
			return ""
		}
	}
	return ", whose run did not say which certificate it wrote (if another run wrote this one, `dither ledger repair --forfeit REASON` is what is left)"
}

// sourceOf says where an import is from. The name of a folder is never taken for the record of a merger, which
// cameFrom reads.
func sourceOf(folder, run string) string {
	name := filepath.Base(filepath.Clean(folder))
	if strings.HasPrefix(name, mergedFrom) {
		name = strconv.Quote(name)
	}
	return name + " run " + run
}

// toImport verifies a folder and prices it.
func (l *Ledger) toImport(ctx context.Context, population, who, folder string) (imported, error) {
	v, err := artefact.Verify(folder)
	if err != nil {
		return imported{}, err
	}
	if !v.Verified {
		return imported{}, failure.Running(fmt.Errorf("not verified: %s", v.Disagreements[0]))
	}
	text, c, err := artefact.ReadCertificate(folder)
	if err != nil {
		return imported{}, err
	}
	a, err := askOf(c)
	if err != nil {
		return imported{}, err
	}
	a.Population, a.Person = population, person(who)
	one := imported{folder: folder, hash: certificate.Hash(text), ask: a}
	if c.Recorded != nil && c.Recorded.Ledger == l.Book.Ledger() {
		one.recorded = c.Recorded
		if err = l.Extends(c.Recorded.Sequence, c.Recorded.Head); err != nil {
			return one, err
		}
		if found := l.against(folder, one.hash, c, l.Summary().Releases); len(found) > 0 {
			return one, failure.Running(fmt.Errorf("it names record %d of this ledger, which does not pay for it: %s; the certificate was changed, so ask who ran it what the run spent", c.Recorded.Sequence, found[0]))
		}
		return one, nil
	}
	for _, r := range l.Summary().Releases {
		if c.Recorded != nil && r.HasKey() && cameFrom(r, *c.Recorded) && signed(r, c) {
			one.moved = r.Seq
		}
	}
	if _, err = l.Quote(ctx, a); err != nil {
		err = fmt.Errorf("%w. The release has happened: a ledger that cannot count it must not go on; `dither ledger repair %s --forfeit REASON` gives up what is left", err, display.Quoted(l.Where))
	}
	return one, err
}

// Repaired is the result of a repair.
type Repaired struct {
	Kept   int    `json:"records-kept"`
	Lost   uint64 `json:"records-lost"` // acknowledged records that are lost; there may have been more
	Found  string `json:"found"`
	Backup string `json:"damaged-file,omitempty"`
}

// Repair keeps the records of a damaged file before the damage, and forfeits all that was left. No
// certificate can prove that nothing was spent after these records, so nothing is given back.
func Repair(ctx context.Context, path, who string) (Repaired, error) {
	var out Repaired
	if postgres.Is(path) {
		return out, errors.New("the ledger is on a server, want a file; restore the table from the server's backups, and check it against certificates")
	}
	backup, err := chain.Repair(ctx, path, func(loss chain.Loss) ([]byte, error) {
		out = Repaired{Kept: len(loss.Kept), Found: loss.Found.Error()}
		if loss.Acknowledged > uint64(out.Kept) {
			out.Lost = loss.Acknowledged - uint64(out.Kept)
		}
		return budget.Forfeited(fmt.Sprintf("repaired: %s after record %d are lost", display.Count(int(out.Lost), "acknowledged record"), out.Kept-1), person(who))
	})
	if errors.Is(err, chain.ErrIntact) {
		return out, fmt.Errorf("%s is intact, want a damaged one; nothing was changed. `--forfeit REASON` gives up all that is left of an intact one, as of a restored copy", path)
	}
	if err != nil {
		return out, err
	}
	out.Backup = backup
	l, err := Open(ctx, path)
	if err != nil {
		return out, err
	}
	return out, l.Close()
}

// Forfeit gives up all that an intact ledger has left. Use it for a ledger that was restored from a
// copy, because nobody knows what was spent after the copy was made.
func Forfeit(ctx context.Context, where, reason, who string) (Repaired, error) {
	l, err := Open(ctx, where)
	if err != nil {
		return Repaired{}, err
	}
	defer l.Close()
	if err = l.ForfeitAll(ctx, reason, person(who)); err != nil {
		return Repaired{}, failure.Running(err)
	}
	return Repaired{Kept: int(l.Summary().Head.Seq) + 1, Found: "nothing: " + reason}, nil
}

// Text returns the repair as text for a terminal.
func (r Repaired) Text() ([]byte, error) {
	if r.Backup == "" {
		return fmt.Appendf(nil, "found     %s\nkept      %s\nforfeit   all that was left of the budget. Nothing is ever given back\n", display.Printable(r.Found), display.Count(r.Kept, "record")), nil
	}
	return fmt.Appendf(nil, `found     %s
kept      %s; the damaged file is %s
lost      %s that were acknowledged, and perhaps more
forfeit   all that was left of the budget: nobody knows what was spent. Nothing is ever given back
next      a new ledger under another name, whose cap comes on top; or the newest backup that dither ledger check passes
          with all certificates
`, display.Printable(r.Found), display.Count(r.Kept, "record"), display.Printable(r.Backup), display.Count(int(r.Lost), "record")), nil
}

// Merged is a new ledger that was made from several ledgers.
type Merged struct {
	Where   string              `json:"where"`
	Ledgers []string            `json:"ledgers"`
	Epsilon float64             `json:"epsilon"`
	Delta   float64             `json:"delta"`
	Spent   certificate.Epsilon `json:"epsilon-spent"`
	Left    float64             `json:"epsilon-left"`
	words   string
}

// Merge makes a ledger file from several ledgers about the same data. It closes the old ledgers,
// and the new ledger has what they had left. The caps add up. The new file appears when it is
// complete.
func Merge(ctx context.Context, path, who string, from ...string) (out Merged, err error) {
	if postgres.Is(path) || path == "" {
		return out, errors.New("--out is no file, want the name of a new one; a ledger appears whole or not at all")
	}
	if display.Exists(path) {
		return out, fmt.Errorf("%s exists, want a new name; nothing was changed", path)
	}
	var books []*budget.Book
	var opened []*Ledger
	defer func() {
		for _, l := range opened {
			_ = l.Close() // everything of it is on disk
		}
	}()
	for _, where := range from {
		l, failed := Open(ctx, where)
		if failed != nil {
			return out, failed
		}
		opened, books = append(opened, l), append(books, l.Book)
	}
	partial := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".partial-"+hex.EncodeToString([]byte(rand.Text()[:4])))
	merged, err := budget.Merge(ctx, &growing{path: partial}, person(who), artefact.Program, books...)
	if err != nil {
		return out, errors.Join(err, removed(partial))
	}
	for i, l := range opened { // before anyone can spend from the new one
		if err = merged.Succeed(ctx, l.Book, "merged into "+display.OneLine(filepath.Base(path)), person(who)); err != nil {
			return out, unmerged(i, partial, fmt.Errorf("%s could not be closed: %w", l.Where, err))
		}
	}
	s := merged.Summary()
	if err = errors.Join(merged.Close(), os.Link(partial, path)); err != nil {
		return out, unmerged(len(opened), partial, fmt.Errorf("%s cannot be made: %w", path, display.Pathless(err)))
	}
	_ = os.Remove(partial)    // a second name of the ledger
	l, err := Open(ctx, path) // waits until the name is on disk
	if err != nil {
		return out, err
	}
	_ = witness.Create(path+witness.End, l.Book.Ledger()) // without it, runs say that there is none
	out = Merged{Where: path, Ledgers: from, Epsilon: s.Terms.Epsilon, Delta: s.Terms.Delta, Spent: certificate.Epsilon(s.Spent), Left: s.Left.Epsilon, words: l.Account().Standing()}
	return out, l.Close()
}

// unmerged says what is left of a merger that failed after this many ledgers were closed.
func unmerged(closed int, partial string, err error) error {
	if closed == 0 {
		return errors.Join(fmt.Errorf("%w; nothing was changed", err), removed(partial))
	}
	return failure.Running(fmt.Errorf("%w; ledgers were closed (%d), and %s has what they had: rename it once all are closed", err, closed, partial))
}

// removed removes a file that may not be there.
func removed(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// growing is a file that appears with its first record.
type growing struct {
	path string
	*chain.File
}

// Update is chain.Store.Update.
func (g *growing) Update(ctx context.Context, seen func(chain.Record) error, next func() ([]byte, error)) (chain.Record, error) {
	if g.File != nil {
		return g.File.Update(ctx, seen, next)
	}
	first, err := next()
	if err != nil {
		return chain.Record{}, err
	}
	if g.File, err = chain.Create(ctx, g.path, first); err != nil {
		return chain.Record{}, err
	}
	var added chain.Record
	err = g.File.View(ctx, func(c chain.Record) error {
		added = c
		return nil
	})
	return added, err
}

// Text returns the merger as text for a terminal.
func (m Merged) Text() ([]byte, error) {
	return fmt.Appendf(nil, "made      %s from %s\ncap       epsilon %s at delta %s: the caps add up, since each ledger promised its own\n%sclosed    %s: what they had left is in the new ledger\n",
		display.Printable(m.Where), display.Count(len(m.Ledgers), "ledger"), display.Plain(m.Epsilon), display.Plain(m.Delta), m.words, display.Printable(strings.Join(m.Ledgers, ", "))), nil
}

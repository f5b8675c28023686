package cache

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/witness"
	"github.com/ditherml/dither/train"
)

// streamRecords is how many records of a table are in memory while it is encoded.
const streamRecords = 1 << 14

// Read returns the rows of Encode in memory.
func Read(ctx context.Context, source data.Source, s train.Setup, o train.Options, tell io.Writer) (*train.Table, error) {
	file, err := Encode(ctx, source, s, o, tell)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, failure.Running(err)
	}
	table, err := train.ReadTable(s, file, info.Size())
	if err != nil {
		return nil, failure.Running(Cleanable(err))
	}
	return table, nil
}

// Cleanable returns an error about a damaged encoded table with the remedy.
func Cleanable(err error) error {
	if errors.Is(err, release.ErrDamaged) {
		return fmt.Errorf("%w; dither clean removes it", err)
	}
	return err
}

// Encode returns the encoded table of a run. It is the one in the cache if that was made from the
// same files and declarations, or else a new one. It reports on tell which.
func Encode(ctx context.Context, source data.Source, s train.Setup, o train.Options, tell io.Writer) (*os.File, error) {
	folder, err := MakeFolder()
	if err != nil {
		return nil, err
	}
	if source.Database != nil || len(source.Related) > 0 {
		return encodeOnce(ctx, folder, source, s, o, tell)
	}
	key, err := newKey(ctx, source, s, o.FeatureBits)
	if !isPacked(source.Path) { // the witness has seen the whole table
		ctx = witness.With(ctx, nil)
	}
	if err != nil {
		return nil, err
	}
	name, note, err := key.file()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, name)
	if tableOf(path, sizeOf(path)) == "" {
		fmt.Fprintf(tell, "encoding the table once, for later runs too, in %s\n", display.Printable(path))
		if err = writeEncoded(ctx, source, path, note, s, o); err != nil {
			return nil, err
		}
		after, failing := newKey(witness.With(ctx, nil), source, s, o.FeatureBits)
		if failing == nil && (after.SHA256 != key.SHA256 || after.LabelsSHA256 != key.LabelsSHA256) {
			failing = failure.Running(fmt.Errorf("the table changed while it was encoded, want one that stands still; nothing was spent; try again"))
		}
		if failing != nil {
			_ = os.Remove(path)
			return nil, failing
		}
	} else {
		fmt.Fprintf(tell, "the table was encoded before: %s\n", display.Printable(path))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, failure.Running(fmt.Errorf("the encoded table cannot be opened: %w", err))
	}
	return file, nil
}

// encodeOnce returns the encoded table of a database, or of a table with related tables, for this
// run alone: nothing shows whether a later run would read the same rows. The file has no name any
// more where the system allows it.
func encodeOnce(ctx context.Context, folder string, source data.Source, s train.Setup, o train.Options, tell io.Writer) (*os.File, error) {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	path := filepath.Join(folder, "table-"+hex.EncodeToString(random[:])+ending)
	fmt.Fprintf(tell, "encoding %s, for this run only\n", display.Printable(source.Path))
	note, err := json.Marshal(key{Format: encodedFormat, Table: source.Path})
	if err == nil {
		err = writeEncoded(ctx, source, path, note, s, o)
	}
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	_ = os.Remove(path) // where it stays, dither clean removes it
	if err != nil {
		return nil, failure.Running(fmt.Errorf("the encoded table cannot be opened: %w", err))
	}
	return file, nil
}

// writeEncoded reads the table block by block and writes its rows.
func writeEncoded(ctx context.Context, source data.Source, path string, note json.RawMessage, s train.Setup, o train.Options) error {
	o.Scratch = func() (*os.File, error) { return scratch(filepath.Dir(path)) }
	return durable.WriteWhole(path, true, 0o600, func(w io.Writer) error {
		e, err := train.NewEncoder(s, o, w)
		if err != nil {
			return err
		}
		if err = data.ReadBlocks(ctx, s.Schema, source, data.ReadOptions{Extra: persons(s)}, streamRecords, e.Append); err != nil {
			return err
		}
		return e.Close(note)
	})
}

// persons lists the column of persons, if it has to be read although it is no feature of levels of one text each.
func persons(s train.Setup) []string {
	u := s.Plan.Person
	if u == nil || slices.ContainsFunc(s.Schema.Features(), func(c data.Column) bool { return c.Name == u.Column && c.Kind == data.Categorical && c.Grouped == nil }) {
		return nil
	}
	return []string{u.Column}
}

// Scratch returns a new file in the cache folder for encoded rows that are to be sorted or scaled. If
// the run is killed while the file has its name, dither clean removes it.
func Scratch() (*os.File, error) {
	folder, err := MakeFolder()
	if err != nil {
		return nil, err
	}
	return scratch(folder)
}

func scratch(folder string) (*os.File, error) {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	file, err := os.OpenFile(filepath.Join(folder, "scratch-"+hex.EncodeToString(random[:])+ending), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, failure.Running(fmt.Errorf("rows cannot be written in the cache folder: %w", display.Pathless(err)))
	}
	return file, nil
}

// sizeOf returns the size of a file, 0 when there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

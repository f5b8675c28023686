package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/train"
)

// streamRecords is how many records of a table are in memory while it is encoded.
const streamRecords = 1 << 14

// The flags that keep the encoded table in the cache folder.
const (
	streamFlag        = "stream"
	cacheFeaturesFlag = "cache-features"
)

// checkStream settles what the flags that keep the encoded table need of the others, before anything is read.
func (t *trainCommand) checkStream(r *train.Request, private []data.Column) error {
	flag := "--" + streamFlag
	if t.cacheFeatures {
		flag = "--" + cacheFeaturesFlag
	}
	switch {
	case !t.stream && !t.cacheFeatures:
		return nil
	case t.stream && t.cacheFeatures:
		return fmt.Errorf("--stream and --cache-features are both given, want one of them; both keep the encoded table")
	case t.streamed != nil && (t.streamed.Path == data.StandardInput || data.IsParts(t.streamed.Path)):
		return fmt.Errorf("%s is given with --data %s, want one file on disk; join the parts or save the input", flag, t.streamed.Path)
	case len(private) > 0:
		return fmt.Errorf("%s is given with private bounds or levels of column %q, want them declared; ask dither query for bounds or categories first", flag, private[0].Name)
	case t.streamed == nil:
		return fmt.Errorf("%s is given without --data, want --data FILE; a built-in data set is in memory as it is", flag)
	case t.holdout.holdout != "":
		return fmt.Errorf("%s is given with --holdout, want one of them; the parts are divided in memory", flag)
	case t.holdout.rowWeights != "":
		return fmt.Errorf("%s is given with --sample-weights, want one of them; the weights are read from records in memory", flag)
	case t.holdout.weights == "balanced":
		return fmt.Errorf("%s is given with --class-weights balanced, want weights that are declared; frequencies are learned from records in memory only", flag)
	case r.Person != nil:
		return fmt.Errorf("%s is given with --unit person, want --unit row; the encoded table does not say whose a row is", flag)
	case t.stream && r.Whiten == train.Yes:
		return fmt.Errorf("--stream is given with --whiten yes, want --whiten no, or --cache-features; rows that are whitened are in memory")
	case t.printNotPrivate && (t.test == "" || t.testPublic):
		return fmt.Errorf("--print-not-private is given with %s, want a --test table beside them; the training records are not in memory", flag)
	}
	if t.stream {
		r.Whiten = train.No
	}
	return nil
}

// readEncoded is encode for a run that has its rows in memory.
func (t *trainCommand) readEncoded(ctx context.Context, s train.Setup, o train.Options) (*train.Table, error) {
	file, err := t.encode(ctx, s, o)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, failed{err}
	}
	table, err := train.ReadTable(s, file, info.Size())
	if err != nil {
		return nil, failed{cleanable(err)}
	}
	return table, nil
}

// cleanable says what helps where an encoded table is damaged.
func cleanable(err error) error {
	if errors.Is(err, mechanism.ErrDamaged) {
		return fmt.Errorf("%w; dither clean removes it", err)
	}
	return err
}

// encode returns the encoded table of a run: the one in the cache if it was made from the same files
// and declarations, or else a new one.
func (t *trainCommand) encode(ctx context.Context, s train.Setup, o train.Options) (*os.File, error) {
	folder, err := makeCacheFolder()
	if err != nil {
		return nil, err
	}
	key, err := newCacheKey(*t.streamed, s.Schema, s.Features.Pipeline, o.FeatureBits)
	if err != nil {
		return nil, err
	}
	name, note, err := key.file()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, name)
	if tableOf(path, sizeOf(path)) == "" {
		if !t.quiet {
			fmt.Fprintf(t.stderr, "encoding the table once, for later runs too, in %s\n", printable(path))
		}
		if err = t.writeEncoded(ctx, path, note, s, o); err != nil {
			return nil, err
		}
		after, failing := newCacheKey(*t.streamed, s.Schema, s.Features.Pipeline, o.FeatureBits)
		if failing == nil && (after.SHA256 != key.SHA256 || after.LabelsSHA256 != key.LabelsSHA256) {
			failing = failed{fmt.Errorf("the table changed while it was encoded, want one that stands still; nothing was spent; try again")}
		}
		if failing != nil {
			_ = os.Remove(path)
			return nil, failing
		}
	} else if !t.quiet {
		fmt.Fprintf(t.stderr, "the table was encoded before: %s\n", printable(path))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, failed{fmt.Errorf("the encoded table cannot be opened: %w", err)}
	}
	return file, nil
}

// writeEncoded reads the table block by block and writes its rows.
func (t *trainCommand) writeEncoded(ctx context.Context, path string, note json.RawMessage, s train.Setup, o train.Options) error {
	return durable.WriteWhole(path, true, 0o600, func(w io.Writer) error {
		e, err := train.NewEncoder(s, o, w)
		if err != nil {
			return err
		}
		if err = data.ReadBlocks(ctx, s.Schema, *t.streamed, data.ReadOptions{}, streamRecords, e.Append); err != nil {
			return err
		}
		return e.Close(note)
	})
}

// sizeOf returns the size of a file, 0 when there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// fitStream is train.FitFile on the encoded table.
func (t *trainCommand) fitStream(ctx context.Context, l *ledger.Ledger, f trainRun) (*train.Result, error) {
	info, err := f.encoded.Stat()
	if err != nil {
		return nil, err
	}
	result, err := train.FitFile(ctx, l, f.setup, f.encoded, info.Size(), f.options)
	return result, errors.Join(cleanable(err), f.encoded.Close())
}

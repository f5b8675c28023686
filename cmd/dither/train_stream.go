package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/cache"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/train"
)

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

// tell is where messages go that --quiet silences.
func (t *trainCommand) tell() io.Writer {
	if t.quiet {
		return io.Discard
	}
	return t.stderr
}

// fitStream is train.FitFile on the encoded table.
func (t *trainCommand) fitStream(ctx context.Context, l *ledger.Ledger, f trainRun) (*train.Result, error) {
	info, err := f.encoded.Stat()
	if err != nil {
		return nil, err
	}
	result, err := train.FitFile(ctx, l, f.setup, f.encoded, info.Size(), f.options)
	return result, errors.Join(cache.Cleanable(err), f.encoded.Close())
}

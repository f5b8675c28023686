package training

import (
	"fmt"
	"io"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/format"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/train"
)

// These flags keep the encoded table in the cache folder.
const (
	StreamFlag = "stream"
	CacheFlag  = "cache-features"
)

// mostStreamed is the largest number of features of rows in a file that are whitened in full although
// nobody asked for it. Each step multiplies each row by the matrix again: about 1.5 µs on one core for
// 110 features, and nine times that for three times as many.
const mostStreamed = 128

// Streaming are the flags of the command that keep the encoded table, and the flags that this excludes.
type Streaming struct {
	// Stream and Cache say that their flags are given. Source is the table, nil for one in memory.
	Stream, Cache bool
	Source        *data.Source
	// Holdout, RowWeights and Weights are the values of flags, "" for none.
	Holdout, RowWeights, Weights string
	// PrintsRecords says that measures of the training records are to be printed.
	PrintsRecords bool
	// Tell takes messages.
	Tell io.Writer
}

// Settle checks the other flags that streaming and caching need, before any file is read.
func (f Streaming) Settle(private []data.Column) error {
	flag := "--" + StreamFlag
	if f.Cache {
		flag = "--" + CacheFlag
	}
	switch {
	case !f.Stream && !f.Cache:
		return nil
	case f.Stream && f.Cache:
		return fmt.Errorf("--stream and --cache-features are both given, want one of them; both keep the encoded table")
	case f.Source != nil && f.Source.Database == nil && (f.Source.Path == format.StandardInput || format.IsParts(f.Source.Path)):
		return fmt.Errorf("%s is given with --data %s, want one file on disk; join the parts or save the input", flag, f.Source.Path)
	case f.Cache && f.Source != nil && (f.Source.Database != nil || f.Source.Related != nil):
		return fmt.Errorf("%s is given with a database or related tables, whose rows may have changed by a later run; want --stream, or one file", flag)
	case f.Source != nil && f.Source.Ranks > 1 && (!f.Source.Own || f.Source.Person != ""):
		return fmt.Errorf("%s is given to several ranks, want a file for each, as --data part-{rank}.csv, and rows as the unit", flag)
	case len(private) > 0:
		return fmt.Errorf("%s is given with private bounds or levels of column %q, want them declared; ask dither query for bounds or categories first", flag, private[0].Name)
	case f.Source == nil:
		return fmt.Errorf("%s is given without --data, want --data FILE; a built-in data set is in memory as it is", flag)
	case f.Holdout != "":
		return fmt.Errorf("%s is given with --holdout, want one of them; the parts are divided in memory", flag)
	case f.RowWeights != "":
		return fmt.Errorf("%s is given with --sample-weights, want one of them; the weights are read from records in memory", flag)
	case f.Weights == "balanced":
		return fmt.Errorf("%s is given with --class-weights balanced, want weights that are declared; frequencies are learned from records in memory only", flag)
	case f.PrintsRecords:
		return fmt.Errorf("--print-not-private is given with %s, want a --test table beside them; the training records are not in memory", flag)
	}
	return nil
}

// Improve is the function Improve. It refuses batches with a private radius, since several processes draw
// batches of encoded rows, and one alone chooses a radius. Then it refuses whitening that rows in a file
// cannot have, or turns it off if nobody asked for it.
func (f Streaming) Improve(r *train.Request, o train.Options, s *data.Schema, interactions string, correct bool) error {
	if (f.Stream || f.Cache) && r.BatchSize > together.MaxBatch {
		return fmt.Errorf("--batch-size is %d with rows that are encoded first, want at most %d; or leave out --stream and --cache-features", r.BatchSize, together.MaxBatch)
	}
	if (f.Stream || f.Cache) && r.PrivateRadius && r.BatchSize > 0 {
		return fmt.Errorf("--row-radius is private with --batch-size and rows that are encoded first, want a number; or leave out --stream and --cache-features")
	}
	if err := Improve(r, o, s, interactions, correct); err != nil || !f.Stream || r.Whiten == train.No {
		return err
	}
	setup, err := train.NewPlan(*r, s)
	takes := err == nil && f.whitens(setup)
	slow := ""
	if takes && r.Whiten == train.Auto && setup.Plan.Whitened() > 0 && setup.Features.Pipeline.Dim() > mostStreamed {
		takes, slow = false, ", and --whiten yes with the rows in the file, slowly"
	}
	if err != nil || takes {
		return err
	}
	if r.Whiten == train.Yes {
		takes := "--stream takes --whiten full of at most 1024 features, for rows of norm 1 that every step takes"
		if r.Person != nil {
			takes = "where persons are the unit, --stream takes no --whiten full and no --whiten diagonal"
		}
		return fmt.Errorf("--stream is given with whitening that rows in a file cannot have, want --whiten no, or --cache-features; %s", takes)
	}
	fmt.Fprintf(f.Tell, "--stream trains without whitening here; --cache-features would whiten, with the rows in memory%s\n", slow)
	r.Whiten = train.No
	return nil
}

// whitens reports whether rows in a file can be prepared as the plan says.
func (f Streaming) whitens(s train.Setup) bool {
	return !slices.ContainsFunc(s.Plan.Preparation, func(p train.PreparationStep) bool {
		switch p.Kind {
		case option.ChannelStatistic, option.PlaceStatistic, option.VarianceStatistic:
			return true
		case option.CovarianceStatistic:
			return !s.SharesPasses()
		}
		return false
	})
}

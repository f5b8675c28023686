package grid

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/format"
	"github.com/ditherml/dither/internal/layers"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/sweep"
)

// parts are the tables for training and for measuring, and whether each is public.
type parts struct {
	// dataPublic is true if the table is declared public. testPublic is true if the measured
	// records are public.
	dataPublic, testPublic bool
	// testName describes the records that models are measured on.
	testName string
	// way and share describe how a table is divided. way is "" for an undivided table.
	way   string
	share float64
	// training and test are the parts, nil before they are read.
	training, test *data.Dataset
}

// measuredOn determines the parts from the flags alone.
func (p *Plan) measuredOn() (parts, error) {
	_, isBuiltin := p.builtin()
	out := parts{dataPublic: p.DataPublic || isBuiltin, testPublic: p.TestPublic, testName: p.TestName}
	switch {
	case p.Split != "" && (isBuiltin || p.Test != ""):
		return out, fmt.Errorf("--split is given with a test table, want one of them; a built-in data set has a test table of its own")
	case p.Split != "" && !p.DataPublic:
		return out, fmt.Errorf("--split is given without --data-public, want both, or a test table; a part of a private table is private, and to measure on it is a release")
	case p.Split == "" && !isBuiltin && p.Test == "":
		return out, fmt.Errorf("there is nothing to measure models on, want --test FILE with --test-public or --print-not-private, or for a public table --data-public --split first:0.8")
	case p.PrintNotPrivate && (out.dataPublic || out.testPublic):
		return out, fmt.Errorf("--print-not-private is given with records that are declared public, want it with a test table that is not")
	case p.Split == "":
		return out, nil
	}
	way, share, _ := strings.Cut(p.Split, ":")
	v, err := strconv.ParseFloat(share, 64)
	if way != SplitFirst && way != SplitRandom || err != nil || !(v > 0 && v < 1) {
		return out, fmt.Errorf("--split is %q, want first:SHARE for training on the first rows, or random:SHARE for testing on random ones, with a share between 0 and 1", p.Split)
	}
	out.way, out.share, out.testPublic = way, v, true
	out.testName = map[string]string{SplitFirst: "the rows behind the first " + share + " of the table", SplitRandom: "a random " + share + " of the rows"}[way]
	return out, nil
}

// Divide reads a table that is divided, because the number of rows in each part belongs to the
// plan.
func (p *Plan) Divide(ctx context.Context) error {
	if err := p.whole(together.From(ctx)); err != nil {
		return err
	}
	if p.parts.way == "" {
		return nil
	}
	d, err := p.Train(ctx)
	if err != nil {
		return err
	}
	p.parts.training = d
	hash, err := p.hashes(ctx)
	if err != nil {
		return err
	}
	training, test := Divide(d.Records(), p.parts.way, p.parts.share, hash)
	if len(training) == 0 || len(test) == 0 {
		return fmt.Errorf("--split leaves one part of %s empty, want rows in both; choose another share", p.Name)
	}
	p.parts.training, p.parts.test = d.Take(training), d.Take(test)
	p.records = len(training)
	if p.Schema.Records > 0 {
		p.Schema.Records = len(training) // of this run's copy; public, as the table is
	}
	return nil
}

// read reads the parts.
func (p *Plan) read(ctx context.Context) (err error) {
	if p.parts.training != nil {
		return nil
	}
	watched := ctx
	if p.Watch != nil {
		watched = p.Watch(ctx)
	}
	if p.parts.training, err = p.Train(watched); err != nil {
		return err
	}
	p.records = p.parts.training.Records()
	if p.Tell != nil {
		p.Tell()
	}
	p.parts.test, err = p.ReadTest(ctx)
	return err
}

// builtin returns the name of the built-in data set for training, if it is one.
func (p *Plan) builtin() (string, bool) {
	return strings.CutPrefix(p.Table, tabular.Prefix)
}

// hashes returns the SHA-256 of the files that a sweep reads, by the flag that names them.
func (p *Plan) hashes(ctx context.Context) ([]sweep.Setting, error) {
	if name, isBuiltin := p.builtin(); isBuiltin {
		return builtinHashes(name)
	}
	files := slices.Clone(p.Files)
	for _, one := range p.all("model") {
		if !slices.Contains([]string{layers.Linear, layers.MLP, layers.CNN, layers.Text}, one) {
			files = append(files, sweep.Setting{Name: "model", Value: one})
		}
	}
	var out []sweep.Setting
	for _, f := range files {
		if f.Value == "" {
			continue
		}
		sum, err := p.hash(ctx, f)
		if err != nil {
			return nil, err
		}
		out = append(out, sweep.Setting{Name: f.Name, Value: sum})
	}
	for _, name := range slices.Sorted(maps.Keys(p.Related)) {
		sum, err := p.hashOf(ctx, tabular.HashedOf(p.Related[name]), p.Related[name].Path)
		if err != nil {
			return nil, err
		}
		out = append(out, sweep.Setting{Name: "related " + name, Value: sum})
	}
	return out, nil
}

// hash returns the SHA-256 of a file, or of the rows in a database, which it reads if they are not
// read yet. The rows of a sweep are thus the rows that are hashed.
func (p *Plan) hash(ctx context.Context, f sweep.Setting) (string, error) {
	return p.hashOf(ctx, p.Databases[f.Name], f.Value)
}

// hashOf returns the SHA-256 of the rows of a table of a database or, if it is nil, of a file.
func (p *Plan) hashOf(ctx context.Context, table *tabular.Hashed, path string) (string, error) {
	if table != nil {
		err := p.read(ctx)
		return table.Sum(), err
	}
	return hashFile(path)
}

// all returns the values of a flag in all runs.
func (p *Plan) all(name string) []string {
	var out []string
	for _, f := range p.Fixed {
		if f.Name == name {
			out = append(out, f.Value)
		}
	}
	for _, v := range p.Varied {
		if v.Name == name {
			out = append(out, v.Values...)
		}
	}
	return out
}

// builtinHashes returns the hashes of a built-in data set.
func builtinHashes(name string) ([]sweep.Setting, error) {
	set, err := builtin.Open(name)
	if err != nil {
		return nil, err
	}
	var out []sweep.Setting
	for _, f := range set.Files {
		sum := sha256.Sum256(f.Text)
		out = append(out, sweep.Setting{Name: f.Name, Value: hex.EncodeToString(sum[:])})
	}
	return out, nil
}

func hashFile(path string) (string, error) {
	if format.IsParts(path) {
		return "", fmt.Errorf("%s is a folder or a pattern, want one file for a sweep; join its files into one", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w; name a file that can", path, display.Pathless(err))
	}
	defer f.Close()
	h := sha256.New()
	if _, err = io.Copy(h, f); err != nil {
		return "", fmt.Errorf("%s cannot be read: %w; name a file that can", path, display.Pathless(err))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// measuredName returns the name of the records that models are measured on. Files are named without
// folders.
func (p *Plan) measuredName() string {
	if p.parts.testName != "" && p.parts.testName == p.Test {
		return outcome.BaseName(p.parts.testName)
	}
	return p.parts.testName
}

// varies reports whether a setting has several values.
func (p *Plan) varies(name string) bool {
	return slices.ContainsFunc(p.Varied, func(v sweep.Parameter) bool { return v.Name == name })
}

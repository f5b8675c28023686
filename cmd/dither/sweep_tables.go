package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/internal/grid"
	"github.com/ditherml/dither/internal/layers"
	"github.com/ditherml/dither/sweep"
)

// sweepParts say what is trained on and what is measured on, and which of it is public.
type sweepParts struct {
	// dataPublic is whether the table is declared public, testPublic whether what models are measured on is.
	dataPublic, testPublic bool
	// testName is what models are measured on, in words.
	testName string
	// way and share are those of a split, "" without one.
	way   string
	share float64
	// training and test are the parts, nil where they are yet to be read.
	training, test *data.Dataset
}

// measuredOn settles the parts from the flags alone.
func (s *sweepCommand) measuredOn(p *sweepPlan) (sweepParts, error) {
	isBuiltin := p.base.tablePath == "" || strings.HasPrefix(p.base.tablePath, builtinPrefix)
	out := sweepParts{dataPublic: s.dataPublic || isBuiltin, testPublic: p.source.testPublic, testName: p.source.testName}
	switch {
	case s.split != "" && (isBuiltin || p.base.test != ""):
		return out, fmt.Errorf("--split is given with a test table, want one of them; a built-in data set has a test table of its own")
	case s.split != "" && !s.dataPublic:
		return out, fmt.Errorf("--split is given without --data-public, want both, or a test table; a part of a private table is private, and to measure on it is a release")
	case s.split == "" && !isBuiltin && p.base.test == "":
		return out, fmt.Errorf("there is nothing to measure models on, want --test FILE with --test-public or --print-not-private, or for a public table --data-public --split first:0.8")
	case s.printNotPrivate && (out.dataPublic || out.testPublic):
		return out, fmt.Errorf("--print-not-private is given with records that are declared public, want it with a test table that is not")
	case s.split == "":
		return out, nil
	}
	way, share, _ := strings.Cut(s.split, ":")
	v, err := strconv.ParseFloat(share, 64)
	if way != grid.SplitFirst && way != grid.SplitRandom || err != nil || !(v > 0 && v < 1) {
		return out, fmt.Errorf("--split is %q, want first:SHARE for training on the first rows, or random:SHARE for testing on random ones, with a share between 0 and 1", s.split)
	}
	out.way, out.share, out.testPublic = way, v, true
	out.testName = map[string]string{grid.SplitFirst: "the rows behind the first " + share + " of the table", grid.SplitRandom: "a random " + share + " of the rows"}[way]
	return out, nil
}

// divide reads a table that is divided, since how many rows each part has belongs to the plan.
func (s *sweepParts) divide(ctx context.Context, p *sweepPlan) error {
	if s.way == "" {
		return nil
	}
	d, err := p.source.train(ctx)
	if err != nil {
		return stopped(err)
	}
	hash, err := p.hashes()
	if err != nil {
		return err
	}
	training, test := grid.Divide(d.Records(), s.way, s.share, hash)
	if len(training) == 0 || len(test) == 0 {
		return fmt.Errorf("--split leaves one part of %s empty, want rows in both; choose another share", p.source.name)
	}
	s.training, s.test = d.Take(training), d.Take(test)
	if p.source.schema.Records > 0 {
		p.source.schema.Records = len(training) // of this run's copy; public, as the table is
	}
	return nil
}

// read reads the parts.
func (s *sweepParts) read(ctx context.Context, source tables) (err error) {
	if s.training != nil {
		return nil
	}
	if s.training, err = source.train(ctx); err != nil {
		return stopped(err)
	}
	if s.test, err = source.test(ctx); err != nil {
		return stopped(err)
	}
	return nil
}

// hashes are the SHA-256 of the files that a sweep reads, by the flag that names them.
func (p *sweepPlan) hashes() ([]sweep.Setting, error) {
	t := p.base
	if t.tablePath == "" || strings.HasPrefix(t.tablePath, builtinPrefix) {
		return builtinHashes(strings.TrimPrefix(t.tablePath, builtinPrefix))
	}
	files := []sweep.Setting{{Name: "data", Value: t.tablePath}, {Name: "labels", Value: t.table.labels}, {Name: "schema", Value: t.schema},
		{Name: "test", Value: t.test}, {Name: "test-labels", Value: t.testLabels}}
	for _, one := range p.allSettings("model") {
		if !slices.Contains([]string{layers.Linear, layers.MLP, layers.CNN, layers.Text}, one) {
			files = append(files, sweep.Setting{Name: "model", Value: one})
		}
	}
	var out []sweep.Setting
	for _, f := range files {
		if f.Value == "" {
			continue
		}
		sum, err := hashFile(f.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, sweep.Setting{Name: f.Name, Value: sum})
	}
	return out, nil
}

// allSettings are the values that a flag has in any run.
func (p *sweepPlan) allSettings(name string) []string {
	var out []string
	for _, f := range p.fixed {
		if f.Name == name {
			out = append(out, f.Value)
		}
	}
	for _, v := range p.varied {
		if v.Name == name {
			out = append(out, v.Values...)
		}
	}
	return out
}

// builtinHashes are those of a built-in data set.
func builtinHashes(name string) ([]sweep.Setting, error) {
	if name == "" {
		name = defaultSet
	}
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
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w; name a file that can", path, pathless(err))
	}
	defer f.Close()
	h := sha256.New()
	if _, err = io.Copy(h, f); err != nil {
		return "", fmt.Errorf("%s cannot be read: %w; name a file that can", path, pathless(err))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// measuredName is what models are measured on, files by their names without folders.
func (p *sweepPlan) measuredName() string {
	if p.parts.testName != "" && p.parts.testName == p.base.test {
		return baseName(p.parts.testName)
	}
	return p.parts.testName
}

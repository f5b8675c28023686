package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/cache"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/sweep"
)

// execute runs what is left of a sweep and writes its files.
func (s *sweepCommand) execute(ctx context.Context, p *sweepPlan) error {
	definition, err := s.definition(p)
	if err != nil {
		return err
	}
	path, err := s.journalPath(p, definition)
	if err != nil {
		return err
	}
	if err = p.parts.read(ctx, p.source); err != nil {
		return err
	}
	if p.parts.test == nil {
		return fmt.Errorf("there is nothing to measure models on, want --test FILE")
	}
	examiner, err := sweep.NewEvaluator(p.parts.test)
	if err != nil {
		return err
	}
	journal, err := sweep.OpenJournal(path, definition)
	if err != nil {
		return err
	}
	defer journal.Close()
	ahead := newSweepProgress(s.stderr, s.quiet, p.public())
	runs := sweep.Sweep{Candidates: p.candidates, Repeats: s.repeats, Training: p.parts.training, Examiner: examiner, Journal: journal, Progress: ahead.show}
	measured, err := runs.Run(ctx)
	ahead.end()
	switch {
	case errors.Is(err, context.Canceled):
		return failed{fmt.Errorf("stopped before the end; what was finished is kept, and the same command goes on from there")}
	case err != nil:
		return failed{err}
	}
	if p.cost, err = sweep.CostOf(p.candidates, journal.Begun); err != nil {
		return failed{err}
	}
	return s.finish(p, measured)
}

// definition is what decides the runs.
func (s *sweepCommand) definition(p *sweepPlan) (sweep.Definition, error) {
	d := sweep.Definition{Fixed: outcome.Shown(p.fixed), Varied: p.varied, Repeats: s.repeats, Baseline: s.baseline, Program: program()}
	if s.split != "" {
		d.Fixed = append(d.Fixed, sweep.Setting{Name: "split", Value: s.split})
	}
	if s.dataPublic {
		d.Fixed = append(d.Fixed, sweep.Setting{Name: "data-public", Value: "true"})
	}
	var err error
	d.Data, err = p.hashes()
	return d, err
}

// secret reports whether metrics are private: then they go to this terminal only.
func (p *sweepPlan) secret() bool { return !p.parts.testPublic }

// journalPath is where results are kept as they come: in the folder of the sweep, or those that are private in
// the cache folder.
func (s *sweepCommand) journalPath(p *sweepPlan, d sweep.Definition) (string, error) {
	if p.secret() {
		sum, err := d.SHA256()
		if err != nil {
			return "", err
		}
		folder, err := cache.MakeFolder()
		return filepath.Join(folder, "sweep-"+sum[:16]+cache.SweepEnding), err
	}
	mode := fs.FileMode(0o700)
	if p.public() {
		mode = 0o755
	}
	if err := os.Mkdir(s.out, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s cannot be made: %w; give another --out", s.out, pathless(err))
	}
	path := filepath.Join(s.out, sweepJournal)
	entries, err := os.ReadDir(s.out)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w; give another --out", s.out, pathless(err))
	}
	if len(entries) > 0 && !exists(path) {
		return "", fmt.Errorf("%s is no folder of a sweep, want a new one or one of this sweep; give another --out", s.out)
	}
	return path, nil
}

// drawImage draws a figure as an image. Tests of other things replace it, since images take most of the time of a small sweep.
var drawImage = report.WritePNG

// study is the sweep as its results tell of it.
func (s *sweepCommand) study(p *sweepPlan) *outcome.Study {
	out := &outcome.Study{Fixed: p.fixed, Varied: p.varied, Candidates: p.candidates, Repeats: s.repeats, Cost: p.cost, Marked: p.marked,
		Table: baseName(p.source.name), Measured: p.measuredName(), Target: p.source.schema.Target, Public: p.public(), Secret: p.secret()}
	if p.parts.training != nil {
		out.Records = p.parts.training.Records()
	}
	if !p.secret() {
		out.Folder = s.out
	}
	if !s.dryRun {
		out.Command = s.command()
	}
	return out
}

// finish writes files and prints.
func (s *sweepCommand) finish(p *sweepPlan, measured []sweep.Measurement) error {
	summaries, study := sweep.Summarize(p.candidates, measured), s.study(p)
	if study.Marked.Candidate == nil && s.mark != markNone {
		study.Marked = study.Mark(summaries)
	}
	if !p.secret() {
		files, err := study.Files(measured, summaries, drawImage)
		if err != nil {
			return failed{err}
		}
		mode := fs.FileMode(0o600)
		if p.public() {
			mode = 0o644
		}
		for _, f := range files {
			err = durable.WriteWhole(filepath.Join(s.out, f.Name), true, mode, func(w io.Writer) error { return writeAll(w, f.Text) })
			if err != nil {
				return failed{err}
			}
		}
	}
	return s.print(p, study, summaries)
}

// command is the command line that makes the same sweep, with files by their names without folders.
func (s *sweepCommand) command() string {
	parts := []string{"dither sweep"}
	if s.planFile != "" {
		return parts[0] + " --plan " + filepath.Base(s.planFile)
	}
	for _, name := range s.given() {
		for _, v := range *s.values[name] {
			if slices.Contains(sweepPaths, name) {
				v = baseName(v)
			}
			v = display.Quoted(v)
			between := " "
			if s.kinds[name] == "bool" {
				between = "="
			}
			parts = append(parts, "--"+name+between+v)
		}
	}
	if s.split != "" {
		parts = append(parts, "--split "+s.split)
	}
	if s.dataPublic {
		parts = append(parts, "--data-public")
	}
	if s.mark != "" {
		parts = append(parts, "--mark "+display.Quoted(s.mark))
	}
	if s.repeats != 1 {
		parts = append(parts, fmt.Sprintf("--repeats %d", s.repeats))
	}
	if s.baseline {
		parts = append(parts, "--baseline")
	}
	return strings.Join(parts, " ")
}

package grid

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/cache"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/journal"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/sweep"
)

// Execute makes the remaining runs of a sweep, and writes the files of its results unless metrics
// are private. The function image draws a figure as an image. If several ranks make the runs together,
// the results are nil at ranks that are not the root.
func (p *Plan) Execute(ctx context.Context, ahead *Progress, image func(io.Writer, figure.Figure) error) (*outcome.Study, []sweep.Summary, error) {
	definition, err := p.definition(ctx)
	if err != nil {
		return nil, nil, err
	}
	of := together.From(ctx)
	path := ""
	if of.Root() {
		if path, err = p.journalPath(definition); err != nil {
			return nil, nil, err
		}
	}
	if err = p.share(ctx, of, definition); err != nil {
		return nil, nil, err
	}
	if !of.Root() {
		return nil, nil, p.follow(ctx, of)
	}
	if p.parts.test == nil {
		return nil, nil, fmt.Errorf("there is nothing to measure models on, want --test FILE")
	}
	examiner, err := sweep.NewEvaluator(p.parts.test)
	if err != nil {
		return nil, nil, err
	}
	results, err := journal.Open(path, definition, p.Candidates, p.anew())
	if err != nil {
		return nil, nil, err
	}
	defer results.Close()
	if err = p.tell(of, results); err != nil {
		return nil, nil, err
	}
	ahead.timed = p.Public()
	runs := sweep.Sweep{Candidates: p.Candidates, Repeats: p.Repeats, Training: p.parts.training, Examiner: examiner, Journal: results, Progress: ahead.show}
	measured, err := runs.Run(ctx)
	ahead.end()
	switch {
	case errors.Is(err, context.Canceled):
		return nil, nil, failure.Running(fmt.Errorf("stopped before the end; what was finished is kept, and the same command goes on from there"))
	case err != nil:
		return nil, nil, failure.Running(err)
	}
	if p.cost, err = sweep.CostOf(p.Candidates, results.Begun); err != nil {
		return nil, nil, failure.Running(err)
	}
	summaries, study := sweep.Summarize(p.Candidates, measured), p.study()
	if study.Marked.Candidate == nil && p.Mark != markNone {
		study.Marked = study.Mark(summaries)
	}
	return study, summaries, p.write(study, measured, summaries, image)
}

// write writes the files of the results.
func (p *Plan) write(study *outcome.Study, measured []sweep.Measurement, summaries []sweep.Summary, image func(io.Writer, figure.Figure) error) error {
	if p.secret() {
		return nil
	}
	files, err := study.Files(measured, summaries, image)
	if err != nil {
		return failure.Running(err)
	}
	mode := fs.FileMode(0o600)
	if p.Public() {
		mode = 0o644
	}
	for _, f := range files {
		err = durable.WriteWhole(filepath.Join(p.Out, f.Name), true, mode, func(w io.Writer) error {
			_, failed := w.Write(f.Text)
			return failed
		})
		if err != nil {
			return failure.Running(err)
		}
	}
	return nil
}

// definition returns everything that decides the runs.
func (p *Plan) definition(ctx context.Context) (journal.Definition, error) {
	d := journal.Definition{Fixed: outcome.Shown(p.Fixed), Varied: p.Varied, Repeats: p.Repeats, Baseline: p.Baseline, Program: p.Program}
	if p.Split != "" {
		d.Fixed = append(d.Fixed, sweep.Setting{Name: "split", Value: p.Split})
	}
	if p.DataPublic {
		d.Fixed = append(d.Fixed, sweep.Setting{Name: "data-public", Value: "true"})
	}
	var err error
	if d.Plans, err = rulesOf(p.Program, p.Candidates); err == nil {
		d.Data, err = p.hashes(ctx)
	}
	return d, err
}

// journalPath returns the file for results as they arrive. It is in the folder of the sweep, or for
// private results in the cache folder.
func (p *Plan) journalPath(d journal.Definition) (string, error) {
	if p.secret() {
		d.Plans = "" // so that the same settings under other rules meet their file, and are refused
		text, err := json.Marshal(d)
		if err != nil {
			return "", err
		}
		folder, err := cache.MakeFolder()
		return filepath.Join(folder, "sweep-"+certificate.Hash(text)[:16]+cache.SweepEnding), err
	}
	mode := fs.FileMode(0o700)
	if p.Public() {
		mode = 0o755
	}
	if err := os.Mkdir(p.Out, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s cannot be made: %w; give another --out", p.Out, display.Pathless(err))
	}
	path := filepath.Join(p.Out, outcome.JournalName)
	entries, err := os.ReadDir(p.Out)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w; give another --out", p.Out, display.Pathless(err))
	}
	if len(entries) > 0 && !display.Exists(path) {
		return "", fmt.Errorf("%s is no folder of a sweep, want a new one or one of this sweep; give another --out", p.Out)
	}
	return path, nil
}

// anew says how to begin again where a file of results is refused, and what to do about runs that
// are paid for. The name of a private file does not depend on --out.
func (p *Plan) anew() string {
	switch {
	case p.secret():
		return "move this file out of the cache folder, to keep the record of its runs, and add their cost to that of the new ones"
	case p.Public():
		return "give another --out"
	}
	return "give another --out, and add the cost of the earlier runs to that of the new ones"
}

// study returns the sweep as its results describe it.
func (p *Plan) study() *outcome.Study {
	out := &outcome.Study{Fixed: p.Fixed, Varied: p.Varied, Candidates: p.Candidates, Repeats: p.Repeats, Cost: p.cost, Marked: p.marked,
		Table: outcome.BaseName(p.Name), Measured: p.measuredName(), Target: p.Schema.Target, Public: p.Public(), Secret: p.secret(), Records: p.records}
	if !p.secret() {
		out.Folder = p.Out
	}
	if !p.DryRun {
		out.Command = p.Command
	}
	return out
}

// Dry returns the planned runs, and approximately their seconds at the declared number of records.
func (p *Plan) Dry() (*outcome.Study, float64) {
	records := p.Schema.Records
	if records == 0 {
		records = p.Schema.MaxRecords
	}
	return p.study(), sweep.Seconds(p.Candidates, p.Repeats, records, runtime.GOMAXPROCS(0))
}

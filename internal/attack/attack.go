// Package attack attacks this program on this machine: the noise that its releases let out, the
// trainings that it runs, and the code of its processor.
package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/ditherml/dither/internal/attack/canary"
	"github.com/ditherml/dither/internal/attack/kernels"
	"github.com/ditherml/dither/internal/attack/noise"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/planaudit"
)

// Alarm is the false-alarm probability of a whole audit.
const Alarm = 1e-6

// These are the parts that other processes compute.
const (
	partNoise   = "noise"
	partKernels = "kernels"
)

// Options are the settings of an audit of this program.
type Options struct {
	// Effort is the amount of work, relative to an audit that takes about two minutes.
	Effort float64
	// Child, if not nil, runs Part in another process of this program and returns the result. The
	// argument level names a level of processor instructions; "" is the best level.
	Child func(ctx context.Context, level, part string) ([]byte, error)
	// Kept, if not nil, keeps the plans of trainings for the next audit with the same effort.
	Kept *Kept
	// Progress, if not nil, is called with the name of the part that begins and the finished share
	// of all attacks.
	Progress func(what string, done float64)
}

// Kept holds plans of trainings. Its zero value is empty. Only one audit at a time may use it.
type Kept struct {
	canaries canary.Kept
	models   planaudit.Kept
}

// Run attacks this program and returns the report.
func Run(ctx context.Context, o Options) (auditing.Report, error) {
	start := time.Now()
	if o.Kept == nil {
		o.Kept = &Kept{}
	}
	progress := func(from, share float64) func(string, float64) {
		return func(what string, done float64) {
			if o.Progress != nil {
				o.Progress(what, from+share*done)
			}
		}
	}
	progress(0, 0)("kernels", 0)
	computed, err := o.kernels(ctx)
	if err != nil {
		return auditing.Report{}, err
	}
	released := noise.Options{Alarm: Alarm / 2, Numbers: max(2000, int(8e6*o.Effort)), Progress: progress(0.01, 0.69)}
	if o.Child != nil {
		released.Elsewhere = o.elsewhere
	}
	sections, err := noise.Attack(ctx, released)
	if err != nil {
		return ended(ctx, start, sections, err)
	}
	trained, err := canary.Attack(ctx, canary.Options{Alarm: Alarm * 3 / 8, Canaries: max(200, int(20000*o.Effort)), Kept: &o.Kept.canaries, Progress: progress(0.7, 0.2)})
	if err != nil {
		return ended(ctx, start, sections, err)
	}
	models, err := planaudit.FinalModels(ctx, Alarm/8, max(40, int(800*o.Effort)), &o.Kept.models, progress(0.9, 0.1))
	if err != nil {
		return ended(ctx, start, slices.Concat(sections, trained), err)
	}
	r := reportOf(start, slices.Concat(sections, trained, models, []auditing.Section{computed}))
	r.Parts = parts(sections, trained, models)
	return r, nil
}

// ended returns the report of an audit that ended with an error, if a claim had been refuted before.
// Else it returns the error.
func ended(ctx context.Context, start time.Time, sections []auditing.Section, err error) (auditing.Report, error) {
	if ctx.Err() != nil || !slices.ContainsFunc(sections, func(s auditing.Section) bool { return s.Verdict == auditing.Refuted }) {
		return auditing.Report{}, err
	}
	return reportOf(start, append(sections, auditing.Section{Group: "other", Name: "attacks", Claim: "not attacked",
		Verdict: auditing.NotRun, Note: "The audit ended early with an error: " + err.Error()})), nil
}

// reportOf returns the report of sections about this program.
func reportOf(start time.Time, sections []auditing.Section) auditing.Report {
	r := auditing.NewReport("this program", time.Since(start), sections...)
	r.Processor = runtime.GOOS + "/" + runtime.GOARCH + ", kernels for " + kernel.Instructions()
	r.Program = "dither, built with " + runtime.Version()
	r.Split = "Noise has half of it, canaries three eighths, and models one eighth. Every attack of a kind has the same share, and so has every test of an attack. All was fixed before a number was drawn."
	return r
}

// kernels computes sums at the level of this process, and at every other that it has.
func (o Options) kernels(ctx context.Context) (auditing.Section, error) {
	start := time.Now()
	own, err := kernels.Run(ctx)
	if err != nil {
		return auditing.Section{}, err
	}
	levels, outcomes := []string{kernel.Instructions()}, map[string]kernels.Outcome{kernel.Instructions(): own}
	for _, level := range kernel.Levels() {
		if o.Child == nil || level == kernel.Instructions() {
			continue
		}
		var other kernels.Outcome
		text, err := o.Child(ctx, level, partKernels)
		if err == nil {
			err = json.Unmarshal(text, &other)
		}
		if err != nil {
			return auditing.Section{}, fmt.Errorf("kernels at level %s: %w", level, err)
		}
		levels, outcomes[level] = append(levels, level), other
	}
	s := kernels.Section(levels, outcomes)
	s.Seconds = time.Since(start).Seconds()
	return s, nil
}

// elsewhere returns a release of another process.
func (o Options) elsewhere(ctx context.Context) (numbers []float64, err error) {
	text, err := o.Child(ctx, "", partNoise)
	if err != nil {
		return nil, err
	}
	return numbers, json.Unmarshal(text, &numbers)
}

// WritePart writes what Part returns.
func WritePart(ctx context.Context, w io.Writer, part string) error {
	text, err := Part(ctx, part)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// Part computes a part of an audit in this process, for the process that audits.
func Part(ctx context.Context, part string) ([]byte, error) {
	switch part {
	case partNoise:
		numbers, err := noise.Elsewhere()
		if err != nil {
			return nil, err
		}
		return json.Marshal(numbers)
	case partKernels:
		outcome, err := kernels.Run(ctx)
		if err != nil {
			return nil, err
		}
		return json.Marshal(outcome)
	}
	return nil, fmt.Errorf("attack: there is no part of this name, want %s or %s", partNoise, partKernels)
}

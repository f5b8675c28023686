package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// nan is the value of undefined metrics.
var nan = math.NaN()

// Sweep runs every candidate repeatedly and measures every model on one table. The models are
// discarded. Each run is a release with its own reservation. Each run draws its own noise and
// samples. Runs of full-batch gradient descent for linear models share passes over the records (see
// train.FitMany). These runs use all records in each step, so they draw no samples. They share no
// noise.
type Sweep struct {
	// Candidates are the configurations to run.
	Candidates []Candidate
	// Repeats is the number of runs of each candidate, at least 1. A candidate whose training is
	// not random runs once.
	Repeats int
	// Training is the table to train on.
	Training *data.Dataset
	// Examiner measures the models. Nil means that models are not measured.
	Examiner *Evaluator
	// Journal stores the results of runs that have ended, so that a later process can continue the
	// sweep. Nil means that results are not stored.
	Journal Journal
	// Progress, if not nil, is called during runs and when runs end. Calls do not overlap.
	Progress func(Progress)

	tables     map[string]*train.Table
	allowances map[*Candidate]allowance // of runs that run alone
	meter      meter
	several    bool // several processes make the runs together, in the same order
}

// Progress states how far a sweep has come.
type Progress struct {
	// Ended is the number of runs that have ended, including runs of earlier processes. Runs is the
	// number of all runs of the sweep.
	Ended, Runs int
	// Share is an estimate of the finished share of this process's work, from 0 to 1.
	Share float64
}

// job is one run that is to be made.
type job struct {
	candidate *Candidate
	run       Run
}

// Run makes all runs whose results are not in the journal, and returns the results of all runs. The
// results of a candidate are adjacent, in the order of their repeats. If the weights of a run are
// not finite, the field Diverged of its result is true, and other runs continue. If the sweep is
// interrupted, the journal has the results of the runs that ended.
func (s *Sweep) Run(ctx context.Context) ([]Measurement, error) {
	if s.Repeats < 1 || len(s.Candidates) == 0 {
		return nil, fmt.Errorf("sweep: there are %d configurations and %d repeats, want at least 1 of each", len(s.Candidates), s.Repeats)
	}
	for i := range s.Candidates {
		if err := s.Candidates[i].check(ctx); err != nil {
			return nil, err
		}
	}
	s.reset()
	s.several = together.From(ctx) != nil
	ended := map[string]Measurement{}
	groups, alone := s.pending(ended)
	for _, group := range groups {
		if err := s.runTogether(ctx, group, ended); err != nil {
			return nil, err
		}
	}
	if err := s.runAlone(ctx, alone, ended); err != nil {
		return nil, err
	}
	var out []Measurement
	for i := range s.Candidates {
		for repeat := range s.Candidates[i].Runs(s.Repeats) {
			out = append(out, ended[s.runOf(&s.Candidates[i], repeat+1).key()])
		}
	}
	return out, nil
}

// reset makes the state that is kept between runs, unless it exists.
func (s *Sweep) reset() {
	if s.tables == nil {
		s.tables, s.allowances = map[string]*train.Table{}, map[*Candidate]allowance{}
	}
}

// prepare encodes the table for a candidate that runs alone, and prices a run.
func (s *Sweep) prepare(c *Candidate) error {
	if _, known := s.allowances[c]; !known {
		allowed, err := allowanceOf(c)
		if err != nil {
			return err
		}
		s.allowances[c] = allowed
	}
	if !c.tabled() {
		return nil
	}
	_, err := s.table(c)
	return err
}

// runOf returns the identity of a run.
func (s *Sweep) runOf(c *Candidate, repeat int) Run { return Run{c.Settings, c.Baseline, repeat} }

// pending sorts the missing runs into groups that share passes and single runs, and records the
// ended runs.
func (s *Sweep) pending(ended map[string]Measurement) (groups [][]job, alone []job) {
	var shared []job
	records := s.Training.Records()
	s.meter = meter{report: s.Progress}
	for i := range s.Candidates {
		c := &s.Candidates[i]
		s.meter.runs += c.Runs(s.Repeats)
		for repeat := range c.Runs(s.Repeats) {
			run := s.runOf(c, repeat+1)
			if s.Journal != nil {
				if result, has := s.Journal.Result(run); has {
					ended[run.key()] = result
					s.meter.ended++
					continue
				}
			}
			s.meter.total += c.work(records)
			if c.together() {
				shared = append(shared, job{c, run})
			} else {
				alone = append(alone, job{c, run})
			}
		}
	}
	s.meter.add(0, 0)
	return s.grouped(shared), alone
}

// mostTogether, mostColumns and mostMemory bound the runs that share a pass, their scores for a
// record, and the bytes of their sums and weights. Larger groups are no faster, and results are
// written after each group.
const mostTogether, mostColumns, mostMemory = 32, 80, 512 << 20

// fixedProcessors is the number of processors by which several processes group runs: all must make the
// same groups.
const fixedProcessors = 16

// whitenedBytes is the memory that a model keeps for each number of its whitening: in float64 and,
// twice, in 16 bits.
const whitenedBytes = 8 + 2*2

// grouped divides runs into groups that may share passes, the longer runs first. A group has one
// encoding, one relation and one number of scores, and privacy for all runs or none.
func (s *Sweep) grouped(jobs []job) [][]job {
	processors := runtime.GOMAXPROCS(0)
	if s.several {
		processors = fixedProcessors
	}
	kinds, order := map[string][]job{}, []string{}
	for _, j := range jobs {
		p := j.candidate.Linear.Plan
		key := fmt.Sprintf("%s\x00%v\x00%v\x00%d", j.candidate.rows(), p.Neighboring, p.NonPrivate, p.Columns)
		if kinds[key] == nil {
			order = append(order, key)
		}
		kinds[key] = append(kinds[key], j)
	}
	var out [][]job
	for _, key := range order {
		group := kinds[key]
		slices.SortStableFunc(group, func(a, b job) int { return b.candidate.Linear.Plan.Steps - a.candidate.Linear.Plan.Steps })
		p := group[0].candidate.Linear.Plan
		each := p.Dim*p.Columns*8*(8+3*processors) + p.Whitened()*whitenedBytes
		out = append(out, slices.Collect(slices.Chunk(group, max(1, min(mostTogether, mostColumns/p.Columns, mostMemory/max(each, 1)))))...)
	}
	return out
}

// runTogether runs a group in shared passes.
func (s *Sweep) runTogether(ctx context.Context, group []job, ended map[string]Measurement) error {
	jobs, candidates, runs, work := make([]train.Run, len(group)), make([]*Candidate, len(group)), make([]Run, len(group)), 0.0
	for i, j := range group {
		jobs[i], candidates[i], runs[i] = train.Run{Setup: *j.candidate.Linear, Options: j.candidate.Options}, j.candidate, j.run
		work += j.candidate.work(s.Training.Records())
	}
	done := 0.0
	jobs[0].Options.Progress = func(p train.Progress) { // the longest of them
		now := work * float64(p.Step) / float64(p.Steps)
		s.meter.add(now-done, 0)
		done = now
	}
	table, err := s.table(candidates[0])
	if err != nil {
		return err
	}
	budget, err := ledgerFor(candidates)
	if err != nil {
		return err
	}
	if err = s.begin(runs); err != nil {
		return err
	}
	fitted, err := table.FitMany(ctx, budget, jobs)
	if err != nil && !errors.Is(err, model.ErrNotFinite) {
		return err
	}
	results, err := s.results(runs, fitted)
	if err != nil {
		return err
	}
	for i, r := range results {
		ended[runs[i].key()] = r
	}
	if err = s.end(results); err != nil {
		return err
	}
	s.meter.add(work-done, len(group))
	return nil
}

// results measures models, two at a time. One keeps the processors busy where another has work for
// only one.
func (s *Sweep) results(runs []Run, fitted []*train.Result) ([]Measurement, error) {
	out, errs := make([]Measurement, len(fitted)), make([]error, len(fitted))
	parallel.Each(min(2, len(fitted)), func(first int) {
		for i := first; i < len(fitted); i += 2 {
			f := fitted[i]
			if f == nil {
				f = &train.Result{}
			}
			out[i], errs[i] = s.result(runs[i], f.Model, f.LearningRate)
		}
	})
	return out, errors.Join(errs...)
}

// table returns the training table as a candidate's plan encodes it, once for all.
func (s *Sweep) table(c *Candidate) (*train.Table, error) {
	if t, known := s.tables[c.rows()]; known {
		return t, nil
	}
	t, err := train.NewTable(*c.Linear, s.Training, c.Options.FeatureBits)
	if err == nil {
		s.tables[c.rows()] = t
	}
	return t, err
}

const (
	// smallStep is the number of multiply-adds of a step below which several processors are not
	// kept busy. Runs of shorter steps run side by side, one on each processor.
	smallStep = 20e6
	// mostBeside bounds the bytes of rows of two linear runs of longer steps side by side. One
	// keeps the processors busy where the other has work for only one, as between a covariance and
	// its eigenvectors.
	mostBeside = 1 << 30
)

// beside returns how many runs of a candidate on this number of records run side by side.
func (c *Candidate) beside(records int) int {
	most := runtime.GOMAXPROCS(0)
	const each = 4 * 2 // two runs, each with centered and whitened rows of 16 bits
	switch {
	case c.stepWork(records) < smallStep:
		return most
	case c.Linear != nil && float64(records)*float64(c.Linear.Plan.Dim)*each <= mostBeside:
		return min(2, most)
	}
	return 1
}

// runAlone runs each run by itself. Runs with short steps run side by side. Otherwise a step keeps
// all processors busy, and runs follow one another.
func (s *Sweep) runAlone(ctx context.Context, jobs []job, ended map[string]Measurement) error {
	var counts []int
	by := map[int][]job{}
	for _, j := range jobs {
		if err := s.prepare(j.candidate); err != nil {
			return err
		}
		n := 1
		if !s.several {
			n = j.candidate.beside(s.Training.Records())
		}
		if by[n] == nil {
			counts = append(counts, n)
		}
		by[n] = append(by[n], j)
	}
	slices.Sort(counts)
	for _, n := range slices.Backward(counts) {
		if err := s.sideBySide(ctx, by[n], n, ended); err != nil {
			return err
		}
	}
	return nil
}

// sideBySide runs jobs on this number of workers. The first error stops them.
func (s *Sweep) sideBySide(ctx context.Context, jobs []job, workers int, ended map[string]Measurement) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var mutex sync.Mutex
	parallel.Each(min(workers, len(jobs)), func(int) {
		for i := int(next.Add(1)) - 1; i < len(jobs) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
			result, err := s.runOne(ctx, jobs[i])
			if err != nil {
				stop(err)
				return
			}
			mutex.Lock()
			ended[jobs[i].run.key()] = result
			mutex.Unlock()
		}
	})
	return context.Cause(ctx)
}

// runOne runs one job and keeps its result.
func (s *Sweep) runOne(ctx context.Context, j job) (Measurement, error) {
	if ctx.Err() != nil {
		return Measurement{}, context.Cause(ctx)
	}
	if err := s.begin([]Run{j.run}); err != nil {
		return Measurement{}, err
	}
	m, rate, err := s.fit(ctx, j.candidate)
	if err != nil && !errors.Is(err, model.ErrNotFinite) {
		return Measurement{}, fmt.Errorf("%s: %w", j.candidate.Words(), err)
	}
	result, err := s.result(j.run, m, rate)
	if err != nil {
		return Measurement{}, err
	}
	if err = s.end([]Measurement{result}); err != nil {
		return Measurement{}, err
	}
	s.meter.add(j.candidate.work(s.Training.Records()), 1)
	if c := j.candidate; c.Linear != nil && c.stepWork(s.Training.Records()) >= smallStep {
		runtime.GC() // the rows of the next run reuse this run's memory, which is faster than fresh memory
	}
	return result, nil
}

// fit trains one model of a candidate.
func (s *Sweep) fit(ctx context.Context, c *Candidate) (*model.Model, float64, error) {
	budget, err := s.allowances[c].ledger()
	if err != nil {
		return nil, 0, err
	}
	if c.Network != nil {
		r, failed := neural.Fit(ctx, budget, *c.Network, s.Training, c.NetworkOptions)
		if failed != nil {
			return nil, 0, failed
		}
		return r.Model, r.LearningRate, nil
	}
	var r *train.Result
	switch {
	case c.Other != nil:
		r, err = erm.Fit(ctx, budget, *c.Other, s.Training, erm.Options{FeatureBits: c.Options.FeatureBits})
	case c.tabled():
		r, err = s.tables[c.rows()].Fit(ctx, budget, *c.Linear, c.Options)
	default:
		r, err = train.Fit(ctx, budget, *c.Linear, s.Training, c.Options)
	}
	if err != nil {
		return nil, 0, err
	}
	return r.Model, r.LearningRate, nil
}

// result measures a model, nil for a run that diverged.
func (s *Sweep) result(run Run, m *model.Model, rate float64) (Measurement, error) {
	out := Measurement{Run: run, LearningRate: rate, Diverged: m == nil}
	if s.Examiner == nil {
		return out, nil
	}
	var err error
	if m != nil {
		out.Metrics, err = s.Examiner.measure(m)
		return out, err
	}
	for _, name := range Metrics(s.Training.Schema().Target) {
		out.Metrics = append(out.Metrics, Metric{name, evaluate.Measure(nan)})
	}
	return out, nil
}

func (s *Sweep) begin(runs []Run) error {
	if s.Journal == nil {
		return nil
	}
	return s.Journal.Begin(runs)
}

func (s *Sweep) end(results []Measurement) error {
	if s.Journal == nil {
		return nil
	}
	return s.Journal.End(results)
}

// meter adds up the finished work.
type meter struct {
	mutex       sync.Mutex
	done, total float64
	ended, runs int
	report      func(Progress)
}

// add records finished work and ended runs, and reports progress.
func (m *meter) add(work float64, runs int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.done, m.ended = m.done+work, m.ended+runs
	if m.report != nil {
		share := 1.0
		if m.total > 0 {
			share = min(1, m.done/m.total)
		}
		m.report(Progress{m.ended, m.runs, share})
	}
}

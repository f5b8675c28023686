package train

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
)

// Run is one of several trainings that FitMany makes together.
type Run struct {
	// Setup is the plan of the training.
	Setup Setup
	// Options are the options of the training.
	Options Options
}

// FitMany is Fit for several plans over one table and schema. Every plan must use all records in
// each step. Plans may whiten rows by a covariance. Each step reads the records once for all plans,
// which takes far less time than separate trainings.
//
// The cost of every plan is reserved separately, in order. A cost that was reserved before an error
// stays spent. If the weights of some models are not finite, the error wraps model.ErrNotFinite.
// The results of these models are nil, and all other results are complete. Released numbers
// determine whether weights are finite, so the error reveals nothing more.
func FitMany(ctx context.Context, l *ledger.Ledger, jobs []Run, d *data.Dataset) ([]*Result, error) {
	if d.Target() == nil {
		return nil, fmt.Errorf("train: the data set has no target, want one")
	}
	if err := checkJobs(jobs, d.Records()); err != nil || len(jobs) == 0 {
		return nil, err
	}
	t, err := jobs[0].Setup.encode(d, jobs[0].Options.FeatureBits)
	if err != nil {
		return nil, err
	}
	return fitMany(ctx, l, jobs, t)
}

// FitMany is the function FitMany on the records of the table. Every plan must have the columns and
// transforms with which the table was encoded.
func (t *Table) FitMany(ctx context.Context, l *ledger.Ledger, jobs []Run) ([]*Result, error) {
	if err := checkJobs(jobs, t.records); err != nil || len(jobs) == 0 {
		return nil, err
	}
	for i, j := range jobs {
		if err := t.check(j.Setup); err != nil {
			return nil, fmt.Errorf("train: model %d of %d: %w", i+1, len(jobs), err)
		}
	}
	return fitMany(ctx, l, jobs, t.table)
}

// fitMany is FitMany on an encoded table.
func fitMany(ctx context.Context, l *ledger.Ledger, jobs []Run, t table) ([]*Result, error) {
	for _, j := range jobs {
		if err := j.Setup.checkStart(ctx, j.Options); err != nil {
			return nil, err
		}
	}
	runs, err := beginAll(ctx, l, jobs, t)
	if err != nil {
		return nil, err
	}
	for i, run := range runs {
		for _, earlier := range runs[:i] {
			if run.rows.Same(earlier.rows) {
				run.rows = earlier.rows // their measurements are kept once
			}
		}
	}
	if err = descendTogether(ctx, runs); err != nil {
		return nil, err
	}
	results, diverged := make([]*Result, len(runs)), error(nil)
	for i, r := range runs {
		result, err := r.result()
		if err == nil {
			err = r.calibrated(r.payer, result, t)
		}
		if err != nil {
			err = fmt.Errorf("train: model %d of %d: %w", i+1, len(jobs), err)
			if !errors.Is(err, model.ErrNotFinite) {
				return nil, err
			}
			if diverged == nil {
				diverged = err
			}
			continue
		}
		results[i] = result
	}
	return results, diverged
}

// SharesPasses reports whether FitMany accepts the plan. Such a plan uses all records in every
// step, and releases every step. It learns no bounds, bins or levels, and it holds out no records.
// It protects rows, not persons with several rows. If rows are whitened, they have norm 1 and are
// whitened by a full covariance of at most 1024 features.
func (s Setup) SharesPasses() bool {
	p := s.Plan
	return p.Sampling == samplingFull && !p.learns() && p.Holdout == nil && p.LastIterate == nil && p.Person == nil && (!p.whitens() || s.framed())
}

// checkJobs refuses plans that cannot share a pass.
func checkJobs(jobs []Run, records int) error {
	for i, j := range jobs {
		p := j.Setup.Plan
		if err := j.Setup.check(j.Options); err != nil {
			return fmt.Errorf("train: model %d of %d: %w", i+1, len(jobs), err)
		}
		switch { // the conditions of SharesPasses one by one, and the numbers that all runs must share
		case j.Setup.Schema != jobs[0].Setup.Schema || j.Options.FeatureBits != jobs[0].Options.FeatureBits:
			return fmt.Errorf("train: model %d of %d has a schema or feature bits of its own, want those of the first; fit it alone", i+1, len(jobs))
		case p.learns():
			return fmt.Errorf("train: model %d of %d learns bounds or levels, want them declared; fit it alone", i+1, len(jobs))
		case p.Holdout != nil:
			return fmt.Errorf("train: model %d of %d holds a part out, want none; fit it alone", i+1, len(jobs))
		case p.LastIterate != nil:
			return fmt.Errorf("train: model %d of %d prices its last iterate alone, want every step; fit it alone", i+1, len(jobs))
		case p.Sampling != samplingFull || p.whitens() && !j.Setup.framed() || p.Person != nil:
			return fmt.Errorf("train: model %d of %d samples its records, takes persons for records or whitens rows in another way than by the covariance of rows of norm 1, want none of these; fit it alone", i+1, len(jobs))
		case !slices.EqualFunc(j.Setup.Features.Pipeline.Specs(), jobs[0].Setup.Features.Pipeline.Specs(), sameSpec):
			return fmt.Errorf("train: model %d of %d has transforms of its own, want those of the first; fit it alone", i+1, len(jobs))
		case records > p.MaxRecords:
			return fmt.Errorf("train: there are more rows than max-records %d of model %d; raise the declared bound", p.MaxRecords, i+1)
		}
	}
	return nil
}

// sameSpec reports whether two transforms are the same.
func sameSpec(a, b feature.Spec) bool { return reflect.DeepEqual(a, b) }

// views caches rows under frames without a center, measured once for all runs.
type views struct {
	mutex sync.Mutex
	known map[string]*release.Rows
}

// seen returns rows.Seen, from the cache if it is there.
func (v *views) seen(rows *release.Rows, f release.Standardization) (*release.Rows, error) {
	if f.Center != nil || f.Whitening != nil { // a release of its own, which no other run has
		return rows.Standardized(f)
	}
	v.mutex.Lock()
	defer v.mutex.Unlock()
	key := fmt.Sprintf("%#v", f)
	if known := v.known[key]; known != nil {
		return known, nil
	}
	out, err := rows.Standardized(f)
	v.known[key] = out
	return out, err
}

// jobsBeside is the number of runs that are worked on at a time. One run keeps the processors busy
// where another has work for only one, as between a covariance and its eigenvectors.
const jobsBeside = 2

// runsAtATime returns the number of runs that release at the same time. Several processes release one after the
// other, in the same order.
func runsAtATime(ctx context.Context) int {
	if together.From(ctx) != nil {
		return 1
	}
	return jobsBeside
}

// beginAll reserves the plans of all runs, in order, and learns their preparations.
func beginAll(ctx context.Context, l *ledger.Ledger, jobs []Run, t table) ([]*descent, error) {
	runs, errs, grants := make([]*descent, len(jobs)), make([]error, len(jobs)), make([]mechanism.Payer, len(jobs))
	named := func(i int, err error) error { return fmt.Errorf("train: model %d of %d: %w", i+1, len(jobs), err) }
	for i, j := range jobs {
		grant, err := l.Reserve(j.Setup.Plan.Event(), j.Setup.Plan.Method())
		if err != nil {
			return nil, named(i, err)
		}
		grants[i] = together.Payer(ctx, grant)
	}
	known := views{known: map[string]*release.Rows{}}
	parallel.ItemsOn(runsAtATime(ctx), len(jobs), func(i int) { runs[i], errs[i] = jobs[i].begin(grants[i], t, &known) })
	for i, err := range errs {
		if err != nil {
			return nil, named(i, err)
		}
	}
	return runs, nil
}

// begin learns the preparation of a run.
func (j Run) begin(grant mechanism.Payer, t table, known *views) (*descent, error) {
	var err error
	if t.rows, err = known.seen(t.rows, frame(before(j.Setup.Features))); err != nil {
		return nil, err
	}
	ready, err := j.Setup.prepare(grant, t)
	if err != nil {
		return nil, err
	}
	f := frame(ready.features)
	if f.Whitening = ready.whole; (f.Whitening == nil) != (ready.features.Whitening == nil) {
		return nil, fmt.Errorf("train: the whitening that was released has no numbers of one unit, want it off")
	}
	rows, err := known.seen(t.rows, f)
	if err != nil {
		return nil, err
	}
	ready.forget()
	return newDescent(ready.setup, j.Options, grant, rows, table{}, ready)
}

// descendTogether takes the steps of all runs. Runs with fewer steps leave early.
func descendTogether(ctx context.Context, runs []*descent) error {
	most := 0
	for _, r := range runs {
		most = max(most, r.Plan.Steps)
		r.report(0)
	}
	for step := range most {
		if ctx.Err() != nil {
			return stopped(ctx, step, most)
		}
		var active []*descent
		for _, r := range runs {
			if step < r.Plan.Steps && !r.converged() {
				active = append(active, r)
			}
		}
		if len(active) == 0 {
			return nil
		}
		if err := stepTogether(ctx, active, step); err != nil {
			return err
		}
	}
	return nil
}

// stepTogether takes one step of each run in one pass over the records. Each sum has a full sample
// of its own and is released by itself.
func stepTogether(ctx context.Context, runs []*descent, step int) error {
	sums, scorers, rows := make([]*release.Sum, len(runs)), make([]*release.Scorer, len(runs)), make([]*release.Rows, len(runs))
	for i, r := range runs {
		sample, err := r.samples.draw()
		if err != nil {
			return err
		}
		if sums[i], err = r.newSum(sample); err != nil {
			return err
		}
		rows[i] = r.rows
	}
	parallel.ItemsOn(jobsBeside, len(runs), func(i int) { scorers[i] = runs[i].scorer() })
	group, err := release.NewGroup(sums...)
	if err != nil {
		return err
	}
	scorer, err := release.NewGroupScorer(scorers...)
	if err != nil {
		return err
	}
	if err = pass.Together(group, rows, proposerTogether(runs, scorer)); err != nil {
		return err
	}
	return releaseTogether(ctx, runs, step, group.Seal())
}

// releaseTogether releases the sum of each run, which the run pays for, and takes the run's step.
func releaseTogether(ctx context.Context, runs []*descent, step int, sealed []release.Bounded) error {
	errs := make([]error, len(runs))
	parallel.ItemsOn(runsAtATime(ctx), len(runs), func(i int) {
		var noisy release.Noisy
		if noisy, errs[i] = release.Release(runs[i].payer, runs[i].noise(), sealed[i]); errs[i] == nil {
			runs[i].move(step, noisy)
		}
	})
	for i, r := range runs {
		if errs[i] != nil {
			return errs[i]
		}
		r.report(step + 1)
	}
	return nil
}

// passRoom is the scratch with which one goroutine makes proposals of several runs.
type passRoom struct {
	runs     []*descent
	scorer   *release.GroupScorer
	margins  []float32
	norms    []float64             // of the rows of a block, under a run's map
	blocks   []release.Block       // of each run
	multiply []func(dst []float32) // writes the scores of each run
}

// proposerTogether returns proposers for goroutines.
func proposerTogether(runs []*descent, scorer *release.GroupScorer) func() func(c []kernel.Contributions, blocks []release.Block) {
	return func() func(c []kernel.Contributions, blocks []release.Block) {
		t := &passRoom{runs: runs, scorer: scorer, multiply: make([]func(dst []float32), len(runs))}
		for i := range runs {
			t.multiply[i] = func(dst []float32) { t.scorer.Scores(dst, i, &t.blocks[i], t.margins) }
		}
		return t.propose
	}
}

// propose fills the contributions of each run from products that are computed once for all.
func (t *passRoom) propose(c []kernel.Contributions, blocks []release.Block) {
	n := blocks[0].Len()
	if len(t.norms) < n {
		t.norms, t.margins = make([]float64, n), make([]float32, n*t.scorer.Columns())
	}
	t.blocks, t.margins = blocks, t.margins[:n*t.scorer.Columns()]
	t.scorer.Multiply(t.margins, blocks[0])
	for i, r := range t.runs {
		c[i].Scores = c[0].Scores // the first run's scores are no longer needed
		if i == 0 || r.rows != t.runs[i-1].rows && !(r.rows.OfNorm1() && t.runs[i-1].rows.OfNorm1()) {
			blocks[i].Norms(t.norms[:n])
		}
		r.proposeOf(&c[i], &blocks[i], t.norms[:n], t.multiply[i])
	}
}

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/curve"
	"github.com/ditherml/dither/internal/measures"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/report"
	"github.com/ditherml/dither/train"
)

// writeWidth says between which bounds the truth is proven to lie, where account says so too. It prices the event
// again, for its lower bound.
func writeWidth(w io.Writer, c certificate.Certificate) {
	if !c.Private || strings.Contains(c.Event, curve.SlowEvent) {
		return
	}
	a, err := account.Named(c.Accountant)
	if err != nil {
		return
	}
	e, err := mechanism.ParseEvent(c.Event)
	if err != nil {
		return
	}
	v, err := a.Epsilon(e, c.Delta, c.Neighboring)
	if err != nil {
		return
	}
	if width := widthWords(v.Lower, max(v.Upper, float64(c.Epsilon))); width != "" {
		fmt.Fprintf(w, "width      %s\n", width)
	}
}

// printSummary tells what was made and what it promises.
func (t *trainCommand) printSummary(s summary, f trainRun) error {
	if t.json {
		return writeJSON(t.stdout, s)
	}
	w := t.stdout
	fmt.Fprintf(w, "model      %s\n", s.Folder)
	fmt.Fprintf(w, "guarantee  %s\n", guaranteeText(f.draft))
	writeWidth(w, f.draft)
	f.writeBaseline(w)
	for _, l := range s.Learned {
		fmt.Fprintf(w, "learned    %s\n", printable(learnedWords(l)))
	}
	for _, warning := range s.Warnings {
		fmt.Fprintf(w, "warning    %s\n", warning)
	}
	if err := writeEstimates(w, s.Inference); err != nil {
		return err
	}
	if s.TestSet != "" {
		fmt.Fprintf(w, "\nmeasured on %s:\n", oneLine(s.TestSet))
		if err := measures.WriteText(w, s.Class, s.Value); err != nil {
			return err
		}
	}
	if s.Holdout != nil {
		fmt.Fprintf(w, "\nmeasured privately on %s:\n", holdoutWords(f.setup.Plan))
		if err := s.Holdout.WriteText(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\nread the report: %s/%s\ncheck the guarantee: dither verify %s\nhave it in words: dither explain %s\n", s.Folder, reportName, s.Folder, s.Folder)
	return err
}

// notPrivateBanner stands over every number that the guarantee does not cover.
const notPrivateBanner = "NOT PRIVATE: the numbers below are exact about records that are not public. For this terminal only; do not publish them."

// printPrivateMetrics shows, when asked, metrics of records that are not public.
func (t *trainCommand) printPrivateMetrics(f trainRun, r *train.Result) error {
	if !t.printNotPrivate {
		return nil
	}
	set, name := f.test, f.source.testName
	if set == nil || f.source.testPublic {
		set, name = f.records, "the training records"
	}
	classification, regression, err := measures.Under(r.Model, set, t.group)
	if err != nil {
		return failed{err}
	}
	fmt.Fprintf(t.stderr, "\n%s\nmeasured on %s:\n", notPrivateBanner, oneLine(name))
	return measures.WriteText(t.stderr, classification, regression)
}

// dryRun is what --dry-run prints: public numbers, before anything is read or spent.
type dryRun struct {
	Plan        train.Plan              `json:"plan"`
	Certificate certificate.Certificate `json:"certificate"`
	Basic       *basic                  `json:"basic-composition,omitempty"`
	Seconds     float64                 `json:"estimated-seconds"`
	Memory      int64                   `json:"estimated-bytes"`
	// The run may take from LeastSeconds on an idle machine to MostSeconds on one as busy as now.
	LeastSeconds float64 `json:"least-seconds"`
	MostSeconds  float64 `json:"most-seconds"`
	// MeasuredRows is how many made-up rows the seconds were measured on; 0: they were computed from
	// public numbers.
	MeasuredRows int           `json:"measured-rows,omitempty"`
	Warnings     []string      `json:"warnings,omitempty"`
	Accountings  []pricedNoise `json:"accountings,omitempty"`
}

// basic is the cost that courses state: k times epsilon at k times delta.
type basic struct {
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
}

func (t *trainCommand) printDryRun(ctx context.Context, f trainRun) error {
	s, c := f.setup, f.draft
	d := dryRun{Plan: s.Plan, Certificate: c, Warnings: f.warnings(), Accountings: t.plan.descent.prices}
	d.Seconds, d.Memory = estimate(s)
	d.Seconds += f.planned
	d.LeastSeconds, d.MostSeconds = d.Seconds/3, 10*d.Seconds
	measured, rows, err := t.measure(ctx, f)
	if ctx.Err() != nil {
		return stopped(ctx.Err())
	}
	if err == nil {
		d.LeastSeconds, d.MostSeconds = min(d.Seconds, measured), 1.5*max(d.Seconds, measured)
		d.Seconds, d.MeasuredRows = measured, rows
	}
	if t.plan.epsilonPerStep > 0 && !t.nonPrivate {
		k := float64(s.Plan.Steps + len(s.Plan.Preparation))
		d.Basic = &basic{k * t.plan.epsilonPerStep, k * s.Plan.Delta}
	}
	if t.json {
		return writeJSON(t.stdout, d)
	}
	w := t.stdout
	fmt.Fprintf(w, "dry run: nothing was read from the records, spent or written\n\n")
	fmt.Fprintf(w, "guarantee  %s\n", guaranteeText(c))
	writeWidth(w, c)
	f.writeBaseline(w)
	if d.Basic != nil {
		fmt.Fprintf(w, "           basic composition, as courses state it: epsilon %.4g at delta %.4g\n", d.Basic.Epsilon, d.Basic.Delta)
	}
	writePrices(w, d.Accountings)
	for _, warning := range d.Warnings {
		fmt.Fprintf(w, "warning    %s\n", warning)
	}
	fmt.Fprintf(w, "\nplan\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, e := range wording.Releases(s.Plan) {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", e.Purpose, e.Text, shareWords(c, e))
	}
	fmt.Fprintf(table, "  weights\t%d × %d\t\n", s.Plan.Columns, s.Plan.Dim)
	fmt.Fprintf(table, "  clipping\t%s\tone record moves a sum by at most %.4g\n", strings.Split(setupClippingWords(s), ";")[0], s.Plan.Clipping.Bound)
	fmt.Fprintf(table, "  rows\tat most %d\t\n", s.Plan.MaxRecords)
	if err = table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nassumptions\n  - %s\n", strings.Join(c.Assumptions, "\n  - "))
	sparse := ""
	if s.Plan.Dim > manyFeatures && !s.Schema.HasText() && !s.Features.Transforms() {
		sparse = "; far less of both for a LIBSVM table with few entries a row"
	}
	_, err = fmt.Fprintf(w, "\n%s and about %s of memory at the largest number of rows%s\n", d.durations(), size(d.Memory), sparse)
	return err
}

// shareWords says what a release takes of the budget; a baseline has none, and held-out records pay for themselves.
func shareWords(c certificate.Certificate, e report.Event) string {
	if !c.Private || e.Share == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %% of the budget", 100*e.Share)
}

// Costs measured on one core at about 3.6 GHz, in nanoseconds: a feature of a step, forth and back, once and
// for each weight vector; the same of features with few entries; a multiply-add of covariance and whitening; a
// feature that a transform makes, by its name; and a draw of noise.
const (
	featureCost     = 0.1
	stepCost        = 0.08
	sparseStepCost  = 0.7
	integerStepCost = 2.5 // of the last iterate alone, in integers
	covarianceCost  = 0.3
	noiseCost       = 5
	cellCost        = 25
)

var transformCosts = map[string]float64{"scattering": 140, "fourier": 200, "encoder": 200}

// textEntries is how many buckets of a text are taken to be other than 0, and textCells how many cells of
// numbers take the time of reading such a text.
const textEntries, textCells = 400, 4000

// manyFeatures is from how many features on a table is likely to be sparse.
const manyFeatures = 1000

// estimate guesses seconds and bytes from public numbers and the number of processors.
func estimate(s train.Setup) (seconds float64, memory int64) {
	parallel, serial, memory := costs(s)
	return parallel/float64(runtime.GOMAXPROCS(0)) + serial, memory
}

// costs guesses the seconds of work that all processors share, those of the rest, and bytes.
func costs(s train.Setup) (parallel, serial float64, memory int64) {
	p := s.Plan
	records, steps := float64(p.MaxRecords), float64(p.Steps)
	if p.Records > 0 {
		records = float64(p.Records)
	}
	steps *= p.Share()
	dim, columns := float64(p.Dim), float64(len(s.Schema.Features())+1)
	bytes := 2*dim + 4*columns + 16
	if s.Schema.HasText() && !s.Features.Transforms() {
		dim = columns * textEntries
		bytes, columns = 14*dim, columns*textCells // as cells of the table and as features
	}
	perFeature := featureCost + stepCost*float64(p.Columns)
	switch {
	case p.LastIterate != nil:
		perFeature = integerStepCost * float64(p.Columns)
	case s.Schema.HasText():
		perFeature = sparseStepCost * float64(p.Columns)
	}
	work := perFeature * records * dim * steps
	for _, spec := range s.Features.Specs() {
		work += transformCosts[spec.Name] * records * dim
	}
	matrices := 0.0
	for _, statistic := range p.Preparation {
		if statistic.Kind.Whitens() && statistic.Kind != train.VarianceStatistic {
			side := math.Sqrt(float64(statistic.Numbers))
			work += covarianceCost * records * dim * side
			matrices += 8 * 8 * side * side
		}
	}
	serial = noiseCost*float64(p.NoiseDraws()) + cellCost*records*columns
	// The collector of garbage lets the heap grow to about twice what is in use.
	return work / 1e9, serial / 1e9, int64(2*(records*bytes+matrices)) + 32<<20
}

// durations says how long a run takes, and whether that was measured.
func (d dryRun) durations() string {
	how := "computed from public numbers"
	if d.MeasuredRows > 0 {
		how = fmt.Sprintf("measured on %d made-up rows", d.MeasuredRows)
	}
	least, most := duration(d.LeastSeconds), duration(d.MostSeconds)
	if least == most {
		return fmt.Sprintf("about %s (%s)", most, how)
	}
	return fmt.Sprintf("between %s and %s (%s)", least, most, how)
}

func duration(seconds float64) string {
	switch {
	case seconds < 1.5:
		return "a second"
	case seconds < 120:
		return fmt.Sprintf("%.0f seconds", seconds)
	}
	return fmt.Sprintf("%.0f minutes", seconds/60)
}

func size(bytes int64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%d MB", bytes>>20)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/(1<<30))
}

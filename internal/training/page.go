package training

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/measures"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/train"
)

// files returns the files of the model folder, and a summary for people.
func (r *Run) files(result *train.Result) (map[string][]byte, Summary, error) {
	evaluation, err := artefact.EvaluationOf(r.Setup.Plan, result)
	if err != nil {
		return nil, Summary{}, err
	}
	m, err := r.Threshold.decide(result.Model, evaluation)
	if err != nil {
		return nil, Summary{}, err
	}
	files, c, err := artefact.Seal(m, r.Draft, evaluation, result)
	if err != nil {
		return nil, Summary{}, err
	}
	s := Summary{Folder: r.Folder.Path(), Private: c.Private, Epsilon: c.Epsilon, Delta: c.Delta, Neighboring: c.Neighboring, Unit: c.Unit,
		GroupRows: c.GroupRows, GroupEpsilon: c.GroupEpsilon, Accountant: c.Accountant, ModelSHA256: c.ModelSHA256, Inference: result.Inference, Learned: c.Learned, Warnings: r.warnings(), run: r}
	if evaluation != nil {
		s.Holdout = &evaluation.Measures
	}
	if r.Test != nil && r.Tables.TestPublic {
		s.TestSet = r.Tables.TestName
		if s.Class, s.Value, err = measures.Under(m, r.Test, r.Tables.Group); err != nil {
			return nil, Summary{}, err
		}
	}
	about := r.page(result, c, s)
	if err = artefact.SealPage(files, c, about); err != nil {
		return nil, Summary{}, err
	}
	return files, s, nil
}

// page returns the report about a run.
func (r *Run) page(result *train.Result, c certificate.Certificate, s Summary) report.Page {
	p := r.promised(c, result.Model, s.Holdout)
	p.Table, p.Warnings = outcome.BaseName(r.Tables.Name), s.Warnings
	p.Model, p.Events, p.Budget, p.Tradeoff = r.method.facts(result), r.method.releases(), r.figures, r.tradeoff(c, s)
	p.Verify = verifyCommand(filepath.Base(r.Folder.Path()))
	intervals := r.barsOf(result)
	p.Coefficients, p.Unlisted = coefficients(result.Model, intervals)
	p.Shapes = shapes(result.Model, intervals, result.CellFrequencies, preparationOf(r.Setup.Plan, result))
	p.BarWords, p.BarRefusal = intervals.target, intervals.refusal
	p.Estimates = reportEstimates(result.Inference)
	if s.Class != nil || s.Value != nil {
		p.Metrics = measures.Public(outcome.BaseName(s.TestSet), s.Class, s.Value)
	}
	if r.Test != nil && r.Tables.TestPublic {
		p.Public = append(p.Public, testFact(outcome.BaseName(r.Tables.TestName)))
	}
	return p
}

// testFact returns the declaration of a public test table.
func testFact(name string) report.Fact {
	return report.Fact{Name: "test table", Value: name, Why: "its metrics below are exact"}
}

// verifyCommand returns the command that verifies a folder.
func verifyCommand(folder string) string { return "dither verify " + folder }

// otherReleases says what the certificate knows about other releases from the records.
func otherReleases(r *certificate.LedgerRecord) []string {
	switch {
	case r == nil:
		return []string{"No ledger paid for this run, so other releases from these records are not known here. Their budgets add to this one."}
	case r.Limit == 0:
		return []string{fmt.Sprintf("Record %d of the ledger %.8s paid for this run. The ledger knows the other releases.", r.Sequence, r.Ledger)}
	}
	before := display.Count(r.Others, "other release")
	if n := len(r.Earlier); n > 0 {
		before = fmt.Sprintf("%s, with %s of this run,", display.Count(r.Others, "release"), display.Count(n, "earlier part"))
	}
	return []string{
		fmt.Sprintf("Record %d of the ledger %.8s paid for this run. Before it, the ledger counted %s from these records.", r.Sequence, r.Ledger, before),
		fmt.Sprintf("With this run, all releases together proved epsilon %s. The ledger allows at most epsilon %s at delta %s, and refuses what would go beyond.", r.Spent.Rounded(), r.Limit.Rounded(), display.Plain(r.LimitDelta)),
		"The ledger may have counted further releases since: dither verify FOLDER --ledger compares the number and the limit with it. The epsilon of all releases is as this run wrote it.",
	}
}

// publicFacts lists the public declarations.
func (r *Run) publicFacts() []report.Fact {
	p, s := r.Setup.Plan, r.Tables.Schema
	target := s.Target.Column + ", levels " + strings.Join(s.Target.Levels, ", ")
	if s.Target.Threshold != nil {
		target = fmt.Sprintf("%s above %v: %s", s.Target.Column, *s.Target.Threshold, strings.Join(s.Target.Levels, " or "))
	}
	if s.Target.Regression() {
		target = fmt.Sprintf("%s, %v to %v", s.Target.Column, s.Target.Lower, s.Target.Upper)
	}
	records := "not declared; a noisy count is paid for"
	if p.Records > 0 {
		records = strconv.Itoa(p.Records)
	}
	return []report.Fact{
		{Name: "feature columns", Value: wording.Names(s.FeatureRanges()), Why: "their bounds and levels size the model"},
		{Name: "target", Value: target, Why: "what is predicted"},
		{Name: "largest number of rows", Value: strconv.Itoa(p.MaxRecords), Why: "keeps integer sums exact"},
		{Name: "number of rows", Value: records, Why: "the divisor of means"},
	}
}

// taintWords names, in one sentence, the facts that were copied from the records, if any.
func taintWords(s *data.Schema) []string { return draft.Premises{FromData: s.FromData}.Tainted() }

// holdoutWords describes the held-out part.
func holdoutWords(p train.Plan) string {
	return fmt.Sprintf("records held out at random, each with probability %v; intervals hold in 95 %% of cases, or where it says so in at least as many; they allow for the noise and for the sampling of the records", p.Holdout.Share)
}

// holdoutMetrics returns the report's tables about the held-out part.
func holdoutMetrics(p train.Plan, v evaluate.Private) *report.Metrics {
	m := measures.Private(v)
	m.Source = holdoutWords(p)
	return m
}

package main

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/measures"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/report"
	"github.com/ditherml/dither/train"
)

// reportName is the name of the page inside a model folder.
const reportName = report.FileName

// summary is what train prints about a finished run. All of it is public.
type summary struct {
	Folder       string              `json:"folder"`
	Private      bool                `json:"private"`
	Epsilon      certificate.Epsilon `json:"epsilon"`
	Delta        float64             `json:"delta"`
	Neighboring  privacy.Neighboring `json:"neighboring"`
	Unit         string              `json:"unit"`
	GroupRows    int                 `json:"group-rows,omitempty"`
	GroupEpsilon certificate.Epsilon `json:"group-epsilon,omitempty"`
	Accountant   string              `json:"accountant"`
	ModelSHA256  string              `json:"model-sha256"`
	// Learned are the bounds and levels that nobody declared.
	Learned  []certificate.Learned    `json:"learned,omitempty"`
	Warnings []string                 `json:"warnings,omitempty"`
	TestSet  string                   `json:"test-set,omitempty"`
	Class    *evaluate.Classification `json:"classification,omitempty"`
	Value    *evaluate.Regression     `json:"regression,omitempty"`
	// Inference is what linear regression says of its coefficients.
	Inference *train.Inference `json:"inference,omitempty"`
	// Holdout are the private measures on the held-out part.
	Holdout *evaluate.Private `json:"holdout,omitempty"`
}

// artefacts makes the files of the model folder.
func (t *trainCommand) artefacts(f trainRun, result *train.Result) (map[string][]byte, summary, error) {
	evaluation, err := artefact.EvaluationOf(f.setup.Plan, result)
	if err != nil {
		return nil, summary{}, err
	}
	m, err := t.holdout.decide(result.Model, evaluation)
	if err != nil {
		return nil, summary{}, err
	}
	files, c, err := artefact.Seal(m, f.draft, evaluation, result)
	if err != nil {
		return nil, summary{}, err
	}
	s := summary{Folder: f.folder.Path(), Private: c.Private, Epsilon: c.Epsilon, Delta: c.Delta, Neighboring: c.Neighboring, Unit: c.Unit,
		GroupRows: c.GroupRows, GroupEpsilon: c.GroupEpsilon, Accountant: c.Accountant, ModelSHA256: c.ModelSHA256, Inference: result.Inference, Learned: c.Learned, Warnings: f.warnings()}
	if evaluation != nil {
		s.Holdout = &evaluation.Measures
	}
	if f.test != nil && f.source.testPublic {
		s.TestSet = f.source.testName
		if s.Class, s.Value, err = measures.Under(m, f.test, t.group); err != nil {
			return nil, summary{}, err
		}
	}
	about := t.page(f, result, c, s)
	if c.IteratesSHA256 != "" {
		about.Files = append(about.Files, report.Fact{Name: iteratesName, Value: "SHA-256 " + c.IteratesSHA256, Why: "the weights after every step, released at no further cost"})
	}
	if err = artefact.SealPage(files, c, about); err != nil {
		return nil, summary{}, err
	}
	return files, s, nil
}

// page is the report about a run.
func (t *trainCommand) page(f trainRun, result *train.Result, c certificate.Certificate, s summary) report.Page {
	kind := "A private model of "
	if !c.Private {
		kind = "A model without privacy of "
	}
	p := report.Page{
		Title: kind + f.source.schema.Target.Column, Generated: c.Created,
		Guarantee: report.Guarantee{Epsilon: float64(c.Epsilon), Delta: c.Delta, Neighboring: c.Neighboring.String(), Unit: c.Unit, Accountant: c.Accountant,
			GroupRows: c.GroupRows, GroupEpsilon: float64(c.GroupEpsilon), Attacker: t.attacker.ForPage(c), NoisePerRecord: f.noiseWords()},
		Public: publicFacts(f), Tainted: taintWords(f.source.schema), Assumptions: c.Assumptions[:len(c.Assumptions)-len(taintWords(f.source.schema))], Warnings: s.Warnings,
		Model: f.modelFacts(result), Events: f.events(), Budget: t.figures, Tradeoff: t.tradeoff(f, c, s),
		Verify: "dither verify " + filepath.Base(f.folder.Path()),
		Files: []report.Fact{{Name: model.FileName, Value: "SHA-256 " + c.ModelSHA256, Why: f.network.modelHolds()},
			{Name: certificate.FileName, Value: "plan, events and epsilon", Why: "can be recomputed by anyone"}},
		Provenance: []report.Fact{{Name: "program", Value: c.Program}, {Name: "run", Value: c.Run}, {Name: "time", Value: c.Created}},
	}
	p.Coefficients, p.Unlisted = coefficients(result.Model)
	p.Estimates = reportEstimates(result.Inference)
	p.Files = append(p.Files, f.network.files(result.Model)...)
	if s.Class != nil || s.Value != nil {
		p.Metrics = measures.Public(s.TestSet, s.Class, s.Value)
	}
	if s.Holdout != nil {
		p.Holdout = holdoutMetrics(f.setup.Plan, *s.Holdout)
		p.Files = append(p.Files, report.Fact{Name: evaluate.FileName, Value: "SHA-256 " + c.EvaluationSHA256, Why: "the released numbers about the held-out records, and what follows from them"})
	}
	return p
}

func noiseWords(p train.Plan) string {
	if p.NonPrivate {
		return ""
	}
	if p.LastIterate != nil {
		return fmt.Sprintf("In each of the %d steps the noise has a standard deviation of %.4g times the most by which one record can move a step. Only the last iterate leaves, and each step keeps at most %.6g of what sets neighbors apart.", p.Steps, p.NoiseMultiplier, p.LastIterate.Contraction)
	}
	if n := len(p.NoiseMultipliers); n > 0 {
		return fmt.Sprintf("The noise on the sum of gradients goes from %.4g times the most that one record can contribute, in the first step, to %.4g times in the last of %d; it costs as much as %.4g times in every step.", p.NoiseMultipliers[0], p.NoiseMultipliers[n-1], n, p.NoiseMultiplier)
	}
	return fmt.Sprintf("In each of the %d steps the noise on the sum of gradients has a standard deviation of %.4g times the most that one record can contribute.", p.Steps, p.NoiseMultiplier)
}

// mostCoefficients is how many weights of one score a report is given, more than it shows.
const mostCoefficients = 1000

// coefficients lists the effective weights, largest first within a score, and says how many of each
// score are left out.
func coefficients(m *model.Model) (out []report.Coefficient, unlisted int) {
	names := m.Features().Names()
	levels := m.Schema().Target.Levels
	for k, weights := range train.Effective(m) {
		score := ""
		if m.Linear().Columns > 1 {
			score = levels[k]
		}
		listed := byMagnitude(weights)[:min(len(weights), mostCoefficients)]
		unlisted = len(weights) - len(listed)
		for _, j := range listed {
			if j < len(names) && unused(m.Schema(), names[j]) {
				continue
			}
			c := report.Coefficient{Feature: "intercept", Score: score, Value: weights[j]}
			if j < len(names) {
				c.Feature, c.Level = names[j].Column, names[j].Level
			}
			out = append(out, c)
		}
	}
	return out, unlisted
}

// unused reports whether a feature is a place that no learned level or bin took. Its weight is noise, and of no
// effect.
func unused(s *data.Schema, n feature.Name) bool {
	at := slices.IndexFunc(s.Columns, func(c data.Column) bool { return c.Name == n.Column && c.Learning == data.Learned })
	return at >= 0 && strings.HasPrefix(n.Level, "unused ") && !slices.Contains(s.Columns[at].Levels, n.Level)
}

// byMagnitude returns the positions of numbers, of the largest magnitude first and in order among
// equals.
func byMagnitude(numbers []float64) []int {
	order := make([]int, len(numbers))
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(math.Abs(numbers[b]), math.Abs(numbers[a])), cmp.Compare(a, b))
	})
	return order
}

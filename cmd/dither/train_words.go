package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/report"
	"github.com/ditherml/dither/train"
)

// unitHint is the end of the assumption about rows of a person, of models that may have another unit.
const unitHint = "; --unit person:COLUMN protects all rows of a person."

// assumptions says in plain words what the guarantee rests on.
func assumptions(s train.Setup, t tables) []string {
	p := s.Plan
	schema, bound := "The schema (columns, bounds, levels, treatments and target) was", "; this bound was declared without looking at the records"
	if t.schema.Tainted() {
		schema = "Apart from what is named as copied out of the records, the schema (columns, bounds, levels, treatments and target) was"
	}
	if slices.Contains(t.schema.FromData, "max-records") {
		bound = ""
	}
	learned := ""
	if names := learnedNames(p); len(names) > 0 {
		learned = fmt.Sprintf(" The bounds, bins or levels of %s are not declared: the plan pays for learning them.", strings.Join(names, ", "))
	}
	out := []string{
		schema + " declared without looking at the records." + learned,
		fmt.Sprintf("There are at most %d rows%s.", p.MaxRecords, bound),
	}
	if p.NonPrivate { // promises nothing that could rest on more
		out = append(out, "There is no guarantee: the model may reveal any record.")
		return append(append(out, transformWords(s.Features.Chain)...), publicWords(t)...)
	}
	out = append(out,
		"The plan (steps, noise, clipping) was chosen without looking at the records, or the looking is accounted for elsewhere.",
		"The guarantee covers this run alone: other releases from the same records add to its cost.",
		"The machine, its operator and its source of randomness are trusted; noise comes from AES-128 in counter mode under keys of the operating system, and is indistinguishable from random only to those who cannot break that cipher.",
	)
	if p.Records > 0 {
		out = append(out, fmt.Sprintf("The number of rows, declared as %d, is public.", p.Records))
	}
	if p.RowsPerPerson > 1 {
		out = append(out, fmt.Sprintf("One person has at most %d rows; epsilon for all of them together is stated beside the epsilon of one row.", p.RowsPerPerson))
	}
	if p.Person != nil {
		out = append(out, fmt.Sprintf("A record is a person: all rows with one text in the column %q. What they contribute is bounded together; of a person with more than %d rows the first %d are used, and rows without a text there are not used.", p.Person.Column, p.Person.MaxRows, p.Person.MaxRows))
	} else if p.RowsPerPerson == 0 {
		out = append(out, "How many rows one person has was not declared: epsilon is for one row only"+unitHint)
	}
	out = append(out, transformWords(s.Features.Chain)...)
	if p.Holdout != nil {
		out = append(out, fmt.Sprintf("Each record was held out of training with probability %v, by a coin of its own that hangs on nothing else, and pays for training or for the evaluation.", p.Holdout.Share))
	}
	return append(out, publicWords(t)...)
}

// publicWords says what was declared public, or copied out of the records.
func publicWords(t tables) []string {
	var out []string
	if t.testPublic && t.testName != "" {
		out = append(out, "The test table was declared public: its metrics are exact and it is not protected.")
	}
	return append(out, taintWords(t.schema)...)
}

// learnedNames lists the columns whose bounds or levels the plan learns.
func learnedNames(p train.Plan) []string {
	var names []string
	for _, s := range p.Preparation {
		if s.Kind.OfColumn() {
			names = append(names, s.Column)
		}
	}
	return names
}

// learnedWords says what was released about a column.
func learnedWords(l certificate.Learned) string {
	if len(l.Bounds) == 2 {
		return fmt.Sprintf("%s from %.6g to %.6g", l.Column, l.Bounds[0], l.Bounds[1])
	}
	if len(l.Bins) > 0 {
		points := make([]string, len(l.Bins))
		for i, v := range l.Bins {
			points[i] = strconv.FormatFloat(v, 'g', 6, 64)
		}
		return fmt.Sprintf("%s is cut at %s", l.Column, strings.Join(points, ", "))
	}
	if len(l.Levels) == 0 {
		return "nothing was found for " + l.Column
	}
	return fmt.Sprintf("%s has the levels %s", l.Column, columnWords(l.Levels))
}

// transformWords names what maps the encoded columns, in sentences, or nothing.
func transformWords(c *feature.Chain) []string {
	var out []string
	for _, spec := range c.Specs() {
		out = append(out, strings.TrimSpace("The features were mapped by the public transform "+spec.Name+" "+string(spec.Parameters))+", which was chosen without looking at the records.")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Files())) {
		out = append(out, fmt.Sprintf("The weights in %s are public: the records had no part in them.", name))
	}
	return out
}

// taintWords names what was copied out of the records, in one sentence, or nothing.
func taintWords(s *data.Schema) []string {
	if !s.Tainted() {
		return nil
	}
	return []string{fmt.Sprintf("Copied out of the records and accepted as public: %s. The guarantee does not cover what these declarations reveal.", strings.Join(s.FromData, ", "))}
}

// smallTotalTime is the total time τ = μ·records/clipping bound of the default step rule below
// which gradient descent has hardly left its start. On the built-in data set runs at 245 have an
// AUC of about 0.61, at 360 of 0.66, at 570 of 0.68, against 0.73 without privacy.
const smallTotalTime = 250

// warnings are drawn from public numbers.
func warnings(s train.Setup) []string {
	p := s.Plan
	if p.NonPrivate {
		return []string{"This is a baseline without privacy: anything about a record may show in it. Do not release it if the records are private."}
	}
	records := p.Records
	if records == 0 {
		records = p.MaxRecords
	}
	out := p.Doubts()
	mu := math.Sqrt(float64(p.Steps)) / p.NoiseMultiplier
	if l := p.LastIterate; l != nil { // as many steps of it as are not forgotten
		mu = math.Sqrt(min(float64(p.Steps), (1+l.Contraction)/(1-l.Contraction))) / p.NoiseMultiplier
	}
	mu *= p.Share()
	if mu*float64(records)/p.Clipping.Bound < smallTotalTime {
		out = append(out, fmt.Sprintf("With at most %d rows this budget is too small to learn much: the noise hides all but the strongest effects. More rows or a larger epsilon would help; fewer features help too.", records))
	}
	return out
}

// publicFacts lists what was declared public.
func publicFacts(f fitting) []report.Fact {
	p, s := f.setup.Plan, f.source.schema
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
	out := []report.Fact{
		{Name: "feature columns", Value: columnWords(s.FeatureRanges()), Why: "their bounds and levels size the model"},
		{Name: "target", Value: target, Why: "what is predicted"},
		{Name: "largest number of rows", Value: strconv.Itoa(p.MaxRecords), Why: "keeps integer sums exact"},
		{Name: "number of rows", Value: records, Why: "the divisor of means"},
	}
	if f.test != nil && f.source.testPublic {
		out = append(out, report.Fact{Name: "test table", Value: f.source.testName, Why: "its metrics below are exact"})
	}
	return out
}

// columnWords lists names, of very many the first.
func columnWords(names []string) string {
	const most = 500
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// modelFacts describes model and training.
func modelFacts(f fitting, r *train.Result) []report.Fact {
	p, m := f.setup.Plan, r.Model
	learned := []string{}
	for _, s := range p.Preparation {
		words := statisticWords[s.Kind] + s.Column
		if limit := p.Threshold(s); limit > 0 {
			words += fmt.Sprintf(", of more than about %.0f rows", limit)
		}
		learned = append(learned, words)
	}
	for _, l := range train.Released(m.Schema()) {
		learned = append(learned, learnedWords(l))
	}
	if len(learned) == 0 {
		learned = append(learned, "nothing")
	}
	return []report.Fact{
		{Name: "model", Value: fmt.Sprintf("linear, %s loss, %d × %d weights", m.Linear().Loss.Name(), m.Linear().Columns, m.Linear().Dim)},
		{Name: "method", Value: methodWords(p, f.options, r.LearningRate)},
		{Name: "rows", Value: rowWords(m.Features())},
		{Name: "clipping", Value: clippingWords(p.Clipping)},
		{Name: "learned before training", Value: strings.Join(learned, "; ")},
		{Name: "result", Value: outputWords(r.Output)},
	}
}

// clippingWords says how a record's gradient is bounded.
func clippingWords(c train.Clipping) string {
	bound := fmt.Sprintf("; one record's gradient is at most %.4g", c.Bound)
	switch c.Mode {
	case train.ClipDataAndParameter:
		return fmt.Sprintf("each row at L2 norm %.4g, weights projected on a ball of radius %.4g", c.Norm, c.ParameterRadius) + bound
	case train.ClipDeclaredLipschitz:
		return fmt.Sprintf("none: a Lipschitz constant of %.4g was declared, and what one record contributes beyond it is cut", c.Bound)
	}
	return fmt.Sprintf("each %s at L2 norm %.4g", c.Mode, c.Norm) + bound
}

func samplingWords(p train.Plan) string {
	switch {
	case p.SamplingProbability > 0:
		return fmt.Sprintf("gradient descent on samples that take each row with probability %v", p.SamplingProbability)
	case p.BatchSize > 0:
		return fmt.Sprintf("gradient descent on random batches of %d rows", p.BatchSize)
	case p.Parts > 0:
		return fmt.Sprintf("gradient descent on the %d parts of one random division of the rows, in turn", p.Parts)
	}
	return "gradient descent on all rows"
}

func rowWords(m *feature.Map) string {
	words := map[feature.Normalization]string{feature.NormNone: "as declared", feature.NormUnit: "scaled to norm 1", feature.NormClip: fmt.Sprintf("clipped to norm %.4g", m.Radius)}[m.Norm]
	if m.Intercept > 0 {
		words += fmt.Sprintf(", intercept %.4g inside", m.Intercept)
	}
	return words
}

// relationWords explains a neighboring relation.
func relationWords(n privacy.Neighboring) string {
	switch n {
	case privacy.AddOrRemoveOne:
		return "adding or removing one row"
	case privacy.ReplaceOne:
		return "replacing one row by another"
	case privacy.ZeroOut:
		return "blanking out one row"
	}
	return n.String()
}

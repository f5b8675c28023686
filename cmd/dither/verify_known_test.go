package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// changePlan gives a folder another plan with the certificate that belongs to it, priced and hashed as a forger does.
func changePlan(change func(p *train.Plan)) func(*testing.T, *modelFolder) {
	return func(t *testing.T, m *modelFolder) {
		p, err := strict.ReadPlan[train.Plan]("train", m.certificate.Plan)
		if err != nil {
			t.Fatal(err)
		}
		change(&p)
		c, err := p.Certificate()
		if err != nil {
			t.Fatal(err)
		}
		c.Program, c.Run, c.Created, c.Assumptions = m.certificate.Program, m.certificate.Run, m.certificate.Created, m.certificate.Assumptions
		m.certificate = c
	}
}

// TestVerifyRefusesForgeries tries forgeries of someone who knows the files, prices plans and mends hashes, each in a
// folder that verifies without it.
func TestVerifyRefusesForgeries(t *testing.T) {
	file := func(name, text string) func(*testing.T, *modelFolder) {
		return func(t *testing.T, m *modelFolder) {
			m.write(t)
			writeText(t, filepath.Join(m.folder, name), text)
		}
	}
	change := func(f func(*modelFolder)) func(*testing.T, *modelFolder) {
		return func(_ *testing.T, m *modelFolder) { f(m) }
	}
	cases := map[string]struct {
		epsilon float64
		forge   func(*testing.T, *modelFolder)
	}{
		"a number for an infinite epsilon of persons": {math.Inf(1), change(func(m *modelFolder) { m.certificate.GroupEpsilon = 2.5 })},
		"a baseline with epsilon 0.5": {math.Inf(1), change(func(m *modelFolder) {
			m.certificate.Epsilon, m.certificate.GroupEpsilon, m.certificate.Private = 0.5, 2.5, true
			m.model.Provenance.Private = true
		})},
		"infinity for epsilon":      {1, change(func(m *modelFolder) { m.certificate.Epsilon = certificate.Epsilon(math.Inf(1)) })},
		"epsilon lowered by 1e-5":   {1, change(func(m *modelFolder) { m.certificate.Epsilon *= 1 - 1e-5 })},
		"less asked than spent":     {1, change(func(m *modelFolder) { m.certificate.Asked = 0.5 })},
		"infinitely much asked for": {1, change(func(m *modelFolder) { m.certificate.Asked = certificate.Epsilon(math.Inf(1)) })},
		"an assumption invented":    {1, change(func(m *modelFolder) { m.certificate.Assumptions[0] = "Audited by a third party." })},
		"an assumption more":        {1, change(func(m *modelFolder) { m.certificate.Assumptions = append(m.certificate.Assumptions, "It was audited.") })},
		"no assumptions":            {1, change(func(m *modelFolder) { m.certificate.Assumptions = []string{} })},
		"assumptions left out":      {1, change(func(m *modelFolder) { m.certificate.Assumptions = nil })},
		"an assumption less":        {1, change(func(m *modelFolder) { m.certificate.Assumptions = m.certificate.Assumptions[1:] })},
		"a public test of no run":   {1, change(func(m *modelFolder) { m.certificate.Declared = &certificate.Declared{PublicTest: true} })},
		"an empty declaration":      {1, change(func(m *modelFolder) { m.certificate.Declared = &certificate.Declared{} })},
		"frozen layers of no network": {1, change(func(m *modelFolder) {
			m.certificate.Declared = &certificate.Declared{Frozen: &certificate.Frozen{Layers: 1, Source: "x", SHA256: strings.Repeat("0", 64), Public: "x"}}
			m.certificate.Assumptions = draft.Premises{}.Of(m.model.Schema(), m.model.Features()).Assumptions(m.certificate)
		})},
		"a time that is none": {1, change(func(m *modelFolder) { m.certificate.Created = "yesterday"; m.model.Provenance.Created = "yesterday" })},
		"no run":              {1, change(func(m *modelFolder) { m.certificate.Run = ""; m.model.Provenance.Run = "" })},
		"a run with an order": {1, change(func(m *modelFolder) { m.certificate.Run = "a\x1b[2J"; m.model.Provenance.Run = m.certificate.Run })},
		"levels that nobody found": {1, change(func(m *modelFolder) {
			m.certificate.Learned = []certificate.Learned{{Column: "age", Bounds: []float64{0, 1}}}
		})},
		"the hash of no page":          {1, change(func(m *modelFolder) { m.certificate.ReportSHA256 = strings.Repeat("0", 64) })},
		"the hash of no evaluation":    {1, change(func(m *modelFolder) { m.certificate.EvaluationSHA256 = strings.Repeat("0", 64) })},
		"a page without a hash":        {1, file(report.FileName, "epsilon 0.01")},
		"weights that nobody paid for": {1, file(artefact.IteratesName, "x")},
		"weights of no run with their hash": {1, func(t *testing.T, m *modelFolder) {
			m.certificate.IteratesSHA256 = certificate.Hash(artefact.MatrixNPY([][]float64{m.model.Weights()}))
			file(artefact.IteratesName, string(artefact.MatrixNPY([][]float64{m.model.Weights()})))(t, m)
		}},
		"a further file": {1, file("notes.txt", "audited")},
		"a link to a file": {1, func(t *testing.T, m *modelFolder) {
			m.write(t)
			path := filepath.Join(m.folder, model.FileName)
			if os.Rename(path, m.folder+"-model") != nil || os.Symlink(m.folder+"-model", path) != nil {
				t.Skip("there are no links here")
			}
		}},
		"another bound on the records, priced": {1, changePlan(func(p *train.Plan) { p.Steps = 10; p.MaxRecords++ })},
		"another bound of rows":                {1, changePlan(func(p *train.Plan) { p.Preparation[len(p.Preparation)-1].Bound = 0.5 })},
		"a bound of the count":                 {1, changePlan(func(p *train.Plan) { p.Preparation[0].Bound = 2 })},
		"statistic twice":                      {1, changePlan(func(p *train.Plan) { p.Preparation = append(p.Preparation, p.Preparation[0]) })},
		"a statistic more": {1, changePlan(func(p *train.Plan) {
			p.Preparation = append(p.Preparation, train.PreparationStep{Kind: option.VarianceStatistic, NoiseMultiplier: 9, Bound: 1, Numbers: 3})
		})},
		"clipping without bound": {1, changePlan(func(p *train.Plan) { p.Clipping.Bound *= 2 })},
		"clipping of rows":       {1, changePlan(func(p *train.Plan) { p.Clipping.Mode, p.Clipping.Norm, p.Clipping.Bound = option.ClipExample, 0.1, 0.1 })},
		"weights of no levels":   {1, changePlan(func(p *train.Plan) { p.ClassWeights = []float64{1, 1, 1} })},
		"weights by a feature":   {1, changePlan(func(p *train.Plan) { p.SampleWeights = &train.SampleWeights{Column: "age", Upper: 1} })},
		"noise of a baseline":    {math.Inf(1), changePlan(func(p *train.Plan) { p.NoiseMultiplier = 3 })},
		"declared records":       {1, changePlan(func(p *train.Plan) { p.Records = 100; p.Preparation = p.Preparation[1:] })},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			made := newModelFolder(t, binaryText, c.epsilon)
			if v, err := artefact.Verify(made.folder); err != nil || !v.Verified {
				t.Fatalf("the folder does not verify as it was made: %q %v", v.Disagreements, err)
			}
			c.forge(t, &made)
			if !display.Exists(filepath.Join(made.folder, "notes.txt")) && !display.Exists(made.folder+"-model") {
				made.write(t)
			}
			if v, err := artefact.Verify(made.folder); err == nil && v.Verified {
				t.Error("the forgery passes")
			}
		})
	}
}

// TestVerifyNamesTheOtherVersion words an assumption as another version might have. Verify says which version wrote the
// certificate. Of its own version it says no such thing, since then somebody changed the words.
func TestVerifyNamesTheOtherVersion(t *testing.T) {
	queryFiles(t)
	mustInvoke(t, "query", "count", "--data", "people.csv", "--schema", "people.yaml", "--epsilon", "1", "--out", "answer")
	path := filepath.Join("answer", "certificate.json")
	edit(t, path, "no durable ledger paid for it, and ", "")
	for _, other := range []bool{false, true} {
		if other {
			edit(t, path, `"program": "dither `, `"program": "dither 0.0.`)
		}
		status, stdout, _ := invoke("verify", "answer")
		if status != exitFailed || !strings.Contains(stdout, "an assumption is") || strings.Contains(stdout, "verify the folder with the version that wrote it") != other {
			t.Errorf("another version: %v: got %d and %s, want its name", other, status, stdout)
		}
	}
}

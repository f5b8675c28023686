package planaudit

import (
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

const add, replace = privacy.AddOrRemoveOne, privacy.ReplaceOne

// schemaOf returns a schema with a target of some kind. The word KIND in a column is replaced.
func schemaOf(t *testing.T, target, columns string) *data.Schema {
	t.Helper()
	s, err := data.ParseSchema("test", []byte("dither-schema: 1\nrow: one person\nmax-records: 2000\nrecords: 1000\ntarget: "+target+
		"\ndefaults: {missing: zero, out-of-range: clamp, unknown: other}\ncolumns:\n  who: ignore\n  weight: ignore\n"+columns))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	two      = `{column: y, levels: ["no", "yes"]}`
	three    = `{column: y, levels: [a, b, c]}`
	numeric  = `{column: y, bounds: [0, 10]}`
	beyond   = `{column: y, levels: [low, high], above: 5}`
	columns  = "  age: {numeric: [0, 100]}\n  town: {levels: [here, there, \"\\\"far\\\", away\"]}\n  pay: {numeric: [-1, 1]}\n"
	private  = "  age: {bounds: private, range: [0, 1000]}\n  size: {numeric: [0, 9], bins: private, max-bins: 4}\n  job: {levels: private, max-levels: 5}\n  town: {levels: [here, there]}\n"
	onlyText = "  text: {text: {buckets: 256}}\n"
)

// some returns made-up records of a schema, with which a model of a plan is trained for its folder.
func some(t *testing.T, s *data.Schema, extra []string) *data.Dataset {
	t.Helper()
	p := &Plan{schema: s, extra: extra, rows: 1, person: "who", weights: "weight", weight: "1"}
	of, err := p.newPool(t.Context(), 1, 100, nil)
	if err != nil {
		t.Fatal(err)
	}
	return of.table([]bool{true})
}

// ofRequest returns the subject of a plan of gradient descent with a model.
func ofRequest(t *testing.T, r train.Request, s *data.Schema) Subject {
	t.Helper()
	r.Delta = 1e-5
	if r.Epsilon == 0 {
		r.Epsilon = 4
	}
	if r.Neighboring == 0 {
		r.Neighboring = add
	}
	setup, err := train.NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	out := ofCertified(t, setup.Plan)
	l, err := out.Certificate.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	extra := (&Plan{schema: s}).extra
	if r.Person != nil {
		extra = append(extra, "who")
	}
	if r.SampleWeights != nil {
		extra = append(extra, "weight")
	}
	o := train.Options{}
	if setup.Plan.LastIterate != nil {
		o.Ridge = setup.Plan.LastIterate.Ridge
	}
	fitted, err := train.Fit(t.Context(), l, setup, some(t, s, extra), o)
	if err != nil {
		t.Fatal(err)
	}
	out.Model = fitted.Model
	return out
}

// ofCertified returns the subject of a plan.
func ofCertified(t *testing.T, p certified) Subject {
	t.Helper()
	s, err := ofPlan("test", p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// descents are plans of gradient descent of every kind.
func descents() map[string]struct {
	r               train.Request
	target, columns string
} {
	type c = struct {
		r               train.Request
		target, columns string
	}
	person, weights := &train.PersonUnit{Column: "who", MaxRows: 3}, &train.SampleWeights{Column: "weight", Lower: 0.5, Upper: 2}
	return map[string]c{
		"full batch":             {train.Request{Steps: 5}, two, columns},
		"less noise in the end":  {train.Request{Steps: 5, NoiseContraction: 0.8}, two, columns},
		"poisson":                {train.Request{Steps: 10, SamplingProbability: 0.2}, two, columns},
		"fixed size":             {train.Request{Steps: 10, BatchSize: 200, Neighboring: replace}, two, columns},
		"parts":                  {train.Request{Steps: 10, Parts: 4}, two, columns},
		"replace-one":            {train.Request{Steps: 5, Neighboring: replace}, two, columns},
		"zero-out":               {train.Request{Steps: 5, Neighboring: privacy.ZeroOut}, two, columns},
		"rows clipped":           {train.Request{Steps: 5, ClippingMode: option.ClipExample}, two, columns},
		"rows and weights":       {train.Request{Steps: 5, ClippingMode: option.ClipDataAndParameter, ParameterRadius: 1, Loss: model.Squared}, numeric, columns},
		"lipschitz":              {train.Request{Steps: 5, ClippingMode: option.ClipDeclaredLipschitz, ClippingNorm: 2}, two, columns},
		"a large norm":           {train.Request{Steps: 5, ClippingNorm: 3}, two, columns},
		"persons":                {train.Request{Steps: 5, Person: person}, two, columns},
		"weights of rows":        {train.Request{Steps: 5, SampleWeights: weights}, two, columns},
		"weights of levels":      {train.Request{Steps: 5, ClassWeights: []float64{1, 3}}, two, columns},
		"balanced levels":        {train.Request{Steps: 5, Balance: true}, three, columns},
		"a part held out":        {train.Request{Steps: 5, Holdout: &train.HoldoutRequest{Share: 0.2}}, two, columns},
		"three levels":           {train.Request{Steps: 5}, three, columns},
		"one against the rest":   {train.Request{Steps: 5, Loss: model.OneVsRest}, three, columns},
		"a number":               {train.Request{Steps: 5}, numeric, columns},
		"a threshold":            {train.Request{Steps: 5}, beyond, columns},
		"the last iterate":       {train.Request{Steps: 5, Accounting: option.AccountingLastIterate, Ridge: 0.1}, two, columns},
		"last of rows clipped":   {train.Request{Steps: 5, Accounting: option.AccountingLastIterate, Ridge: 0.1, ClippingMode: option.ClipExample, Loss: model.OneVsRest}, three, columns},
		"private bounds":         {train.Request{Steps: 5}, two, private},
		"a private radius":       {train.Request{Steps: 5, PrivateRadius: true}, two, columns},
		"centered and whitened":  {train.Request{Steps: 5, Center: train.Yes, Whiten: train.Yes}, two, columns},
		"whitened by variances":  {train.Request{Steps: 5, Whiten: train.Yes, Structure: "diagonal"}, two, columns},
		"corrected":              {train.Request{Steps: 5, Calibrate: true}, two, columns},
		"corrected, three":       {train.Request{Steps: 5, Calibrate: true}, three, columns},
		"corrected, a number":    {train.Request{Steps: 5, Calibrate: true}, numeric, columns},
		"words":                  {train.Request{Steps: 5}, two, onlyText},
		"rows of any length":     {train.Request{Steps: 5, Normalization: feature.NormNone}, two, columns},
		"persons, poisson":       {train.Request{Steps: 5, Person: person, SamplingProbability: 0.5}, two, columns},
		"parts under replace":    {train.Request{Steps: 6, Parts: 3, Neighboring: replace}, two, columns},
		"poisson, three levels":  {train.Request{Steps: 5, SamplingProbability: 0.3}, three, columns},
		"declared class weights": {train.Request{Steps: 5, ClassWeights: []float64{1, 2, 5}}, three, columns},
	}
}

// small is an audit that takes a moment. With 24 runs of one canary, coins are all alike with
// probability 1.2e-7.
func small() Options { return Options{Confidence: 1 - 1e-7, Effort: 1, Runs: 24, Canaries: 1} }

// checkAudit audits a correct plan: no claim is refuted but with the probability of a false alarm,
// and every attack trains.
func checkAudit(t *testing.T, s Subject, o Options) auditing.Report {
	t.Helper()
	p, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != auditing.NotRefuted {
		t.Errorf("the audit is %s", r.Verdict)
	}
	for _, section := range r.Sections {
		if section.Verdict == auditing.NotRun || section.LowerBound == nil || section.Claimed == nil || *section.LowerBound > *section.Claimed {
			t.Errorf("%s: %s, lower bound %v of the claim %v: %s", section.Name, section.Verdict, section.LowerBound, section.Claimed, section.Note)
		}
	}
	return r
}

// TestDescentsAreAudited audits plans of every kind with their models, and as plans alone. Samples
// take seconds to price: of these TestSampledPlansAreAudited audits the others.
func TestDescentsAreAudited(t *testing.T) { checkDescents(t, false) }

func checkDescents(t *testing.T, sampled bool) {
	for name, c := range descents() {
		if sampled != (c.r.BatchSize > 0 || c.r.SamplingProbability > 0 && name != "poisson") || sampled && testing.Short() && name != "persons, poisson" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ofRequest(t, c.r, schemaOf(t, c.target, c.columns))
			r := checkAudit(t, s, small())
			if len(r.Sections) != 2 {
				t.Errorf("there are %d attacks, want 2", len(r.Sections))
			}
			if !thorough && name != "private bounds" && name != "full batch" && name != "corrected, a number" {
				return
			}
			s.Model = nil
			p, err := New(s)
			if err != nil {
				t.Fatal(err)
			}
			if p.refusal == "" {
				checkAudit(t, s, small())
			} else if name != "private bounds" {
				t.Errorf("without its model the plan is refused: %s", p.refusal)
			}
		})
	}
}

// TestCanariesReachTheBound checks that the gradient of a canary is as long as the plan allows, or
// by how much it is not.
func TestCanariesReachTheBound(t *testing.T) {
	short := map[string]float64{"rows and weights": 0.49, "balanced levels": 0.99, "last of rows clipped": 0.48, "the last iterate": 0.99}
	for name, c := range descents() {
		c.r.Delta, c.r.Epsilon = 1e-5, 4
		if c.r.Neighboring == 0 {
			c.r.Neighboring = add
		}
		setup, err := train.NewPlan(c.r, schemaOf(t, c.target, c.columns))
		if err != nil {
			t.Fatal(err)
		}
		w, err := newWorld(t.Context(), setup.Plan, 10)
		if err != nil {
			t.Fatal(err)
		}
		least := short[name]
		if least == 0 {
			least = 0.99
		}
		if got := w.reach(); got < least || got > 1.0001 {
			t.Errorf("%s: a canary reaches %v of the bound, want %v to 1", name, got, least)
		}
	}
}

// TestMinimizersAreAudited audits the methods of package erm. The price of one takes seconds, see
// TestSampledPlansAreAudited.
func TestMinimizersAreAudited(t *testing.T) { checkMinimizers(t, false) }

func checkMinimizers(t *testing.T, slow bool) {
	for _, name := range erm.Names() {
		if name == option.MethodLBFGS || slow != (name == option.MethodObjective) || slow && testing.Short() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target, rows := two, columns
			switch name {
			case option.MethodSufficientStatistics, "adassp":
				target = numeric
			case option.MethodExponential:
				rows = "  age: {numeric: [0, 100]}\n"
			}
			schema := schemaOf(t, target, rows)
			s := ofMinimizer(t, erm.Request{Method: name, Epsilon: 4, Delta: 1e-5, Neighboring: add}, schema)
			setup := erm.Setup{Plan: *s.Minimizer, Schema: schema, Features: s.Model.Features(), Model: s.Model.Linear()}
			l, err := s.Certificate.Ledger()
			if err != nil {
				t.Fatal(err)
			}
			fitted, err := erm.Fit(t.Context(), l, setup, some(t, schema, nil), erm.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s.Model = fitted.Model
			checkAudit(t, s, small())
			if !thorough && name != option.MethodOutput {
				return
			}
			s.Model = nil
			checkAudit(t, s, small())
		})
	}
}

// ofMinimizer returns the subject of a method of package erm with a model whose weights are 0.
func ofMinimizer(t *testing.T, r erm.Request, schema *data.Schema) Subject {
	t.Helper()
	setup, err := erm.NewSetup(r, schema)
	if err != nil {
		t.Fatal(err)
	}
	s := ofCertified(t, setup.Plan)
	if s.Model, err = model.New(schema, setup.Features, setup.Model.Loss, make([]float64, setup.Model.Weights())); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDescentsToMinimizersAreAudited audits output perturbation where descent ends. The permuted
// descent takes the number of records as public: every training has exactly as many.
func TestDescentsToMinimizersAreAudited(t *testing.T) {
	schema := schemaOf(t, two, columns)
	schema.Records, schema.MaxRecords = 200, 250
	for solver, n := range map[string]privacy.Neighboring{option.SolverGradient: add, option.SolverPermuted: replace} {
		s := ofMinimizer(t, erm.Request{Method: option.MethodOutput, Solver: solver, Epsilon: 4, Delta: 1e-5, Neighboring: n, SolverPasses: passesOf(solver)}, schema)
		o := small()
		checkAudit(t, s, o)
		if o.Public = some(t, schema, nil); solver == option.SolverGradient {
			checkAudit(t, s, o)
			continue
		}
		p, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = p.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "takes 200 records as public, want at least 199 public ones") {
			t.Errorf("101 public records of 200: got %v", err)
		}
	}
}

// passesOf returns few passes for a solver that has passes.
func passesOf(solver string) int {
	if solver == option.SolverPermuted {
		return 2
	}
	return 0
}

// networks are plans of networks of every kind.
func networks() map[string]neural.Request {
	dense := network.Layers{network.Linear{Outputs: 6}, network.Activation{Function: "tanh"}, network.Linear{Outputs: 2}}
	of := func(change func(*neural.Request)) neural.Request {
		r := neural.Request{Epsilon: 4, Delta: 1e-5, Neighboring: add, Layers: dense, Steps: 6}
		change(&r)
		return r
	}
	out := map[string]neural.Request{}
	for kind, s := range map[string]neural.Sampling{"full": {Kind: "full"}, "poisson": {Kind: "poisson", Probability: 0.3}, "truncated": {Kind: "truncated-poisson", Probability: 0.3, BatchSize: 500},
		"partition": {Kind: "partition", Parts: 3}, "shuffle": {Kind: "shuffle", Parts: 3}, "cyclic": {Kind: "cyclic", Parts: 3, Probability: 0.5}} {
		out[kind] = of(func(r *neural.Request) { r.Sampling = s })
	}
	out["fixed size"] = of(func(r *neural.Request) {
		r.Sampling, r.Neighboring = neural.Sampling{Kind: "fixed-size", BatchSize: 200}, replace
	})
	for name, layers := range map[string]network.Layers{"persons": dense, "persons, sparse": {network.SparseLinear{Outputs: 1}}} {
		out[name] = of(func(r *neural.Request) {
			r.Layers, r.Sampling, r.Person = layers, neural.Sampling{Kind: "full"}, &train.PersonUnit{Column: "who", MaxRows: 3}
		})
	}
	out["banded"] = of(func(r *neural.Request) {
		r.Sampling, r.Correlation = neural.Sampling{Kind: "partition", Parts: 3}, option.CorrelatedBanded
	})
	out["tree"] = of(func(r *neural.Request) {
		r.Sampling, r.Correlation = neural.Sampling{Kind: "shuffle", Parts: 3}, option.CorrelatedTree
	})
	for _, line := range option.ClippingRules() {
		rule := line[0]
		out["rule "+rule] = of(func(r *neural.Request) {
			r.Sampling, r.Clipping = neural.Sampling{Kind: "full"}, neural.ClippingRequest{Rule: rule}
		})
	}
	return out
}

// TestNetworksAreAudited audits plans of networks of every kind. Samples are as in
// TestDescentsAreAudited.
func TestNetworksAreAudited(t *testing.T) { checkNetworks(t, false) }

func checkNetworks(t *testing.T, sampled bool) {
	for name, request := range networks() {
		if sampled != slices.Contains([]string{"poisson", "truncated", "cyclic", "fixed size", "rule projected"}, name) || sampled && testing.Short() && name != "cyclic" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkAudit(t, ofNetwork(t, request, schemaOf(t, two, columns)), small())
		})
	}
}

// ofNetwork returns the subject of a network with a model.
func ofNetwork(t *testing.T, r neural.Request, schema *data.Schema) Subject {
	t.Helper()
	if last, ok := r.Layers[len(r.Layers)-1].(network.Linear); ok && len(schema.Target.Levels) == 2 {
		last.Outputs = 1
		r.Layers = append(append(network.Layers{}, r.Layers[:len(r.Layers)-1]...), last)
	}
	setup, err := neural.NewSetup(r, schema)
	if err != nil {
		t.Fatal(err)
	}
	s := ofCertified(t, setup.Plan)
	if s.Model, err = model.NewNetwork(schema, setup.Features, setup.Loss, setup.Network, make([]float32, setup.Network.Weights())); err != nil {
		t.Fatal(err)
	}
	return s
}

// certificateOf returns a certificate of some method.
func certificateOf(method string) certificate.Certificate {
	return certificate.Certificate{Private: true, Method: method}
}

// TestOtherCertificatesAreRefused checks that what is no private training is refused by name, with
// what to do.
func TestOtherCertificatesAreRefused(t *testing.T) {
	for method, want := range map[string]string{option.MethodSelection: "dither train --dry-run", option.MethodEvaluation: "dither audit without arguments", option.MethodQuery: "dither audit without arguments", "other": "want that of a training"} {
		if err := refused(certificateOf(method)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), method) {
			t.Errorf("%s: got %v, want %q", method, err, want)
		}
	}
	none := certificateOf(option.MethodGD)
	none.Private = false
	if err := refused(none); err == nil || !strings.Contains(err.Error(), "nothing to refute") {
		t.Errorf("a certificate without privacy: got %v", err)
	}
	if _, err := ofCertificate("x", certificateOf(option.MethodGD)); err == nil {
		t.Error("a certificate without a plan is accepted")
	}
}

//go:build long

package dither_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutant is a fault of privacy, as one edit of one file, and the test that must convict it.
type mutant struct{ name, file, old, new, pkg, test string }

// mutants are faults that other systems had, or that this one could get. The edits are laid over
// the sources by the go tool, so that no source carries a switch for them.
var mutants = []mutant{
	{"noise divided by two", "mechanism/noise.go", "len(dst))], g.bits)", "len(dst))], g.bits-1)", "./mechanism", "TestNoiseHasThePricedScale"},
	{"noise one percent low", "mechanism/internal/sample/gaussian.go", "dst[i] = (v + half) >> shift", "dst[i] = (v - v/100 + half) >> shift", "./mechanism/internal/sample", "TestGaussianMoments"},
	{"no noise", "mechanism/release.go", "b.grid.noise.draw(noise, b.grid)", "error(nil)", "./mechanism", "TestReleasePaysBeforeAndPriceIsTheNoise"},
	{"half of the coordinates without noise", "mechanism/release.go", "b.grid.noise.draw(noise, b.grid)", "b.grid.noise.draw(noise[:len(noise)/2], b.grid)", "./mechanism", "TestNoiseHasThePricedScale"},
	{"one noise for all coordinates", "mechanism/release.go", "for j, v := range b.values {", "for j, v := range b.values {\n\t\tnoise[j] = noise[0]", "./mechanism", "TestNoiseHasThePricedScale"},
	{"noise not scaled by the bound", "mechanism/sum.go", "unit: s.bound / float64(s.grid.bound)", "unit: 1 / float64(s.grid.bound)", "./mechanism", "TestNoiseHasThePricedScale"},
	{"the same key every time", "mechanism/internal/sample/stream.go", "rand.Read(key[:])", "_ = rand.Read", "./mechanism", "TestReleasePaysBeforeAndPriceIsTheNoise"},
	{"noise of one sign", "mechanism/internal/sample/gaussian.go", "l, negative := meta&(layerCount-1), -int64(meta>>layerBits&1)", "l, negative := meta&(layerCount-1), int64(0)", "./mechanism/internal/sample", "TestGaussianDistribution"},
	{"edges of the layers always kept", "mechanism/internal/sample/gaussian.go", "if point < box.inside || s.under(l, point) {", "if true {", "./mechanism/internal/sample", "TestGaussianMoments"},
	{"tails cut off", "mechanism/internal/sample/gaussian.go", "if point < box.inside || s.under(l, point) {", "if point < box.inside {", "./mechanism/internal/sample", "TestGaussianMoments"},
	{"no clipping", "mechanism/sum.go", "(middle < limitHigh || middle == limitHigh && low <= limitLow)", "(middle < limitHigh || true || low <= limitLow)", "./mechanism", "TestContributionsNeverExceedTheBound"},
	{"bound twice as large as charged", "mechanism/sum.go", "limitHigh, limitLow := bits.Mul64(uint64(bound), uint64(bound))", "limitHigh, limitLow := bits.Mul64(uint64(2*bound), uint64(2*bound))", "./mechanism", "TestNeighborsMoveTheSumByAtMostTheBound"},
	{"a record counted twice", "mechanism/tally.go", "if s.added[at/64]>>(at%64)&1 == 1 {", "if false {", "./mechanism", "TestSumRefusals"},
	{"records outside the sample", "mechanism/tally.go", "if !s.sample.has(at) {", "if at < 0 {", "./mechanism", "TestSampleIsObeyed"},
	{"coefficients in float32", "mechanism/sum.go", "exact[i] = float64(v)", "exact[i] = float64(float32(v))", "./mechanism", "TestFramedSumIsTheDenseSum"},
	{"integers that can overflow", "mechanism/grid.go", "if worst.BitLen() <= sumBits {", "if worst.BitLen() <= sumBits+2 {", "./mechanism", "TestGridKeepsItsPromises"},
	{"release without payment", "mechanism/pay.go", "if err := p.Pay(e); err != nil {\n\t\t\t\treturn err\n\t\t\t}", "_ = e", "./mechanism", "TestReleaseRefusals"},
	{"noise of another price", "mechanism/release.go", "b.state.grid.noise != n", "false", "./mechanism", "TestReleaseRefusals"},
	{"sampled steps priced as if full noise were amplified twice", "mechanism/sampling.go", "priced = PoissonSampled{s.probability, e}", "priced = PoissonSampled{s.probability / 2, e}", "./mechanism", "TestSampleIsObeyed"},
	{"a drawn sample released twice", "mechanism/pay.go", "if d.released.Swap(true) {", "if false {", "./mechanism", "TestASampleIsReleasedOnce"},
	{"joined sums charged as one", "mechanism/pay.go", "event, err := d.sampling.Price(together(noises))\n\tif err != nil {\n\t\treturn err\n\t}\n\tif d.released", "event, err := d.sampling.Price(noises[0])\n\tif err != nil {\n\t\treturn err\n\t}\n\tif d.released", "./mechanism", "TestJoinIsOneEvent"},
	{"parts out of turn", "mechanism/pay.go", "if r.next != d.part {", "if false {", "./mechanism", "TestPartitionPaysOnceARound"},
	{"one payment for all rounds", "mechanism/pay.go", "if d.part == 0 {", "if d.part == 0 && r.paid == \"\" {", "./mechanism", "TestPartitionPaysOnceARound"},
	{"vectors beyond their norm", "mechanism/norm.go", "if sum += max(v, -v); sum > bound {", "if sum += max(v, -v); sum > 2*bound {", "./mechanism", "TestVectorsNeverExceedTheBound"},
	{"centered rows with the norm of plain ones", "mechanism/frame.go", "y2 += out.beta*out.beta*f.square - 2*(out.beta<<f.bits)*dot()", "_ = dot", "./mechanism", "TestFramedSumIsTheDenseSum"},
	{"intercepts without a norm", "mechanism/frame.go", "out.n2 = y2 + out.tail*out.tail", "out.n2 = y2", "./mechanism", "TestFramedSumIsTheDenseSum"},
	{"whole numbers that float64 rounds", "mechanism/sum.go", "const wholeLimit = 1 << 53", "const wholeLimit = 1 << 62", "./mechanism", "TestFramedSumIsTheDenseSum"},
	{"center subtracted once", "mechanism/frame.go", "v -= betas[k] * f.m[j]", "v -= min(betas[k], 1) * f.m[j]", "./mechanism", "TestFramedSumIsTheDenseSum"},
	{"discrete noise of half the scale", "mechanism/noise.go", "return uint64(math.Ldexp(scale, scaleBits)), 1 << scaleBits, nil", "return uint64(math.Ldexp(scale, scaleBits)), 2 << scaleBits, nil", "./mechanism", "TestEveryNoiseIsReleased"},
	{"zero twice as likely", "mechanism/internal/sample/laplace.go", "case magnitude != 0:", "default:", "./mechanism/internal/sample", "TestDiscreteLaplaceLaw"},
	{"discrete gaussian with laplace tails", "mechanism/internal/sample/discretegaussian.go", "if s.halfSquareCoin(max(product, a)-min(product, a), a) {", "if s.halfSquareCoin(max(product, a)-min(product, a), a) || product > a {", "./mechanism/internal/sample", "TestDiscreteGaussianLaw"},
	{"maximum norm without rejection", "mechanism/internal/sample/knorm.go", "if s.radiusKept(r, dimension) {", "if s.radiusKept(r, dimension) || r > 0 {", "./mechanism/internal/sample", "TestLInfinityLaw"},
	{"batches of fixed size", "mechanism/internal/sample/poisson.go", "if u < head || u == head && s.Word()>>chunk < tail {", "if _ = tail; uint64(i)*head>>chunk != uint64(i+1)*head>>chunk {\n\t\t\t\t_ = u", "./mechanism/internal/sample", "TestPoissonSizesVary"},
	{"sampling probability too high", "mechanism/internal/sample/poisson.go", "u < head ||", "u <= head ||", "./mechanism/internal/sample", "TestPoissonCounts"},
	{"empty samples skipped", "train/fit.go", "sum, err := mechanism.NewSum(sample", "if len(sample.Indices()) == 0 {\n\t\treturn mechanism.Noisy{}, nil\n\t}\n\tsum, err := mechanism.NewSum(sample", "./train", "TestEmptySamplesTrain"},
	{"count without noise", "train/prepare.go", "out.divisor, err = query.Count(terms, d.Records())", "_, err = query.Count(terms, d.Records())\n\t\t\tout.divisor = float64(d.Records())", "./train", "TestFitIsRandomAndPaid"},
	{"preparation not charged", "train/plan.go", "s = append(s, p.noise(statistic.NoiseMultiplier))", "_ = statistic", "./train", "TestPlanEventFollowsThePreparation"},
	{"counts forgotten by gdp", "account/terms.go", "c.collect(e.Event, count*float64(e.Count))", "c.collect(e.Event, count)", "./account", "TestLaws"},
	{"counts forgotten by rdp", "account/terms.go", "c.collect(e.Event, count*float64(e.Count))", "c.collect(e.Event, count)", "./account", "TestRDPLaws"},
	{"counts forgotten, whatever the accountant", "account/terms.go", "c.collect(e.Event, count*float64(e.Count))", "c.collect(e.Event, count)", "./account", "TestConformance"},
	{"pairs of replace-one charged once", "account/pairs.go", "pair.Shift(pair.Laplace, e.NoiseMultiplier/move)", "pair.Shift(pair.Laplace, e.NoiseMultiplier)", "./account", "TestReplaceOneMovesTwoBounds"},
	{"losses rounded down", "account/internal/pld/cells.go", "up := min(max((p-odds*q)*whole, 0), p)", "up := min(max((p-odds*q)*whole, 0), p) * 0.99", "./account/internal/pld", "TestDiscretizeDominates"},
	{"divergences out of reach count as nothing", "account/divergence.go", "			values[k] = math.Inf(1)", "			values[k] = 0", "./account", "TestDivergencesOutOfReach"},
	{"a second plan on a ledger for one", "ledger/ledger.go", "if len(l.entries) > 0 {", "if false {", "./ledger", "TestSingleHoldsOnePlan"},
	{"replace-one charged once", "account/gdp.go", "return n.Movement() * math.Sqrt(square)", "return math.Sqrt(square)", "./account", "TestLaws"},
	{"ledger without limit", "ledger/ledger.go", "if !(cost.Upper <= l.limit.Epsilon()) {", "if false {", "./ledger", "TestReserveKeepsTheLimit"},
	{"grant that refills", "ledger/grant.go", "g.runs[0].count--", "_ = g", "./ledger", "TestGrantPaysEachReleaseOnceInOrder"},
	{"intercept outside the norm", "feature/map.go", "\tif m.Norm == NormUnit {\n\t\tm.normalize(dst)\n\t}\n", "", "./feature", "TestMapKeepsItsBounds"},
	{"rows that look at each other", "feature/map.go", "x[r*d:(r+1)*d])\n\t}\n}", "x[:d])\n\t}\n}", "./feature", "TestMapLooksAtOneRow"},
	{"gradients that look at each other", "train/fit.go", "residual[k] *= w", "residual[k] *= w * (1 + 1e-3*c.Coefficients[0])", "./train", "TestProposalsLookAtOneRecord"},
	{"certificate of other events", "certificate/certificate.go", `same("event", c.Event, want.Event, "the plan"),`, "", "./certificate", "TestVerifyRefusesEdits"},
	{"certificate of another model", "certificate/certificate.go", `same("SHA-256 of the model", c.ModelSHA256, Hash(model), "the model file"),`, "", "./certificate", "TestVerifyRefusesEdits"},
	{"errors that quote cells", "data/csv.go", `fmt.Sprintf("the row has %s", plural(len(cells), "cell"))`, `fmt.Sprintf("the row has %q", cells)`, "./cmd/dither", "TestTrainRefusals"},
	{"a record in the model file", "cmd/dither/train_artefacts.go", "modelText, err := m.Encode()", "if f.records != nil {\n\t\tm.Provenance.Program += fmt.Sprint(f.records.Column(0)[f.records.Records()-1])\n\t}\n\tmodelText, err := m.Encode()", "./cmd/dither", "TestTrainLeaksNoCell"},
	{"budget spent before the report is tried", "cmd/dither/train.go", "if err = t.rehearse(f); err != nil {", "if err = t.rehearse(f); err != nil && ctx == nil {", "./cmd/dither", "TestTrainSpendsNothingOnWhatCannotBeWritten"},
	{"private metrics in the summary", "cmd/dither/train_artefacts.go", "if f.test != nil && f.source.testPublic {", "if f.test != nil {", "./cmd/dither", "TestTrainTestTableNeedsAWord"},
}

// TestMutantsAreConvicted runs each mutant's test over its edit: it must compile, and the test
// must fail. That the tests pass without an edit is what the ordinary run shows.
func TestMutantsAreConvicted(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) { convict(t, m, overlay(t, m)) })
	}
}

// overlay writes the go tool's overlay of some edits, of different files, and returns its path.
func overlay(t *testing.T, edits ...mutant) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir, replace := t.TempDir(), map[string]string{}
	for _, m := range edits {
		text, err := os.ReadFile(m.file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), m.old); n != 1 {
			t.Fatalf("%s holds the text of the edit %d times, want once", m.file, n)
		}
		file := filepath.Join(dir, filepath.Base(m.file))
		if err = os.WriteFile(file, []byte(strings.Replace(string(text), m.old, m.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, m.file)] = file
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err = os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// oneKey makes every stream begin alike; it exists in this test alone.
var oneKey = mutant{file: "mechanism/internal/sample/stream.go", old: "rand.Read(key[:])", new: "_ = rand.Read"}

// TestReplayUnderOneKey runs the replay of package train with fixed streams: it must pass as the
// code stands, and fail when the divisor is taken from the records.
func TestReplayUnderOneKey(t *testing.T) {
	run := func(edits ...mutant) (string, error) {
		c := exec.Command("go", "test", "-tags", "long", "-count=1", "-overlay", overlay(t, edits...), "-run", "^TestReplay", "./train")
		c.Env = append(os.Environ(), "DITHER_TEST_REPLAY=1")
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := run(oneKey); err != nil {
		t.Errorf("the replay differs:\n%s", out)
	}
	for name, m := range map[string]mutant{
		"divisor from the number of records": {file: "train/fit.go", old: "divisor := r.ready.divisor", new: "divisor := float64(r.records)"},
		"one draw more for each record":      {file: "train/fit.go", old: "sample, err := r.samples.draw()", new: "sample, err := r.samples.draw()\n\tif len(weights) > 0 {\n\t\tweights[0] += 1e-12 * float64(r.records)\n\t}"},
	} {
		if out, err := run(oneKey, m); err == nil || !strings.Contains(out, "--- FAIL") {
			t.Errorf("%s: the replay passes: %v\n%s", name, err, out)
		}
	}
}

// convict wants the named test to fail, and by itself: not because something does not compile.
func convict(t *testing.T, m mutant, overlay string) {
	t.Helper()
	out, err := exec.Command("go", "test", "-short", "-count=1", "-overlay", overlay, "-run", "^"+m.test+"$", m.pkg).CombinedOutput()
	if err == nil {
		t.Errorf("%s passes over the fault", m.test)
	} else if !strings.Contains(string(out), "--- FAIL: "+m.test) {
		t.Errorf("%s did not fail by itself:\n%s", m.test, out)
	}
}

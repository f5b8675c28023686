package dither_test

import (
	"os"
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
	{"no clipping of one coefficient", "mechanism/sum.go", "(math.Abs(f) <= maxCoefficient) || !within(high, low, uint64(n2), limitHigh, limitLow) {", "(math.Abs(f) <= maxCoefficient) || !within(high, low, uint64(n2)/2, limitHigh, limitLow) {", "./mechanism", "TestOnesAreVerifiedAlike"},
	{"bound twice as large as charged", "mechanism/sum.go", "limitHigh, limitLow := bits.Mul64(uint64(bound), uint64(bound))", "limitHigh, limitLow := bits.Mul64(uint64(2*bound), uint64(2*bound))", "./mechanism", "TestNeighborsMoveTheSumByAtMostTheBound"},
	{"a record counted twice", "mechanism/tally.go", "if s.added[at/64]>>(at%64)&1 == 1 {", "if false {", "./mechanism", "TestSumRefusals"},
	{"a record in two parts of a group", "mechanism/group.go", "if err := g.merge(&o.tally); err != nil {\n\t\treturn err\n\t}\n\tg.flush()", "g.flush()", "./mechanism", "TestGroupRefusals"},
	{"a record in a group twice", "mechanism/group.go", "if err := g.mark(blocks[0].first, blocks[0].records, n); err != nil {", "if err := g.mark(blocks[0].first, blocks[0].records, 0); err != nil {", "./mechanism", "TestGroupIsItsSums"},
	{"a sum in a group and by itself", "mechanism/group.go", "s.sealed = true\n\t}\n\treturn newGroup", "_ = s\n\t}\n\treturn newGroup", "./mechanism", "TestGroupRefusals"},
	{"groups of a part of the records", "mechanism/group.go", "s.sample.drawn.member != nil || ", "", "./mechanism", "TestGroupRefusals"},
	{"records outside the sample", "mechanism/tally.go", "if !s.sample.has(at) {", "if at < 0 {", "./mechanism", "TestSampleIsObeyed"},
	{"coefficients in float32", "mechanism/sum.go", "dst[i*stride+k] = float64(v)", "dst[i*stride+k] = float64(float32(v))", "./mechanism", "TestFramedSumIsTheDenseSum"},
	{"integers that can overflow", "mechanism/grid.go", "if worst.BitLen() <= sumBits {", "if worst.BitLen() <= sumBits+2 {", "./mechanism", "TestGridKeepsItsPromises"},
	{"release without payment", "mechanism/pay.go", "if err := p.Pay(e); err != nil {\n\t\t\t\treturn err\n\t\t\t}", "_ = e", "./mechanism", "TestReleaseRefusals"},
	{"noise of another price", "mechanism/release.go", "b.state.grid.noise != n", "false", "./mechanism", "TestReleaseRefusals"},
	{"sampled steps priced as if full noise were amplified twice", "mechanism/sampling.go", "priced = PoissonSampled{s.probability, e}", "priced = PoissonSampled{s.probability / 2, e}", "./mechanism", "TestSampleIsObeyed"},
	{"a drawn sample released twice", "mechanism/pay.go", "if d.released.Swap(true) {", "if false {", "./mechanism", "TestASampleIsReleasedOnce"},
	{"joined sums charged as one", "mechanism/pay.go", "event, err := d.sampling.Price(together(noises))\n\tif err != nil {\n\t\treturn err\n\t}\n\tif d.released", "event, err := d.sampling.Price(noises[0])\n\tif err != nil {\n\t\treturn err\n\t}\n\tif d.released", "./mechanism", "TestJoinIsOneEvent"},
	{"parts out of turn", "mechanism/pay.go", "if r.next != d.part {", "if false {", "./mechanism", "TestPartitionPaysOnceARound"},
	{"one payment for all rounds", "mechanism/pay.go", "if d.part == 0 {", "if d.part == 0 && r.paid == \"\" {", "./mechanism", "TestPartitionPaysOnceARound"},
	{"products beyond the bound", "mechanism/product.go", "case largest <= maxRight && short:", "case largest <= maxRight:", "./mechanism", "TestProductsNeverExceedTheBound"},
	{"a block that is not measured", "mechanism/product.go", "s.parts[k].addNorm(&norm, i)", "if k > 0 {\n\t\t\t\ts.parts[k].addNorm(&norm, i)\n\t\t\t}", "./mechanism", "TestProductsNeverExceedTheBound"},
	{"records that are no numbers added", "mechanism/product_part.go", "clear(p.rights[i*n : (i+1)*n])", "_ = n", "./mechanism", "TestBadRecordsAddNothing"},
	{"a token that comes again measured apart", "mechanism/product_part.go", "len(p.tokens) == 0 || p.tokens[len(p.tokens)-1] != index[k]", "true", "./mechanism", "TestProductsNeverExceedTheBound"},
	{"vectors beyond their norm", "mechanism/norm.go", "if sum += max(v, -v); sum > bound {", "if sum += max(v, -v); sum > 2*bound {", "./mechanism", "TestVectorsNeverExceedTheBound"},
	{"centered rows with the norm of plain ones", "mechanism/frame.go", "y2 += out.beta*out.beta*f.square - 2*(out.beta<<f.bits)*dot", "_ = dot", "./mechanism", "TestFramedSumIsTheDenseSum"},
	{"measures of what a file held before", "mechanism/pass.go", "own.measures = r.frame.newMeasures(n, own.measures)\n\tr.frame.measureAll(own.measures, own.x)\n\treturn own.measures", "if len(own.measures.n2) != n {\n\t\town.measures = r.frame.newMeasures(n, own.measures)\n\t\tr.frame.measureAll(own.measures, own.x)\n\t}\n\treturn own.measures", "./mechanism", "TestChangedFileKeepsTheBound"},
	{"intercepts without a norm", "mechanism/frame.go", "out.n2 = y2 + out.tail*out.tail", "out.n2 = y2", "./mechanism", "TestFramedSumIsTheDenseSum"},
	{"whole numbers that float64 rounds", "mechanism/whole.go", "const wholeLimit = 1 << 53", "const wholeLimit = 1 << 62", "./mechanism", "TestFramedSumIsTheDenseSum"},
	{"center subtracted once", "mechanism/frame.go", "v -= betas[k] * f.m[j]", "v -= min(betas[k], 1) * f.m[j]", "./mechanism", "TestFramedSumIsTheDenseSum"},
	{"discrete noise of half the scale", "mechanism/noise.go", "return uint64(math.Ldexp(scale, scaleBits)), 1 << scaleBits, nil", "return uint64(math.Ldexp(scale, scaleBits)), 2 << scaleBits, nil", "./mechanism", "TestEveryNoiseIsReleased"},
	{"zero twice as likely", "mechanism/internal/sample/laplace.go", "case magnitude != 0:", "default:", "./mechanism/internal/sample", "TestDiscreteLaplaceLaw"},
	{"discrete gaussian with laplace tails", "mechanism/internal/sample/discretegaussian.go", "if s.halfSquareCoin(max(product, a)-min(product, a), a) {", "if s.halfSquareCoin(max(product, a)-min(product, a), a) || product > a {", "./mechanism/internal/sample", "TestDiscreteGaussianLaw"},
	{"maximum norm without rejection", "mechanism/internal/sample/knorm.go", "if s.radiusKept(r, dimension) {", "if s.radiusKept(r, dimension) || r > 0 {", "./mechanism/internal/sample", "TestLInfinityLaw"},
	{"batches of fixed size", "mechanism/internal/sample/poisson.go", "if u < head || u == head && s.Word()>>chunk < tail {", "if _ = tail; uint64(i)*head>>chunk != uint64(i+1)*head>>chunk {\n\t\t\t\t_ = u", "./mechanism/internal/sample", "TestPoissonSizesVary"},
	{"sampling probability too high", "mechanism/internal/sample/poisson.go", "u < head ||", "u <= head ||", "./mechanism/internal/sample", "TestPoissonCounts"},
	{"empty samples skipped", "train/descent.go", "sum, err := r.newSum(sample)", "if len(sample.Indices()) == 0 {\n\t\treturn mechanism.Noisy{}, nil\n\t}\n\tsum, err := r.newSum(sample)", "./train", "TestEmptySamplesTrain"},
	{"count without noise", "train/prepare.go", "out.divisor, err = query.Count(terms, t.records)", "_, err = query.Count(terms, t.records)\n\t\tout.divisor = float64(t.records)", "./train", "TestFitIsRandomAndPaid"},
	{"preparation not charged", "train/plan.go", "s = append(s, statistic.event(p))", "_ = statistic", "./train", "TestPlanEventFollowsThePreparation"},
	{"choices with twice the epsilon", "mechanism/choose.go", "uint64(s.unit) << (epsilonBits + 1)", "uint64(s.unit) << epsilonBits", "./mechanism", "TestChoicesHaveTheirLaws"},
	{"choices for nothing", "mechanism/choose.go", "if err := s.state.sample.drawn.pay(p, []Event{c}); err != nil {", "if err := error(nil); err != nil {", "./train", "TestLearningIsPaidInOrder"},
	{"the best candidate always", "mechanism/choose.go", "return s.BernoulliExp(whole, 1) && s.BernoulliExp(rest, e.denominator)", "_, _ = whole, rest\n\treturn e.loss[i] == e.least", "./mechanism", "TestChoicesHaveTheirLaws"},
	{"coordinates beyond their bound", "mechanism/scoresum.go", "limit := s.delta() / peak", "limit := s.delta()/peak + 1", "./mechanism", "TestScoresMoveByAtMostOne"},
	{"intercepts without a bound", "mechanism/scoresum.go", "max(own<<r.frame.bits, b.tail(i))", "own << r.frame.bits", "./mechanism", "TestScoresMoveByAtMostOne"},
	{"differences of losses beyond their norm", "erm/zeroth_run.go", "Bound: r.plan.ClippingNorm, MaxRecords", "Bound: 2 * r.plan.ClippingNorm, MaxRecords", "./erm", "TestNeighborsMoveDifferencesByAtMostTheNorm"},
	{"names without a threshold for delta", "mechanism/discovery.go", "math.Ldexp(tail(delta), int(g.bits))", "math.Ldexp(0*tail(delta), int(g.bits))", "./mechanism", "TestSingleRecordsAreSeldomFound"},
	{"names without noise", "mechanism/discovery.go", "if err = t.Noise.draw(noise, g); err != nil {", "if err = error(nil); err != nil {", "./mechanism", "TestSingleRecordsAreSeldomFound"},
	{"thresholds not charged", "train/learnplan.go", "return statistic.discovery().Events()", "return statistic.discovery().Events()[:1]", "./train", "TestFitLearnsBoundsAndLevels"},
	{"one bound charged for two", "train/learnplan.go", "Event: statistic.choice(), Count: statistic.Numbers", "Event: statistic.choice(), Count: statistic.Numbers - 1", "./train", "TestFitLearnsBoundsAndLevels"},
	{"encoded tables beyond the declared bound", "train/table.go", "case own.records > s.Plan.MaxRecords || places", "case places", "./train", "TestTableRefusals"},
	{"persons that are other persons' rows", "train/learn.go", "if r.persons == nil {\n\t\tif has(record) {", "if true {\n\t\tif has(record) {", "./train", "TestOneRecordIsOneValue"},
	{"a model as wide as what was found", "feature/encoder.go", "for i := taken; i < c.Slots(); i++ {", "for i := taken; i < taken; i++ {", "./train", "TestWidthFollowsTheSchema"},
	{"bounds and levels of the held-out records", "train/holdout.go", "s.begin(l, d.Take(trained), o.FeatureBits)", "s.begin(l, d.Take(append(trained, held...)), o.FeatureBits)", "./train", "TestHeldOutRecordsAreNotLearnedFrom"},
	{"learned bounds that nobody paid for", "train/learncheck.go", "if _, unpaid := columns[c.Name]; unpaid {", "if false {", "./train", "TestCheckLearnedFindsWhatIsUnpaid"},
	{"texts that are kept after levels were learned", "data/learning.go", "delete(out.groups, to.Name)", "_ = out", "./data", "TestUnderIsReadingAgain"},
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
	{"gradients that look at each other", "train/descent.go", "c.Coefficients[i] = v * clip.weight(b.Norm(i)*math.Abs(v))", "c.Coefficients[i] = v * clip.weight(b.Norm(i)*math.Abs(v)) * (1 + 1e-3*c.Coefficients[0])", "./train", "TestProposalsLookAtOneRecord"},
	{"the noise of another step", "train/noise.go", "return p.noise(p.NoiseMultipliers[step])", "return p.noise(p.NoiseMultipliers[len(p.NoiseMultipliers)-1-step])", "./train", "TestScheduledNoiseIsWhatIsDrawn"},
	{"weights outside of their ball", "train/descent.go", "r.Plan.Clipping.project(r.weights)", "_ = r", "./train", "TestWeightsStayInTheBall"},
	{"a ball that bounds no score", "train/clipping.go", "for _, score := range []float64{-limit, limit} {", "for _, score := range []float64{0} {", "./train", "TestOneRecordMovesTheSumByTheBound"},
	{"a last iterate nobody paid for", "mechanism/lastiterate.go", "if err = p.Pay(l); err != nil {", "if err != nil {", "./mechanism", "TestRunPaysOnceBeforeItDraws"},
	{"rounding of steps not charged", "mechanism/lastiterate.go", "g.bound -= int64(math.Ceil(slack))", "_ = slack", "./mechanism", "TestRecordReachesTheCharge"},
	{"columns cut one by one at the whole norm", "mechanism/recursion.go", "mostOf(n2, p.Columns, p.grid.bound)", "mostOf(n2, 1, p.grid.bound)", "./mechanism", "TestStepKeepsItsPromise"},
	{"long rows in a smooth objective", "mechanism/recursion.go", "if n2 == 0 || math.Sqrt(float64(n2))*p.RowStep > p.RowBound {", "if n2 == 0 {", "./mechanism", "TestRecordReachesTheCharge"},
	{"iterates without noise", "mechanism/lastiterate.go", "saturatingAdd(next[j], -noise[j])", "saturatingAdd(next[j], -noise[j]*int64(step%2))", "./mechanism", "TestLastIterateLaw"},
	{"a contraction from nowhere", "train/lastiterate.go", "if c != p.LastIterate.Contraction {", "if false {", "./train", "TestLastIteratePlan"},
	{"momentum behind a hidden state", "train/lastiterate.go", "plain := o.Momentum == 0 && ", "plain := ", "./train", "TestLastIterateRequestRefusals"},
	{"certificate of other events", "certificate/certificate.go", `same("event", c.Event, want.Event, "the plan"),`, "", "./certificate", "TestVerifyRefusesEdits"},
	{"certificate of another model", "certificate/certificate.go", `, same("SHA-256 of the model", c.ModelSHA256, Hash(model), "the model file"))`, ")", "./certificate", "TestVerifyRefusesEdits"},
	{"errors that quote cells", "data/csvpart.go", "if !p.accept(line, bytes.Count(row, []byte{p.plan.delimiter})+1) {", "if !p.accept(line, bytes.Count(row, []byte{p.plan.delimiter})+1) {\n\t\tif p.err != nil {\n\t\t\tp.err = ragged(string(row), line, 1, 1)\n\t\t}", "./cmd/dither", "TestTrainRefusals"},
	{"a record in the model file", "cmd/dither/train_artefacts.go", "modelText, err := m.Encode()", "if f.records != nil {\n\t\tm.Provenance.Program += fmt.Sprint(f.records.Column(0)[f.records.Records()-1])\n\t}\n\tmodelText, err := m.Encode()", "./cmd/dither", "TestTrainLeaksNoCell"},
	{"budget spent before the report is tried", "cmd/dither/train.go", "if err = t.rehearse(f); err != nil {", "if err = t.rehearse(f); err != nil && ctx == nil {", "./cmd/dither", "TestTrainSpendsNothingOnWhatCannotBeWritten"},
	{"private metrics in the summary", "cmd/dither/train_artefacts.go", "if f.test != nil && f.source.testPublic {", "if f.test != nil {", "./cmd/dither", "TestTrainTestTableNeedsAWord"},
	{"scores over half of what a record moves", "mechanism/ranks.go", "unit: max(a, maxUnit-a) * int64(r.o.rows())}", "unit: max(a, maxUnit-a)}", "./mechanism", "TestQuantileScoresMoveByOne"},
	{"ranks of all rows of a record", "mechanism/ranks.go", "points[:min(len(points), r.o.rows())]", "points", "./mechanism", "TestQuantileScoresMoveByOne"},
	{"replaced entries charged as added ones", "mechanism/ranks.go", "s.unit = maxUnit\n", "s.unit = max(a, maxUnit-a)\n", "./mechanism", "TestQuantileScoresMoveByOne"},
	{"choices at twice the epsilon", "mechanism/choose.go", "uint64(s.unit) << (epsilonBits + 1)", "uint64(s.unit) << epsilonBits", "./mechanism", "TestChoicesHaveTheirLaws"},
	{"choice without payment", "mechanism/choose.go", "if err := s.state.sample.drawn.pay(p, []Event{c}); err != nil {", "if err := error(nil); err != nil {", "./mechanism", "TestChoiceRefusals"},
	{"the best candidate always", "mechanism/choose.go", "if i := int(s.Below(uint64(len(e.loss)))); e.coin(s, i) {", "if i := int(s.Below(uint64(len(e.loss)))); e.loss[i] == e.least {", "./mechanism", "TestChoicesHaveTheirLaws"},
	{"names of all rows of a record", "mechanism/discovery.go", "names[:min(int64(len(names)), d.terms.rows())]", "names", "./mechanism", "TestOneRecordMovesCountsByItsRows"},
	{"threshold for one row", "mechanism/discovery.go", "max(k*one+beyond(t.Delta), one+beyond(t.Delta/float64(k)))", "one+beyond(t.Delta/float64(k))", "./mechanism", "TestNamesOfOneRecordPassSeldom"},
	{"threshold for one name", "mechanism/discovery.go", "max(k*one+beyond(t.Delta), one+beyond(t.Delta/float64(k)))", "k*one+beyond(t.Delta)", "./mechanism", "TestNamesOfOneRecordPassSeldom"},
	{"names without noise", "mechanism/discovery.go", "v := saturatingAdd(d.counts[name]*t.row(g), noise[i])", "v := saturatingAdd(d.counts[name]*t.row(g), 0*noise[i])", "./mechanism", "TestSingleRecordsAreSeldomFound"},
	{"names without their threshold's delta", "mechanism/discovery.go", "Delta: t.Delta, Neighboring", "Delta: 0, Neighboring", "./mechanism", "TestFrequentNamesAreFoundInOrder"},
	{"persons bounded as rows", "query/tabulate.go", "Bound: bound * float64(c.Records.most)", "Bound: bound * max(1, float64(c.Records.most)) / 2", "./query", "TestNeighborsMoveEveryStatisticByAtMostItsCharge"},
	{"answers of persons with the noise of a row", "query/price.go", "return int64(rows), nil", "return 1, nil", "./query", "TestAnswersAboutPersons"},
	{"rows of a person beyond the bound", "query/person.go", "rows[:min(len(rows), r.most)]", "rows", "./query", "TestPersonsOfCodes"},
	{"undeclared persons are one", "query/person.go", "code < 0 || int(code) >= known ||", "code < 0 ||", "./query", "TestPersonsOfCodes"},
	{"moments of persons bounded as rows", "query/moments.go", "bound := float64(dim * r.most)", "bound := float64(dim)", "./query", "TestNeighborsMoveEveryStatisticByAtMostItsCharge"},
	{"a row in every block", "query/aggregate.go", "for _, record := range records {\n\t\tr.each", "for record := range r.Len() {\n\t\t_ = records\n\t\tr.each", "./query", "TestNeighborsMoveEveryStatisticByAtMostItsCharge"},
	{"evaluation of all rows of a person", "evaluate/release.go", "rows[:min(len(rows), p.Person.MaxRows)]", "rows", "./evaluate", "TestNeighborsMoveByAtMostTheBound"},
	{"clipping each row of a person", "train/person.go", "if w := r.Plan.Clipping.weight(linalg.Norm(g)); w != 1 {", "if w := r.Plan.Clipping.weight(linalg.Norm(g)); w > 1 {", "./train", "TestPersonsLookAtThemselves"},
	{"a group at delta 0 charged as one record", "account/group.go", "return k * one * (1 + 1e-15), nil", "return one, nil", "./certificate", "TestPureIsPricedWithoutDelta"},
	{"records counted twice in a group", "mechanism/group.go", "if err := g.mark(blocks[0].first, blocks[0].records, n); err != nil {", "if err := error(nil); err != nil {", "./mechanism", "TestGroupRefusals"},
	{"sums of a group over other records", "mechanism/group.go", "return a.first == b.first", "return true", "./mechanism", "TestGroupTakesOneRecordsRows"},
	{"groups merged with records in common", "mechanism/group.go", "if err := g.merge(&o.tally); err != nil {", "if err := error(nil); err != nil {", "./mechanism", "TestGroupRefusals"},
	{"a minimizer said to move half as far", "mechanism/minimize.go", "return (p.GradientBound() + 2*p.Tolerance(dim, 0)) / p.Ridge", "return (p.GradientBound() + 2*p.Tolerance(dim, 0)) / (2 * p.Ridge)", "./mechanism", "TestMinimizeSensitivityIsReached"},
	{"a search that ends early", "mechanism/minimize_gradient.go", "linear) <= m.tolerance", "linear) <= 1e9*m.tolerance", "./mechanism", "TestMinimizeFindsTheMinimum"},
	{"rows beyond the radius", "mechanism/minimize_gradient.go", "!(norm <= radius) {", "false {", "./mechanism", "TestRowsBeyondTheRadiusAreShortened"},
	{"labels that are none", "mechanism/loss.go", "y < float64(max(2, len(z))))", "y < float64(max(3, len(z))))", "./mechanism", "TestLabelsThatAreNoneContributeNothing"},
	{"half of the linear term", "mechanism/objective.go", "return e.NoiseMultiplier * p.Radius * (1 + 0x1p-50)", "return e.NoiseMultiplier * p.Radius / 2", "./mechanism", "TestObjectiveFollowsItsLaw"},
	{"one head paid for all", "mechanism/objective.go", "for range p.Columns {", "for range min(1, p.Columns) {", "./mechanism", "TestObjectivePaysForEveryHeadBeforeItDraws"},
	{"objectives without a proof", "mechanism/objective.go", "if p.Loss.kind != lossLogistic && p.Loss.kind != lossOneVsRest {", "if p.Loss.kind == 0 {", "./mechanism", "TestObjectiveRefusals"},
	{"descent said to move half as far", "mechanism/descend.go", "moved := d.Rate * d.Problem.GradientBound()", "moved := d.Rate * d.Problem.GradientBound() / 2", "./mechanism", "TestGradientDescentSensitivity"},
	{"descent at rates that drive apart", "mechanism/descend.go", "return 2 / (2*d.Problem.Ridge + float64(d.Problem.MaxRecords)*d.Problem.Curvature())", "return 8 / (2*d.Problem.Ridge + float64(d.Problem.MaxRecords)*d.Problem.Curvature())", "./mechanism", "TestDescentRefusals"},
	{"a record counted in one pass alone", "mechanism/descend.go", "ofBatch[t%batches] += rate * kept", "ofBatch[t%batches] = rate * kept", "./mechanism", "TestPermutedDescentSensitivity"},
	{"losses said to move half as far", "mechanism/candidates.go", "loss: l.total, unit: maxUnit / 2}", "loss: l.total, unit: maxUnit / 4}", "./mechanism", "TestLossesAreChosenByTheirLaw"},
	{"losses without an end", "mechanism/candidates.go", "math.Round(min(1, v) * maxUnit)", "math.Round(min(1e6, v) * maxUnit)", "./mechanism", "TestLossesMoveByOneBound"},
	{"a smoothness without the square", "erm/objective.go", "base.Curvature() / o.Ridge * (1 + 0x1p-40)", "base.Curvature() / o.Ridge / 2", "./erm", "TestMethods"},
	{"a mean for nothing", "erm/center.go", "return mechanism.Sequence{p.centerNoise(), e}", "return e", "./erm", "TestCenterIsReleasedAndPaid"},
	{"batches in an order under another relation", "erm/solver.go", "if p.Neighboring != privacy.ReplaceOne {", "if !p.Neighboring.Valid() {", "./erm", "TestMethodRefusals"},
	{"a step of Newton's said to move half as far", "mechanism/newton.go", "exact := s.Curvature / (s.Ridge * (s.Ridge + s.Curvature))", "exact := s.Curvature / (s.Ridge * (s.Ridge + s.Curvature)) / 2", "./mechanism", "TestNewtonStepMovesByAtMostTheBound"},
	{"a step of Newton's over longer rows", "mechanism/newton.go", "rows.step != o.Step || rows.limit != o.Limit", "false", "./mechanism", "TestNewtonStepRefuses"},
	{"a diagnosis that pays for noise", "erm/diagnose.go", "if _, exact := e.(mechanism.NonPrivate); !exact {", "if e == nil {", "./erm", "TestDiagnosisPaysForNothing"},
	{"a plan with a smaller sensitivity", "erm/output.go", "if p.Output.Sensitivity != want {", "if p.Output.Sensitivity < 0 {", "./erm", "TestPlansAreHeldToTheirNumbers"},
}

// oneKey makes every stream begin alike; it exists in this test alone.
var oneKey = mutant{file: "mechanism/internal/sample/stream.go", old: "rand.Read(key[:])", new: "_ = rand.Read"}

// ofRecords are faults that make a run depend on records that were not drawn.
var ofRecords = []mutant{
	{name: "divisor from the number of records", file: "train/descent.go", old: "divisor := weighted * s.Plan.Share()", new: "divisor := float64(records) * s.Plan.Share()"},
	{name: "one draw more for each record", file: "train/descent.go", old: "sample, err := r.samples.draw()", new: "sample, err := r.samples.draw()\n\tif len(r.weights) > 0 {\n\t\tr.weights[0] += 1e-12 * float64(r.rows.Len())\n\t}"},
}

// TestMutantsApply holds the edits to the sources as they are now; TestMutantsAreConvicted, a longer
// test, makes them.
func TestMutantsApply(t *testing.T) {
	for _, m := range append(append([]mutant{oneKey}, ofRecords...), mutants...) {
		text, err := os.ReadFile(m.file)
		if n := strings.Count(string(text), m.old); err != nil || n != 1 {
			t.Errorf("%s: %s holds the text of the edit %d times, want once: %v", m.name, m.file, n, err)
		}
	}
}

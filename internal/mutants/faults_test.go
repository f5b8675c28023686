package mutants

import (
	"os"
	"strings"
	"testing"
)

// These are the files that faults are in.
const (
	gaussian  = "internal/release/internal/sample/gaussian.go"
	stream    = "internal/release/internal/sample/stream.go"
	poisson   = "internal/release/internal/sample/poisson.go"
	subset    = "internal/release/internal/sample/subset.go"
	releasing = "internal/release/release.go"
	grid      = "internal/release/grid.go"
	norm      = "internal/release/norm.go"
	discrete  = "internal/release/draw_other.go"
	sampling  = "internal/release/sample.go"
	choose    = "internal/release/choose.go"
	series    = "internal/release/series.go"
	descent   = "train/descent.go"
	person    = "train/person.go"
)

// fault is a fault of privacy and what convicts it.
type fault struct {
	name  string
	edits []Edit
	// by is a section of the audit that is refuted, or a text of the error that ends the audit, or a
	// package and its test.
	by string
	// effort is that of the audit; 0 is defaultEffort.
	effort float64
}

// lastWords is the statement that rounds a number of Gaussian noise to the grid.
const lastWords = "dst[i] = (v + half) >> shift"

// one is a fault of one edit.
func one(name, by, file, before, after string) fault {
	return fault{name: name, by: by, edits: []Edit{{file, before, after}}}
}

// These are sections of the audit, and texts of the errors that end it.
const (
	vectors  = "sum of vectors, gaussian"
	pieces   = "sum of layers, gaussian"
	inSeries = "series of correlated noise"
	poissons = "poisson samples"
	descents = "descent, all records, epsilon 8"
	checked  = "the check of a computation failed"
	refused  = "ledger: "
	twice    = "release: "
)

// faults are those that other systems had, or that this one could get.
var faults = []fault{
	// The scale and the distribution of noise.
	one("noise divided by the square root of 2", vectors, gaussian, lastWords, "dst[i] = (int64(float64(v)*0.70710678118654752) + half) >> shift"),
	one("noise 5 % too small", vectors, gaussian, lastWords, "dst[i] = (v - v/20 + half) >> shift"),
	one("noise for the mean of 256 records added to their sum", vectors, releasing, "saturatingAdd(v, noise[j])", "saturatingAdd(v, noise[j]/256)"),
	one("noise for a quarter of the clipping bound", vectors, grid, "delta := floorRatio(b, multiplier)", "delta := floorRatio(b, multiplier/4)"),
	one("noise multiplier 1 instead of the priced one", inSeries, grid, "delta := floorRatio(b, multiplier)", "delta := floorRatio(b, min(1, multiplier))"),
	one("noise not scaled by the clipping bound", "./internal/release TestNoiseHasThePricedScale", "internal/release/sum.go", "unit: s.bound / float64(s.limit<<s.rows.shift)", "unit: 1 / float64(s.limit<<s.rows.shift)"),
	one("uniform noise of the same variance", vectors, gaussian, lastWords, "_, _ = v, half\n\t\tdst[i] = int64(float64(int64(s.Word())) * 0x1p-63 * 1.7320508075688772 * float64(uint64(1)<<gridBits))"),
	one("Laplace noise of the same variance", vectors, gaussian, lastWords, "_, _ = v, half\n\t\tdst[i] = s.laplace(uint64(0.70710678118654752*float64(uint64(1)<<gridBits)), 1)"),
	one("noise that is never negative", vectors, gaussian, "l, negative := meta&(layerCount-1), -int64(meta>>layerBits&1)", "l, negative := meta&(layerCount-1), int64(0)"),
	{name: "noise truncated at 4 standard deviations", by: vectors, effort: 0.1, edits: []Edit{{gaussian, lastWords, "dst[i] = max(-4<<gridBits, min(4<<gridBits, (v+half)>>shift))"}}},
	one("low bits of the noise that are always 1", vectors, gaussian, lastWords, "dst[i] = (v+half)>>shift | 15"),
	one("low bits of the noise that are always 0", inSeries, gaussian, lastWords, "dst[i] = (v + half) >> shift &^ 15"),
	one("L1 noise of half the scale", "sum of vectors, l1", norm, "stream.DiscreteLaplace(dst, scale, 1)", "stream.DiscreteLaplace(dst, scale/2, 1)"),
	one("L-infinity noise of half the scale", "one number, l-infinity", norm, "stream.LInfinity(dst, scale, 1)", "stream.LInfinity(dst, scale/2, 1)"),
	one("L2 noise of half the scale", "one number, l2", norm, "stream.RoundedL2(dst, scale, 1)", "stream.RoundedL2(dst, scale/2, 1)"),
	one("discrete Gaussian noise of half the scale", "one integer, discrete gaussian", discrete, "DiscreteGaussian(dst, numerator, denominator)", "DiscreteGaussian(dst, numerator, 2*denominator)"),
	one("discrete Laplace noise of half the scale", "one integer, discrete laplace", discrete, "DiscreteLaplace(dst, numerator, denominator)", "DiscreteLaplace(dst, numerator, 2*denominator)"),

	// Numbers without noise, and noise that is not fresh.
	one("no noise", vectors, releasing, "drawNoise(noise, b.grid)", "error(nil)"),
	one("half of the coordinates without noise", vectors, releasing, "drawNoise(noise, b.grid)", "drawNoise(noise[:(len(noise)+1)/2], b.grid)"),
	one("one noise value for all coordinates", vectors, releasing, "saturatingAdd(v, noise[j])", "saturatingAdd(v, noise[0])"),
	one("a constant key, so the same noise in every step", vectors, stream, "rand.Read(key[:])", "_ = rand.Read"),
	{name: "a key computed from the time in seconds", by: vectors, edits: []Edit{{stream, "\t\"math/bits\"\n", "\t\"math/bits\"\n\t\"time\"\n"}, {stream, "rand.Read(key[:])", "_ = rand.Read\n\tbinary.LittleEndian.PutUint64(key[:], uint64(time.Now().Unix()))"}}},
	{name: "two noise streams with one key", by: vectors, edits: []Edit{{stream, "\t\"math/bits\"\n", "\t\"math/bits\"\n\t\"sync\"\n"},
		{stream, "func NewStream() *Stream {", "var last struct {\n\tsync.Mutex\n\tcount int\n\tkey [keySize]byte\n}\n\nfunc NewStream() *Stream {"},
		{stream, "rand.Read(key[:])", "last.Lock()\n\tif last.count++; last.count%2 == 1 {\n\t\trand.Read(last.key[:])\n\t}\n\tkey = last.key\n\tlast.Unlock()"}}},
	{name: "the same keys in every process", by: "releases of other processes", edits: []Edit{{stream, "\t\"math/bits\"\n", "\t\"math/bits\"\n\t\"sync/atomic\"\n"},
		{stream, "func NewStream() *Stream {", "var count atomic.Uint64\n\nfunc NewStream() *Stream {"},
		{stream, "rand.Read(key[:])", "_ = rand.Read\n\tbinary.LittleEndian.PutUint64(key[:], count.Add(1))"}}},
	one("the same noise in each piece of a release", pieces, releasing, "room[:end-first])\n", "room[:end-first])\n\t\t\tfor j := first; j < end && k > from; j++ {\n\t\t\t\tfirstOne := from*piece + j - first\n\t\t\t\tvalues[j] = values[firstOne] + float64(b.values[j]-b.values[firstOne])*b.unit\n\t\t\t}\n"),
	one("noise values in pairs v and −v", vectors, gaussian, lastWords, "if dst[i] = (v + half) >> shift; i%2 == 1 {\n\t\t\tdst[i] = -dst[i-1]\n\t\t}"),
	one("each noise value correlated with the previous value", vectors, gaussian, lastWords, "if dst[i] = (v + half) >> shift; i > 0 {\n\t\t\tdst[i] = int64(0.8*float64(dst[i])) + int64(0.6*float64(dst[i-1]))\n\t\t}"),
	// Words taken ahead of a refill, with a buffer of 2,048 words: two of some 200,000 numbers share one.
	{name: "random words read after their buffer was refilled", by: vectors, effort: 1, edits: []Edit{
		{stream, "bufferWords = 512", "bufferWords = 2048"},
		{gaussian, "\t\"math/big\"\n", "\t\"encoding/binary\"\n\t\"math/big\"\n"},
		{gaussian, "meta := s.Word()\n\tfor i := range dst {", "if s.next+8*(1+len(dst)) > len(s.buffer) {\n\t\ts.refill()\n\t}\n\tbase := s.next\n\ts.next += 8 * (1 + len(dst))\n\tmeta := binary.LittleEndian.Uint64(s.buffer[base:])\n\tfor i := range dst {"},
		{gaussian, "point, rest := bits.Mul64(s.Word(), box.width)\n", "point, rest := bits.Mul64(binary.LittleEndian.Uint64(s.buffer[base+8*(1+i):]), box.width)\n"}}},
	{name: "correlated noise that is the same in every step", by: inSeries, edits: []Edit{
		{series, "// release adds noise to the rows", "var kept = map[*seriesPart][]float64{}\n\n// release adds noise to the rows"},
		{series, "\t\treleased[k] = noisy\n", "\t\tif kept[p] == nil {\n\t\t\tkept[p] = make([]float64, len(row))\n\t\t\tfor j := range row {\n\t\t\t\tkept[p][j] = noisy[j] - float64(row[j])\n\t\t\t}\n\t\t}\n\t\tfor j := range row {\n\t\t\tnoisy[j] = float64(row[j]) + kept[p][j]\n\t\t}\n\t\treleased[k] = noisy\n"}}},
	one("correlated noise scaled for a single step", inSeries, series, "math.Sqrt(float64(p.matrix.square()))", "math.Sqrt(float64(min(1, p.matrix.square())))"),

	// Samples.
	one("batches of fixed size, priced as Poisson samples", poissons, sampling, "d.take(sample.NewStream().Poisson(nil, records, threshold(e.Probability)))", "d.take(sample.NewStream().Subset(records, int(float64(records)*e.Probability)))"),
	{name: "records taken in turn, priced as Poisson samples", by: poissons, edits: []Edit{{sampling, "func threshold(", "var turn int\n\nfunc inTurn(records int, q float64) (all []int) {\n\tturn++\n\tfor i := range records {\n\t\tif (i+turn)%int(1/q) == 0 {\n\t\t\tall = append(all, i)\n\t\t}\n\t}\n\treturn all\n}\n\nfunc threshold("},
		{sampling, "d.take(sample.NewStream().Poisson(nil, records, threshold(e.Probability)))", "d.take(inTurn(records, e.Probability))"}}},
	one("records sampled with twice the probability", poissons, sampling, "math.Floor(math.Ldexp(q, 64))", "math.Floor(math.Ldexp(min(2*q, 0.999), 64))"),
	one("a record that is in no sample", "large poisson samples", poisson, "if u < head ||", "if i == 77 {\n\t\t\t\tcontinue\n\t\t\t}\n\t\t\tif u < head ||"),
	one("a record that is in every sample", "large poisson samples", poisson, "if u < head ||", "if i == 0 || u < head ||"),
	one("a record that is in no batch", "large samples of fixed size", subset, "indices = append(indices, i)\n", "if i == 7 {\n\t\t\ti = n - 1\n\t\t}\n\t\tindices = append(indices, i)\n"),
	one("records assigned to groups almost in turn", "./internal/release TestGroupsOfRecordsAreIndependent", "internal/release/divide.go", "k := stream.Below(uint64(groups))", "k := (uint64(i) + stream.Below(3)/2) % uint64(groups)"),

	// Choices.
	one("one candidate proposed twice as often", "choice, exponential", choose, "int(s.Below(uint64(len(e.loss)))); e.coin", "int(s.Below(uint64(len(e.loss)+1))) % len(e.loss); e.coin"),
	one("the best candidate always chosen", "choice, exponential", choose, "int(s.Below(uint64(len(e.loss)))); e.coin(s, i) {", "int(s.Below(uint64(len(e.loss)))); e.loss[i] == e.least {"),
	one("candidates not permuted", "choice, permute and flip", choose, "other := at + int(s.Below(uint64(len(order)-at)))", "other := at + 0*int(s.Below(uint64(len(order)-at)))"),
	one("choices at twice the epsilon", "choice, exponential", choose, "uint64(s.unit) << (epsilonBits + 1)", "uint64(s.unit) << epsilonBits"),

	// What a record adds.
	one("contributions above the bound accepted", "./internal/release TestContributionsNeverExceedTheBound", "internal/release/check.go", "(middle < limitHigh || middle == limitHigh && low <= limitLow)", "(middle < limitHigh || true || low <= limitLow)"),
	{name: "no clipping and no check of the bound", by: descents, edits: []Edit{{"train/clipping.go", "kernel.ClipRows(of.Coefficients, norms, c.Norm)", "_ = norms"},
		{"internal/release/round.go", "limitHigh, limitLow := bits.Mul64(uint64(bound), uint64(bound))", "limitHigh, limitLow := bits.Mul64(uint64(bound)<<8, uint64(bound)<<8)"},
		{"internal/release/round.go", "s.scales.of(s, b), b.n2, s.limit)", "s.scales.of(s, b), b.n2, s.limit<<8)"},
		{"internal/release/check.go", "return limit * limit * (1", "return 0x1p80 * limit * limit * (1"}}},
	one("a record counted twice", twice, "train/neural/worker.go", "if err = w.sums.products[k].Add(records, own, w.weights[:n]); err != nil {", "_ = w.sums.products[k].Add(records, own, w.weights[:n])\n\t\tif err = w.sums.products[k].Add(records, own, w.weights[:n]); err != nil {"),
	one("one person's rows clipped separately", "./train TestPersonsLookAtThemselves", person, "if w := r.Plan.Clipping.weight(kernel.Norm(g)); w != 1 {", "if w := r.Plan.Clipping.weight(kernel.Norm(g)); w > 1 {"),
	one("the norm of a record without its intercept", "./internal/kernel TestMeasureUnits", "internal/kernel/records_seen.go", "return y2 + int64(t)*int64(t)", "return y2 + 0*int64(t)"),
	one("wrong scores in the kernels of one processor level", "sums and scores", "internal/kernel/rows_portable.go", "sums[l], sums[l+1], sums[l+2], sums[l+3] = s0, s1, s2, s3", "sums[l], sums[l+1], sums[l+2], sums[l+3] = s0, s1, s2, s2+s3-s2"),
	one("wrong sums in the kernels of one processor level", checked, "internal/kernel/rows_portable.go", "dst[j] += int64(v)", "dst[j] += int64(v) &^ 1"),

	// What is paid and priced.
	one("25 % more steps than priced", refused, descent, "for step := range r.Plan.Steps {", "for step := range r.Plan.Steps * 5 / 4 {"),
	one("steps with half the priced noise", refused, "train/noise.go", "return p.noise(p.NoiseMultiplier)\n", "return p.noise(p.NoiseMultiplier / 2)\n"),
	{name: "replace-one priced as add-or-remove-one", by: "descent, replace-one", effort: 0.3, edits: []Edit{{"account/gdp.go", "return n.Movement() * math.Sqrt(square)", "return math.Sqrt(square)"}}},
	one("a release without payment", "./internal/release TestReleasePaysBeforeAndPriceIsTheNoise", releasing, "if err := pay(p); err != nil {", "if err := error(nil); pay == nil && err != nil {"),
}

// convictedBy says in words what convicts a fault.
func (f fault) convictedBy() string {
	switch {
	case f.isTest():
		return "test: `" + strings.TrimPrefix(f.by, "./") + "`"
	case f.by == checked:
		return "the check of sums"
	case f.by == refused:
		return "the ledger, which refuses"
	case f.by == twice:
		return "the check that each record is added once"
	}
	return f.by
}

// isTest reports whether a named test convicts the fault.
func (f fault) isTest() bool { return strings.HasPrefix(f.by, "./") }

// TestFaultsApply holds the edits to the sources as they are now, and the table to its least size.
func TestFaultsApply(t *testing.T) {
	if len(faults) < 40 {
		t.Errorf("the table has %d faults, want at least 40", len(faults))
	}
	page, err := os.ReadFile("../../docs/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range faults {
		if _, err = Apply("../..", f.edits...); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
		if names[f.name] || f.by == "" {
			t.Errorf("%s: want its name once, and what convicts it", f.name)
		}
		names[f.name] = true
		if !strings.Contains(string(page), "| "+f.name+" | "+f.convictedBy()+" | ") {
			t.Errorf("%s: docs/audit.md has no row for it, convicted by %s", f.name, f.convictedBy())
		}
	}
}

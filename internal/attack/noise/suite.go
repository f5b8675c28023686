package noise

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/release"
)

// Options are the settings of the attacks on noise.
type Options struct {
	// Alarm is the false-alarm probability of all tests together.
	Alarm float64
	// Numbers is the length of the longest series of numbers, which is Gaussian noise on the finest
	// grid.
	Numbers int
	// Elsewhere, if not nil, returns the numbers of one release in another process. That process
	// gets them from the function Elsewhere.
	Elsewhere func(context.Context) ([]float64, error)
	// Progress, if not nil, is called before each kind with its name and the finished share of the
	// work.
	Progress func(kind string, done float64)
}

// attack is one attack on one kind of release.
type attack struct {
	kind, claim string
	work        float64 // about how long it takes, relative to others
	run         func(context.Context) ([]Finding, int, error)
}

// Attack reads and tests the noise of every kind of release, the samples and the choices. Each kind
// has a share of the false-alarm probability, and the tests of a kind divide that share equally. An
// error means that a release failed or that ctx ended. Attack then returns the finished sections
// too.
func Attack(ctx context.Context, o Options) ([]auditing.Section, error) {
	attacks := attacks(o)
	var sections []auditing.Section
	done, all := 0.0, 0.0
	for _, a := range attacks {
		all += a.work
	}
	for _, a := range attacks {
		if o.Progress != nil {
			o.Progress(a.kind, done/all)
		}
		done += a.work
		start := time.Now()
		findings, numbers, err := a.run(ctx)
		if err != nil {
			return sections, fmt.Errorf("noise: %s: %w", a.kind, err)
		}
		s := section(findings, o.Alarm/float64(len(attacks)))
		s.Name, s.Claim, s.Seconds = a.kind, a.claim, time.Since(start).Seconds()
		s.Facts = append([]auditing.Fact{{Name: "numbers read", Value: fmt.Sprint(numbers)}}, s.Facts...)
		sections = append(sections, s)
	}
	return sections, nil
}

// Found is the beginning of the text that states what each test of a section detects. Semicolons
// separate the tests in this text.
const Found = "What each test would have found: "

// section is what was found about one kind, for tests that share a false-alarm probability.
func section(findings []Finding, alarm float64) auditing.Section {
	tests := float64(len(findings))
	s := auditing.Section{Group: "noise", Confidence: 1 - alarm, Verdict: auditing.NotRefuted}
	least, power := 0.0, []string(nil)
	for _, f := range findings {
		value := f.Seen
		if f.Alarms(alarm / tests) {
			s.Verdict = auditing.Refuted
			value += fmt.Sprintf(": too rare by chance (below e^%.0f)", math.Ceil(f.LogP))
			s.Note = strings.TrimPrefix(s.Note+"; "+f.Test+": "+value, "; ")
		}
		least = min(least, f.LogP)
		s.Facts = append(s.Facts, auditing.Fact{Name: f.Test, Value: value})
		power = append(power, f.Test+": "+f.Detects)
	}
	p := min(1, tests*math.Exp(least))
	s.PValue, s.Power = &p, Found+strings.Join(power, "; ")
	return s
}

// attacks lists all attacks.
func attacks(o Options) []attack {
	var list []attack
	for _, k := range kinds() {
		list = append(list, attack{k.name, "independent numbers of the claimed scale", k.share, func(ctx context.Context) ([]Finding, int, error) { return k.attack(ctx, o) }})
	}
	if o.Elsewhere != nil {
		list = append(list, attack{"releases of other processes", "nothing in common", 0.02, func(ctx context.Context) ([]Finding, int, error) { return elsewhere(ctx, o) }})
	}
	few := max(2000, o.Numbers/100)
	add := func(kind, claim string, run func() ([]Finding, error)) {
		list = append(list, attack{kind, claim, 0.01, func(ctx context.Context) ([]Finding, int, error) {
			if err := ctx.Err(); err != nil {
				return nil, 0, err
			}
			findings, err := run()
			return findings, few, err
		}})
	}
	for _, c := range integerKinds() {
		add("one integer, "+c.name, "the distribution of its event", func() ([]Finding, error) { return checkIntegers(c.noise, c.weight, few) })
	}
	for _, c := range choiceKinds() {
		add("choice, "+c.name, "the probabilities of its event", func() ([]Finding, error) { return checkChoice(c.choice, c.probabilities(2), few) })
	}
	add("poisson samples", "independent coins for each record and draw", func() ([]Finding, error) { return checkPoisson(0.02, 5000, few/20) })
	add("samples of fixed size", "each set of records alike", func() ([]Finding, error) { return checkFixedSize(5000, 100, few/20) })
	// Whether a record is always left out is seen in large samples.
	add("large poisson samples", "independent coins for each record and draw", func() ([]Finding, error) { return checkPoisson(0.5, 500, 100+few/20) })
	add("large samples of fixed size", "each set of records alike", func() ([]Finding, error) { return checkFixedSize(500, 250, 100+few/20) })
	add("names of one record", "a name comes out with probability delta at most", func() ([]Finding, error) { return checkNames(few) })
	add("poisson samples of bounded size", "the smaller one of a poisson sample and the bound", func() ([]Finding, error) { return checkTruncated(0.1, 105, 1000, 100+few/20) })
	add("parts of records", "an independent die for each record", func() ([]Finding, error) { return checkDivisions(20, 2000, 10+few/200) })
	add("poisson samples of parts in turn", "an independent die for each record, and coins", func() ([]Finding, error) { return checkRotation(4, 6, 1000+few/4, 0.5) })
	return list
}

// attack reads numbers of a kind of release and tests them.
func (k kind) attack(ctx context.Context, o Options) ([]Finding, int, error) {
	numbers, bits, err := k.read(ctx, int(float64(o.Numbers)*k.share))
	if errors.Is(err, errGrid) {
		return onNoGrid(), len(numbers), nil
	}
	if err != nil {
		return nil, 0, err
	}
	findings, err := k.test(ctx, numbers, bits)
	return findings, len(numbers), err
}

// onNoGrid is what is found about numbers that no release gives. It never comes by chance.
func onNoGrid() []Finding {
	return []Finding{{Test: "grid", LogP: math.Inf(-1), Seen: errGrid.Error(), Detects: "every number on no grid"}}
}

// read returns the numbers of releases, one after another, and how fine their grid is.
func (k kind) read(ctx context.Context, n int) ([]int64, uint, error) {
	var values []float64
	for len(values) < n || len(values) == 0 {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		released, err := k.draw()
		if err != nil {
			return nil, 0, err
		}
		values = append(values, released...)
	}
	if k.smooth {
		return rounded(values, k.scale), smoothBits, nil
	}
	return grid(values, k.scale)
}

// test runs all tests of numbers with scale 2^bits.
func (k kind) test(ctx context.Context, numbers []int64, bits uint) ([]Finding, error) {
	scale := math.Ldexp(1, int(bits))
	mass := 2 * k.law.density / scale * (1 + 1e-9) // of one magnitude
	if k.smooth {
		k.law.noBits = true
		mass *= 1.01 // a cell holds hundreds of the numbers that come out, and some more or less
	}
	first := numbers[:min(len(numbers), maxLags)]
	sorted := scaled(first, scale)
	energies := make([]float64, len(sorted))
	for i, x := range sorted {
		energies[i] = k.law.energy(x)
	}
	findings := []Finding{
		checkScale(k.law, energies),
		checkDistribution(sorted, k.law.cdf, mass),
		checkTails(first, k.law.cdf, scale),
		checkLags(first, k.law, scale),
		checkRepeats("repeated numbers", numbers, mass),
		checkDifferences(numbers, mass),
	}
	if k.smooth {
		return findings, nil
	}
	findings = append(findings, checkLowBits(first, 8))
	if slices.ContainsFunc(findings, func(f Finding) bool { return f.LogP < farBeyond }) {
		return findings, nil // the search below would take long where many numbers are equal
	}
	for _, r := range k.rulers() {
		if size := newShares(r, bits).longest(mass); size >= 64 {
			found, err := checkShares(ctx, r, bits, k.pieces(numbers, size), size, mass)
			if err != nil {
				return nil, err
			}
			findings = append(findings, found...)
		}
	}
	return findings, nil
}

// pieces divides numbers into pieces of at most this size.
func (k kind) pieces(numbers []int64, size int) (all [][]int64) {
	if k.each <= size {
		return slices.Collect(slices.Chunk(numbers, size))
	}
	for released := range slices.Chunk(numbers, k.each) {
		all = slices.AppendSeq(all, slices.Chunk(released, size))
	}
	return all
}

// farBeyond is the logarithm of a probability below that of every alarm.
const farBeyond = -200

// maxLags is how many numbers at most are looked at for their distribution and for correlation.
const maxLags = 1 << 20

// rulers are the ways in which one word may make two numbers of this kind.
func (k kind) rulers() []ruler {
	if !k.words {
		return []ruler{proportions()}
	}
	return []ruler{proportions(), layersOf(release.NoiseLayers())}
}

// Elsewhere returns the numbers of one release, for an attack that runs in another process.
func Elsewhere() ([]float64, error) { return kinds()[0].draw() }

// elsewhere compares releases of this process and of others, all of one time.
func elsewhere(ctx context.Context, o Options) ([]Finding, int, error) {
	k, all := kinds()[0], []float64(nil)
	k.each = 0 // the numbers below are of several releases
	var others [][]float64
	for range 3 {
		other, err := o.Elsewhere(ctx)
		if err != nil {
			return nil, 0, err
		}
		own, err := k.draw()
		if err != nil {
			return nil, 0, err
		}
		if len(other) != len(own) {
			return nil, 0, fmt.Errorf("another process releases %d numbers, want %d as this one", len(other), len(own))
		}
		others = append(others, other, own)
		all = append(append(all, other[:1<<11]...), own[:1<<11]...)
	}
	numbers, bits, err := grid(all, k.scale)
	if err != nil {
		return onNoGrid(), len(all), nil
	}
	findings, err := k.test(ctx, numbers, bits)
	var spectra [][]spectrum
	for _, released := range others {
		own, fine, failed := grid(released, k.scale)
		if failed != nil || fine != bits {
			return nil, 0, fmt.Errorf("releases of two processes lie on two grids, want one")
		}
		next := spectraOf(own, k.law, math.Ldexp(1, int(bits)))
		for _, before := range spectra {
			findings = append(findings, checkShifts(next, before))
		}
		spectra = append(spectra, next)
	}
	return findings, len(all), err
}

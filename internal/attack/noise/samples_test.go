package noise

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/auditing"
)

// These are the sizes of the samples under test: fewer draws than a default audit has.
const (
	testRecords, testDraws = 2000, 1200
	testProbability        = 0.05
	testBatch              = testRecords * testProbability
)

// draws returns samples that a function makes, draw after draw.
func draws(make func(t int) []int) [][]int {
	samples := [][]int{}
	for t := range testDraws {
		samples = append(samples, make(t))
	}
	return samples
}

// coins returns a sample of independent coins.
func coins(r *rand.Rand, records int, q float64) []int {
	var s []int
	for i := range records {
		if r.Float64() < q {
			s = append(s, i)
		}
	}
	return s
}

// batch returns a batch of one size.
func batch(r *rand.Rand, records, size int) []int {
	s := r.Perm(records)[:size]
	slices.Sort(s)
	return s
}

// shuffled returns batches of records that are shuffled once an epoch, of this many steps.
func shuffled(r *rand.Rand, steps int) [][]int {
	permutation := r.Perm(testRecords)
	return draws(func(t int) []int {
		if t%steps == 0 {
			permutation = r.Perm(testRecords)
		}
		s := slices.Clone(permutation[t%steps*testBatch:][:testBatch])
		slices.Sort(s)
		return s
	})
}

// inTurn returns samples in which records take turns.
func inTurn(t int) []int {
	var s []int
	for i := t % 20; i < testRecords; i += 20 {
		s = append(s, i)
	}
	return s
}

// pairs returns a sample of coins of pairs of records that stand so far apart.
func pairs(r *rand.Rand, apart int) []int {
	var s []int
	for i := range testRecords / 2 {
		if r.Float64() < testProbability {
			a := i/apart*2*apart + i%apart
			s = append(s, a, a+apart)
		}
	}
	slices.Sort(s)
	return s
}

// TestFaultsOfSamplesAreFound plants faults into samples, and wants each convicted with p below 1e-6 by
// the test that is for it. True samples pass.
func TestFaultsOfSamplesAreFound(t *testing.T) {
	const q = testProbability
	r := rand.New(rand.NewPCG(3, 4))
	poisson := func(samples [][]int) []Finding { return checkSamples(samples, q, testRecords) }
	fixed := func(samples [][]int) []Finding { return checkBatches(samples, testRecords, testBatch) }
	truncated := func(samples [][]int) []Finding { return checkTruncatedSamples(samples, q, 105, testRecords) }
	cut := func(s []int, most int) []int {
		kept := batch(r, len(s), min(len(s), most))
		for i, k := range kept {
			kept[i] = s[k]
		}
		return kept
	}
	without := func(s []int) []int { return slices.DeleteFunc(s, func(i int) bool { return i == 77 }) }
	for _, f := range []struct {
		name, found string // found is "" for true samples
		check       func(samples [][]int) []Finding
		samples     [][]int
	}{
		{"poisson samples", "", poisson, draws(func(int) []int { return coins(r, testRecords, q) })},
		{"a probability 5 % high", "records in all samples", poisson, draws(func(int) []int { return coins(r, testRecords, 1.05*q) })},
		{"batches of one size", "sizes of samples", poisson, draws(func(int) []int { return batch(r, testRecords, testBatch) })},
		{"sizes that vary too much", "sizes of samples", poisson, draws(func(t int) []int { return coins(r, testRecords, q*(0.85+0.3*float64(t%2))) })},
		{"shuffled once an epoch", "times of a record", poisson, shuffled(r, 20)},
		{"shuffled every second step", "times of a record", poisson, shuffled(r, 2)},
		{"records in turn", "times of a record", poisson, draws(inTurn)},
		{"a record that is never drawn", "samples of each record", poisson, draws(func(int) []int { return without(coins(r, testRecords, q)) })},
		{"neighbors drawn in pairs", "neighbors", poisson, draws(func(int) []int { return pairs(r, 1) })},
		{"distant records drawn in pairs", "both records of a pair", poisson, draws(func(int) []int { return pairs(r, 40) })},
		{"a sample used twice", "samples 1 apart", poisson, func() [][]int {
			var last []int
			return draws(func(t int) []int {
				if t%2 == 0 {
					last = coins(r, testRecords, q)
				}
				return last
			})
		}()},
		{"batches", "", fixed, draws(func(int) []int { return batch(r, testRecords, testBatch) })},
		{"batches shuffled once an epoch", "times of a record", fixed, shuffled(r, 20)},
		{"batches in turn", "times of a record", fixed, draws(inTurn)},
		{"a batch used twice", "times of a record", fixed, func() [][]int {
			var last []int
			return draws(func(t int) []int {
				if t%2 == 0 {
					last = batch(r, testRecords, testBatch)
				}
				return last
			})
		}()},
		{"coins as batches", "sizes of samples", fixed, draws(func(int) []int { return coins(r, testRecords, q) })},
		{"a record that no batch has", "samples of each record", fixed, draws(func(int) []int {
			return append(without(batch(r, testRecords-1, testBatch))[:testBatch-1:testBatch-1], testRecords-1)
		})},
		{"samples of bounded size", "", truncated, draws(func(int) []int { return cut(coins(r, testRecords, q), 105) })},
		{"no bound", "sizes of samples", truncated, draws(func(int) []int { return coins(r, testRecords, q) })},
		{"the first records kept", "ends of the table", truncated, draws(func(int) []int {
			s := coins(r, testRecords, q)
			return s[:min(len(s), 105)]
		})},
		{"always the largest size", "samples of the largest size", truncated, draws(func(int) []int { return cut(coins(r, testRecords, 1.4*q), 105) })},
	} {
		s := section(f.check(f.samples), alarm/20)
		if f.found == "" {
			if s.Verdict != auditing.NotRefuted {
				t.Errorf("%s are refuted: %s", f.name, s.Note)
			}
		} else if s.Verdict != auditing.Refuted || !strings.Contains(s.Note, f.found) || !(*s.PValue < 1e-6) {
			t.Errorf("%s: %s with p %v: %q, want it refuted by %q", f.name, s.Verdict, *s.PValue, s.Note, f.found)
		}
	}
}

// TestFaultsOfDivisionsAreFound plants faults into divisions of records, and into samples of parts in turn.
func TestFaultsOfDivisionsAreFound(t *testing.T) {
	const records, parts, divisions = 1000, 8, 300
	r := rand.New(rand.NewPCG(6, 4))
	dice := func(of func(division, record int) int) [][]int {
		all := make([][]int, divisions)
		for i := range all {
			for k := range records {
				all[i] = append(all[i], of(i, k))
			}
		}
		return all
	}
	last := make([]int, records)
	for _, f := range []struct {
		name, found string
		division    [][]int
	}{
		{"true parts", "", dice(func(int, int) int { return r.IntN(parts) })},
		{"records in turn", "neighbors", dice(func(i, k int) int { return (i + k) % parts })},
		{"parts of one size", "parts of 123", func() [][]int {
			all := make([][]int, divisions)
			for i := range all {
				all[i] = make([]int, records)
				for at, k := range r.Perm(records) {
					all[i][k] = at % parts
				}
			}
			return all
		}()},
		{"the same parts again", "two divisions", dice(func(i, k int) int {
			if i%2 == 0 {
				last[k] = r.IntN(parts)
			}
			return last[k]
		})},
		{"a record of one part", "one of each record", dice(func(_, k int) int {
			if k == 7 {
				return 0
			}
			return r.IntN(parts)
		})},
		{"a record without a part", "parts of each record", dice(func(i, k int) int {
			if i == 5 && k == 7 {
				return -1
			}
			return r.IntN(parts)
		})},
	} {
		s := section(checkParts(f.division, parts, records), alarm/20)
		if (s.Verdict == auditing.Refuted) != (f.found != "") || !strings.Contains(s.Note, f.found) {
			t.Errorf("%s: %s: %q, want %q", f.name, s.Verdict, s.Note, f.found)
		}
	}
	const rounds, many, q = 6, 8000, 0.5
	rotation := func(q float64, part func(record, round int) int) [][]int {
		all := make([][]int, rounds*parts)
		for t := range all {
			for k := range many {
				if part(k, t/parts) == t%parts && r.Float64() < q {
					all[t] = append(all[t], k)
				}
			}
		}
		return all
	}
	own := make([]int, many)
	for k := range own {
		own[k] = r.IntN(parts)
	}
	for _, f := range []struct {
		name, found string
		samples     [][]int
	}{
		{"true samples of parts", "", rotation(q, func(k, _ int) int { return own[k] })},
		{"parts that change", "two parts", rotation(q, func(k, round int) int { return (own[k] + round) % parts })},
		{"a larger probability", "samples of each record", rotation(0.6, func(k, _ int) int { return own[k] })},
		{"parts of unlike size", "records of each part", rotation(q, func(k, _ int) int { return min(own[k], own[(k+1)%many]) })},
	} {
		s := section(checkRounds(f.samples, parts, many, q), alarm/20)
		if (s.Verdict == auditing.Refuted) != (f.found != "") || !strings.Contains(s.Note, f.found) {
			t.Errorf("%s: %s: %q, want %q", f.name, s.Verdict, s.Note, f.found)
		}
	}
}

package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Scores are the scores that an attack gave to canaries. Included has the scores of canaries that
// were included in the data, and LeftOut has the scores of canaries that were left out. A higher
// score means that the attack considers inclusion more likely. Infinite scores are allowed. The
// order within each list does not matter.
type Scores struct{ Included, LeftOut []float64 }

// sorted returns the scores in growing order, or an error for a score that is no number.
func (s Scores) sorted() (Scores, error) {
	for _, list := range [][]float64{s.Included, s.LeftOut} {
		if i := slices.IndexFunc(list, math.IsNaN); i >= 0 {
			return s, fmt.Errorf("audit: score %d of a list is no number, want one for each canary", i)
		}
	}
	if n := len(s.Included) + len(s.LeftOut); n == 0 || n > mostCanaries {
		return s, fmt.Errorf("audit: there are %d scores, want 1 to 2^24", n)
	}
	s = Scores{slices.Clone(s.Included), slices.Clone(s.LeftOut)}
	slices.Sort(s.Included)
	slices.Sort(s.LeftOut)
	return s, nil
}

// tied are the canaries with one score.
type tied struct{ included, leftOut int }

// byScore returns the canaries of sorted scores by score, from the highest.
func (s Scores) byScore() []tied {
	var out []tied
	i, j := len(s.Included), len(s.LeftOut)
	for i > 0 || j > 0 {
		at := math.Inf(-1)
		if i > 0 {
			at = s.Included[i-1]
		}
		if j > 0 {
			at = max(at, s.LeftOut[j-1])
		}
		var t tied
		for ; i > 0 && s.Included[i-1] == at; i-- {
			t.included++
		}
		for ; j > 0 && s.LeftOut[j-1] == at; j-- {
			t.leftOut++
		}
		out = append(out, t)
	}
	return out
}

// rule is a rule of guessing: included for the highest scores, left out for the lowest, by number.
type rule struct{ top, bottom int }

// rules returns the rules for a number of canaries. They depend on nothing else. Under normal noise the best
// number of guesses grows about as the root of the canaries; one rule guesses half of them.
func rules(canaries int) []rule {
	root, most := math.Sqrt(float64(canaries)), (canaries+1)/2
	var out []rule
	add := func(top int, both bool) {
		r := rule{top: min(top, most)}
		if both {
			r.bottom = min(r.top, canaries-r.top)
		}
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	for _, factor := range []float64{1.5, 3, 8} {
		add(int(math.Ceil(factor*root)), true)
	}
	add((canaries+3)/4, true)
	add(int(math.Ceil(2*root)), false)
	return out
}

// guess returns the guesses of a rule. Where a rule takes some of the canaries with one score, those count
// for which it is wrong. So no order among them matters, and no other choice has fewer right guesses.
func (r rule) guess(all []tied) Guesses {
	out := Guesses{Made: r.top + r.bottom}
	for _, t := range all {
		out.Canaries += t.included + t.leftOut
	}
	out.Right = fewest(all, r.top, func(t tied) (right, wrong int) { return t.included, t.leftOut })
	backward := slices.Clone(all)
	slices.Reverse(backward)
	out.Right += fewest(backward, r.bottom, func(t tied) (right, wrong int) { return t.leftOut, t.included })
	return out
}

// fewest returns the least number of right guesses among the first canaries.
func fewest(all []tied, guesses int, split func(tied) (right, wrong int)) int {
	sum := 0
	for _, t := range all {
		if guesses <= 0 {
			break
		}
		right, wrong := split(t)
		sum += min(right, max(0, guesses-wrong))
		guesses -= right + wrong
	}
	return sum
}

// rank is a threshold: this number of canaries of one kind is beyond it or at it. Weight is its part of the error
// probability.
type rank struct {
	beyond int
	weight float64
}

// rankShares are the shares of the canaries of one kind beyond each threshold, and their weights. For small
// ε thresholds in the middle are best.
var rankShares = [][2]float64{{0.5, 3}, {0.25, 3}, {0.1, 2}, {1.0 / 30, 1}, {0.01, 1}, {0.001, 1}}

// ranks returns the thresholds among a number of canaries. They depend on nothing else.
func ranks(canaries int) []rank {
	var out []rank
	for _, share := range rankShares {
		r := rank{int(math.Ceil(share[0] * float64(canaries))), share[1]}
		if last := len(out) - 1; last >= 0 && out[last].beyond == r.beyond {
			out[last].weight += r.weight
			continue
		}
		out = append(out, r)
	}
	return out
}

// weightOfRanks is the sum of the weights of all thresholds.
func weightOfRanks() float64 {
	sum := 0.0
	for _, share := range rankShares {
		sum += 2 * share[1]
	}
	return sum
}

// point is the counts of one threshold, with its part of the error probability.
type point struct {
	Counts
	part float64
}

// thresholds returns the counts of attacks at thresholds that are order statistics.
//
// Take a canary for included if its score exceeds the k-th largest of n left-out ones. The chance that a
// new left-out score does is at most a beta(k, n-k+1) variable. Its quantiles are the bounds of Clopper &
// Pearson for k-1 of n (Wilks, "Determination of Sample Sizes for Setting Tolerance Limits", Annals of
// Mathematical Statistics 1941). So the counts say k-1 false positives, also where ties leave fewer. Given
// the threshold, included scores are independent of it, and those missed are binomial. The other half of
// the thresholds are small ranks of included scores, by the same argument the other way round. Ranks of
// all scores together have no such proof, and are used by guesses of one run only.
func (s Scores) thresholds() []point {
	var out []point
	n0, n1 := len(s.LeftOut), len(s.Included)
	for _, r := range ranks(n0) {
		missed := atMost(s.Included, s.LeftOut[n0-r.beyond])
		out = append(out, point{Counts{n0, r.beyond - 1, n1, missed}, r.weight / weightOfRanks()})
	}
	for _, r := range ranks(n1) {
		taken := n0 - below(s.LeftOut, s.Included[r.beyond-1])
		out = append(out, point{Counts{n0, taken, n1, r.beyond - 1}, r.weight / weightOfRanks()})
	}
	return out
}

// atMost returns the number of sorted scores that do not exceed a threshold.
func atMost(sorted []float64, threshold float64) int {
	i, _ := slices.BinarySearchFunc(sorted, threshold, func(v, t float64) int {
		if v <= t {
			return -1
		}
		return 1
	})
	return i
}

// below returns the number of sorted scores that are less than a threshold.
func below(sorted []float64, threshold float64) int {
	i, _ := slices.BinarySearch(sorted, threshold)
	return i
}

// halves divides sorted scores at random: half of each kind chooses an event, and the other counts it. The
// random numbers are hashes of all scores, so that the same scores always have the same halves.
func (s Scores) halves() (choose, count Scores) {
	hash := sha256.New()
	for _, list := range [][]float64{s.Included, s.LeftOut} {
		text := make([]byte, 8, 8*len(list)+8)
		binary.LittleEndian.PutUint64(text, uint64(len(list)))
		for _, v := range list {
			text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v+0)) // -0 is 0
		}
		_, _ = hash.Write(text) // never fails
	}
	seed := hash.Sum(nil)
	choose.Included, count.Included = divide(s.Included, seed, 0)
	choose.LeftOut, count.LeftOut = divide(s.LeftOut, seed, 1)
	return choose, count
}

// divide returns both halves of a sorted list, sorted.
func divide(list []float64, seed []byte, kind byte) (first, second []float64) {
	type drawn struct {
		key   uint64
		value float64
	}
	all := make([]drawn, len(list))
	for i, v := range list {
		text := binary.LittleEndian.AppendUint64(append(slices.Clip(seed), kind), uint64(i))
		sum := sha256.Sum256(text)
		all[i] = drawn{binary.LittleEndian.Uint64(sum[:]), v}
	}
	slices.SortFunc(all, func(a, b drawn) int { return cmp.Compare(a.key, b.key) })
	for i, d := range all {
		if i < len(all)/2 {
			first = append(first, d.value)
		} else {
			second = append(second, d.value)
		}
	}
	slices.Sort(first)
	slices.Sort(second)
	return first, second
}

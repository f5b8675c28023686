package noise

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/special"
)

// worst keeps the least likely of several counts. Each count is binomial under the claim.
type worst struct {
	logP  float64
	tests int
	seen  string
	n     int
	p     float64
}

// add adds a count of n coins of probability p, which is what words say.
func (w *worst) add(n int, p float64, count int, words string, args ...any) {
	if n == 0 || !(p > 0 && p < 1) {
		return
	}
	w.tests++
	if logP := logBoth(min(logTail(n, p, count), logTail(n, 1-p, n-count))); w.seen == "" || logP < w.logP {
		w.logP, w.n, w.p = logP, n, p
		w.seen = fmt.Sprintf(words, args...) + fmt.Sprintf(": %d of %d, %.3g expected", count, n, float64(n)*p)
	}
}

// finding is what was found of all counts. Each count has one share of the false alarm.
func (w *worst) finding(test string, numbers int) Finding {
	if w.tests == 0 {
		return Finding{Test: test, Numbers: numbers, Seen: "too few draws", Detects: "nothing"}
	}
	return Finding{Test: test, Numbers: numbers, LogP: logUnion(w.logP, w.tests), Seen: w.seen, Detects: detects(w.n, min(w.p, 1-w.p), w.tests)}
}

// windows are the numbers of consecutive draws in which a record is looked at.
var windows = []int{2, 3, 5, 8, 13, 20, 34, 50, 89}

// maxTimes is up to how many times a record may be in a window, for a count of its own.
const maxTimes = 3

// checkTurns looks at how often records are in windows of consecutive draws. Under the claim the coins
// of all records and draws are independent. So the number of a record's samples in a window is
// binomial, and windows that share no draw are independent. For each length of a window, two series
// of them are looked at, the second half a window later. Records that take turns, and shuffled
// batches, are in a window once or nearly so.
func checkTurns(samples [][]int, q float64, records int) Finding {
	var w worst
	eachWindow(samples, records, func(length, windows, offset int, times [maxTimes]int) {
		for k, count := range times {
			w.add(records*windows, special.BinomialTail(length, q, k)-special.BinomialTail(length, q, k+1), count, "records that are %d times in %d draws, from draw %d", k, length, offset+1)
		}
	})
	return w.finding("times of a record in a row of draws", len(samples)*records)
}

// checkTurnsOfBatches is checkTurns for batches of one size, whose records depend on each other.
//
//  1. Which records are in one batch is negatively associated, as every permutation is (K. Joag-Dev
//     and F. Proschan, "Negative association of random variables", 1983, theorem 2.11).
//  2. Independent batches together are too, and so are increasing functions of different records and
//     draws (there, properties P6 and P7). One is whether a record is k times or more in a window.
//  3. So the mean of exp(t·count) is at most that of independent coins, for every t of either sign.
//     Chernoff's bound needs no more (D. Dubhashi and D. Ranjan, "Balls and bins: a study in negative
//     dependence", 1998, proposition 5).
func checkTurnsOfBatches(samples [][]int, q float64, records int) Finding {
	least, tests, seen := 0.0, 0, "too few draws"
	eachWindow(samples, records, func(length, windows, offset int, times [maxTimes]int) {
		n, below := records*windows, 0
		for k, count := range times[:maxTimes-1] {
			below += count
			p := special.BinomialTail(length, q, k+1)
			if !(p > 0 && p < 1) {
				continue
			}
			tests++
			if logP := logBoth(-float64(n) * divergence(float64(n-below)/float64(n), p)); logP < least || tests == 1 {
				least = logP
				seen = fmt.Sprintf("records that are %d times or more in %d draws, from draw %d: %d of %d, %.3g expected", k+1, length, offset+1, n-below, n, p*float64(n))
			}
		}
	})
	f := Finding{Test: "times of a record in a row of draws", Numbers: len(samples) * records, Seen: seen, Detects: "nothing"}
	if tests > 0 {
		f.LogP = logUnion(least, tests)
		f.Detects = fmt.Sprintf("a share of records that is off by %.2g", math.Sqrt((scaleNats+math.Log(2*float64(tests)))/(2*float64(records)))+2/math.Sqrt(float64(records)))
	}
	return f
}

// eachWindow calls do for every length of windows. It says how many windows there are, and which draw
// is their first. Of all pairs of a record and a window, times[k] have the record k times.
func eachWindow(samples [][]int, records int, do func(length, windows, offset int, times [maxTimes]int)) {
	for _, length := range windows {
		for _, offset := range []int{0, length / 2} {
			count := (len(samples) - offset) / length
			if count < 1 {
				continue
			}
			var times [maxTimes]int
			for at := range count {
				own := make([]uint8, records)
				for _, s := range samples[offset+at*length:][:length] {
					for _, r := range s {
						own[r]++
					}
				}
				for _, n := range own {
					if n < maxTimes {
						times[n]++
					}
				}
			}
			do(length, count, offset, times)
		}
	}
}

// maxPaired is of how many records all pairs are looked at.
const maxPaired = 256

// checkPairs counts for all pairs among the first records in how many samples both are. Under the claim each count is
// binomial with probability p.
func checkPairs(samples [][]int, p float64, records int) Finding {
	n := min(records, maxPaired)
	counts := make([]uint32, n*n)
	for _, s := range samples {
		for i, a := range s {
			if a >= n {
				break
			}
			for _, b := range s[i+1:] {
				if b >= n {
					break
				}
				counts[a*n+b]++
			}
		}
	}
	var all []int
	for a := range n {
		for b := a + 1; b < n; b++ {
			all = append(all, int(counts[a*n+b]))
		}
	}
	return extremes("samples of both records of a pair", len(samples), p, all)
}

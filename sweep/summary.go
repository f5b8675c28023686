package sweep

import (
	"math"

	"github.com/ditherml/dither/internal/special"
)

// confidence is the confidence of the intervals of summaries.
const confidence = 0.95

// Summary is what the repeats of one candidate say about one metric.
type Summary struct {
	Candidate *Candidate
	Metric    string
	// Repeats is how many of them the metric is defined for, and Diverged how many have no model (Measurement.Diverged).
	Repeats, Diverged int
	// Mean, StandardDeviation (with Repeats - 1 in the denominator) and the interval are undefined, NaN, without any
	// repeat, the latter three with one.
	Mean, StandardDeviation, Low, High float64
	// LearningRate is the mean of those that were used.
	LearningRate float64
}

// Summarize returns the summaries of results, for each candidate and metric. A candidate without results has none.
func Summarize(candidates []Candidate, results []Measurement) []Summary {
	var out []Summary
	own := map[string][]Measurement{}
	for _, r := range results {
		key := runKey(r.Settings, r.Baseline)
		own[key] = append(own[key], r)
	}
	for i := range candidates {
		out = append(out, summaries(&candidates[i], own[candidates[i].key()])...)
	}
	return out
}

// summaries are those of one candidate.
func summaries(c *Candidate, results []Measurement) []Summary {
	var out []Summary
	rate, diverged := 0.0, 0
	for _, r := range results {
		if r.Diverged {
			diverged++
		}
	}
	for _, r := range results {
		if !r.Diverged {
			rate += r.LearningRate / float64(len(results)-diverged)
		}
	}
	for _, name := range metricsOf(results) {
		var values []float64
		for _, r := range results {
			if v := r.Value(name); v-v == 0 {
				values = append(values, v)
			}
		}
		s := Summary{Candidate: c, Metric: name, Repeats: len(values), Diverged: diverged, LearningRate: rate}
		s.Mean, s.StandardDeviation, s.Low, s.High = interval(values)
		out = append(out, s)
	}
	return out
}

// interval returns mean and standard deviation of independent values of one distribution, and an
// interval. It contains the mean with probability Confidence if the distribution is normal, and
// about so for many values of any other: the mean give or take the standard deviation over the root
// of their number, times Student's quantile with one degree of freedom less than values (Student,
// "The probable error of a mean", Biometrika 1908). Of one value standard deviation and interval
// are NaN, of none all.
func interval(values []float64) (mean, deviation, low, high float64) {
	n := float64(len(values))
	if n == 0 {
		return nan, nan, nan, nan
	}
	for _, v := range values {
		mean += v / n
	}
	if n == 1 {
		return mean, nan, nan, nan
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean) / (n - 1)
	}
	deviation = math.Sqrt(deviation)
	reach := special.StudentQuantile((1+confidence)/2, len(values)-1) * deviation / math.Sqrt(n)
	return mean, deviation, mean - reach, mean + reach
}

// metricsOf are the names of the metrics of results.
func metricsOf(results []Measurement) []string {
	var out []string
	if len(results) > 0 {
		for _, m := range results[0].Metrics {
			out = append(out, m.Name)
		}
	}
	return out
}

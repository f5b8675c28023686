package sweep

import (
	"math"

	"github.com/ditherml/dither/internal/special"
)

// confidence is the confidence of the intervals of summaries.
const confidence = 0.95

// Summary summarizes the values of one metric over the runs of one candidate.
type Summary struct {
	// Candidate is the candidate whose runs are summarized.
	Candidate *Candidate
	// Metric is the name of the metric.
	Metric string
	// Repeats is the number of runs with a finite value of the metric. Diverged is the number of
	// runs whose weights are not finite.
	Repeats, Diverged int
	// Mean and StandardDeviation are over the runs that Repeats counts. The denominator of
	// StandardDeviation is Repeats - 1. Low and High are the ends of a 95 % confidence interval for
	// the mean. If Repeats is 0, all four numbers are NaN. If Repeats is 1, all except Mean are
	// NaN.
	Mean, StandardDeviation, Low, High float64
	// LearningRate is the mean of the learning rates that the runs used.
	LearningRate float64
}

// Summarize returns one summary of the results for each pair of a candidate and a metric. A
// candidate without results has no summary.
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

// summaries returns the summaries of one candidate.
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
// interval. If the distribution is normal, the interval contains the mean with probability
// confidence. For many values of another distribution it does so approximately. The interval is the
// mean plus or minus the standard deviation over the root of the number of values, times Student's
// quantile. The degrees of freedom are one fewer than the values (Student, "The probable error of a
// mean", Biometrika 1908). For one value, standard deviation and interval are NaN; for no values,
// all results are NaN.
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

// metricsOf returns the names of the metrics of results.
func metricsOf(results []Measurement) []string {
	var out []string
	if len(results) > 0 {
		for _, m := range results[0].Metrics {
			out = append(out, m.Name)
		}
	}
	return out
}

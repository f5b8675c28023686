package sweep

// togetherCost and aloneCost are the seconds of a multiply-add of Candidate.work on one processor,
// measured at about 3.6 GHz. The first is for runs that share passes, the second for other runs.
const togetherCost, aloneCost = 0.2e-9, 0.5e-9

// Seconds returns an estimate of the time that all runs of the candidates take together, in
// seconds. The estimate is for this number of repeats, records and processors.
func Seconds(candidates []Candidate, repeats, records, processors int) float64 {
	total := 0.0
	for i := range candidates {
		c := &candidates[i]
		cost := aloneCost
		if c.together() {
			cost = togetherCost
		}
		total += float64(c.Runs(repeats)) * c.work(records) * cost
	}
	return total / float64(processors)
}

package sweep

// Seconds that a multiply-add of Candidate.work takes on one processor, in runs that share passes and in others,
// measured at about 3.6 GHz.
const togetherCost, aloneCost = 0.2e-9, 0.5e-9

// Seconds returns about how many seconds all runs of the candidates take, each configuration
// repeated, on this many records and processors.
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

package evaluate

// Point is one point of the receiver operating characteristic. It states the rates of a classifier
// that predicts the second level if its probability is above Threshold.
type Point struct {
	// Threshold is the decision threshold.
	Threshold float64 `json:"threshold"`
	// FalsePositiveRate is computed from the records whose true level is the first level: the share
	// for which the second level is predicted.
	FalsePositiveRate Measure `json:"false-positive-rate"`
	// TruePositiveRate is computed from the records whose true level is the second level: the share
	// for which the second level is predicted.
	TruePositiveRate Measure `json:"true-positive-rate"`
}

// Bin is one bin of a calibration table. It contains the records with a score above Low and at most
// High. For two levels the score is the probability of the second level. For more levels it is the
// probability of the predicted level.
type Bin struct {
	// Low is the lower limit of the bin. Scores equal to Low are not in the bin, except in the
	// first bin.
	Low float64 `json:"low"`
	// High is the upper limit of the bin. Scores equal to High are in the bin.
	High float64 `json:"high"`
	// Prediction is the mean score of the rows in the bin. In a private evaluation it is the middle
	// of the bin in log-odds.
	Prediction Measure `json:"prediction"`
	// Records is the number of rows in the bin, with noise in a private evaluation.
	Records Estimate `json:"records"`
	// Rate is a share of the rows in the bin. For two levels it is the share of rows with the
	// second level. For more levels it is the share of rows whose true level is the predicted
	// level.
	Rate Estimate `json:"rate"`
}

// Choice is the best decision threshold for a measure. It was selected on the same records on which
// the measure was computed, so the value of the measure is optimistic.
type Choice struct {
	// Threshold is the selected decision threshold.
	Threshold float64 `json:"threshold"`
	// Value is the measure at this threshold.
	Value Measure `json:"value"`
}

// levels returns the counts of level 0 and 1 by bin, for two levels.
func (c counts) levels() (zero, one []float64) {
	n := c.plan.bins()
	return c.cells[:n], c.cells[n:]
}

// auc returns the area under the curve, ties inside a bin counted 1/2. Resolution is half of the
// share of pairs that are in one bin: ties may hold the area that far from the area of the exact
// scores. The interval holds the area of the exact scores, which lies between the areas with all
// ties lost and all ties won. The lower end of the first misses it in at most 2.5 of 100 draws, and
// so does the upper end of the second. There is no interval for persons with several rows, whose
// pairs are not released by bin.
func (c counts) auc() Area {
	zero, one := c.levels()
	zeros, ones := total(zero), total(one)
	if !(zeros > 0) || !(ones > 0) {
		if c.pairs != nil {
			return Area{unknown(), noMeasure()}
		}
		return Area{Estimate{Value: noMeasure(), Low: 0, High: 1, Rate: rateAtLeast}, noMeasure()}
	}
	tied := 0.0
	for b := range one {
		tied += max(0, one[b]) * max(0, zero[b])
	}
	resolution := Measure(min(0.5, tied/(2*zeros*ones)))
	half := c.areaOfBins(tieHalf)
	if c.pairs != nil {
		return Area{half, resolution}
	}
	lost, won := c.areaOfBins(tieLost), c.areaOfBins(tieWon)
	e := Estimate{Value: half.Value, Low: min(half.Low, lost.Low), High: max(half.High, won.High), Rate: half.Rate}
	if !(float64(e.High-e.Low) <= (1+exactTies)*float64(half.High-half.Low)) {
		e.Rate = rateAtLeast
	}
	return Area{e, resolution}
}

// The value of a tie in a bin.
const tieLost, tieHalf, tieWon = 0, 0.5, 1

// exactTies is the largest share by which ties may widen the interval of an area whose rate is
// exact. A widening by 1 % moves its ends out by 0.02 standard deviations. Then it holds the area
// in 0.2 of 100 cases more.
const exactTies = 0.01

// areaOfBins returns the area, with its set, where a tie in a bin counts tie.
func (c counts) areaOfBins(tie float64) Estimate {
	_, one := c.levels()
	below, _ := c.ahead(tie)
	won := 0.0
	for b := range one {
		won += one[b] * below[b]
	}
	r := c.areaRatio(won, tie)
	if c.pairs != nil {
		return without(r.value(), 0, 1)
	}
	return c.shares(r)
}

// areaRatio returns the area as a ratio of Σ one_i·zero_j·w_ij, with weights w of 0, tie and 1, and
// Σ one · Σ zero.
//
//  1. The test at θ is of Σ one_i·zero_j·(w_ij-θ). Its first-order terms are c_i = Σ_j
//     (w_ij-θ)·zero_j by one_i, and d_j correspondingly by zero_j.
//  2. With noise of variance v on a count its variance is Σ c²·(one+v) + Σ d²·(zero+v) + v²·Σ
//     (w_ij-θ)². Counts are taken as Poisson variables, which for a ratio equals multinomial
//     sampling (Agresti, "Categorical Data Analysis", 3rd edition, 2013, section 16.1).
//  3. The released c² and d² are too large by v·Σ_j (w_ij-θ)² and v·Σ_i (w_ij-θ)², which is
//     subtracted.
func (c counts) areaRatio(won, tie float64) ratio {
	zero, one := c.levels()
	below, above := c.ahead(tie)
	zeros, ones := total(zero), total(one)
	r := ratio{a: won, w: zeros * ones}
	r.sides[0].records, r.sides[1].records = ones, zeros
	n := float64(len(one))
	for b := range one {
		of, to := quad{below[b] * below[b], -2 * below[b] * zeros, zeros * zeros}, quad{above[b] * above[b], -2 * above[b] * ones, ones * ones}
		r.noise.add(of, c.noise)
		r.noise.add(to, c.noise)
		r.quartic.square(of, c.noise)
		r.quartic.square(to, c.noise)
		r.sides[0].rows.add(of, one[b])
		r.sides[1].rows.add(to, zero[b])
		r.sides[0].rows.add(wins(float64(b), tie, n), -c.noise*one[b])
		r.sides[1].rows.add(wins(n-1-float64(b), tie, n), -c.noise*zero[b])
		r.least.add(wins(float64(b), tie, n), c.noise*c.noise)
	}
	r.noise.add(r.least, -1)
	for _, of := range r.sides {
		r.rows.add(of.rows, 1)
	}
	return r
}

// wins returns Σ (w-θ)² over n weights: ones of them are 1, one is tie and the others are 0.
func wins(ones, tie, n float64) quad { return quad{ones + tie*tie, -2 * (ones + tie), n} }

// ahead returns for each bin the number of records of level 0 below it, and of level 1 above it.
// Records inside the bin count by the part tie.
func (c counts) ahead(tie float64) (below, above []float64) {
	zero, one := c.levels()
	n := len(zero)
	below, above = make([]float64, n), make([]float64, n)
	sum := 0.0
	for b := range n {
		below[b] = sum + tie*zero[b]
		sum += zero[b]
	}
	sum = 0
	for b := n - 1; b >= 0; b-- {
		above[b] = sum + tie*one[b]
		sum += one[b]
	}
	return below, above
}

func total(numbers []float64) float64 {
	sum := 0.0
	for _, v := range numbers {
		sum += v
	}
	return sum
}

// curve returns the points of all thresholds, the highest first. Rates are made monotone by the
// nearest nondecreasing sequence in the sum of squares, and cut to [0, 1].
func (c counts) curve() []Point {
	zero, one := c.levels()
	alarms, hits := upward(zero), upward(one)
	if alarms == nil || hits == nil {
		return nil
	}
	points := make([]Point, len(alarms))
	for i := range points {
		points[i] = Point{c.plan.Edges[len(zero)-i], Measure(alarms[i]), Measure(hits[i])}
	}
	return points
}

// upward returns the shares of the counts in the last 0, 1, … bins, made monotone. It is nil when
// the counts have no positive sum.
func upward(bins []float64) []float64 {
	whole, sum := total(bins), 0.0
	if !(whole > 0) {
		return nil
	}
	shares := make([]float64, len(bins)+1)
	for i := range bins {
		sum += bins[len(bins)-1-i]
		shares[i+1] = sum / whole
	}
	monotone(shares[1:len(bins)])
	for i, v := range shares {
		shares[i] = max(0, min(1, v))
	}
	shares[len(bins)] = 1
	return shares
}

// monotone replaces x by the nearest nondecreasing sequence (pool adjacent violators: Ayer, Brunk,
// Ewing, Reid & Silverman, Annals of Mathematical Statistics 1955).
func monotone(x []float64) {
	type block struct{ sum, size float64 }
	var blocks []block
	for _, v := range x {
		blocks = append(blocks, block{v, 1})
		for n := len(blocks); n > 1 && blocks[n-2].sum/blocks[n-2].size > blocks[n-1].sum/blocks[n-1].size; n = len(blocks) {
			blocks[n-2].sum += blocks[n-1].sum
			blocks[n-2].size += blocks[n-1].size
			blocks = blocks[:n-1]
		}
	}
	i := 0
	for _, b := range blocks {
		for range int(b.size) {
			x[i] = b.sum / b.size
			i++
		}
	}
}

// best returns the inner end of the bins that is the best threshold for the accuracy or, balanced,
// for the mean of the two recalls. Among equals it is the lowest.
func (c counts) best(balanced bool) Choice {
	zero, one := c.levels()
	zeros, ones := total(zero), total(one)
	if !(zeros > 0) || !(ones > 0) {
		return Choice{c.plan.Threshold, noMeasure()}
	}
	right := Choice{c.plan.Threshold, noMeasure()}
	rejected, missed := 0.0, 0.0
	for b := range len(zero) - 1 {
		rejected, missed = rejected+zero[b], missed+one[b]
		v := (rejected + ones - missed) / (zeros + ones)
		if balanced {
			v = (rejected/zeros + 1 - missed/ones) / 2
		}
		if !right.Value.Defined() || Measure(v) > right.Value {
			right = Choice{c.plan.Edges[b+1], Measure(v)}
		}
	}
	right.Value = max(0, min(1, right.Value))
	return right
}

// calibrationRows is the approximate largest number of rows of a calibration table. Bins are joined
// to keep it.
const calibrationRows = 20

// calibration returns the bins, with several neighbors as one where there are many. The threshold
// stays an end.
func (c counts) calibration() []Bin {
	var out []Bin
	two := len(c.plan.Levels) == 2
	for _, p := range c.calibrationParts() {
		inside := func(at place) bool { return at.bin >= p.first && at.bin < p.end }
		right := func(at place) bool { return inside(at) && (two && at.truth == 1 || !two && at.truth == at.guess) }
		n, cells := c.sum(inside)
		out = append(out, Bin{c.plan.Edges[p.first], c.plan.Edges[p.end], Measure(middleOf(c.plan.Edges[p.first], c.plan.Edges[p.end])), around(n, c.countReach(cells), 0, float64(c.plan.MaxRecords)),
			c.share(right, func(at place) bool { return inside(at) && !right(at) }, nil)})
	}
	return out
}

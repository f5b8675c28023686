package encoder

import "math"

// MostFilled is the largest number of features of rows that are filled. Beyond it, a model without whitening reads only
// the features that are not 0.
const MostFilled = 1000

// Fill moves states of columns that the records hardly show to the means of their columns. The argument x holds the
// features of a row, before normalization. Feature j keeps the share kept[j] of its value. The rest becomes the mean of
// the feature's column: the mean of its number, or the frequencies of its other states. The center holds means of
// normalized rows with noise. So the mean of a
// number is divided by the mean scale of rows.
//
// A row has one state of each column. So the states of a column of levels or bins sum to the scale of the row, and their
// means to the mean scale. Without such a column, numbers are taken to be spread evenly between their bounds.
func Fill(x []float64, names []Name, center, kept []float64) {
	scale := 0.0
	for j := 0; j < len(names); j++ {
		if x[j] == 0 || kept[j] == 1 {
			continue
		}
		if scale == 0 {
			scale = MeanScale(names, center)
		}
		first, end := j, j+1
		for ; first > 0 && names[first-1].Column == names[j].Column; first-- {
		}
		for ; end < len(names) && names[end].Column == names[j].Column; end++ {
		}
		rest := (1 - kept[j]) * x[j]
		x[j] *= kept[j]
		addMean(x[first:end], names[first:end], center[first:end], kept[first:end], rest, scale)
		j = end - 1 // a row has one state of a column
	}
}

// addMean adds a multiple of the mean of a column to its features.
func addMean(x []float64, names []Name, center, kept []float64, multiple, scale float64) {
	sum := 0.0
	for j, c := range center {
		if names[j].Level == "" {
			x[j] += multiple * max(0, min(1, c/scale))
			return
		}
		sum += kept[j] * max(0, c)
	}
	if sum > 0 {
		for j, c := range center {
			x[j] += multiple * kept[j] * max(0, c) / sum
		}
	}
}

// MeanScale returns an estimate of the mean scale of rows from the noisy means of normalized rows. The features of a
// column of levels or bins sum to the scale in each row that has a state of the column. Sums of columns with an indicator
// of missing cells count by the inverse of their numbers of features, as their noise does. Other columns may have
// no state in many rows, so these count only if no column has an indicator. Then the result is at least the
// scale of rows with a state of each column, and with numbers spread evenly between their bounds.
func MeanScale(names []Name, center []float64) float64 {
	var sums, counts [2]float64 // without and with an indicator of missing cells
	square := 0.0
	for first := 0; first < len(names); {
		sum, number, full, end := 0.0, false, 0, first
		for ; end < len(names) && names[end].Column == names[first].Column; end++ {
			sum += center[end]
			number = number || names[end].Level == ""
			if names[end].Aside && names[end].Level == "missing" {
				full = 1
			}
		}
		if square++; number {
			square -= 2.0 / 3
		} else {
			sums[full] += sum / float64(end-first)
			counts[full] += 1 / float64(end-first)
		}
		first = end
	}
	least := 1 / math.Sqrt(max(1, square))
	switch {
	case counts[1] > 0 && sums[1] > 0:
		return sums[1] / counts[1]
	case counts[0] > 0:
		return max(least, sums[0]/counts[0])
	}
	return least
}

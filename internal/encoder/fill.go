package encoder

import "math"

// MostFilled is the largest number of features of rows that are filled. Beyond it, a model without whitening reads only
// the features that are not 0.
const MostFilled = 1000

// Fill moves states of columns that the records hardly show to the means of their columns. The argument x holds the
// features of a row, before normalization. Feature j keeps the share kept[j] of its value. The rest becomes the mean of
// the feature's column, whose features are in means.
//
// The mean of levels is shorter than a level. So the row would be shorter than others, and its other features would be
// stretched when it is scaled. Fill returns the square of what is missing, summed over columns of levels or bins. In
// the other result each column has its factor in stretch, by feature. Nothing is taken to be missing in the mean of a number.
func Fill(x []float64, names []Name, kept, means, stretch []float64) (spare, stretched float64) {
	for j := 0; j < len(names); j++ {
		if x[j] == 0 || kept[j] == 1 {
			continue
		}
		first, end := columnOf(names, j)
		before, rest, number := x[j]*x[j], (1-kept[j])*x[j], false
		x[j] *= kept[j]
		after := 0.0
		for k := first; k < end; k++ {
			x[k] += rest * means[k]
			after += x[k] * x[k]
			number = number || names[k].Level == ""
		}
		if !number {
			lacking := max(0, before-after)
			spare, stretched = spare+lacking, stretched+lacking*stretch[first]
		}
		j = end - 1 // a row has one state of a column
	}
	return spare, stretched
}

// columnOf returns the range of the features of the column that feature j belongs to. They stand together.
func columnOf(names []Name, j int) (first, end int) {
	first, end = j, j+1
	for first > 0 && names[first-1].Column == names[j].Column {
		first--
	}
	for end < len(names) && names[end].Column == names[j].Column {
		end++
	}
	return first, end
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

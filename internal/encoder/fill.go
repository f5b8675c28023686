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
			scale = meanScale(names, center)
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

// meanScale returns the mean of the sums of columns without a number, each entry of the center at least 0. A sum below
// half of the largest does not count: few rows have a state of such a column.
func meanScale(names []Name, center []float64) float64 {
	largest, columns := 0.0, 0
	for first, end := 0, 0; first < len(names); first, columns = end, columns+1 {
		sum, next := columnSum(names, center, first)
		largest, end = max(largest, sum), next
	}
	if largest == 0 {
		return 1 / math.Sqrt(max(1, float64(columns)/3))
	}
	all, count := 0.0, 0.0
	for first, end := 0, 0; first < len(names); first = end {
		sum, next := columnSum(names, center, first)
		if end = next; sum >= largest/2 {
			all, count = all+sum, count+1
		}
	}
	return all / count
}

// columnSum returns the sum of the column whose features begin at first, or 0 if one of them is a number. The result end
// is where its features end.
func columnSum(names []Name, center []float64, first int) (sum float64, end int) {
	number := false
	for end = first; end < len(names) && names[end].Column == names[first].Column; end++ {
		sum += max(0, center[end])
		number = number || names[end].Level == ""
	}
	if number {
		return 0, end
	}
	return sum, end
}

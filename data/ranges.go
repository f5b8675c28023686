package data

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// columnRun is a stretch of columns that a schema file writes under one key: one column, or several
// whose names differ only in consecutive numbers.
type columnRun struct {
	key    string // "age" or "pixel[0:784]"
	column Column // the first of them
}

// shortestRun is the smallest number of columns that is written as a range.
const shortestRun = 3

// columnRuns returns the runs of columns that a schema file writes.
func columnRuns(columns []Column) []columnRun {
	var runs []columnRun
	for i := 0; i < len(columns); {
		run := columnRun{key: columns[i].source(), column: columns[i]}
		if !columns[i].leads(columns, i) { // the first column of a date stands for all
			i++
			continue
		}
		n := runLength(columns[i:])
		if n >= shortestRun {
			prefix, from, _ := splitNumber(columns[i].Name)
			run.key = fmt.Sprintf("%s[%d:%d]", prefix, from, from+n)
		} else {
			n = 1
		}
		runs = append(runs, run)
		i += n
	}
	return runs
}

// FeatureRanges returns the names of the feature columns in the notation of a schema file. In this
// notation "pixel[0:784]" means the adjacent columns pixel0 to pixel783.
func (s *Schema) FeatureRanges() []string {
	var names []string
	for _, run := range columnRuns(s.Features()) {
		names = append(names, run.key)
	}
	return names
}

// runLength returns the number of first columns with consecutive numbers and the same declaration.
func runLength(columns []Column) int {
	prefix, from, ok := splitNumber(columns[0].Name)
	if !ok || columns[0].Date != nil {
		return 1
	}
	n := 1
	for ; n < len(columns); n++ {
		if !sameDeclaration(&columns[n], &columns[0]) || columns[n].Name != prefix+strconv.Itoa(from+n) {
			break
		}
	}
	return n
}

// sameDeclaration reports whether two columns differ at most in their names.
func sameDeclaration(a, b *Column) bool {
	return a.Kind == b.Kind && a.open == b.open && a.countsDates == b.countsDates &&
		slices.Equal(a.absent, b.absent) && slices.Equal(a.absentAt, b.absentAt) &&
		a.Lower == b.Lower && a.Upper == b.Upper && a.Transform == b.Transform &&
		a.Unknown == b.Unknown && a.OutOfRange == b.OutOfRange && a.Missing == b.Missing && a.Fill == b.Fill &&
		a.Learning == b.Learning && a.MaxLevels == b.MaxLevels && a.MaxBins == b.MaxBins &&
		a.Repeat == b.Repeat && a.Related == b.Related && a.Date == b.Date && a.Ordered == b.Ordered &&
		a.Unit == b.Unit && a.Integer == b.Integer && sameHashing(a.Hashing, b.Hashing) &&
		slices.Equal(a.Bins, b.Bins) && (sameTexts(a.Levels, b.Levels) || slices.Equal(a.Levels, b.Levels)) && slices.EqualFunc(a.Grouped, b.Grouped, slices.Equal)
}

// splitNumber splits "pixel17" into "pixel" and 17. Numbers with leading zeros or more than nine
// digits, and names that are all digits, do not split.
func splitNumber(name string) (prefix string, number int, ok bool) {
	prefix = strings.TrimRight(name, "0123456789")
	digits := name[len(prefix):]
	if prefix == "" || digits == "" || len(digits) > 9 || len(digits) > 1 && digits[0] == '0' {
		return "", 0, false
	}
	number, err := strconv.Atoi(digits)
	return prefix, number, err == nil
}

// parseRange splits "pixel[0:784]" into its parts. ok reports whether the key has the form of a
// range at all. The caller checks from < to and the size.
func parseRange(key string) (prefix string, from, to int, ok bool) {
	inner, found := strings.CutSuffix(key, "]")
	open := strings.LastIndexByte(inner, '[')
	if !found || open < 0 {
		return "", 0, 0, false
	}
	low, high, found := strings.Cut(inner[open+1:], ":")
	if !found || !allDigits(low) || !allDigits(high) {
		return "", 0, 0, false
	}
	from, errFrom := strconv.Atoi(low)
	to, errTo := strconv.Atoi(high)
	if errFrom != nil || errTo != nil {
		from, to = 0, 0 // an empty range, which the caller refuses
	}
	return inner[:open], from, to, true
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

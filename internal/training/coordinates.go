package training

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/train"
)

// coordinateWords are the words in names of columns by which two numbers are the coordinates of a point.
var coordinateWords = [][2][]string{
	{{"longitude", "long", "lon", "lng"}, {"latitude", "lat"}},
	{{"easting"}, {"northing"}},
}

// mostPoints is the largest number of points of a row that coordinatesOf finds. Two points are, for example, the
// ends of a way.
const mostPoints = 2

// coordinatesOf returns the pairs of columns that are the coordinates of a point by their names alone. The
// names differ in one word, such as pickup_longitude and pickup_latitude. There is no pair if more than
// mostPoints are found, or if a column is in two of them.
func coordinatesOf(s *data.Schema) (pairs [][]string) {
	var numbers []data.Column
	for _, c := range s.Features() {
		if c.Kind == data.Numeric && c.Slots() == 0 {
			numbers = append(numbers, c)
		}
	}
	for _, words := range coordinateWords {
		for _, a := range numbers {
			rest, is := without(a.Name, words[0])
			for _, b := range numbers {
				if other, also := without(b.Name, words[1]); is && also && rest == other {
					pairs = append(pairs, []string{a.Name, b.Name})
				}
			}
		}
	}
	names := slices.Concat(pairs...)
	slices.Sort(names)
	if len(pairs) > mostPoints || len(slices.Compact(names)) < 2*len(pairs) {
		return nil
	}
	return pairs
}

// without returns the words of a name without the first one that is among some words.
func without(name string, words []string) (rest string, found bool) {
	others := wordsOf(name)
	at := slices.IndexFunc(others, func(word string) bool { return slices.Contains(words, word) })
	if at < 0 {
		return "", false
	}
	return strings.Join(slices.Delete(others, at, at+1), " "), true
}

// wordsOf returns the words of a name in lower case, such as pickup and lat of pickupLat and pickup_LAT. Words are of
// letters or of digits. They end where a capital letter follows a small one.
func wordsOf(name string) (words []string) {
	var last rune
	for _, r := range name {
		letter, digit := unicode.IsLetter(r), unicode.IsDigit(r)
		switch begins := digit != unicode.IsDigit(last) || letter != unicode.IsLetter(last) || unicode.IsUpper(r) && unicode.IsLower(last); {
		case !letter && !digit:
		case begins:
			words = append(words, string(unicode.ToLower(r)))
		default:
			words[len(words)-1] += string(unicode.ToLower(r))
		}
		last = r
	}
	return words
}

// withCoordinates returns a resolution with the pairs of columns that are coordinates, and their bins. There is no
// pair if the cells do not fit into memory.
func withCoordinates(r train.Request, s *data.Schema, cells resolution) resolution {
	more := cells
	if signal(r, s) >= leastFinePoints {
		more.coordinateBins = finePointBins
	}
	more.coordinates = coordinatesOf(s)
	if _, entries, err := pairFeatures(s, more); len(more.coordinates) == 0 || err != nil || !fitsMemory(entries, s) {
		return cells
	}
	return more
}

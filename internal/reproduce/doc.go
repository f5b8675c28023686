// Package reproduce repeats experiments of the literature and compares each published figure with
// its own, with the reason for each difference. The experiments are the entries of a table, one
// file each.
//
// The data sets are public. The epsilon of a run is its guarantee if its records were private. The
// many runs of an experiment together would cost more.
package reproduce
